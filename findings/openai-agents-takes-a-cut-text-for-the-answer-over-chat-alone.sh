#!/usr/bin/env bash
# openai-agents 0.24.0 with openai 3.57.0 (PyPI, 2026-11-29), CPython 3.11.
#
# A limit cuts the text of an answer, and the host says so: `finish_reason: length` over Chat
# Completions, `status: incomplete` over Responses. Over Responses the run ends with an error, whole or
# streamed. Over Chat Completions the same half sentence is the final output of the run, and its item
# says `completed`: a program that changes the API of its model no longer sees that answers are cut.
#
# Output seen:
#   chat      whole    'The first of three steps is to' completed
#   chat      streamed 'The first of three steps is to' completed
#   responses whole    ModelBehaviorError
#   responses streamed ModelBehaviorError
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  openai-agents==0.24.0 openai==3.57.0
cat > "$folder/try.py" <<'PYTHON'
import asyncio
import json
import logging
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, RunConfig, Runner
from openai import AsyncOpenAI

logging.disable(logging.CRITICAL)
TEXT = "The first of three steps is to"
QUIET = RunConfig(tracing_disabled=True)
USAGE = {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16}
HEAD = {"id": "c_1", "created": 1, "model": "m"}
CHAT = {
    **HEAD,
    "object": "chat.completion",
    "usage": USAGE,
    "choices": [
        {
            "index": 0,
            "finish_reason": "length",
            "message": {"role": "assistant", "content": TEXT},
        }
    ],
}
CHUNKS = [
    {**HEAD, "object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]}
    for choice in (
        {"finish_reason": None, "delta": {"role": "assistant", "content": TEXT}},
        {"finish_reason": "length", "delta": {}},
    )
]
PART = {"type": "output_text", "text": TEXT, "annotations": []}
ITEM = {"type": "message", "id": "msg_1", "role": "assistant", "content": [PART]}
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
    "output": [{**ITEM, "status": "incomplete"}],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
BEGUN = {**RESPONSE, "status": "in_progress", "output": []}
EVENTS = [
    {"type": "response.created", "sequence_number": 0, "response": BEGUN},
    {"type": "response.incomplete", "sequence_number": 1, "response": RESPONSE},
]


class Host(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_chat = "chat" in self.path
        kind = "application/json"
        data = json.dumps(CHAT if is_chat else RESPONSE)
        if body.get("stream"):
            kind = "text/event-stream"
            data = "".join(f"data: {json.dumps(one)}\n\n" for one in (CHUNKS if is_chat else EVENTS))
            data += "data: [DONE]\n\n" if is_chat else ""
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_):
        pass


async def ask(model, is_streamed):
    agent = Agent(name="Guide", model=model)
    try:
        if is_streamed:
            result = Runner.run_streamed(agent, "How?", run_config=QUIET)
            async for _ in result.stream_events():
                pass
        else:
            result = await Runner.run(agent, "How?", run_config=QUIET)
    except Exception as error:
        return type(error).__name__
    return f"{result.final_output!r} {result.to_input_list()[-1]['status']}"


async def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/v1"
    seen = {}
    async with AsyncOpenAI(api_key="none", base_url=address) as client:
        models = (("chat", OpenAIChatCompletionsModel), ("responses", OpenAIResponsesModel))
        for name, kind in models:
            for way in ("whole", "streamed"):
                seen[name, way] = await ask(kind("m", client), way == "streamed")
                print(f"{name:9} {way:8} {seen[name, way]}")
    server.shutdown()
    taken = f"{TEXT!r} completed"
    is_taken = seen["chat", "whole"] == seen["chat", "streamed"] == taken
    is_error = seen["responses", "whole"] == seen["responses", "streamed"] == "ModelBehaviorError"
    return is_taken and is_error


sys.exit(0 if asyncio.run(main()) else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
