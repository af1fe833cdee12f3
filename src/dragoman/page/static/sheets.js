// The JSON tab: the body that is chosen, what stands beside it, and the choices above both.

/** @import { Fault, LongText, Loss, Sheet, Way } from "../types.js" */

import { copy, fill, h, icon } from "./dom.js";
import { JsonView } from "./json.js";
import { drawRail, drawSums, reveal } from "./rail.js";
import { loadAnswer, markBreak } from "./selection.js";
import { actions, answers, here, inside, state, view } from "./state.js";

/** @type {Record<string, string>} */
const SPEAKERS = { role: "by role", name: "merged by name", tagged: "tagged", namefield: "in name fields" };

/** @param {Element} panel */
export async function drawJson(panel) {
  const rail = h("nav", { class: "rail", "aria-label": "Wires", tabindex: "0" });
  const sheets = h("div", { class: "sheets" });
  fill(panel, h("div", { class: "wires" }, rail, sheets));
  drawRail(rail);
  reveal(rail);
  await actions.showWire();
  drawSums();
}

export async function showSheets() {
  const answer = await loadAnswer();
  const sheets = document.querySelector(".sheets");
  if (answer === null || sheets === null) return;
  const first = sheet(answer, (loss) => loss.at);
  const second = await beside(answer);
  if (answer !== view.answer) return;
  for (const one of view.sheets) one.stop();
  sheets.classList.toggle("two", second !== null);
  fill(sheets, first.element, second?.element);
  view.sheets = [first.open(), second?.open() ?? null].filter((one) => one !== null);
  if (answer.uncut) view.sheets[0]?.strike(dropped(answer));
  await markBreak();
}

/**
 * The paths in a body that say messages which are cut.
 *
 * @param {Sheet} answer
 */
function dropped(answer) {
  const gone = view.chat?.pathsOf(view.positions[state.cut]?.dropped ?? []) ?? [];
  return (answer.pairs ?? []).filter(([, from]) => gone.some((path) => inside(from, path))).map(([at]) => at);
}

/**
 * What stands beside the wire: what was recorded, with the marks of its losses, or another wire.
 *
 * @param {Sheet} answer
 */
async function beside(answer) {
  if (!state.beside || state.about === "answer") return null;
  if (state.beside === "recorded") {
    const recorded = await answers.ask(`recorded/${state.id}/client`);
    return sheet({ ...recorded, losses: answer.losses, title: "As recorded" }, (loss) => [loss.where], true);
  }
  const other = await answers.ask(`wire/${state.id}/${state.beside}/${state.how}/0`);
  return sheet(other, (loss) => loss.at, true);
}

/**
 * One body with its bar: the element, and `open()` which fills it once it is in the document.
 *
 * @param {Sheet} answer
 * @param {(loss: Loss) => string[]} places
 * @param {boolean} [second]
 */
function sheet(answer, places, second = false) {
  const scroller = h("div", {
    class: "scroll",
    tabindex: "0",
    role: "region",
    "aria-label": `JSON for ${answer.wire}`,
  });
  /** @type {JsonView | null} */
  let opened = null;
  const tools = second ? [] : sheetTools();
  const element = h(
    "section",
    { class: "sheet", "aria-label": answer.wire },
    h(
      "div",
      { class: "bar" },
      h("h2", {}, answer.title ?? answer.wire),
      answer.path && h("span", { class: "path", title: answer.path }, `POST ${answer.path}`),
      h("span", { class: "space" }),
      !answer.refused &&
        h(
          "button",
          {
            type: "button",
            class: "icon",
            "aria-label": `Copy the JSON for ${answer.wire}`,
            onclick: async () => opened !== null && copy(await opened.text()),
          },
          icon("copy"),
        ),
    ),
    tools.length > 0 && h("div", { class: "choices" }, tools),
    scroller,
  );
  const open = () => {
    if (answer.refused) {
      fill(scroller, refusal(answer.refused, answer.wire));
      return null;
    }
    const body =
      answer.events === undefined
        ? (answer.body ?? null)
        : answer.events.map(({ name, data }) => ({ event: name, data }));
    const long =
      answer.events === undefined
        ? (answer.long ?? [])
        : answer.events.flatMap((event, index) => event.long.map((one) => within(one, [index, "data"])));
    opened = new JsonView(scroller, answers, body, long);
    opened.mark(answer.losses, places);
    return opened;
  };
  return { element, open };
}

/**
 * The place of a long text in a body that holds the one in which it was cut.
 *
 * @param {LongText} long
 * @param {Way} around
 * @returns {LongText}
 */
function within([way, key, size], around) {
  return [[...around, ...way], key, size];
}

/**
 * @param {Fault} refused
 * @param {string} wire
 */
export function refusal(refused, wire) {
  return h(
    "div",
    { class: "refusal" },
    h("h3", {}, `This cannot go to ${wire}`),
    h("p", {}, refused.text),
    refused.path && h("p", { class: "mono" }, refused.path),
    refused.hint && h("p", { class: "muted" }, refused.hint),
  );
}

function sheetTools() {
  const row = here();
  const options = [];
  if (row.request && row.answer) {
    options.push(
      choice(
        "Part",
        state.about,
        [
          ["request", "Request"],
          ["answer", "Answer"],
        ],
        (value) => {
          Object.assign(state, { about: value, side: "" });
          actions.showTab("json");
        },
      ),
    );
  }
  if (state.about === "answer" || state.side) return options;
  options.push(
    choice("Speakers", state.how, Object.entries(SPEAKERS), (value) => {
      Object.assign(state, { how: value, cut: value === "role" ? state.cut : 0 });
      actions.showWire().then(drawSums);
    }),
  );
  /** @type {[name: string, words: string][]} */
  const others = [["", "nothing"]];
  if (row.wire) others.push(["recorded", "as recorded"]);
  for (const name of state.contents.protocols) if (name !== state.wire) others.push([name, name]);
  options.push(
    choice("Beside it", state.beside, others, (value) => {
      state.beside = value;
      actions.showWire();
    }),
  );
  return options;
}

/**
 * @param {string} label
 * @param {string} value
 * @param {[name: string, words: string][]} rows
 * @param {(name: string) => void} chosen
 */
function choice(label, value, rows, chosen) {
  /** @type {HTMLSelectElement} */
  const select = h(
    "select",
    { onchange: () => chosen(select.value) },
    rows.map(([name, words]) => h("option", { value: name, selected: name === value }, words)),
  );
  return h("label", {}, label, select);
}
