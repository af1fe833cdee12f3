// The page: what is open, which part of it is shown, and what happens when somebody asks for more.

/** @import { Cache, Contents, Conversation, Exchange, Fault, LongText, Loss, Position, Sheet, SheetKey, Sum, Way } from "../types.js" */

import { changesPanel } from "./changes.js";
import { Chat } from "./chat.js";
import { byId, complain, copy, count, fill, findAll, h, icon, say, setText } from "./dom.js";
import { opener, takeDrops, welcome } from "./files.js";
import { JsonView } from "./json.js";
import { lossList } from "./losses.js";
import { nearest } from "./paths.js";
import { Replay } from "./replay.js";
import { source } from "./source.js";

const answers = source();
const main = byId("main");
const bar = byId("head");
const THEME = "dragoman-theme";
/** @type {Record<string, string>} */
const SPEAKERS = { role: "by role", name: "merged by name", tagged: "tagged", namefield: "in name fields" };
const narrow = matchMedia("(max-width: 859px)");

/** @typedef {"chat" | "json" | "losses" | "replay" | "changes"} Tab */

/**
 * What is chosen.
 *
 * @typedef {object} State
 * @property {Contents} contents
 * @property {number} id of the exchange
 * @property {string} wire
 * @property {string} side of the recording, or "" for what is written
 * @property {string} how speakers are told apart
 * @property {number} cut the position of the slider
 * @property {string} tab
 * @property {string} beside the wire that is shown beside, "recorded", or ""
 * @property {string} about "request" or "answer"
 */

/**
 * What is drawn.
 *
 * @typedef {object} View
 * @property {Chat | null} chat
 * @property {JsonView[]} sheets
 * @property {Replay | null} replay
 * @property {Sheet | null} answer
 * @property {Promise<void> | null} showing
 * @property {Position[]} positions of the slider
 * @property {Cache | null} cache
 * @property {boolean} unreadable
 */

/** @type {State} */
const state = {
  contents: { files: [], exchanges: [], protocols: [], vendors: [], speakers: {}, counted_by: "" },
  id: 0,
  wire: "",
  side: "",
  how: "role",
  cut: 0,
  tab: "json",
  beside: "",
  about: "request",
};
/** @type {View} */
const view = {
  chat: null,
  sheets: [],
  replay: null,
  answer: null,
  showing: null,
  positions: [],
  cache: null,
  unreadable: false,
};

/**
 * What an error says.
 *
 * @param {unknown} error
 */
function describe(error) {
  return error instanceof Error ? error.message : String(error);
}

// -- small things that the browser keeps ----------------------------------------------------------

/** @param {string} name */
function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** @param {string | null} theme */
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  try {
    if (theme) localStorage.setItem(THEME, theme);
    else localStorage.removeItem(THEME);
  } catch {
    // it holds for as long as the page is open
  }
}

function switchTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  setTheme(now === "dark" ? "light" : "dark");
  say(now === "dark" ? "Light" : "Dark");
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("x")) state.id = Number(given.get("x")) || 0;
  state.wire = given.get("wire") ?? state.wire;
  state.tab = given.get("tab") ?? state.tab;
}

function writeAddress() {
  const given = new URLSearchParams({ x: String(state.id), wire: state.wire, tab: state.tab });
  history.replaceState(null, "", `#${given}`);
}

// -- the bar --------------------------------------------------------------------------------------

/** @param {Exchange} row */
function isBroken(row) {
  return row.fault !== "" && !row.request && !row.answer;
}

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

