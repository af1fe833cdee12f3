// The views of an exchange beside its conversation: JSON, losses, the stream and the changes.

import { changesPanel } from "./changes.js";
import { byId, fill, findAll, h } from "./dom.js";
import { lossList } from "./losses.js";
import { Replay } from "./replay.js";
import { loadAnswer, markBreak } from "./selection.js";
import { drawJson, refusal, showSheets } from "./sheets.js";
import { answers, describe, here, isBroken, main, narrow, state, view, writeAddress } from "./state.js";

/** @import { Tab } from "./state.js" */

export const go = {
  /** @param {string} path */
  chat(path) {
    if (narrow.matches) showTab("chat");
    view.chat?.show(path);
  },
  /**
   * @param {string} path
   * @param {(path: string) => string} [placed]
   */
  async json(path, placed = (same) => same) {
    if (state.tab !== "json") await showTab("json");
    await view.showing;
    view.sheets[0]?.show(placed(path));
  },
};

function tabNames() {
  const row = here();
  /** @type {[name: Tab, label: string][]} */
  const tabs = [
    ["chat", "Chat"],
    ["json", "JSON"],
    ["losses", "Losses"],
  ];
  if (row.answer === "stream") tabs.push(["replay", "Replay"]);
  if (row.previous !== null) tabs.push(["changes", "Changes"]);
  return tabs;
}

export function drawTabs() {
  const tablist = byId("tabs");
  fill(
    tablist,
    tabNames().map(([name, label]) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${name}`,
          class: `of-${name}`,
          "aria-controls": name === "chat" ? "chat" : "panel",
          onclick: () => showTab(name),
          onkeydown: moveTab,
        },
        label,
        h("span", { class: "count" }),
      ),
    ),
  );
}

/** @param {KeyboardEvent} event */
function moveTab(event) {
  const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (move === undefined) return;
  const tabs = findAll(document, "#tabs [role=tab]").filter((tab) => tab.offsetParent !== null);
  const at = event.target instanceof HTMLElement ? tabs.indexOf(event.target) : -1;
  const next = tabs[(at + move + tabs.length) % tabs.length];
  next.focus();
  next.click();
}

/** @param {string} name */
export async function showTab(name) {
  const known = tabNames().map(([tab]) => tab);
  let tab = known.find((one) => one === name) ?? "json";
  if (tab === "chat" && !narrow.matches) tab = "json";
  state.tab = tab;
  main.dataset.tab = tab;
  for (const button of findAll(document, "#tabs [role=tab]")) {
    const chosen = button.id === `tab-${tab}`;
    button.setAttribute("aria-selected", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
  }
  const panel = byId("panel");
  panel.setAttribute("aria-label", tab);
  writeAddress();
  view.replay?.stop();
  view.replay = null;
  for (const one of view.sheets) one.stop();
  view.sheets = [];
  const row = here();
  if (view.unreadable && (tab === "losses" || isBroken(row))) {
    fill(panel, h("p", { class: "note" }, "What cannot be read is written for no wire."));
    return;
  }
  try {
    await { chat: drawJson, json: drawJson, losses: drawLosses, replay: drawReplay, changes: drawChanges }[tab](panel);
  } catch (error) {
    fill(panel, h("p", { class: "note" }, describe(error)));
  }
}

/**
 * Show what is chosen, wherever it is seen.
 *
 * @returns {Promise<void>}
 */
export function showWire() {
  const panel = byId("panel");
  panel.setAttribute("aria-busy", "true");
  const showing = (state.tab === "losses" ? drawLosses(panel) : showSheets()).finally(() => {
    if (view.showing === showing) panel.setAttribute("aria-busy", "false");
  });
  view.showing = showing;
  return showing;
}

/** @param {Element} panel */
async function drawLosses(panel) {
  const answer = await loadAnswer();
  if (answer === null) return;
  const scroller = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Losses" });
  const refused = answer.refused && refusal(answer.refused, state.wire);
  fill(scroller, refused, lossList(answer.losses, answer.wire, go));
  fill(panel, scroller);
  await markBreak();
}

/** @param {Element} panel */
async function drawReplay(panel) {
  const data = await answers.ask(`stream/${state.id}`);
  /** @param {string} name */
  const converted = async (name) => (await answers.ask(`answer/${state.id}/${name}`)).events ?? [];
  view.replay = new Replay(panel, data, state.contents.protocols, converted);
  await loadAnswer();
}

/** @param {Element} panel */
async function drawChanges(panel) {
  const scroller = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Changes" });
  fill(panel, scroller);
  const data = await answers.ask(`changes/${state.id}`);
  changesPanel(
    scroller,
    data,
    (id) => `request ${id + 1}`,
    {
      chat: go.chat,
      json(path) {
        Object.assign(state, { side: "client", about: "request" });
        go.json(path);
      },
    },
    answers,
  );
  await loadAnswer();
  await markBreak();
}
