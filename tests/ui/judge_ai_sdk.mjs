// Judges streams by the AI SDK: a list of turns as JSON on standard input, each a list of {sse,
// verdicts?, outputs?} that write one message; on standard output what its transport refuses, what its reader
// makes of the rest, the errors it was told, and the ModelMessages of the conversation with it.
//
//     node judge_ai_sdk.mjs < turns.json    in a folder whose node_modules has `ai`
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(`${process.cwd()}/package.json`);
const load = (/** @type {string} */ name) => import(pathToFileURL(resolve(name)).href);
const { convertToModelMessages, readUIMessageStream, uiMessageChunkSchema, validateUIMessages } =
  await load("ai");
const { parseJsonEventStream } = await load("@ai-sdk/provider-utils");

const user = { id: "u", role: "user", parts: [{ type: "text", text: "Go." }] };

// what `addToolApprovalResponse` and `addToolOutput` of the hook do
const answer = (/** @type {any} */ message, /** @type {any} */ verdicts, /** @type {any} */ outputs) => {
  for (const part of message?.parts ?? []) {
    if (part.state === "input-available" && part.toolCallId in outputs) {
      part.state = "output-available";
      part.output = outputs[part.toolCallId];
    }
    if (part.state !== "approval-requested" || !(part.approval.id in verdicts)) continue;
    const verdict = verdicts[part.approval.id];
    part.state = "approval-responded";
    part.approval.approved = verdict === true;
    if (typeof verdict === "string") part.approval.reason = verdict;
  }
};

const judged = [];
for (const turn of JSON.parse(await text(process.stdin))) {
  /** @type {any} */
  const found = { refused: [], types: [], errors: [], message: undefined };
  for (const { sse, verdicts, outputs } of turn) {
    answer(found.message, verdicts ?? {}, outputs ?? {});
    const events = parseJsonEventStream({ stream: new Blob([sse]).stream(), schema: uiMessageChunkSchema });
    const chunks = [];
    for await (const one of events) {
      if (!one.success) found.refused.push(String(one.error));
      else chunks.push(one.value);
    }
    found.types.push(...chunks.map((one) => one.type));
    const read = readUIMessageStream({
      message: found.message,
      stream: new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      }),
      onError: (/** @type {unknown} */ error) => found.errors.push(String(error)),
    });
    for await (const state of read) found.message = state;
  }
  if (found.message) {
    found.message.id ||= "a";
    try {
      const messages = await validateUIMessages({ messages: [user, found.message] });
      found.made = await convertToModelMessages(messages);
    } catch (error) {
      found.refused.push(String(error));
    }
  }
  judged.push(found);
}
process.stdout.write(JSON.stringify(judged));
