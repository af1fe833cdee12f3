// Judges streams by AG-UI's own client: a list of turns as JSON on standard input, each a list of
// {sse, verdicts?, outputs?} on one thread; on standard output what its schemas and its verifier
// refuse, the messages that its agent makes of the rest, what it waits for, and the next request.
//
//     node judge_ag_ui.mjs < turns.json    in a folder whose node_modules has `@ag-ui/client`
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(`${process.cwd()}/package.json`);
const load = (/** @type {string} */ name) => import(pathToFileURL(resolve(name)).href);
const { HttpAgent, verifyEvents } = await load("@ag-ui/client");
const { EventSchemas } = await load("@ag-ui/core/schemas");
const { from, lastValueFrom, toArray } = await load("rxjs");

const answered = (/** @type {any} */ agent, /** @type {any} */ verdicts, /** @type {any} */ outputs) => {
  for (const [toolCallId, content] of Object.entries(outputs)) {
    agent.messages.push({ id: `output ${toolCallId}`, role: "tool", toolCallId, content });
  }
  return agent.pendingInterrupts.map((/** @type {any} */ one) => {
    const verdict = verdicts[one.id] ?? true;
    const reason = typeof verdict === "string" ? { reason: verdict } : {};
    const payload = { approved: verdict === true, ...reason };
    return { interruptId: one.id, status: "resolved", payload };
  });
};

console.warn = console.error = () => {};
const judged = [];
for (const turn of JSON.parse(await text(process.stdin))) {
  let body = "";
  const sent = { sse: "" };
  const agent = new HttpAgent({
    url: "http://localhost/",
    threadId: "t",
    initialMessages: [{ id: "u", role: "user", content: "Go." }],
    fetch: async (/** @type {string} */ _, /** @type {any} */ init) => {
      body = init.body;
      return new Response(sent.sse, { headers: { "content-type": "text/event-stream" } });
    },
  });
  /** @type {any} */
  const found = { refused: [], types: [], errors: [] };
  const run = async (/** @type {string} */ sse, /** @type {any} */ resume) => {
    sent.sse = sse;
    const failed = { onRunErrorEvent: ({ event }) => void found.errors.push(event.message) };
    try {
      await agent.runAgent(resume.length ? { resume } : {}, failed);
    } catch (error) {
      found.refused.push(String(error));
    }
  };
  for (const { sse, verdicts, outputs } of turn) {
    const lines = sse.split("\n\n").filter((/** @type {string} */ one) => one !== "");
    const events = lines.map((/** @type {string} */ one) => JSON.parse(one.slice("data: ".length)));
    for (const event of events) {
      found.types.push(event.type);
      const parsed = EventSchemas.safeParse(event);
      if (!parsed.success) found.refused.push(`${event.type}: ${parsed.error.message}`);
    }
    try {
      await lastValueFrom(from(events).pipe(verifyEvents(), toArray()));
    } catch (error) {
      found.refused.push(String(error));
    }
    await run(sse, answered(agent, verdicts ?? {}, outputs ?? {}));
  }
  found.messages = structuredClone(agent.messages);
  found.waiting = structuredClone(agent.pendingInterrupts);
  await run("", answered(agent, {}, {}));
  found.next = JSON.parse(body);
  judged.push(found);
}
process.stdout.write(JSON.stringify(judged));
