// A recorded stream: what came, event by event, and what the answer was after each.

import { count, fill, h, icon, json, several } from "./dom.js";
import { linesOf } from "./json.js";
import { link, markdown } from "./markdown.js";
import { Pager } from "./pager.js";
import { head } from "./source.js";

const SPEEDS = [
  ["10 a second", 10],
  ["30 a second", 30],
  ["100 a second", 100],
  ["All at once", 0],
];

/** The answer after so many events: its blocks, in the order in which they began. */
export function stateAfter(events, number) {
  const blocks = new Map();
  for (const event of events.slice(0, number)) {
    for (const step of event.steps) apply(blocks, step);
  }
  return [...blocks.values()];
}

function apply(blocks, step) {
  const known = blocks.get(step.key);
  if (step.do === "block") {
    blocks.set(known && known.kind !== "block" ? `${step.key}+` : step.key, {
      kind: "block",
      block: step.block,
      text: "",
    });
  } else if (step.do === "start") {
    if (known === undefined || known.kind !== step.kind) {
      blocks.set(step.key, { kind: step.kind, text: "", name: step.block?.name, open: true });
    } else known.open = true;
  } else if (known !== undefined && step.do === "grow") {
    known.text += step.text;
  } else if (known !== undefined) {
    known.open = false;
    known.unfinished = step.block?.unfinished;
  }
}

/** The panel that plays a stream; `wires` names the wires, `converted(name)` gives its events there. */
export class Replay {
  #data;
  #shown; // the events of the wire that is shown
  #at = 0;
  #timer = null;
  #speed = SPEEDS[1][1];
  #pager = null;
  #parts = {};
  #converted;

