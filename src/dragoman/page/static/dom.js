// Elements out of values. Text is always text: nothing here, or anywhere, is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element: `h("p", {class: "muted", onclick}, "text", child)`. Null and false are left out. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "open") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (typeof child === "string") element.append(...visible(child));
    else if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

// What is not seen, or turns around what stands beside it: controls, spaces without a width, signs
// that set the direction, tags (a second alphabet that only machines read), halves of pairs. The
// two joiners stay, for Persian and emoji are written with them.
const UNSEEN =
  /([\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff])\1*|[\u{e0000}-\u{e007f}]+/gu;
const MOST_UNSEEN = 500; // in one text; more say no more

/** A text as nodes: what is not seen in it is told by its number, so that nobody is deceived. */
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

function told(run) {
  const code = run.codePointAt(0);
  if (code >= 0xe0000)
    return `tags: ${[...run]
      .map((one) => String.fromCharCode(one.codePointAt(0) - 0xe0000 || 0x20))
      .join("")
      .replace(UNSEEN, "?")}`;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}${run.length > 1 ? ` ×${run.length}` : ""}`;
}

/** A value as JSON text in which all is seen: what is not is written as an escape. */
export function json(value) {
  const escape = (run) =>
    Array.from({ length: run.length }, (_, i) => `\\u${run.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
  return JSON.stringify(value).replace(UNSEEN, escape);
}

/** The element with these children and no others. */
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

/** One of the drawings above. It says nothing by itself: its button has a label. */
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

/** Tell what went wrong, until somebody closes it. */
export function complain(rows) {
  const place = document.getElementById("problems");
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

/** Say something for a few seconds, to eyes and to screen readers. */
export function say(text) {
  const status = document.getElementById("status");
  const line = h("p", {}, text);
  fill(status, line);
  setTimeout(() => line.remove(), 4000);
}

/** Put text on the clipboard, also where the browser has none for pages out of a file. */
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

/** A number with its thousands set apart. */
export function count(number) {
  return NUMBERS.format(number);
}

/** `1 message`, `2 messages`. */
export function several(number, noun, plural = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** A size of bytes in two or three figures. */
export function bytes(size) {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}
