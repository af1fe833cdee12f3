// Paths into JSON as losses spell them: $.messages[3].content[0], $["odd key"].

/** @import { Way } from "../types.js" */

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/y;

/**
 * The keys and indexes of a path.
 *
 * @param {string} path
 * @returns {Way}
 */
export function steps(path) {
  /** @type {Way} */
  const result = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
    if (found === null) break;
    if (found[2] !== undefined) result.push(Number(found[2]));
    else result.push(found[1] ?? unquoted(found[3] ?? ""));
  }
  return result;
}

/**
 * @param {string} text
 * @returns {string}
 */
function unquoted(text) {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

// as the library spells a key that needs no quotes
const PLAIN = /^\$?[\p{L}_][\p{L}\p{N}_]*$/u;

/**
 * The path with one more step.
 *
 * @param {string} path
 * @param {string | number} step
 */
export function deeper(path, step) {
  if (typeof step === "number") return `${path}[${step}]`;
  return PLAIN.test(step) ? `${path}.${step}` : `${path}[${JSON.stringify(step)}]`;
}

/**
 * The path of these steps.
 *
 * @param {Way} way
 * @returns {string}
 */
export function pathOf(way) {
  return way.reduce(deeper, "$");
}

/**
 * The path itself if `known` has it, else the nearest around it that it has; "" for none.
 *
 * @param {string} path
 * @param {{ has(path: string): boolean }} known
 */
export function nearest(path, known) {
  const way = steps(path);
  for (let end = way.length; end >= 0; end -= 1) {
    const candidate = pathOf(way.slice(0, end));
    if (known.has(candidate)) return candidate;
  }
  return "";
}
