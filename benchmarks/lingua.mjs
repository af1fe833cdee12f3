// Braintrust Lingua, timed in Node: of each line of a file the best of some rounds, in milliseconds.
// node lingua.mjs BODIES.jsonl TARGET ROUNDS [MODEL], with @braintrust/lingua-wasm in NODE_PATH.
// With a model it is asked for, and what comes out is written as JSON text. Prints a JSON list, with
// null for what is not converted.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { transform_request: transform } = createRequire(`${process.env.NODE_PATH}/`)("@braintrust/lingua-wasm/nodejs");
const [, , file, target, rounds, model] = process.argv;

/** @param {string} text @returns {number | null} */
function timed(text) {
  let best = Infinity;
  for (let i = 0; i < Number(rounds); i++) {
    const start = performance.now();
    let made;
    try {
      made = transform(text, target, model ?? null);
    } catch {
      return null;
    }
    if (model !== undefined) made = JSON.stringify(made.data);
    best = Math.min(best, performance.now() - start);
    if (!made) throw new Error("nothing came out");
  }
  return best;
}

const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
timed(lines[0]); // compiled before the first one is timed
console.log(JSON.stringify(lines.map(timed)));
