// What a wire loses: a word in its place, a card that explains it, and the whole list.

/** @import { Child, Go, Loss } from "../types.js" */

import { byId, fill, h, several } from "./dom.js";
import { inline } from "./markdown.js";

/** @type {Record<Loss["weight"], string>} */
const WEIGHTS = {
  major: "The model is told less, or may do less",
  minor: "It may answer otherwise, or cost more",
  trivial: "Nobody would miss it",
};

const PLACES = 5; // that a card tells

/**
 * Whether a loss is marked in its place: what nobody misses stands in the list alone.
 *
 * @param {Loss} loss
 */
export function isMarked(loss) {
  return loss.kind !== "expected";
}

/** @type {HTMLElement | null} */
let card = null;
/** @type {HTMLElement | null} */
let owner = null;
let closing = 0;

/**
 * A word for losses of one code, with a card that explains them while it has the pointer or the focus.
 *
 * @param {Loss[]} group
 */
function pill(group) {
  const [loss] = group;
  const times = group.length;
  const button = h(
    "button",
    { type: "button", class: `pill ${loss.kind}`, "aria-expanded": "false", "aria-haspopup": "dialog" },
    h("span", {}, loss.kind),
    h("span", { class: "code" }, loss.code),
    times > 1 && h("span", {}, `×${times}`),
  );
  button.setAttribute("aria-label", `${loss.kind}: ${loss.meaning || loss.code}, at ${places(group)}`);
  explained(button, () => explanation(group));
  return button;
}

/**
 * Words for losses, those of one code together.
 *
 * @param {Loss[]} losses
 * @param {number} [most]
 */
export function pills(losses, most = Infinity) {
  const rows = grouped(losses);
  const rest = rows.length - most;
  return [...rows.slice(0, most).map(pill), rest > 0 && h("span", { class: "pill expected" }, `${rest} more`)];
}

/**
 * Show a card about `button` on hover, on focus and, until Escape, after a click.
 *
 * @param {HTMLElement} button
 * @param {() => Child} content
 */
function explained(button, content) {
  let kept = false;
  const show = () => open(button, content());
  const leave = () => {
    if (!kept) closeSoon(button);
  };
  button.addEventListener("pointerenter", show);
  button.addEventListener("pointerleave", leave);
  button.addEventListener("focus", show);
  button.addEventListener("blur", () => {
    kept = false;
    close(button);
  });
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    kept = !kept;
    if (kept) show();
    else close(button);
  });
}

/**
 * Close a card unless the pointer goes into it: what it says can be read, scrolled and copied.
 *
 * @param {HTMLElement} button
 */
function closeSoon(button) {
  clearTimeout(closing);
  closing = setTimeout(() => owner === button && !card?.matches(":hover") && close(button), 150);
}

/**
 * @param {HTMLElement} button
 * @param {Child} content
 */
function open(button, content) {
  clearTimeout(closing);
  if (card === null) {
    card = h("div", { class: "card", role: "tooltip", id: "card" });
    card.addEventListener("pointerleave", () => {
      if (owner !== null && document.activeElement !== owner) closeSoon(owner);
    });
    byId("explanation").append(card);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && owner !== null) close(owner);
    });
    document.addEventListener("scroll", (event) => event.target !== card && follow(), true);
  }
  if (owner !== null && owner !== button) close(owner);
  owner = button;
  fill(card, content).hidden = false;
  button.setAttribute("aria-expanded", "true");
  button.setAttribute("aria-describedby", "card");
  position(button, card);
}

/** The page was scrolled: the card goes along while its word has the focus, which may itself have scrolled. */
function follow() {
  if (owner === null || card === null) return;
  const at = owner.getBoundingClientRect();
  if (document.activeElement === owner && at.bottom > 0 && at.top < innerHeight) position(owner, card);
  else close(owner);
}

/**
 * @param {HTMLElement} button
 * @param {HTMLElement} card
 */
function position(button, card) {
  const at = button.getBoundingClientRect();
  const size = card.getBoundingClientRect();
  const left = Math.max(12, Math.min(at.left, innerWidth - size.width - 12));
  const below = at.bottom + 6;
  const top = below + size.height < innerHeight - 8 ? below : Math.max(8, at.top - size.height - 6);
  card.style.left = `${left}px`;
  card.style.top = `${top}px`;
}

/** @param {HTMLElement} button */
function close(button) {
  button.setAttribute("aria-expanded", "false");
  button.removeAttribute("aria-describedby");
  if (owner === button) {
    owner = null;
    if (card !== null) card.hidden = true;
  }
}

/**
 * Where losses of one code are: the first few places, and how many more there are.
 *
 * @param {Loss[]} group
 */
