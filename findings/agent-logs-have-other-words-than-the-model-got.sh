#!/usr/bin/env bash
# @github/copilot 1.0.102 and cline 3.0.65 (npm, 2026-11-29), Node.js 20, Python 3.11 standard
# library as the host, which scripts the model: one call of a tool that reads a missing file.
#
# Both write a log of each session, and neither log has the words that the model got.
# Copilot (`~/.copilot/session-state/*/events.jsonl`): the `error` of a failed tool is another text
# than the result that is sent, which is nowhere in the log; of the user's words, `content` is not
# what is sent, but `transformedContent`.
# Cline (`~/.cline/data/sessions/*/*.messages.json`): the user's words stand in <user_input> tags,
# which are not sent. Results are objects there, and are sent as JSON without spaces.
#
# Output seen:
#   copilot: log 'Path does not exist', sent 'Path .../none.txt does not exist. Please provide a valid path.'
#   copilot: content 'Read it.', sent '<current_datetime>...</current_datetime>\n\nRead it.'
#   cline: log '<user_input mode="act">Read it.</user_input>', sent 'Read it.'
set -euo pipefail
folder=$(mktemp -d)
# Cline leaves a process of its own behind, whose command line names the folder
clean() {
  for file in /proc/[0-9]*/cmdline; do
    if { tr '\0' ' ' < "$file"; } 2>/dev/null | grep -q -- "--cline-hub-daemon --cwd $folder"; then
      kill -9 "$(basename "$(dirname "$file")")" || true
    fi
  done
  rm -rf "$folder"
}
trap clean EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @github/copilot@1.0.102 cline@3.0.65
cat > "$folder/try.py" <<'PYTHON'
import glob, json, os, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]
project = os.path.join(folder, "project")
missing = os.path.join(project, "none.txt")
os.makedirs(project)
ARGUMENTS = {"view": {"path": missing}, "read_files": {"files": [{"path": missing}]}}


class Host(BaseHTTPRequestHandler):
    asked = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        Host.asked.append(body["messages"])
        names = [(tool.get("function") or {}).get("name") for tool in body.get("tools") or []]
        name = next((one for one in ARGUMENTS if one in names), None)
        base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.6"}
        if name and not any(m["role"] == "tool" for m in body["messages"]):
            function = {"name": name, "arguments": json.dumps(ARGUMENTS[name])}
            call = {"index": 0, "id": "call_1", "type": "function", "function": function}
            delta, reason = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
        else:
            delta, reason = {"role": "assistant", "content": "It is not there."}, "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        chunks = [
            {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            {**base, "choices": [], "usage": usage},
        ]
        data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_address[1]}/v1"
nowhere = "http://127.0.0.1:9"


def run(name, *arguments, **variables):
    environment = {
        "HOME": folder, "PATH": os.environ["PATH"], "http_proxy": nowhere, "https_proxy": nowhere,
        "no_proxy": "127.0.0.1", **variables,
    }
    command = [os.path.join(folder, "node_modules", ".bin", name), *arguments]
    subprocess.run(command, cwd=project, env=environment, timeout=120, check=False,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def sent(role):
    said = next(m["content"] for m in Host.asked[-1] if m["role"] == role)
    return said if isinstance(said, str) else "".join(part["text"] for part in said)


run("copilot", "-p", "Read it.", "--allow-all-tools", COPILOT_PROVIDER_BASE_URL=url,
    COPILOT_MODEL="gpt-5.6", COPILOT_PROVIDER_API_KEY="x", COPILOT_OFFLINE="true")
[log] = glob.glob(os.path.join(folder, ".copilot", "session-state", "*", "events.jsonl"))
text = open(log).read()
events = [json.loads(line) for line in text.splitlines()]
failed = next(e["data"]["error"] for e in events if e["type"] == "tool.execution_complete")
user = next(e["data"] for e in events if e["type"] == "user.message")
print(f"copilot: log {failed['message']!r}, sent {sent('tool')!r}")
print(f"copilot: content {user['content']!r}, sent {sent('user')!r}")
ok = failed["message"] == "Path does not exist" and sent("tool") not in text
ok = ok and sent("tool") == f"Path {missing} does not exist. Please provide a valid path."
ok = ok and user["content"] == "Read it." and user["transformedContent"] == sent("user")
ok = ok and sent("user") != "Read it."

run("cline", "auth", "-p", "openai", "-k", "x", "-m", "gpt-5.6", "-b", url)
run("cline", "Read it.")
[log] = glob.glob(os.path.join(folder, ".cline", "data", "sessions", "*", "*.messages.json"))
messages = json.load(open(log))["messages"]
words = messages[0]["content"][0]["text"]
result = next(b["content"] for m in messages for b in m["content"] if b["type"] == "tool_result")
print(f"cline: log {words!r}, sent {sent('user')!r}")
ok = ok and words == '<user_input mode="act">Read it.</user_input>' and sent("user") == "Read it."
ok = ok and sent("tool") == json.dumps(result, separators=(",", ":"))
sys.exit(0 if ok else 1)
PYTHON
python3 "$folder/try.py" "$folder"
