#!/usr/bin/env bash
# ai 7.0.173 (npm, 2026-11-29), Node.js 20.20.
#
# The chunks of a UI message stream may come without `start-step`: the reader takes them, and shows a
# call, its result and the text after it in this order. `convertToModelMessages` makes one
# message of the assistant of what is between two steps, and puts the results after it, so that
# without steps the text that followed a result is sent to the model as said before the result.
#
# Output seen:
#   shown:        dynamic-tool, text
#   to the model: assistant[tool-call text] tool[tool-result]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ai@7.0.173
cat > try.mjs <<'JS'
import { convertToModelMessages, readUIMessageStream } from "ai";

const call = { toolCallId: "c", dynamic: true };
const chunks = [
  { type: "start", messageId: "a" },
  { ...call, type: "tool-input-available", toolName: "warmth", input: {} },
  { ...call, type: "tool-output-available", output: "18 degrees" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "It is 18 degrees." },
  { type: "text-end", id: "1" },
  { type: "finish" },
];
const stream = new ReadableStream({
  start(controller) {
    for (const chunk of chunks) controller.enqueue(chunk);
    controller.close();
  },
});
let message;
for await (const state of readUIMessageStream({ stream })) message = state;
const made = await convertToModelMessages([message]);
const sent = made.map((one) => `${one.role}[${one.content.map((part) => part.type).join(" ")}]`).join(" ");
console.log(`shown:        ${message.parts.map((part) => part.type).join(", ")}`);
console.log(`to the model: ${sent}`);
process.exit(sent === "assistant[tool-call text] tool[tool-result]" ? 0 : 1);
JS
node try.mjs
