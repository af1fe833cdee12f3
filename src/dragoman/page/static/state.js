// What is chosen and what is drawn, for all parts of the page.

/** @import { Cache, Contents, Exchange, Position, Sheet } from "../types.js" */
/** @import { Chat } from "./chat.js" */
/** @import { JsonView } from "./json.js" */
/** @import { Replay } from "./replay.js" */

import { byId } from "./dom.js";
import { nearest } from "./paths.js";
import { source } from "./source.js";

export const answers = source();

export const main = byId("main");

export const narrow = matchMedia("(max-width: 859px)");

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
export const state = {
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
export const view = {
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
 * What a part of the page asks of one that imports it; the page fills it, so that imports have no circle.
 *
 * @type {{ select: (id: number) => Promise<void>, showTab: (name: string) => Promise<void>, showWire: () => Promise<void> }}
 */
export const actions = { select: async () => {}, showTab: async () => {}, showWire: async () => {} };

export function here() {
  return state.contents.exchanges[state.id];
}

/**
 * What an error says.
 *
 * @param {unknown} error
 */
export function describe(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {Exchange} row */
export function isBroken(row) {
  return row.fault !== "" && !row.request && !row.answer;
}

export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("x")) state.id = Number(given.get("x")) || 0;
  state.wire = given.get("wire") ?? state.wire;
  state.tab = given.get("tab") ?? state.tab;
}

export function writeAddress() {
  const given = new URLSearchParams({ x: String(state.id), wire: state.wire, tab: state.tab });
  history.replaceState(null, "", `#${given}`);
}

/**
 * Where in the body stands what the chat has at a path: all places, or the nearest one.
 *
 * @param {string} path
 */
export function placesOf(path) {
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
export function inside(path, parent) {
  return path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
}
