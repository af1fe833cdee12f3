// Markdown as nodes: what models write, and no more. HTML in it is text; links lead out safely.

import { h, visible } from "./dom.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const DIVIDER = /^\s*\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/;
const HEADINGS = /** @type {const} */ (["h3", "h4", "h5", "h6"]); // by their marks
const MOST = 200_000; // characters; longer texts are shown as they are
const DEEPEST = 6; // lists and quotes in each other
const LONGEST = 2_000; // characters of a line that may begin something: a longer one is text

/**
 * A text with its Markdown laid out.
 *
 * @param {string} text
 */
export function markdown(text) {
  const root = h("div", { class: "prose" });
  if (text.length > MOST) return h("div", { class: "raw-text" }, text);
  blocks(text.split("\n"), root, 0);
  return root;
}

/**
 * @param {string[]} lines
 * @param {Element} root
 * @param {number} depth
 */
function blocks(lines, root, depth) {
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (line.trim() === "") at += 1;
    else if (line.length > LONGEST) at = paragraph(lines, at, root);
    else if (FENCE.test(line)) at = fence(lines, at, root);
    else if (HEADING.test(line)) at = heading(lines, at, root);
    else if (RULE.test(line)) {
      root.append(h("hr"));
      at += 1;
    } else if (QUOTE.test(line) && depth < DEEPEST) at = quote(lines, at, root, depth);
    else if (ITEM.test(line) && depth < DEEPEST) at = list(lines, at, root, depth);
    else if (isTable(lines, at)) at = table(lines, at, root);
    else at = paragraph(lines, at, root);
  }
}

/**
 * What a pattern finds in a line that is known to match it.
 *
 * @param {RegExp} pattern
 * @param {string} line
 */
function match(pattern, line) {
  const found = pattern.exec(line);
  if (found === null) throw new Error(`No ${pattern} in ${line}`);
  return found;
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Element} root
 */
function fence(lines, at, root) {
  const [, marks, info] = match(FENCE, lines[at]);
  const [language] = info.trim().split(/\s/);
  const body = [];
  let end = at + 1;
  while (end < lines.length && !lines[end].trimStart().startsWith(marks)) {
    body.push(lines[end]);
    end += 1;
  }
  const pre = h("pre", { tabindex: "0", "aria-label": language ? `${language} code` : "code" });
  pre.append(h("code", {}, body.join("\n")));
  root.append(pre);
  return end + 1;
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Element} root
 */
function heading(lines, at, root) {
  const [, marks, text] = match(HEADING, lines[at]);
  const element = h(HEADINGS[Math.min(marks.length, HEADINGS.length) - 1]);
  inline(text.trimEnd().replace(/\s#+$/, ""), element);
  root.append(element);
  return at + 1;
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Element} root
 * @param {number} depth
 */
function quote(lines, at, root, depth) {
  const inner = [];
  while (at < lines.length && QUOTE.test(lines[at])) {
    inner.push(match(QUOTE, lines[at])[1]);
    at += 1;
  }
  const element = h("blockquote");
  blocks(inner, element, depth + 1);
  root.append(element);
  return at;
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Element} root
 * @param {number} depth
 */
function list(lines, at, root, depth) {
  const [, indent, sign] = match(ITEM, lines[at]);
  const ordered = /\d/.test(sign);
  const element = h(ordered ? "ol" : "ul", ordered ? { start: parseInt(sign, 10) } : {});
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]);
    if (found === null || found[1].length !== indent.length || /\d/.test(found[2]) !== ordered) break;
    const inner = [found[3]];
    at += 1;
    const within = indent.length + 2;
    while (at < lines.length && belongs(lines, at, indent.length)) {
      inner.push(lines[at].slice(Math.min(within, lines[at].length - lines[at].trimStart().length)));
      at += 1;
    }
    const item = h("li");
    if (inner.every((line, i) => i === 0 || line.trim() === "")) inline(found[3], item);
    else blocks(inner, item, depth + 1);
    element.append(item);
  }
  root.append(element);
  return at;
}

/**
 * Whether a line goes on with the item above it.
 *
 * @param {string[]} lines
 * @param {number} at
 * @param {number} indent
 */
