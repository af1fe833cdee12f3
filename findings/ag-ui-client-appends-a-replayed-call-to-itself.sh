#!/usr/bin/env bash
# @ag-ui/client 1.0.0 and @ag-ui/core 1.0.0 (npm, 2026-11-29), Node.js 20.20.
#
# The client applies TOOL_CALL_START and TEXT_MESSAGE_START so that they may arrive twice, as its
# sources say, since a stream can be delivered again: a known id is the same call or message. But the
# arguments and the text that follow are appended to those it has. The arguments of the call are no
# JSON any more, and are sent so with the next request; verifier and schemas report nothing.
#
# Output seen:
#   arguments: {"city":"Paris"}{"city":"Paris"}
#   text:      I look.I look.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @ag-ui/client@1.0.0 @ag-ui/core@1.0.0
cat > try.mjs <<'JS'
import { HttpAgent } from "@ag-ui/client";

const said = [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "I look." },
  { type: "TEXT_MESSAGE_END", messageId: "m" },
  { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "warmth", parentMessageId: "m" },
  { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"city":"Paris"}' },
  { type: "TOOL_CALL_END", toolCallId: "c" },
];
let runId = 0;
const agent = new HttpAgent({
  url: "http://localhost/",
  threadId: "t",
  fetch: async () => {
    const own = { threadId: "t", runId: String(++runId) };
    const events = [{ type: "RUN_STARTED", ...own }, ...said, { type: "RUN_FINISHED", ...own }];
    const body = events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
await agent.runAgent();
await agent.runAgent();
const [message] = agent.messages;
const text = message.toolCalls[0].function.arguments;
console.log(`arguments: ${text}`);
console.log(`text:      ${message.content}`);
process.exit(text === '{"city":"Paris"}{"city":"Paris"}' && message.content === "I look.I look." ? 0 : 1);
JS
node try.mjs
