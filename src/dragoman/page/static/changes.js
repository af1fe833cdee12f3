// Two requests of a session: what the second says otherwise, and where its prompt cache ends.

/** @import { Answers, Cache, Change, Changes, Difference, Go, Text } from "../types.js" */

import { count, fill, h, several } from "./dom.js";
import { fact } from "./losses.js";
import { whole } from "./source.js";

/** @typedef {Difference["parts"][number]} Part */

/** @type {Record<Change, string>} */
const WORDS = { inserted: "new", removed: "gone", changed: "changed" };
/** @type {Change[]} */
const CHANGES = ["inserted", "removed", "changed"];
/** @type {Record<Change, string>} */
const KINDS = { inserted: "added", removed: "dropped", changed: "degraded" };

/**
 * The panel about two requests; `names(id)` tells an exchange, `go` leads to a path.
 *
 * @param {Element} root
 * @param {Changes} data
 * @param {(id: number) => string} names
 * @param {Go} go
 * @param {Answers} answers
 */
export function changesPanel(root, data, names, go, answers) {
  const list = h("div", { class: "list" });
  const { cache, counts, differences } = data;
  list.append(h("h2", {}, `From ${names(data.before)} to ${names(data.after)}`));
  list.append(h("p", { class: "lead" }, told(counts)));
  list.append(h("h2", {}, "Prompt cache"), cachePart(cache, go));
  if (differences.length > 0) list.append(h("h2", {}, "What the later request says otherwise"));
  list.append(...differences.map((one) => difference(one, go, answers)));
  const total = Object.values(counts).reduce((sum, number) => sum + number, 0);
  if (total > differences.length)
    list.append(h("p", { class: "note" }, `${total - differences.length} more are not shown.`));
  fill(root, list);
}

/** @param {Changes["counts"]} counts */
function told(counts) {
  const parts = CHANGES.filter((name) => counts[name]).map(
    (name) => `${several(counts[name] ?? 0, "block")} ${WORDS[name]}`,
  );
  return parts.length > 0 ? `${parts.join(", ")}; all else is said again as it was.` : "Both say the same.";
}

/**
 * @param {Cache} cache
 * @param {Go} go
 */
function cachePart(cache, go) {
  if (cache.unknown !== undefined) return h("p", { class: "lead" }, cache.unknown);
  const broken = cache.path !== "";
  const bar = h("div", {
    class: "cache-bar",
    role: "img",
    "aria-label": `about ${cache.kept} tokens are found again, about ${cache.missed} are read anew`,
  });
  for (const name of /** @type {const} */ (["kept", "missed"])) {
    const part = h("span", { class: name });
    part.style.flexGrow = String(cache[name]);
    if (cache[name] > 0) bar.append(part);
  }
  return h(
    "section",
    { class: broken ? "cache-part broken" : "cache-part" },
    h(
      "p",
      {},
      broken ? h("b", {}, "The cache breaks") : h("b", {}, "The cache holds"),
      broken ? " at " : ": ",
      broken && h("button", { type: "button", class: "link mono", onclick: () => go.json(cache.path) }, cache.path),
      broken ? `: ${cache.why}.` : `${cache.why}.`,
    ),
    bar,
    h(
      "p",
      { class: "legend" },
      h("span", {}, h("span", { class: "swatch kept" }), `about ${count(cache.kept)} tokens found again`),
      h("span", {}, h("span", { class: "swatch missed" }), `about ${count(cache.missed)} sent before and read anew`),
    ),
    h(
      "dl",
      { class: "facts" },
      fact(
        "Cached at all",
        cache.cached
          ? "yes"
          : cache.minimum
            ? `no: fewer than ${count(cache.minimum)} tokens, or no mark behind them`
            : "no",
      ),
      fact(
        "Thinking",
        cache.unbound.length > 0 &&
          `${several(cache.unbound.length, "block")} no longer hold behind such a change: ${cache.unbound.join(", ")}`,
      ),
      fact("Figures", cache.counted ? "counted" : "estimated by length"),
      fact("Rule", cache.rule),
    ),
  );
}

/**
 * @param {Difference} one
 * @param {Go} go
 * @param {Answers} answers
 */
function difference(one, go, answers) {
  const path = one.right || one.left;
  return h(
    "article",
    { class: "difference" },
    h(
      "header",
      {},
      h("span", { class: `pill ${KINDS[one.change]}` }, WORDS[one.change]),
      h("span", {}, one.kind),
      one.right
        ? h("button", { type: "button", class: "link mono", onclick: () => go.chat(path) }, path)
        : h("code", { class: "muted" }, `${path} of the earlier one`),
    ),
    h(
      "pre",
      { class: KINDS[one.change], tabindex: "0", "aria-label": `text that is ${WORDS[one.change]}` },
      one.parts.map(([how, text]) => part(how, text, answers)),
    ),
  );
}

const TAGS = /** @type {const} */ ({ same: "span", was: "del", now: "ins" });

/**
 * A part of a text: what stays, what was, what is now; of a long one its beginning, and the rest on demand.
 *
 * @param {Part[0]} how
 * @param {Text} text
 * @param {Answers} answers
 */
function part(how, text, answers) {
  if (typeof text === "string") return h(TAGS[how], {}, text);
  const element = h(TAGS[how], {}, text.head);
  const more = h(
    "button",
    {
      type: "button",
      class: "more",
      onclick: async () => {
        fill(element, await whole(answers, text));
      },
    },
    `… ${count(text.size)} characters`,
  );
  element.append(more);
  return element;
}
