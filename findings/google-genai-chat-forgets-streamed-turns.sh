#!/usr/bin/env bash
# google-genai 3.6.1 (PyPI, 2026-11-28), CPython 3.11, its standard library as the server.
#
# A chat of the SDK keeps the history and sends it along with the next message. If one chunk of a
# streamed answer has no parts, which is where a server puts a finish reason or the usage that comes
# last (all fields are optional), the chat takes the whole answer for invalid: the next request has
# neither the answer nor the user's question, and nothing says so. The same stream with `parts:
# [{"text": ""}]` in its last chunk is kept.
#
# Output seen:
#   last chunk with an empty text:    3 earlier contents and the new one
#   last chunk with a reason alone:   0 earlier contents and the new one
#   last chunk with the usage alone:  0 earlier contents and the new one
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check google-genai==3.6.1
cat > "$folder/try.py" <<'PYTHON'
import json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google import genai
from google.genai import types


def chunk(finish=None, **content):
    candidate = {"index": 0, **content, **({"finishReason": finish} if finish else {})}
    return {"candidates": [candidate], "modelVersion": "gemini-3-pro"}


def text(words):
    return {"content": {"role": "model", "parts": [{"text": words}]}}


USAGE = {"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7}}
ANSWERS = {
    "an empty text:   ": [chunk(**text("I am Tony.")), chunk("STOP", **text(""))],
    "a reason alone:  ": [chunk(**text("I am Tony.")), chunk("STOP")],
    "the usage alone: ": [chunk("STOP", **text("I am Tony.")), USAGE],
}


def earlier(chunks):
    """How many contents stand before the second message of a chat, as the server gets it."""
    asked = []

    class Server(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join(f"data: {json.dumps(one)}\n\n" for one in chunks).encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = types.HttpOptions(base_url=f"http://127.0.0.1:{server.server_address[1]}")
    client = genai.Client(api_key="none", http_options=options)
    chat = client.chats.create(model="gemini-3-pro")
    for message in ("Who are you?", "Say it again."):
        said = "".join(one.text or "" for one in chat.send_message_stream(message))
        assert said == "I am Tony."
    server.shutdown()
    return len(asked[1]["contents"]) - 1


counts = {}
for label, chunks in ANSWERS.items():
    counts[label] = earlier(chunks)
    print(f"last chunk with {label} {counts[label]} earlier contents and the new one")
sys.exit(0 if [*counts.values()] == [3, 0, 0] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
