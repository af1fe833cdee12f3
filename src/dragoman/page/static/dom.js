// Elements out of values. Text is always text: nothing here, or anywhere, is parsed as HTML.

/** @import { Attributes, Child, Json } from "../types.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: `h("p", {class: "muted", onclick}, "text", child)`. Null and false are left out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "value" || name === "checked" || name === "open") Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

/**
 * `Array.isArray`, which takes no list that may not be written to for a list.
 *
 * @param {Child} child
 * @returns {child is readonly Child[]}
 */
function isList(child) {
  return Array.isArray(child);
}

/**
 * @param {Element} element
 * @param {readonly Child[]} children
 */
function add(element, children) {
  for (const child of children) {
    if (isList(child)) add(element, child);
    else if (typeof child === "string" || typeof child === "number") element.append(...visible(String(child)));
    else if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

// What is not seen, or turns around what stands beside it: controls, spaces without a width, signs
// that set the direction, tags (a second alphabet that only machines read), halves of pairs. The
// two joiners stay, for Persian and emoji are written with them.
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is they that are looked for
  /([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff])\1*|[\u{e0000}-\u{e007f}]+/gu;
const MOST_UNSEEN = 500; // in one text; more say no more

/**
 * A text as nodes: what is not seen in it is told by its number, so that nobody is deceived.
 *
 * @param {string} text
 * @returns {(string | Node)[]}
 */
export function visible(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(UNSEEN)) {
    if (nodes.length > 2 * MOST_UNSEEN) return [...nodes, text.slice(from).replace(UNSEEN, "\ufffd")];
    if (found.index > from) nodes.push(text.slice(from, found.index));
    const span = document.createElement("span");
    span.className = "unseen";
    span.title = "not seen in the text itself";
    span.textContent = told(found[0]);
    nodes.push(span);
    from = found.index + found[0].length;
  }
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}

/** @param {string} run */
function told(run) {
  const code = run.codePointAt(0) ?? 0;
  if (code >= 0xe0000)
    return `tags: ${[...run]
      .map((one) => String.fromCharCode((one.codePointAt(0) ?? 0) - 0xe0000 || 0x20))
      .join("")
      .replace(UNSEEN, "?")}`;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}${run.length > 1 ? ` ×${run.length}` : ""}`;
}

/**
 * A value as JSON text in which all is seen: what is not is written as an escape.
 *
 * @param {Json | undefined} value
 * @returns {string}
 */
export function json(value) {
  /** @param {string} run */
  const toEscapes = (run) =>
    Array.from({ length: run.length }, (_, i) => `\\u${run.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
  return JSON.stringify(value).replace(UNSEEN, toEscapes);
}

/**
 * The element with these children and no others.
 *
 * @template {Element} Parent
 * @param {Parent} element
 * @param {...Child} children
 * @returns {Parent}
 */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

const PATHS = {
  logo: "M3 6h9M7.5 3.5V6M10 6c-.8 4-3.4 7-6.5 8.5M6 9.5c1.6 2.6 3.4 4 5.5 5M12.5 20.5l4.2-10 4.2 10M14 17h5.4",
  back: "M10 3 5 8l5 5",
  next: "m6 3 5 5-5 5",
  play: "M5 3.5v9l7.5-4.5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  open: "M2.5 12.5v-9h4l1.5 2h5.5v7z",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
};

/**
 * One of the drawings above. It says nothing by itself: its button has a label.
 *
 * @param {keyof typeof PATHS} name
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const size = name === "logo" ? 24 : 16;
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "mark");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/**
 * The element of an id. The page has all that its modules ask for: without one it is broken.
 *
 * @param {string} id
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element ${id}.`);
  return element;
}

/**
 * All elements that a selector finds.
 *
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export function findAll(root, selector) {
  return [...root.querySelectorAll(selector)].filter((element) => element instanceof HTMLElement);
}

/**
 * Set the text of the first element that a selector finds, if there is one.
 *
 * @param {ParentNode} root
 * @param {string} selector
 * @param {string} text
 */
export function setText(root, selector, text) {
  const element = root.querySelector(selector);
  if (element !== null) element.textContent = text;
}

/**
 * Tell what went wrong, until somebody closes it.
 *
 * @param {[what: string, why: string][]} rows
 */
export function complain(rows) {
  const place = byId("problems");
  const close = h(
    "button",
    {
      type: "button",
      class: "bare",
      onclick: () => {
        place.hidden = true;
      },
    },
    "Close",
  );
  fill(
    place,
    h(
      "ul",
      {},
      rows.map(([what, why]) => h("li", {}, h("b", {}, what), " ", why)),
    ),
    close,
  );
  place.hidden = rows.length === 0;
}

/**
 * Say something for a few seconds, to eyes and to screen readers.
 *
 * @param {string} text
 */
export function say(text) {
  const status = byId("status");
  const line = h("p", {}, text);
  fill(status, line);
  setTimeout(() => line.remove(), 4000);
}

/**
 * Put text on the clipboard, also where the browser has none for pages out of a file.
 *
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { value: text, "aria-label": "Text to copy" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say("Copied");
}

const NUMBERS = new Intl.NumberFormat("en");

/**
 * A number with its thousands set apart.
 *
 * @param {number} number
 */
export function count(number) {
  return NUMBERS.format(number);
}

/**
 * `1 message`, `2 messages`.
 *
 * @param {number} number
 * @param {string} noun
 * @param {string} [plural]
 */
export function several(number, noun, plural = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/**
 * A size of bytes in two or three figures.
 *
 * @param {number} size
 */
export function bytes(size) {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}
