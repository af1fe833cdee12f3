#!/usr/bin/env bash
# smolagents 1.26.0, agentscope 2.0.11 and strands-agents 1.62.0 (PyPI, 2026-11-29), CPython 3.11.
#
# A host's token limit cuts an answer in the middle of a tool call: `{"note": "buy milk and br`. The
# agents of three libraries, over their own models for OpenAI, run the tool nevertheless, each with
# other arguments, and none tells the program. smolagents passes the broken JSON as the only
# argument that the tool has; AgentScope closes the brackets and saves half of the note; Strands
# stops where the host says `length`, and where it says `tool_calls`, as some hosts do, runs the
# tool without any arguments.
#
# Output seen:
#   smolagents length     saved: ['{"note": "buy milk and br']
#   agentscope length     saved: ['buy milk and br']
#   strands    length     saved: [], MaxTokensReachedException
#   smolagents tool_calls saved: ['{"note": "buy milk and br']
#   agentscope tool_calls saved: ['buy milk and br']
#   strands    tool_calls saved: ['nothing']
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  agentscope==2.0.11 opentelemetry-sdk==1.45.1 smolagents==1.26.0 strands-agents==1.62.0
cat > "$folder/try.py" <<'PYTHON'
import asyncio
import json
import logging
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CUT = '{"note": "buy milk and br'
ENDS = ["length"]
logging.disable(logging.CRITICAL)


class Host(BaseHTTPRequestHandler):
    """A host of Chat Completions whose limit cuts the first answer in the middle of a call."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        first = not any(m["role"] in ("tool", "assistant") for m in body["messages"])
        call = {"index": 0, "id": "call_1", "type": "function"}
        call["function"] = {"name": "save", "arguments": CUT}
        if not first:
            call["function"] = {"name": "final_answer", "arguments": '{"answer": "done"}'}
        tools = [t["function"]["name"] for t in body.get("tools", ())]
        calls = first or "final_answer" in tools
        said = {"role": "assistant", "content": None if calls else "done"}
        if calls:
            said["tool_calls"] = [call]
        reason = ENDS[0] if first else "tool_calls" if calls else "stop"
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        shared = {"id": "c", "created": 1, "model": "m"}
        choice = {"index": 0, "finish_reason": reason}
        if body.get("stream"):
            rows = [
                {**shared, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
                {**shared, "object": "chat.completion.chunk", "choices": [{**choice, "delta": {}}]},
                {**shared, "object": "chat.completion.chunk", "choices": [], "usage": usage},
            ]
            data = "".join(f"data: {json.dumps(row)}\n\n" for row in rows) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            data = json.dumps({**shared, "object": "chat.completion", "choices": [{**choice, "message": said}], "usage": usage})
            kind = "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/v1"


def with_smolagents(saved):
    from smolagents import LogLevel, OpenAIModel, Tool, ToolCallingAgent

    class Save(Tool):
        name, description, output_type = "save", "Saves a note.", "string"
        inputs = {"note": {"type": "string", "description": "The note."}}

        def forward(self, note: str) -> str:
            saved.append(note)
            return "saved"

    model = OpenAIModel("m", api_base=url, api_key="none")
    ToolCallingAgent([Save()], model, verbosity_level=LogLevel.OFF).run("Save it.", max_steps=3)


def with_agentscope(saved):
    from agentscope.agent import Agent
    from agentscope.credential import OpenAICredential
    from agentscope.message import UserMsg
    from agentscope.model import OpenAIChatModel
    from agentscope.permission import PermissionContext, PermissionMode
    from agentscope.state import AgentState
    from agentscope.tool import FunctionTool, Toolkit

    async def save(note: str) -> str:
        """Save a note.

        Args:
            note: The note.
        """
        saved.append(note)
        return "saved"

    model = OpenAIChatModel(OpenAICredential(api_key="none", base_url=url), "m")
    state = AgentState(permission_context=PermissionContext(mode=PermissionMode.BYPASS))
    agent = Agent("a", "Save.", model, Toolkit([FunctionTool(save)]), state=state)
    asyncio.run(agent.reply(UserMsg("user", "Save it.")))


def with_strands(saved):
    from strands import Agent, tool
    from strands.models.openai import OpenAIModel

    @tool
    def save(note: str = "nothing") -> str:
        """Save a note.

        Args:
            note: The note.
        """
        saved.append(note)
        return "saved"

    model = OpenAIModel(client_args={"base_url": url, "api_key": "none"}, model_id="m")
    Agent(model, tools=[save], callback_handler=None)("Save it.")


seen = {}
for reason in ("length", "tool_calls"):
    ENDS[0] = reason
    for run in (with_smolagents, with_agentscope, with_strands):
        saved = []
        try:
            run(saved)
            how = ""
        except Exception as error:
            how = f", {type(error).__name__}"
        name = run.__name__.removeprefix("with_")
        seen[name, reason] = saved
        print(f"{name:10} {reason:10} saved: {saved}{how}")
half, raw = ["buy milk and br"], [CUT]
expected = {
    ("smolagents", "length"): raw, ("smolagents", "tool_calls"): raw,
    ("agentscope", "length"): half, ("agentscope", "tool_calls"): half,
    ("strands", "length"): [], ("strands", "tool_calls"): ["nothing"],
}
sys.exit(0 if seen == expected else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
