// Braintrust Lingua, timed in Node: the best of some rounds, in milliseconds.
// node lingua.mjs BODY.json TARGET ROUNDS, with @braintrust/lingua-wasm in NODE_PATH.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { transform_request: transform } = createRequire(`${process.env.NODE_PATH}/`)("@braintrust/lingua-wasm/nodejs");
const [, , file, target, rounds] = process.argv;
const text = readFileSync(file, "utf8");
let best = Infinity;
for (let i = 0; i < Number(rounds); i++) {
  const start = performance.now();
  const made = transform(text, target, null);
  best = Math.min(best, performance.now() - start);
  if (!made) throw new Error("nothing came out");
}
console.log(best);
