// JSON, a line for each value, with marks in it. Long texts are cut until somebody asks for them.

/** @import { Answers, Json, LongText, Loss } from "../types.js" */

import { count, fill, h, json } from "./dom.js";
import { isMarked, pills } from "./losses.js";
import { Pager } from "./pager.js";
import { deeper, nearest, pathOf } from "./paths.js";

/**
 * @typedef {object} Line
 * @property {string} path
 * @property {number} depth
 * @property {string | null} key
 * @property {Json} [value] of a line that is a value
 * @property {string} [text] of a line that is brackets
 * @property {boolean} [comma]
 * @property {boolean} [closes] an object or a list
 */

const STEP = 20_000; // characters that a long text grows by
const SHOWN = 3; // marks on one line

/**
 * The lines of a value.
 *
 * @param {Json} value
 * @param {string} [path]
 * @returns {Line[]}
 */
export function linesOf(value, path = "$") {
  /** @type {Line[]} */
  const lines = [];
  add(lines, value, path, 0, null, false);
  return lines;
}

/**
 * @param {Line[]} lines
 * @param {Json} value
 * @param {string} path
 * @param {number} depth
 * @param {string | null} key
 * @param {boolean} comma
 */
function add(lines, value, path, depth, key, comma) {
  if (value === null || typeof value !== "object") {
    lines.push({ path, depth, key, value, comma });
    return;
  }
  const isList = Array.isArray(value);
  /** @type {[step: string | number, item: Json][]} */
  const entries = isList ? value.map((item, index) => [index, item]) : Object.entries(value);
  const [opening, closing] = isList ? "[]" : "{}";
  if (entries.length === 0) {
    lines.push({ path, depth, key, text: opening + closing, comma });
    return;
  }
  lines.push({ path, depth, key, text: opening });
  entries.forEach(([step, item], index) => {
    add(lines, item, deeper(path, step), depth + 1, typeof step === "number" ? null : step, index < entries.length - 1);
  });
  lines.push({ path, depth, key: null, text: closing, comma, closes: true });
}

/**
 * The value with its long texts put back. `long` is a list of [way, key, size].
 *
 * @param {Answers} answers
 * @param {Json} value
 * @param {LongText[]} long
 * @returns {Promise<Json>}
 */
export async function restored(answers, value, long) {
  if (long.length === 0) return value;
  const copy = { root: structuredClone(value) };
  for (const [way, key] of long) {
    const text = await answers.ask(`text/${key}`);
    const full = ["root", ...way];
    full.reduce(
      (node, step, depth) => {
        const inner = /** @type {Record<string | number, Json>} */ (node);
        if (depth === full.length - 1) inner[step] = text;
        return inner[step];
      },
      /** @type {Json} */ (copy),
    );
  }
  return copy.root;
}

/** One value in an element that scrolls. */
export class JsonView {
  /** @type {Answers} */
  #answers;
  /** @type {Json} */
  #body;
  /** @type {LongText[]} */
  #long;
  /** @type {Line[]} */
  #lines;
  /** @type {Map<string, number>} */
  #first = new Map(); // path -> line
  /** @type {Map<string, [key: string, size: number]>} */
  #cut = new Map(); // path -> [key, size]
  /** @type {Map<number, Loss[]>} */
  #marks = new Map(); // line -> losses
  /** @type {Map<number, string>} */
  #notes = new Map(); // line -> words
  /** @type {Set<number>} */
  #gone = new Set(); // lines of what a cut takes away
  /** @type {Set<string>} */
  #tinted = new Set();
  #pager;

