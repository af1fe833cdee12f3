#!/usr/bin/env bash
# openai 3.57.0 (PyPI, 2026-11-28), CPython 3.11, its standard library as the server.
#
# A Responses stream that the token limit ends closes with `response.incomplete`, as documented; the
# event carries the whole response with its output and its usage. The SDK's stream helper hands the
# event out, but its `get_final_response()` knows `response.completed` alone: for a valid stream, of
# which every event has arrived, it raises a RuntimeError. The same answer unstreamed is returned,
# with `status: "incomplete"`; and the helper for Chat Completions returns what the limit has cut.
#
# Output seen:
#   unstreamed: incomplete, text: Half
#   events: response.created response.incomplete
#   get_final_response: RuntimeError: Didn't receive a `response.completed` event.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai==3.57.0
cat > "$folder/try.py" <<'PYTHON'
import json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai

RESPONSE = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5.6",
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
ITEM = {"id": "msg_1", "type": "message", "role": "assistant", "status": "incomplete",
        "content": [{"type": "output_text", "text": "Half", "annotations": []}]}
USAGE = {"input_tokens": 1, "output_tokens": 16, "total_tokens": 17,
         "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
CUT = {**RESPONSE, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
       "output": [ITEM], "usage": USAGE}
EVENTS = [
    {"type": "response.created", "response": {**RESPONSE, "status": "in_progress", "output": []}},
    {"type": "response.incomplete", "response": CUT},
]


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text, kind = json.dumps(CUT), "application/json"
        if asked.get("stream"):
            kind = "text/event-stream"
            text = "".join(f"event: {one['type']}\ndata: {json.dumps({**one, 'sequence_number': nth})}\n\n"
                           for nth, one in enumerate(EVENTS))
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_address[1]}/v1", api_key="none", max_retries=0)
request = {"model": "gpt-5.6", "input": "Go.", "max_output_tokens": 16}
whole = client.responses.create(**request)
print(f"unstreamed: {whole.status}, text: {whole.output_text}")
with client.responses.stream(**request) as stream:
    names = [event.type for event in stream]
    print("events:", *names)
    try:
        last = stream.get_final_response().status
    except RuntimeError as error:
        last = f"RuntimeError: {error}"
print("get_final_response:", last)
sound = whole.output_text == "Half" and names[-1] == "response.incomplete"
sys.exit(0 if sound and last == "RuntimeError: Didn't receive a `response.completed` event." else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
