// A recorded stream: what came, event by event, and what the answer was after each.

/** @import { Grown, Json, Step, Stream, WireEvent } from "../types.js" */

import { count, fill, h, icon, json, several } from "./dom.js";
import { linesOf } from "./json.js";
import { link, markdown } from "./markdown.js";
import { Pager } from "./pager.js";
import { head } from "./source.js";

/** @type {[words: string, speed: number][]} */
const SPEEDS = [
  ["10 a second", 10],
  ["30 a second", 30],
  ["100 a second", 100],
  ["All at once", 0],
];

/**
 * The answer after so many events: its blocks, in the order in which they began.
 *
 * @param {Stream["events"]} events
 * @param {number} number
 */
export function stateAfter(events, number) {
  /** @type {Map<string, Grown>} */
  const blocks = new Map();
  for (const event of events.slice(0, number)) {
    for (const step of event.steps ?? []) apply(blocks, step);
  }
  return [...blocks.values()];
}

/**
 * @param {Map<string, Grown>} blocks
 * @param {Step} step
 */
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
  } else if (known === undefined) {
    return; // of a block that has not begun
  } else if (step.do === "grow") {
    known.text += step.text;
  } else {
    known.open = false;
    known.unfinished = step.block?.unfinished;
  }
}

/**
 * @typedef {object} Parts
 * @property {HTMLInputElement} range
 * @property {HTMLButtonElement} play
 * @property {HTMLOutputElement} number
 * @property {HTMLSelectElement} speed
 * @property {HTMLSelectElement} wire
 * @property {HTMLElement} soFar
 * @property {HTMLElement} events
 */

/** The panel that plays a stream; `wires` names the wires, `converted(name)` gives its events there. */
export class Replay {
  /** @type {Stream} */
  #data;
  /** @type {WireEvent[]} */
  #shown; // the events of the wire that is shown
  #at = 0;
  /** @type {number | null} */
  #timer = null;
  #speed = SPEEDS[1][1];
  /** @type {Pager} */
  #pager;
  /** @type {Parts} */
  #parts;
  /** @type {(wire: string) => Promise<WireEvent[]>} */
  #converted;

  /**
   * @param {Element} root
   * @param {Stream} data
   * @param {string[]} wires
   * @param {(wire: string) => Promise<WireEvent[]>} converted
   */
  constructor(root, data, wires, converted) {
    this.#data = data;
    this.#converted = converted;
    this.#shown = data.events.map((event, index) => ({ ...event, from: index }));
    const p = /** @type {Parts} */ ({}); // filled at once
    this.#parts = p;
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
    this.#pager = this.#list();
    this.#button();
    this.go(data.events.length);
  }

  /**
   * Show the answer as it was after `number` events.
   *
   * @param {number} number
   */
  go(number) {
    this.#at = Math.max(0, Math.min(this.#data.events.length, number));
    const p = this.#parts;
    p.range.value = String(this.#at);
    p.range.setAttribute("aria-valuetext", `after event ${this.#at} of ${this.#data.events.length}`);
    p.number.textContent = `${this.#at} / ${this.#data.events.length}`;
    this.#drawState();
    for (const [index, element] of this.#pager.rendered()) this.#time(index, element);
    const last = this.#shown.findLastIndex((event) => event.from < this.#at);
    if (last >= 0 && this.#timer !== null) this.#pager.show(last, "nearest");
  }

  stop() {
    clearInterval(this.#timer ?? undefined);
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

  /** @param {number} speed */
  #setSpeed(speed) {
    const playing = this.#timer !== null;
    if (playing) this.#toggle();
    this.#speed = speed;
    if (playing) this.#toggle();
  }

  /** @param {string} name */
  async #setWire(name) {
    this.#shown =
      name === "" ? this.#data.events.map((event, index) => ({ ...event, from: index })) : await this.#converted(name);
    this.#pager.stop();
    this.#pager = this.#list();
    this.go(this.#at);
  }

  #list() {
    const holder = h("div");
    fill(this.#parts.events, holder);
    return new Pager(this.#parts.events, {
      count: this.#shown.length,
      size: 60,
      height: 22,
      holder,
      render: (index) => this.#event(index),
    });
  }

  /** @param {number} index */
  #event(index) {
    const event = this.#shown[index];
    const text = typeof event.data === "string" ? event.data : json(event.data);
    const element = h("div", { class: "event" });
    const summary = h(
      "button",
      { type: "button", class: "summary", "aria-expanded": "false", onclick: () => open() },
      h("span", { class: "n" }, count(event.from + 1)),
      h("span", { class: "t" }, event.name ?? typeIn(event.data) ?? "data"),
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

  /**
   * @param {number} index
   * @param {Element} element
   */
  #time(index, element) {
    const { from } = this.#shown[index];
    element.classList.toggle("now", from === this.#at - 1);
    element.classList.toggle("to-come", from >= this.#at);
  }
}

/**
 * @param {string} label
 * @param {Parameters<typeof icon>[0]} drawing
 * @param {() => void} onclick
 */
function step(label, drawing, onclick) {
  return h("button", { type: "button", class: "icon", "aria-label": label, onclick }, icon(drawing));
}

/**
 * The type that an event tells in its data.
 *
 * @param {Json} data
 */
function typeIn(data) {
  const type = data !== null && typeof data === "object" && !Array.isArray(data) ? data.type : null;
  return typeof type === "string" ? type : null;
}

/**
 * What an event adds to a text: the part of it that is read.
 *
 * @param {WireEvent} event
 */
function added(event) {
  const text = (event.steps ?? [])
    .filter((one) => one.do === "grow")
    .map((one) => one.text)
    .join("");
  return text !== "" && h("q", {}, json(text));
}

/** @param {import("./json.js").Line} line */
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

/** @param {Grown} state */
function grown(state) {
  if (state.block !== undefined) {
    const { kind, name, url, text } = state.block;
    return h(
      "div",
      { class: "block muted" },
      `(${kind}${name ? ` ${name}` : ""}) `,
      url ? (link(url, url) ?? url) : head(text ?? ""),
    );
  }
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
    default:
      return h("div", { class: "block" }, h("span", { class: "tag" }, "declines"), " ", state.text, cursor);
  }
}
