#!/usr/bin/env bash
# ai 7.0.173 (npm, 2026-11-29), Node.js 20.20.
#
# A page of the AI SDK keeps a call of a tool and its result in one part; `callProviderMetadata` there
# is what the provider said of the call, such as the id of its item or the signature of its thought.
# `convertToModelMessages` makes two parts of it, a call and a result, and gives both the same
# `providerOptions`: the result of a tool, which the provider never saw, carries the id and the
# signature of the call.
#
# Output seen:
#   call:   {"openai":{"itemId":"fc_1"}}
#   result: {"openai":{"itemId":"fc_1"}}
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ai@7.0.173
cat > try.mjs <<'JS'
import { convertToModelMessages } from "ai";

const part = {
  type: "dynamic-tool",
  toolName: "look",
  toolCallId: "c_1",
  state: "output-available",
  input: {},
  output: "18 degrees",
  callProviderMetadata: { openai: { itemId: "fc_1" } },
};
const [said, returned] = await convertToModelMessages([
  { id: "a", role: "assistant", parts: [part] },
]);
const [call, result] = [said.content[0], returned.content[0]];
console.log(`call:   ${JSON.stringify(call.providerOptions)}`);
console.log(`result: ${JSON.stringify(result.providerOptions)}`);
process.exit(result.providerOptions?.openai?.itemId === "fc_1" ? 0 : 1);
JS
node try.mjs
