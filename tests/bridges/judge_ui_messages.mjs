// Judges UIMessages by the AI SDK: lists of them as JSON on standard input, on standard output for
// each list whether the SDK takes it, and the ModelMessages that it makes of it.
//
//     node judge_ui_messages.mjs < conversations.json    in a folder whose node_modules has `ai`
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(`${process.cwd()}/package.json`);
const { convertToModelMessages, validateUIMessages } = await import(
  pathToFileURL(resolve("ai")).href
);

const judged = [];
for (const messages of JSON.parse(await text(process.stdin))) {
  try {
    const valid = await validateUIMessages({ messages });
    judged.push({ valid, made: await convertToModelMessages(valid) });
  } catch (error) {
    judged.push({ refused: String(error) });
  }
}
process.stdout.write(JSON.stringify(judged));