function drawBar() {
  const { exchanges, files } = state.contents;
  /** @type {HTMLSelectElement} */
  const picker = h("select", { "aria-label": "Exchange", onchange: () => select(Number(picker.value)) });
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
        onclick: () => select(to),
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
async function openFiles(files) {
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
  if (first !== null) await select(first);
}

async function drawCut() {
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
    onchange: () => showWire(),
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

// -- one exchange ---------------------------------------------------------------------------------

function here() {
  return state.contents.exchanges[state.id];
}

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

const go = {
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

/**
 * Where in the body stands what the chat has at a path: all places, or the nearest one.
 *
 * @param {string} path
 */
function placesOf(path) {
  const pairs = view.answer?.pairs ?? [];
  if (pairs.length === 0) return [path];
  const within = pairs.filter(([, from]) => inside(from, path)).map(([at]) => at);
  if (within.length > 0) return within;
  const known = new Map(pairs.map(([at, from]) => [from, at]));
  return [known.get(nearest(path, known)) ?? path];
}

/**
 * Whether a path is the parent's, or leads to something in it.
 *
 * @param {string} path
 * @param {string} parent
 */
function inside(path, parent) {
  return path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
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

// -- tabs -----------------------------------------------------------------------------------------

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

function drawTabs() {
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
async function showTab(name) {
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

// -- JSON -----------------------------------------------------------------------------------------

/** @returns {SheetKey} */
function key() {
  if (state.side) return `recorded/${state.id}/${state.side}`;
  if (state.about === "answer") return `answer/${state.id}/${state.wire}`;
  return `wire/${state.id}/${state.wire}/${state.how}/${state.cut}`;
}

/** @param {Element} panel */
async function drawJson(panel) {
  const rail = h("nav", { class: "rail", "aria-label": "Wires", tabindex: "0" });
  const sheets = h("div", { class: "sheets" });
  fill(panel, h("div", { class: "wires" }, rail, sheets));
  drawRail(rail);
  reveal(rail);
  await showWire();
  drawSums();
}

/**
 * Bring the wire that is chosen into sight, where the wires stand in one row.
 *
 * @param {Element | null} rail
 */
function reveal(rail) {
  rail?.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** @param {Element} rail */
function drawRail(rail) {
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
  const shown = showWire();
  if (!side) shown.then(drawCut);
}

async function drawTokens() {
  const { id } = state;
  const tokens = await answers.ask(`tokens/${id}`);
  if (id === state.id) view.chat?.setTokens(tokens);
}

/** How many losses each wire has, beside its name. */
async function drawSums() {
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

/**
 * Ask for what is chosen, and mark it in the conversation; null if something else was chosen since.
 *
 * @returns {Promise<Sheet | null>}
 */
async function loadAnswer() {
  const asked = key();
  const answer = await answerFor(asked);
  if (asked !== key()) return null;
  view.answer = answer;
  view.chat?.mark(answer.losses);
  const number = answer.losses.filter((loss) => loss.kind !== "expected").length;
  setText(document, "#tab-losses .count", number === 0 ? "" : String(number));
  return answer;
}

/**
 * Show what is chosen, wherever it is seen.
 *
 * @returns {Promise<void>}
 */
function showWire() {
  const panel = byId("panel");
  panel.setAttribute("aria-busy", "true");
  const showing = showChosen().finally(() => {
    if (view.showing === showing) panel.setAttribute("aria-busy", "false");
  });
  view.showing = showing;
  return showing;
}

async function showChosen() {
  if (state.tab === "losses") return drawLosses(byId("panel"));
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
 * The answer to a key. An exported page may lack a cut history: then it is the whole one.
 *
 * @param {SheetKey} asked
 * @returns {Promise<Sheet>}
 */
async function answerFor(asked) {
  try {
    return await answers.ask(asked);
  } catch (error) {
    if (state.cut > 0 && !answers.live) {
      const whole = await answers.ask(/** @type {SheetKey} */ (asked.replace(/\/\d+$/, "/0"))).catch(() => null);
      if (whole !== null) return { ...whole, uncut: true, title: `${whole.wire}, struck out what is cut` };
    }
    return { wire: state.wire, refused: { text: describe(error) }, losses: [] };
  }
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
function refusal(refused, wire) {
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
          showTab("json");
        },
      ),
    );
  }
  if (state.about === "answer" || state.side) return options;
  options.push(
    choice("Speakers", state.how, Object.entries(SPEAKERS), (value) => {
      Object.assign(state, { how: value, cut: value === "role" ? state.cut : 0 });
      showWire().then(drawSums);
    }),
  );
  /** @type {[name: string, words: string][]} */
  const others = [["", "nothing"]];
  if (row.wire) others.push(["recorded", "as recorded"]);
  for (const name of state.contents.protocols) if (name !== state.wire) others.push([name, name]);
  options.push(
    choice("Beside it", state.beside, others, (value) => {
      state.beside = value;
      showWire();
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

// -- the other tabs -------------------------------------------------------------------------------

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

/** Mark where the prompt cache ends, in the chat and in what was recorded. */
async function markBreak() {
  if (here().previous === null) return;
  if (view.cache === null) {
    const { cache } = await answers.ask(`changes/${state.id}`);
    view.cache = cache;
    if (cache.path) {
      view.chat?.breakAt(cache.path);
      view.chat?.mark(view.answer?.losses ?? []);
      view.chat?.cut(view.positions[state.cut]?.dropped ?? []);
    }
  }
  const recorded = state.side === "client" || (!state.side && state.wire === here().wire);
  if (view.cache?.path && recorded && state.about === "request")
    view.sheets[0]?.note(view.cache.path, "the prompt cache ends here");
}

/** @param {string} id */
function skipTo(id) {
  if (narrow.matches) showTab(id === "chat" ? "chat" : "json");
  byId(id).focus();
}

async function begin() {
  setTheme(remembered(THEME));
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
