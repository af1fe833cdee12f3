#!/usr/bin/env bash
# openai 3.57.0 (PyPI, 2026-11-28), CPython 3.11, its standard library as the server.
#
# Pieces of parallel tool calls in a Chat Completions stream say by `index` to which call they
# belong. Where they alternate, the SDK's stream helper takes each change of the index for the end
# of the call before: it emits `tool_calls.function.arguments.done`, the event to act on, for a call
# whose arguments are half there, and none when they are whole. The final completion is right.
#
# Output seen:
#   done: warmth('{"city": ') wind('{"city": ')
#   final: warmth('{"city": "Oslo"}') wind('{"city": "Bonn"}')
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openai==3.57.0
cat > "$folder/try.py" <<'PYTHON'
import json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai


def chunk(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def piece(index, arguments, name=None):
    head = {"id": f"call_{index}", "type": "function"} if name else {}
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return chunk({"tool_calls": [{"index": index, **head, "function": function}]})


CHUNKS = [
    chunk({"role": "assistant", "content": None}),
    piece(0, '{"city": ', "warmth"), piece(1, '{"city": ', "wind"),
    piece(0, '"Oslo"}'), piece(1, '"Bonn"}'),
    chunk({}, "tool_calls"),
]


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        lines = [json.dumps(one) for one in CHUNKS] + ["[DONE]"]
        self.wfile.write("".join(f"data: {line}\n\n" for line in lines).encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_address[1]}/v1", api_key="none", max_retries=0)
with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "Go."}]) as stream:
    done = [(one.name, one.arguments) for one in stream
            if one.type == "tool_calls.function.arguments.done"]
    calls = stream.get_final_completion().choices[0].message.tool_calls
final = [(call.function.name, call.function.arguments) for call in calls]
print("done:", *(f"{name}({text!r})" for name, text in done))
print("final:", *(f"{name}({text!r})" for name, text in final))
whole = [("warmth", '{"city": "Oslo"}'), ("wind", '{"city": "Bonn"}')]
sys.exit(0 if final == whole and ("warmth", '{"city": ') in done and whole[0] not in done else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
