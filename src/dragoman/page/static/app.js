// The page: opens an exchange, draws its conversation, and leaves its views to the other modules.

/** @import { Conversation } from "../types.js" */

import { Chat } from "./chat.js";
import { byId, fill, findAll, h, say } from "./dom.js";
import { takeDrops, welcome } from "./files.js";
import { drawBar, drawCut, openFiles } from "./header.js";
import { drawSums } from "./rail.js";
import { actions, answers, describe, here, main, narrow, placesOf, readAddress, state, view } from "./state.js";
import { drawTabs, go, showTab, showWire } from "./tabs.js";
import { restoreTheme } from "./theme.js";

/**
 * Open an exchange: its conversation, and at the right what was shown of the last one.
 *
 * @param {number} id
 * @returns {Promise<void>}
 */
async function select(id) {
  const rows = state.contents.exchanges;
  if (rows.length === 0) return welcome(main, openFiles);
  state.id = rows[id] === undefined ? 0 : id;
  Object.assign(state, {
    cut: 0,
    side: here().upstream ? "upstream" : "",
    about: here().request ? "request" : "answer",
  });
  if (!state.wire) state.wire = here().wire || state.contents.protocols[0];
  view.cache = null;
  main.setAttribute("aria-busy", "true");
  const chosen = state.id;
  /** @type {Conversation} */
  const data = await answers.ask(`conversation/${chosen}`).catch((/** @type {unknown} */ error) => ({
    messages: [],
    tools: [],
    options: [],
    prompts: 0,
    skipped: [],
    compactions: [],
    faults: [{ text: describe(error) }],
  }));
  if (chosen !== state.id) return;
  // of a body that cannot be read there is only what was recorded
  view.unreadable = data.messages.length === 0 && data.faults.length > 0;
  if (view.unreadable && here().request && !state.side) state.side = "client";
  drawBar();
  drawWork(data);
  main.setAttribute("aria-busy", "false");
  // what takes longest comes last; nothing more is asked about an exchange that was left
  for (const draw of [() => showTab(state.tab), drawTokens, drawSums, drawCut]) {
    if (chosen === state.id) await draw();
  }
}

/** @param {Conversation} data */
function drawWork(data) {
  const scroller = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Messages" });
  const raw = h(
    "button",
    {
      type: "button",
      "aria-pressed": "false",
      onclick: () => {
        const pressed = raw.getAttribute("aria-pressed") !== "true";
        raw.setAttribute("aria-pressed", String(pressed));
        view.chat?.setRaw(pressed);
      },
    },
    "Raw",
  );
  let from = 0;
  const find = h("input", {
    type: "search",
    class: "find",
    placeholder: "Find",
    "aria-label": "Find in the conversation",
    onkeydown: async (event) => {
      if (event.key !== "Enter" || find.value === "") return;
      const found = (await view.chat?.find(find.value, from)) ?? -1;
      if (found < 0) say("Nothing found");
      from = found + 1;
    },
  });
  const chat = h(
    "section",
    { id: "chat", tabindex: "-1", "aria-label": "Conversation" },
    h("div", { class: "bar" }, find, h("span", { class: "space" }), raw),
    scroller,
  );
  main.className = "work";
  byId("skip").hidden = false;
  fill(
    main,
    chat,
    h("div", { id: "tabs", class: "tabs", role: "tablist", "aria-label": "Views" }),
    h("section", { id: "panel", tabindex: "-1", role: "tabpanel", "aria-label": "View" }),
  );
  /** @type {((path: string) => void) | null} */
  const toJson = here().request ? (path) => go.json(path, (wanted) => placesOf(wanted)[0]) : null;
  follow(scroller);
  view.chat = new Chat(scroller, answers, data, state.contents.counted_by, toJson);
  drawTabs();
}

/**
 * Tint in the JSON what stands for the block that has the pointer or the focus.
 *
 * @param {HTMLElement} scroller
 */
function follow(scroller) {
  let last = "";
  /** @param {Event} event */
  const tint = (event) => {
    const found = event.target instanceof Element ? event.target.closest("[data-block]") : null;
    const block = found?.getAttribute("data-block") ?? "";
    if (block === last) return;
    last = block;
    view.sheets[0]?.tint(block === "" ? [] : placesOf(block));
  };
  scroller.addEventListener("pointerover", tint);
  scroller.addEventListener("focusin", tint);
}

async function drawTokens() {
  const { id } = state;
  const tokens = await answers.ask(`tokens/${id}`);
  if (id === state.id) view.chat?.setTokens(tokens);
}

/** @param {string} id */
function skipTo(id) {
  if (narrow.matches) showTab(id === "chat" ? "chat" : "json");
  byId(id).focus();
}

async function begin() {
  Object.assign(actions, { select, showTab, showWire });
  restoreTheme();
  readAddress();
  state.contents = await answers.ask("contents");
  if (state.contents.files.length > 0) document.title = `${state.contents.files[0].name} – Dragoman`;
  if (answers.live) takeDrops(openFiles);
  for (const button of findAll(document, "#skip button")) {
    button.addEventListener("click", () => skipTo(button.dataset.to ?? ""));
  }
  drawBar();
  await select(state.id);
  narrow.addEventListener("change", () => showTab(state.tab));
}

begin().catch((error) => fill(main, h("p", { class: "note", role: "alert" }, describe(error))));
