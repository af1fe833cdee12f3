#!/usr/bin/env bash
# ai 7.0.173 (npm, 2026-11-29), Node.js 20.20.
#
# A stream of a page that ends with `error` or `abort` leaves its text in the state `streaming`; that
# is all that the message says of it. `validateUIMessages` takes the message, and
# `convertToModelMessages` makes a text of it that looks like a finished one: on the next turn the
# model reads half a sentence as what it said.
#
# Output seen:
#   error: {"type":"text","text":"Take 20 mg, but never","state":"streaming"}
#   to the model: [{"role":"assistant","content":[{"type":"text","text":"Take 20 mg, but never"}]}]
#   abort: {"type":"text","text":"Take 20 mg, but never","state":"streaming"}
#   to the model: [{"role":"assistant","content":[{"type":"text","text":"Take 20 mg, but never"}]}]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ai@7.0.173
cat > try.mjs <<'JS'
import { convertToModelMessages, readUIMessageStream, validateUIMessages } from "ai";

const begun = [
  { type: "start", messageId: "a" },
  { type: "start-step" },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Take 20 mg, but never" },
];
let same = true;
for (const end of [{ type: "error", errorText: "overloaded" }, { type: "abort" }]) {
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of [...begun, end]) controller.enqueue(chunk);
      controller.close();
    },
  });
  let message;
  for await (const state of readUIMessageStream({ stream })) message = state;
  const made = await convertToModelMessages(await validateUIMessages({ messages: [message] }));
  console.log(`${end.type}: ${JSON.stringify(message.parts[1])}`);
  console.log(`to the model: ${JSON.stringify(made)}`);
  same &&= message.parts[1].state === "streaming" && Object.keys(made[0].content[0]).length === 2;
}
process.exit(same ? 0 : 1);
JS
node try.mjs
