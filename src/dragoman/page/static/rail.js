// The wires beside the JSON, with their losses.

/** @import { Sum } from "../types.js" */

import { fill, findAll, h } from "./dom.js";
import { drawCut } from "./header.js";
import { actions, answers, here, narrow, state, view, writeAddress } from "./state.js";

/** @param {Element} rail */
export function drawRail(rail) {
  const { protocols, vendors } = state.contents;
  const row = here();
  /**
   * @param {string} name
   * @param {string} side
   * @param {string} label
   */
  const entry = (name, side, label) =>
    h(
      "button",
      {
        type: "button",
        "data-wire": side ? "" : name,
        "data-side": side || null,
        "aria-pressed": String(side ? state.side === side : !state.side && state.wire === name),
        onclick: () => choose(name, side),
      },
      h("span", { class: "wire" }, label),
      h("span", { class: "sum" }),
    );
  const own = row.wire && !protocols.includes(row.wire) ? [row.wire] : [];
  /** @type {HTMLSelectElement} */
  const more = h(
    "select",
    { "aria-label": "Another vendor", onchange: () => more.value && choose(more.value, "") },
    h("option", { value: "" }, "Another vendor…"),
    vendors.map((name) => h("option", { value: name, selected: state.wire === name && !own.includes(name) }, name)),
  );
  const sides = [
    row.wire && row.request && entry(row.wire, "client", row.upstream ? `client: ${row.wire}` : row.wire),
    row.upstream && entry(row.upstream, "upstream", `upstream: ${row.upstream}`),
  ].filter(Boolean);
  if (view.unreadable && row.request) {
    fill(rail, h("h2", {}, "As recorded"), sides);
    return;
  }
  fill(
    rail,
    sides.length > 0 && [h("h2", {}, "As recorded"), sides],
    h("h2", {}, "Written for"),
    [...own, ...protocols].map((name) => entry(name, "", name)),
    answers.live ? more : h("p", { class: "muted small aside" }, exportedNote()),
  );
}

/**
 * Bring the wire that is chosen into sight, where the wires stand in one row.
 *
 * @param {Element | null} rail
 */
export function reveal(rail) {
  rail?.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** What an exported page cannot show, and the live one can. */
function exportedNote() {
  const rest = (state.contents.left_out ?? 0) > 0 ? ", and what was too much for one file," : "";
  return `Other vendors${rest} are in the live page: dragoman view`;
}

/**
 * @param {string} name
 * @param {string} side
 */
function choose(name, side) {
  if (state.wire !== name && !side) state.cut = 0;
  Object.assign(state, side ? { side, about: "request" } : { side: "", wire: name });
  for (const button of findAll(document, ".rail button")) {
    const chosen = side ? button.dataset.side === side : button.dataset.wire === name && !button.dataset.side;
    button.setAttribute("aria-pressed", String(chosen));
  }
  reveal(document.querySelector(".rail"));
  writeAddress();
  const shown = actions.showWire();
  if (!side) shown.then(drawCut);
}

/** How many losses each wire has, beside its name. */
export async function drawSums() {
  if (!here().request) return;
  const { id } = state;
  const rows = await answers.ask(`losses/${id}/${state.how}`);
  if (id !== state.id) return;
  for (const row of rows) {
    const place = document.querySelector(`.rail button[data-wire="${CSS.escape(row.wire)}"] .sum`);
    if (place !== null) fill(place, sum(row));
  }
  const rail = document.querySelector(".rail");
  if (rail !== null && narrow.matches) reveal(rail); // the sums have made the others wider
}

/** @param {Sum} row */
function sum(row) {
  if (row.refused !== undefined) return h("span", { class: "dropped-count" }, "refused");
  const dropped = row.kinds.dropped ?? 0;
  const others = Object.entries(row.kinds).reduce(
    (total, [kind, number]) => (["dropped", "expected", "added"].includes(kind) ? total : total + number),
    0,
  );
  const words = [dropped && `${dropped} dropped`, others && `${others} other losses`].filter(Boolean).join(", ");
  return [
    dropped > 0 && h("span", { class: "dropped-count", "aria-hidden": "true" }, dropped),
    others > 0 && h("span", { "aria-hidden": "true" }, dropped > 0 ? `+${others}` : others),
    dropped + others === 0 && h("span", { "aria-hidden": "true" }, "–"),
    h("span", { class: "visually-hidden" }, words || "no loss"),
  ];
}