  /**
   * @param {Element} root
   * @param {Answers} answers
   * @param {Json} body
   * @param {LongText[]} long
   */
  constructor(root, answers, body, long) {
    this.#answers = answers;
    this.#body = body;
    this.#long = long;
    this.#lines = linesOf(body);
    this.#lines.forEach((line, index) => {
      if (!this.#first.has(line.path)) this.#first.set(line.path, index);
    });
    for (const [way, key, size] of long) this.#cut.set(pathOf(way), [key, size]);
    const holder = h("div", { class: "json" });
    fill(root, holder);
    this.#pager = new Pager(root, {
      count: this.#lines.length,
      size: 60,
      height: 20,
      holder,
      render: (index) => this.#line(index),
    });
  }

  /** The whole of it as text, for the clipboard. */
  async text() {
    return JSON.stringify(await restored(this.#answers, this.#body, this.#long), null, 2);
  }

  /**
   * Mark losses at the paths that `places(loss)` gives.
   *
   * @param {Loss[]} losses
   * @param {(loss: Loss) => string[]} places
   */
  mark(losses, places) {
    this.#marks = new Map();
    for (const loss of losses.filter(isMarked)) {
      for (const path of places(loss)) {
        const index = this.#first.get(nearest(path, this.#first) || "$") ?? 0;
        this.#marks.set(index, [...(this.#marks.get(index) ?? []), loss]);
      }
    }
    this.#redraw();
  }

  /**
   * Say something at a path.
   *
   * @param {string} path
   * @param {string} words
   */
  note(path, words) {
    this.#notes = new Map([[this.#first.get(nearest(path, this.#first) || "$") ?? 0, words]]);
    this.#redraw();
  }

  /**
   * Strike out what stands at these paths, with all that is in it.
   *
   * @param {string[]} paths
   */
  strike(paths) {
    this.#gone = new Set();
    const wanted = new Set(paths);
    let until = -1;
    this.#lines.forEach((line, index) => {
      if (until < 0 && wanted.has(line.path) && !line.closes) until = line.depth;
      if (until >= 0) this.#gone.add(index);
      if (until === line.depth && (line.closes || line.value !== undefined)) until = -1;
    });
    this.#redraw();
  }

  /**
   * Tint the lines at these paths, and no others.
   *
   * @param {string[]} paths
   */
  tint(paths) {
    this.#tinted = new Set(paths);
    for (const [index, element] of this.#pager.rendered()) {
      element.classList.toggle("linked", this.#isTinted(this.#lines[index]));
    }
  }

  /** @param {Line} line */
  #isTinted(line) {
    return !line.closes && this.#tinted.has(line.path);
  }

  /**
   * Scroll to what stands at a path.
   *
   * @param {string} path
   */
  show(path) {
    const index = this.#first.get(nearest(path, this.#first) || "$") ?? 0;
    const element = this.#pager.show(index);
    element.classList.remove("flash");
    requestAnimationFrame(() => element.classList.add("flash"));
  }

  stop() {
    this.#pager.stop();
  }

  #redraw() {
    for (const [index, element] of this.#pager.rendered()) element.replaceWith(this.#line(index));
  }

  /** @param {number} index */
  #line(index) {
    const line = this.#lines[index];
    const element = h("div", { class: "line", "data-path": line.path });
    element.style.paddingLeft = `${line.depth * 2 + 4}ch`;
    element.style.textIndent = "-2ch";
    if (line.key !== null) {
      element.append(h("span", { class: "k" }, json(line.key)), h("span", { class: "p" }, ": "));
    }
    if (line.text !== undefined) element.append(h("span", { class: "p" }, line.text));
    else element.append(this.#value(line));
    if (line.comma) element.append(h("span", { class: "p" }, ","));
    this.#markLine(index, element);
    return element;
  }

  /** @param {Line} line */
  #value(line) {
    const { value } = line;
    if (typeof value !== "string") return h("span", { class: "a" }, json(value));
    const cut = this.#cut.get(line.path);
    if (cut === undefined) return h("span", { class: "s" }, json(value));
    return this.#longValue(value, ...cut);
  }

  /**
   * @param {string} start
   * @param {string} key
   * @param {number} size
   */
  #longValue(start, key, size) {
    const holder = h("span", { class: "s" });
    let shown = start.length;
    /** @param {string} text */
    const draw = (text) =>
      fill(
        holder,
        json(text.slice(0, shown)).slice(0, shown < size ? -1 : undefined),
        shown < size && h("button", { type: "button", class: "more", onclick: grow }, `… ${count(size)} characters`),
      );
    const grow = async () => {
      const all = await this.#answers.ask(`text/${key}`);
      shown = Math.min(all.length, shown + STEP);
      draw(all);
    };
    draw(start);
    return holder;
  }

  /**
   * @param {number} index
   * @param {Element} element
   */
  #markLine(index, element) {
    if (this.#gone.has(index)) element.classList.add("gone");
    if (this.#isTinted(this.#lines[index])) element.classList.add("linked");
    const losses = this.#marks.get(index) ?? [];
    const note = this.#notes.get(index);
    if (losses.length === 0 && note === undefined) return;
    element.classList.add("lost", losses[0]?.kind ?? "cache");
    element.append(
      h("span", { class: "marks" }, note && h("span", { class: "pill cache" }, note), pills(losses, SHOWN)),
    );
  }
}