function places(group) {
  const paths = [...new Set(group.map((loss) => loss.where))];
  const more = paths.length > PLACES ? ` and ${paths.length - PLACES} more` : "";
  return paths.slice(0, PLACES).join(", ") + more;
}

/**
 * What there is to say about losses of one code.
 *
 * @param {Loss[]} group
 */
function explanation(group) {
  const [loss] = group;
  const whats = [...new Set(group.map((one) => (one.did ? `${one.what} → ${one.did}` : one.what)))];
  return [
    h("span", { class: `pill ${loss.kind}` }, loss.kind, h("span", { class: "code" }, loss.code)),
    h("h3", {}, sentence(loss.meaning || loss.code)),
    loss.fix && inline(loss.fix, h("p")),
    h(
      "dl",
      { class: "facts" },
      fact("What", whats.slice(0, PLACES).join(", ")),
      fact("Where", h("code", {}, places(group))),
      fact("Weight", loss.weight && `${loss.weight}: ${WEIGHTS[loss.weight].toLowerCase()}`),
      fact("Rule", loss.rule),
    ),
  ];
}

/**
 * A row of a list of facts; nothing for one that is not known.
 *
 * @param {string} name
 * @param {Child} value
 */
export function fact(name, value) {
  return value ? [h("dt", {}, name), h("dd", {}, value)] : null;
}

/** @param {string} text */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The whole list, what matters most first; `go` leads to a place in the chat or in the JSON.
 *
 * @param {Loss[]} losses
 * @param {string} title
 * @param {Go} go
 */
export function lossList(losses, title, go) {
  const list = h("div", { class: "list" });
  if (losses.length === 0) {
    list.append(h("h2", {}, `Nothing is lost for ${title}`));
    list.append(h("p", { class: "lead" }, "All that is said gets there as it was given."));
    return list;
  }
  const told = losses.filter(isMarked);
  const silent = losses.filter((loss) => !isMarked(loss));
  list.append(h("h2", {}, `${several(told.length, "loss", "losses")} for ${title}`));
  list.append(
    h(
      "p",
      { class: "lead" },
      "Each is marked where it happens, in the conversation and in the JSON. What matters most comes first.",
    ),
  );
  list.append(...grouped(told).map((group) => row(group, go)));
  if (silent.length > 0) {
    const fold = h("details", { class: "fold" });
    fold.append(h("summary", {}, h("span", {}, `${silent.length} more that are in the nature of the wire`)));
    fold.append(
      h(
        "div",
        { class: "inside" },
        grouped(silent).map((group) => row(group, go)),
      ),
    );
    list.append(h("h2", {}, "Expected"), fold);
  }
  return list;
}

/**
 * @param {Loss[]} group
 * @param {Go} go
 */
function row(group, go) {
  const [loss] = group;
  const rules = [...new Set(group.map((one) => one.rule).filter(Boolean))];
  return h(
    "article",
    { class: "loss" },
    h(
      "header",
      {},
      h(
        "span",
        { class: `pill ${loss.kind}` },
        loss.kind,
        h("span", { class: "code" }, loss.code),
        group.length > 1 && h("span", {}, `×${group.length}`),
      ),
      h("span", { class: "muted small" }, loss.weight),
    ),
    h("p", {}, sentence(loss.meaning || loss.code), "."),
    loss.fix && inline(loss.fix, h("p", { class: "muted" })),
    rules.map((rule) => h("p", { class: "muted small" }, `Rule: ${rule}`)),
    h(
      "ul",
      { class: "places" },
      group.map((one) => place(one, go)),
    ),
  );
}

/**
 * One place of a loss: what it is about there, and both sides of it.
 *
 * @param {Loss} loss
 * @param {Go} go
 */
function place(loss, go) {
  const words = [loss.what, loss.did && `→ ${loss.did}`].filter(Boolean).join(" ");
  return h(
    "li",
    {},
    h("button", { type: "button", class: "link mono", onclick: () => go.chat(loss.where) }, loss.where),
    loss.at.length > 0 &&
      h("button", { type: "button", class: "link mono", onclick: () => go.json(loss.at[0]) }, `→ ${loss.at[0]}`),
    h("span", { class: "muted" }, words),
  );
}

/**
 * Losses of one kind and code together, in the order of the first of each.
 *
 * @param {Loss[]} losses
 * @returns {Loss[][]}
 */
function grouped(losses) {
  /** @type {Map<string, Loss[]>} */
  const groups = new Map();
  for (const loss of losses) {
    const name = `${loss.kind} ${loss.code}`;
    groups.set(name, [...(groups.get(name) ?? []), loss]);
  }
  return [...groups.values()];
}
