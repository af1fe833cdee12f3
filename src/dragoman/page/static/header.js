// The bar: which exchange is shown, how much of a long history is kept, and files to open.

/** @import { Exchange } from "../types.js" */

import { byId, complain, count, fill, findAll, h, icon } from "./dom.js";
import { opener } from "./files.js";
import { actions, answers, describe, here, isBroken, main, state, view } from "./state.js";
import { switchTheme } from "./theme.js";

const bar = byId("head");

/** @param {Exchange} row */
function exchangeName(row) {
  if (isBroken(row)) return `${row.id + 1} · cannot be read`;
  const many = state.contents.exchanges.length > 1;
  const parts = [
    many ? `${row.id + 1}` : "",
    row.session || row.agent,
    row.model || row.wire || "messages",
    row.status && row.status >= 400 ? `${row.status}` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

export function drawBar() {
  const { exchanges, files } = state.contents;
  /** @type {HTMLSelectElement} */
  const picker = h("select", { "aria-label": "Exchange", onchange: () => actions.select(Number(picker.value)) });
  for (const file of files) {
    const alone = file.exchanges.length === 1;
    const rows = file.exchanges.map((id) =>
      h(
        "option",
        { value: id, selected: id === state.id },
        alone ? [file.name, isBroken(exchanges[id]) && " · cannot be read"] : exchangeName(exchanges[id]),
      ),
    );
    if (!alone) picker.append(h("optgroup", { label: file.name }, rows));
    else picker.append(...rows);
  }
  /**
   * @param {string} label
   * @param {Parameters<typeof icon>[0]} drawing
   * @param {number} to
   */
  const step = (label, drawing, to) =>
    h(
      "button",
      {
        type: "button",
        class: "icon bare",
        "aria-label": label,
        disabled: exchanges[to] === undefined,
        onclick: () => actions.select(to),
      },
      icon(drawing),
    );
  fill(
    bar,
    h("h1", { class: "wordmark" }, icon("logo"), "dragoman"),
    exchanges.length > 0 &&
      h(
        "nav",
        { class: "where", "aria-label": "Exchanges" },
        exchanges.length > 1 && step("Previous exchange", "back", state.id - 1),
        picker,
        exchanges.length > 1 && step("Next exchange", "next", state.id + 1),
      ),
    h("div", { class: "space" }),
    h("div", { class: "cut", hidden: true }),
    answers.live && exchanges.length > 0 && opener("Open", openFiles),
    h("button", { type: "button", class: "icon", "aria-label": "Light or dark", onclick: switchTheme }, icon("theme")),
  );
}

/**
 * Open files, show the first that can be read, and tell of those that cannot.
 *
 * @param {File[]} files
 */
export async function openFiles(files) {
  if (!answers.live) return; // an exported page opens nothing
  /** @type {[what: string, why: string][]} */
  const problems = [];
  /** @type {number | null} */
  let first = null;
  main.setAttribute("aria-busy", "true");
  for (const file of files) {
    try {
      const [id] = await answers.open(file.name, file);
      first ??= id;
    } catch (error) {
      problems.push([file.name, describe(error)]);
    }
  }
  state.contents = await answers.ask("contents");
  main.setAttribute("aria-busy", "false");
  complain(problems);
  if (first !== null) await actions.select(first);
}

export async function drawCut() {
  const [place] = findAll(bar, ".cut");
  const { id } = state;
  view.positions = [];
  if (!here().request) return;
  place.hidden = true;
  // of a long history an exported page has the cuts for one wire alone
  const { positions } = await answers.ask(`cuts/${id}/${state.wire}`).catch(() => ({ positions: [] }));
  if (id !== state.id || positions.length < 2) return;
  view.positions = positions;
  const output = h("output", { class: "small figures muted" });
  const range = h("input", {
    type: "range",
    min: 0,
    max: positions.length - 1,
    value: positions.length - 1 - state.cut,
    id: "cut",
    oninput: () => moved(),
    onchange: () => actions.showWire(),
  });
  const moved = () => {
    state.cut = positions.length - 1 - Number(range.value);
    const position = positions[state.cut];
    const words =
      state.cut === 0
        ? `all ${count(position.tokens)} tokens`
        : `${count(position.tokens)} tokens, ${position.dropped.length} left out`;
    output.textContent = words;
    range.setAttribute("aria-valuetext", words);
    view.chat?.cut(position.dropped);
  };
  fill(place, h("label", { class: "small", for: "cut" }, "Keep"), range, output).hidden = false;
  moved();
}
