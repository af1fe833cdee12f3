// Judges ModelMessages by the AI SDK: lists of them as JSON on standard input, on standard output
// for each list what its schema made of every message, and what a provider is given.
//
//     node judge_messages.mjs < conversations.json    in a folder whose node_modules has `ai`
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(`${process.cwd()}/package.json`);
const load = (/** @type {string} */ name) => import(pathToFileURL(resolve(name)).href);
const { generateText, modelMessageSchema } = await load("ai");
const { MockLanguageModelV4 } = await load("ai/test");

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const answer = {
  content: [{ type: "text", text: "Yes." }],
  finishReason: { unified: "stop", raw: "stop" },
  usage,
  warnings: [],
};

const judged = [];
for (const messages of JSON.parse(await text(process.stdin))) {
  const parsed = messages.map((/** @type {unknown} */ one) => {
    const found = modelMessageSchema.safeParse(one);
    return found.success ? found.data : { refused: found.error.message };
  });
  const model = new MockLanguageModelV4({
    supportedUrls: { "*/*": [/.*/] },
    doGenerate: async () => answer,
  });
  let given = null;
  try {
    await generateText({ model, messages, allowSystemInMessages: true, maxRetries: 0 });
    given = model.doGenerateCalls[0]?.prompt ?? null;
  } catch (error) {
    given = { refused: String(error) };
  }
  judged.push({ parsed, given });
}
process.stdout.write(JSON.stringify(judged));
