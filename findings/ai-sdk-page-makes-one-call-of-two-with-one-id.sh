#!/usr/bin/env bash
# ai 7.0.173 (npm, 2026-11-29), Node.js 20.20.
#
# Some models give the calls of one answer the same id. In a UI message stream each chunk of such
# calls is valid, but within a step a part is found by its `toolCallId` alone: the second call
# overwrites the name and the input of the first, and no error is reported.
#
# Output seen:
#   2 calls, 1 part: {"city":"Rome"}
#   errors: 0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ai@7.0.173
cat > try.mjs <<'JS'
import { readUIMessageStream } from "ai";

const calls = ["Paris", "Rome"].map((city) => ({
  type: "tool-input-available",
  toolCallId: "call_0",
  toolName: "warmth",
  input: { city },
  dynamic: true,
}));
const stream = new ReadableStream({
  start(controller) {
    for (const chunk of [{ type: "start" }, { type: "start-step" }, ...calls]) controller.enqueue(chunk);
    controller.close();
  },
});
let message;
const errors = [];
for await (const state of readUIMessageStream({ stream, onError: (one) => errors.push(one) })) message = state;
const parts = message.parts.filter((part) => part.type === "dynamic-tool");
console.log(`${calls.length} calls, ${parts.length} part: ${JSON.stringify(parts[0].input)}`);
console.log(`errors: ${errors.length}`);
process.exit(parts.length === 1 && parts[0].input.city === "Rome" && errors.length === 0 ? 0 : 1);
JS
node try.mjs