function belongs(lines, at, indent) {
  const line = lines[at];
  if (line.trim() === "") {
    const next = lines[at + 1] ?? "";
    return next.length - next.trimStart().length > indent && next.trim() !== "";
  }
  const own = line.length - line.trimStart().length;
  if (own > indent || line.length > LONGEST) return true;
  return (
    !(ITEM.test(line) || FENCE.test(line) || HEADING.test(line) || QUOTE.test(line)) &&
    (lines[at - 1] ?? "").trim() !== ""
  );
}

/**
 * @param {string[]} lines
 * @param {number} at
 */
function isTable(lines, at) {
  const next = lines[at + 1] ?? "";
  return (
    next.length <= LONGEST && lines[at].includes("|") && next.includes("-") && next.includes("|") && DIVIDER.test(next)
  );
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Element} root
 */
function table(lines, at, root) {
  const head = h("tr");
  for (const cell of cells(lines[at])) head.append(inline(cell, h("th", { scope: "col" })));
  const body = h("tbody");
  at += 2;
  while (at < lines.length && lines[at].includes("|") && lines[at].trim() !== "") {
    const row = h("tr");
    for (const cell of cells(lines[at])) row.append(inline(cell, h("td")));
    body.append(row);
    at += 1;
  }
  root.append(h("table", { tabindex: "0" }, h("thead", {}, head), body));
  return at;
}

/** @param {string} line */
function cells(line) {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => cell.trim());
}

/**
 * @param {string[]} lines
 * @param {number} at
 * @param {Element} root
 */
function paragraph(lines, at, root) {
  const text = [];
  while (at < lines.length && lines[at].trim() !== "" && (text.length === 0 || !begins(lines, at))) {
    text.push(lines[at]);
    at += 1;
  }
  const element = h("p", { class: "raw-text" });
  inline(text.join("\n"), element);
  root.append(element);
  return at;
}

/**
 * @param {string[]} lines
 * @param {number} at
 */
function begins(lines, at) {
  const line = lines[at];
  return (
    line.length > LONGEST ||
    FENCE.test(line) ||
    HEADING.test(line) ||
    QUOTE.test(line) ||
    ITEM.test(line) ||
    isTable(lines, at)
  );
}

// Code, then links and addresses, then emphasis. No alternative can be read in two ways, so that a
// long line takes time in proportion to its length.
const INLINE = new RegExp(
  [
    "(?<!`)(`+)([^`]+)\\1(?!`)",
    '(!?)\\[([^\\[\\]]{0,500})\\]\\(\\s*<?([^\\s()<>]{1,2000})>?(?:\\s+"[^"]{0,200}")?\\s*\\)',
    "(https?://[^\\s<>\"'`()\\[\\]]{1,2000})",
    "\\*\\*(?=\\S)([^*]{1,2000})\\*\\*",
    "(?<![*\\w])\\*(?=\\S)([^*]{1,2000})\\*(?!\\w)",
    "(?<!\\w)_(?=\\S)([^_]{1,2000})_(?!\\w)",
    "~~(?=\\S)([^~]{1,2000})~~",
  ].join("|"),
  "g",
);

/**
 * Text within a line, with its marks, at the end of `element`.
 *
 * @template {Element} Parent
 * @param {string} text
 * @param {Parent} element
 * @returns {Parent}
 */
export function inline(text, element) {
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    element.append(...visible(text.slice(from, found.index)));
    element.append(piece(found));
    from = found.index + found[0].length;
  }
  element.append(...visible(text.slice(from)));
  return element;
}

/** @param {RegExpExecArray} found */
function piece(found) {
  const [all, , code, picture, label, target, address, strong, star, bar, gone] = found;
  if (code !== undefined) return h("code", {}, code);
  if (target !== undefined) return link(target, picture ? `picture: ${label || target}` : label || target) ?? all;
  if (address !== undefined) {
    const trimmed = address.replace(/[.,;:!?]+$/, "");
    const rest = address.slice(trimmed.length);
    return h("span", {}, link(trimmed, trimmed), rest);
  }
  if (strong !== undefined) return inline(strong, h("strong"));
  if (star !== undefined || bar !== undefined) return inline(star ?? bar, h("em"));
  return inline(gone, h("s"));
}

/**
 * A link that leads out, or null for an address of another kind: it stays text.
 *
 * @param {string} address
 * @param {string} label
 */
export function link(address, label) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return null;
  return h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" }, label);
}