  constructor(root, data, wires, converted) {
    this.#data = data;
    this.#converted = converted;
    this.#shown = data.events.map((event, index) => ({ ...event, from: index }));
    const p = this.#parts;
    p.range = h("input", {
      type: "range",
      min: 0,
      max: data.events.length,
      value: 0,
      "aria-label": "Event",
      oninput: () => this.go(Number(p.range.value)),
    });
    p.play = h("button", { type: "button", class: "icon primary", onclick: () => this.#toggle() });
    p.number = h("output", { class: "figures small muted" });
    p.speed = h(
      "select",
      { "aria-label": "Speed", onchange: () => this.#setSpeed(Number(p.speed.value)) },
      SPEEDS.map(([name, value]) => h("option", { value, selected: value === this.#speed }, name)),
    );
    p.wire = h(
      "select",
      { "aria-label": "Events on the wire", onchange: () => this.#setWire(p.wire.value) },
      h("option", { value: "" }, `${data.wire}, as recorded`),
      wires.filter((name) => name !== data.wire).map((name) => h("option", { value: name }, name)),
    );
    p.soFar = h("section", { class: "so-far", "aria-label": "The answer so far", tabindex: "0" });
    p.events = h("section", { class: "scroll events", "aria-label": "Events", tabindex: "0" });
    fill(
      root,
      h(
        "div",
        { class: "bar" },
        h(
          "div",
          { class: "player" },
          step("One event back", "back", () => this.go(this.#at - 1)),
          p.play,
          step("One event on", "next", () => this.go(this.#at + 1)),
          p.range,
          p.number,
        ),
        p.speed,
        p.wire,
      ),
      p.soFar,
      p.events,
    );
    this.#list();
    this.#button();
    this.go(data.events.length);
  }

  /** Show the answer as it was after `number` events. */
  go(number) {
    this.#at = Math.max(0, Math.min(this.#data.events.length, number));
    const p = this.#parts;
    p.range.value = this.#at;
    p.range.setAttribute("aria-valuetext", `after event ${this.#at} of ${this.#data.events.length}`);
    p.number.textContent = `${this.#at} / ${this.#data.events.length}`;
    this.#drawState();
    for (const [index, element] of this.#pager.rendered()) this.#time(index, element);
    const last = this.#shown.findLastIndex((event) => event.from < this.#at);
    if (last >= 0 && this.#timer !== null) this.#pager.show(last, "nearest");
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#pager.stop();
  }

  #drawState() {
    const blocks = stateAfter(this.#data.events, this.#at);
    const { failed } = this.#data;
    const end = this.#at === this.#data.events.length;
    fill(
      this.#parts.soFar,
      h("h2", {}, `The answer after ${several(this.#at, "event")}`),
      h("div", { class: "grown" }, blocks.map(grown)),
      blocks.length === 0 && h("p", { class: "muted" }, "Nothing yet."),
      end && failed && h("p", { class: "fault" }, failed),
      end && h("p", { class: "muted small" }, `${this.#data.answer.status}: ${this.#data.answer.finish}`),
    );
  }

  #toggle() {
    if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    } else if (this.#speed === 0) {
      this.go(this.#data.events.length);
    } else {
      if (this.#at === this.#data.events.length) this.go(0);
      this.#timer = setInterval(() => this.#tick(), 1000 / this.#speed);
    }
    this.#button();
  }

  #tick() {
    this.go(this.#at + 1);
    if (this.#at === this.#data.events.length) this.#toggle();
  }

  #button() {
    const playing = this.#timer !== null;
    this.#parts.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    fill(this.#parts.play, icon(playing ? "pause" : "play"));
  }

  #setSpeed(speed) {
    const playing = this.#timer !== null;
    if (playing) this.#toggle();
    this.#speed = speed;
    if (playing) this.#toggle();
  }

  async #setWire(name) {
    this.#shown =
      name === "" ? this.#data.events.map((event, index) => ({ ...event, from: index })) : await this.#converted(name);
    this.#list();
    this.go(this.#at);
  }

  #list() {
    this.#pager?.stop();
    const holder = h("div");
    fill(this.#parts.events, holder);
    this.#pager = new Pager(this.#parts.events, {
      count: this.#shown.length,
      size: 60,
      height: 22,
      holder,
      render: (index) => this.#event(index),
    });
  }

  #event(index) {
    const event = this.#shown[index];
    const text = typeof event.data === "string" ? event.data : json(event.data);
    const element = h("div", { class: "event" });
    const summary = h(
      "button",
      { type: "button", class: "summary", "aria-expanded": "false", onclick: () => open() },
      h("span", { class: "n" }, count(event.from + 1)),
      h("span", { class: "t" }, event.name ?? event.data?.type ?? "data"),
      h("span", { class: "d" }, added(event), text.slice(0, 400)),
    );
    const open = () => {
      const shown = element.querySelector(".json");
      summary.setAttribute("aria-expanded", String(shown === null));
      if (shown !== null) shown.remove();
      else element.append(h("div", { class: "json" }, linesOf(event.data).map(plainLine)));
      this.go(event.from + 1);
    };
    element.append(summary);
    this.#time(index, element);
    return element;
  }

  #time(index, element) {
    const { from } = this.#shown[index];
    element.classList.toggle("now", from === this.#at - 1);
    element.classList.toggle("to-come", from >= this.#at);
  }
}

function step(label, drawing, onclick) {
  return h("button", { type: "button", class: "icon", "aria-label": label, onclick }, icon(drawing));
}

/** What an event adds to a text: the part of it that is read. */
function added(event) {
  const text = (event.steps ?? [])
    .filter((one) => one.do === "grow")
    .map((one) => one.text)
    .join("");
  return text !== "" && h("q", {}, json(text));
}

function plainLine(line) {
  const element = h(
    "div",
    { class: "line" },
    line.key !== null && [h("span", { class: "k" }, json(line.key)), ": "],
    line.text ?? h("span", { class: typeof line.value === "string" ? "s" : "a" }, json(line.value)),
    line.comma && ",",
  );
  element.style.paddingLeft = `${line.depth * 2 + 6}ch`;
  return element;
}

function grown(state) {
  const cursor = state.open ? h("span", { class: "muted", "aria-hidden": "true" }, " ▍") : null;
  switch (state.kind) {
    case "text":
      return h("div", { class: "block" }, markdown(state.text), cursor);
    case "thinking":
      return h(
        "div",
        { class: "block muted" },
        h("p", { class: "small" }, "thinks"),
        h("div", { class: "raw-text" }, state.text),
        cursor,
      );
    case "call":
      return h(
        "div",
        { class: "block" },
        h("p", {}, state.unfinished ? "breaks off in " : "calls ", h("code", {}, state.name)),
        h("pre", { class: "raw-text" }, state.text, cursor),
      );
    case "block":
      return h(
        "div",
        { class: "block muted" },
        `(${state.block.kind}${state.block.name ? ` ${state.block.name}` : ""}) `,
        state.block.url ? (link(state.block.url, state.block.url) ?? state.block.url) : head(state.block.text ?? ""),
      );
    default:
      return h("div", { class: "block" }, h("span", { class: "tag" }, "declines"), " ", state.text, cursor);
  }
}
