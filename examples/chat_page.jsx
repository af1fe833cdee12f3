// A page for `chat_for_a_page.py`, with the AI SDK's own hook: npm install ai @ai-sdk/react react react-dom
import { useChat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createRoot } from "react-dom/client";

const id = new URLSearchParams(location.search).get("chat") ?? "main";

function Part({ part, decide }) {
  if (part.type === "text") return <p className="text">{part.text}</p>;
  if (part.type === "reasoning") return <p className="thought">{part.text}</p>;
  if (part.type !== "dynamic-tool") return null;
  return (
    <section className={`call ${part.state}`}>
      <code>{`${part.toolName} ${JSON.stringify(part.input ?? {})}`}</code>
      {part.state === "approval-requested" && (
        <>
          <button type="button" onClick={() => decide({ id: part.approval.id, approved: true })}>Allow</button>
          <button type="button" onClick={() => decide({ id: part.approval.id, approved: false, reason: "no" })}>Refuse</button>
        </>
      )}
      {part.state === "output-available" && <output>{String(part.output)}</output>}
      {part.state.endsWith("denied") && <output>not allowed</output>}
    </section>
  );
}

function Chat({ messages: stored }) {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    messages: stored,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const send = (event) => {
    event.preventDefault();
    sendMessage({ text: new FormData(event.target).get("said") });
    event.target.reset();
  };
  return (
    <main data-status={status}>
      {messages.map(({ id, role, parts }) => (
        <article key={id} className={role}>
          {parts.map((part, i) => <Part key={`${id} ${i}`} part={part} decide={addToolApprovalResponse} />)}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}><input name="said" placeholder="Say something" aria-label="Message" /></form>
    </main>
  );
}

const messages = await (await fetch(`/api/chat/${id}`)).json();
createRoot(document.getElementById("root")).render(<Chat messages={messages} />);
