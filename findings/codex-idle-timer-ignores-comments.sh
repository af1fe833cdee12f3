#!/usr/bin/env bash
# @openai/codex 0.171.0 (npm, 2026-11-28), Node.js 20, Python 3.11 standard library as the server.
#
# A Responses stream that is kept alive with SSE comments (": keep-alive") is a valid event stream,
# and every byte of it arrives. Codex's idle timer (`stream_idle_timeout_ms`, 300 s by default)
# counts events and not bytes: comments do not reset it. It gives up and asks again. OpenAI's own
# sign of life, an event `keepalive` with a sequence number, resets it.
#
# Output seen:
#   comments: asked 2 times, answer never arrives: stream disconnected before completion: idle timeout waiting for SSE
#   events:   asked 1 time, answer: It is done.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @openai/codex@0.171.0
cat > "$folder/try.py" <<'PYTHON'
import json, os, subprocess, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]


def sign(kind, number):
    if kind == "comments":
        return ": keep-alive\n\n"
    return f'event: keepalive\ndata: {json.dumps({"type": "keepalive", "sequence_number": number})}\n\n'


def attempt(kind):
    asked = []

    class Server(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            asked.append(self.path)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()

            def say(text):
                self.wfile.write(text.encode())
                self.wfile.flush()

            def event(name, **fields):
                say(f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n")

            response = {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}
            item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": "It is done.", "annotations": []}]}
            try:
                event("response.created", sequence_number=0, response=response)
                for number in range(20):  # six seconds of thinking, with a sign each 300 ms
                    time.sleep(0.3)
                    say(sign(kind, number + 1))
                event("response.output_item.done", sequence_number=21, output_index=0, item=item)
                usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
                done = {**response, "status": "completed", "output": [item], "usage": usage}
                event("response.completed", sequence_number=22, response=done)
            except OSError:
                pass
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = os.path.join(folder, kind)
    os.makedirs(os.path.join(home, ".codex"))
    with open(os.path.join(home, ".codex", "config.toml"), "w") as file:
        file.write(
            'model = "gpt-5.5"\nmodel_provider = "here"\ncheck_for_update_on_startup = false\n'
            '[analytics]\nenabled = false\n[model_providers.here]\nname = "here"\n'
            f'base_url = "http://127.0.0.1:{server.server_address[1]}/v1"\nenv_key = "HERE_KEY"\n'
            'wire_api = "responses"\nsupports_websockets = false\nrequest_max_retries = 0\n'
            "stream_max_retries = 1\nstream_idle_timeout_ms = 1500\n"
        )
    command = [os.path.join(folder, "node_modules", ".bin", "codex"), "exec", "--json",
               "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Go."]
    nowhere = "http://127.0.0.1:9"
    ran = subprocess.run(
        command, cwd=home, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
        env={"PATH": os.environ["PATH"], "HOME": home, "HERE_KEY": "none", "HTTP_PROXY": nowhere,
             "HTTPS_PROXY": nowhere, "NO_PROXY": "127.0.0.1"},
    )
    server.shutdown()
    return asked, ran.stdout + ran.stderr


asked, said = attempt("comments")
gave_up = "idle timeout waiting for SSE" in said and "It is done." not in said
print(f"comments: asked {len(asked)} times,",
      "answer never arrives: stream disconnected before completion: idle timeout waiting for SSE"
      if gave_up else said)
events, heard = attempt("events")
arrived = "It is done." in heard and len(events) == 1
print(f"events:   asked {len(events)} time,", "answer: It is done." if arrived else heard)
sys.exit(0 if gave_up and len(asked) == 2 and arrived else 1)
PYTHON
python3 "$folder/try.py" "$folder"
