#!/usr/bin/env bash
# @github/copilot 1.0.102, opencode-ai 1.18.33, @qwen-code/qwen-code 0.24.4, ccusage 20.0.24 (npm,
# 2026-11-29), Node.js 20, Python 3.11 standard library as the host, which gives every answer the
# usage of Chat Completions `prompt_tokens` 1000 (300 of them cached), `completion_tokens` 90 (20 of
# them reasoning): 1090 tokens in all.
#
# The logs of the three agents have the words input and output, and mean three things by them.
# Copilot's input has the cached tokens in it, its output the reasoning. In opencode's both are
# apart, so that 1090 is the sum of all. Qwen Code writes Gemini's names, whose candidates are
# without thoughts at Gemini, but has the thoughts among them here. Over Messages, where cached
# tokens are never in `input_tokens`, Copilot adds them (700, 300 read, 50 written: 1050).
# A program that prices logs has to know each: ccusage adds Qwen's cached tokens and thoughts once
# more, and counts 1410 tokens for an answer of 1090.
#
# Output seen:
#   copilot: inputTokens 1000, cacheReadTokens 300, outputTokens 90, reasoningTokens 20
#   copilot over Messages: inputTokens 1050, cacheReadTokens 300, cacheWriteTokens 50
#   opencode: input 700, cache.read 300, output 70, reasoning 20, total 1090
#   qwen: promptTokenCount 1000, cachedContentTokenCount 300, candidatesTokenCount 90, thoughtsTokenCount 20
#   ccusage of qwen: 1410 tokens
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" @github/copilot@1.0.102 \
  opencode-ai@1.18.33 @qwen-code/qwen-code@0.24.4 ccusage@20.0.24 @ccusage/ccusage-linux-x64@20.0.24 \
  node@24.21.0
node "$folder/node_modules/opencode-ai/postinstall.mjs"
cat > "$folder/try.py" <<'PYTHON'
import glob, json, os, re, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]
project = os.path.join(folder, "project")
os.makedirs(project)
CHAT = {
    "prompt_tokens": 1000, "completion_tokens": 90, "total_tokens": 1090,
    "prompt_tokens_details": {"cached_tokens": 300},
    "completion_tokens_details": {"reasoning_tokens": 20},
}
MESSAGES = {"input_tokens": 700, "cache_creation_input_tokens": 50,
            "cache_read_input_tokens": 300, "output_tokens": 1}


class Host(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.split("?")[0].endswith("/messages"):
            message = {"id": "m", "type": "message", "role": "assistant", "content": [],
                       "model": body["model"], "stop_reason": None, "stop_sequence": None,
                       "usage": MESSAGES}
            events = [
                {"type": "message_start", "message": message},
                {"type": "content_block_start", "index": 0,
                 "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 0,
                 "delta": {"type": "text_delta", "text": "Hello."}},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "usage": {"output_tokens": 90},
                 "delta": {"stop_reason": "end_turn", "stop_sequence": None}},
                {"type": "message_stop"},
            ]
            rows = [f"event: {one['type']}\ndata: {json.dumps(one)}" for one in events]
        else:
            base = {"id": "c", "object": "chat.completion.chunk", "created": 1,
                    "model": body["model"]}
            said = {"role": "assistant", "content": "Hello."}
            chunks = [
                {**base, "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
                {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                {**base, "choices": [], "usage": CHAT},
            ]
            rows = [*(f"data: {json.dumps(one)}" for one in chunks), "data: [DONE]"]
        data = "".join(f"{row}\n\n" for row in rows).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
threading.Thread(target=server.serve_forever, daemon=True).start()
root = f"http://127.0.0.1:{server.server_address[1]}"
nowhere = "http://127.0.0.1:9"
programs = os.path.join(folder, "node_modules", ".bin")


def run(home, name, *arguments, out=subprocess.DEVNULL, **variables):
    os.makedirs(home, exist_ok=True)
    environment = {
        "HOME": home, "PATH": programs + os.pathsep + os.environ["PATH"], "CI": "1",
        "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "NO_PROXY": "127.0.0.1,localhost",
        **variables,
    }
    return subprocess.run([os.path.join(programs, name), *arguments], cwd=project, check=False,
                          env=environment, timeout=180, stdin=subprocess.DEVNULL, stdout=out,
                          stderr=subprocess.DEVNULL)


def copilot(home, kind, url, model):
    run(home, "copilot", "-p", "Say hello.", "--allow-all-tools", COPILOT_PROVIDER_TYPE=kind,
        COPILOT_PROVIDER_BASE_URL=url, COPILOT_MODEL=model, COPILOT_PROVIDER_API_KEY="x",
        COPILOT_OFFLINE="true")
    [log] = glob.glob(os.path.join(home, ".copilot", "session-state", "*", "events.jsonl"))
    events = map(json.loads, open(log))
    return next(e["data"]["usage"] for e in events if e["type"] == "session.usage_record")


seen = []


def tell(name, figures, *keys):
    row = [f"{key} {figures[key]}" for key in keys]
    seen.append(f"{name}: {', '.join(row)}")
    print(seen[-1], flush=True)


chat = copilot(f"{folder}/a", "openai", f"{root}/v1", "gpt-5.6")
tell("copilot", chat, "inputTokens", "cacheReadTokens", "outputTokens", "reasoningTokens")
messages = copilot(f"{folder}/b", "anthropic", root, "claude-opus-4-8")
tell("copilot over Messages", messages, "inputTokens", "cacheReadTokens", "cacheWriteTokens")

home = f"{folder}/c"
os.makedirs(home)
provider = {"npm": "@ai-sdk/openai-compatible", "name": "host",
            "options": {"baseURL": f"{root}/v1", "apiKey": "x"},
            "models": {"house": {"name": "house", "limit": {"context": 200000, "output": 32000}}}}
config = {"provider": {"host": provider}, "model": "host/house", "autoupdate": False,
          "permission": {"*": "allow"}, "share": "disabled"}
with open(f"{home}/opencode.json", "w") as file:
    json.dump(config, file)
settings = {"OPENCODE_CONFIG": f"{home}/opencode.json", "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"}
with open(f"{home}/told", "w") as file:
    run(home, "opencode", "run", "--format", "json", "--auto", "Say hello.", out=file, **settings)
session = re.search(r"ses_\w+", open(f"{home}/told").read())[0]
with open(f"{home}/log", "w") as file:
    run(home, "opencode", "export", session, out=file, **settings)
said = json.load(open(f"{home}/log"))["messages"]
tokens = next(m["info"]["tokens"] for m in said if m["info"]["role"] == "assistant")
tokens["cache.read"] = tokens["cache"]["read"]
tell("opencode", tokens, "input", "cache.read", "output", "reasoning", "total")

home = f"{folder}/d"
os.makedirs(f"{home}/.qwen")
model = {"id": "house", "envKey": "KEY", "baseUrl": f"{root}/v1"}
config = {"security": {"auth": {"selectedType": "openai"}}, "model": {"name": "house"},
          "modelProviders": {"openai": [model]}, "general": {"enableAutoUpdate": False},
          "privacy": {"usageStatisticsEnabled": False}}
with open(f"{home}/.qwen/settings.json", "w") as file:
    json.dump(config, file)
run(home, "qwen", "-p", "Say hello.", "--yolo", "-o", "stream-json", KEY="x")
[log] = glob.glob(f"{home}/.qwen/projects/**/chats/*.jsonl", recursive=True)
[usage] = [row["usageMetadata"] for row in map(json.loads, open(log)) if "usageMetadata" in row]
tell("qwen", usage, "promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount",
     "thoughtsTokenCount")
told = run(home, "ccusage", "qwen", "daily", "--json", "--offline", out=subprocess.PIPE).stdout
seen.append(f"ccusage of qwen: {json.loads(told)['totals']['totalTokens']} tokens")
print(seen[-1])
wanted = [
    "copilot: inputTokens 1000, cacheReadTokens 300, outputTokens 90, reasoningTokens 20",
    "copilot over Messages: inputTokens 1050, cacheReadTokens 300, cacheWriteTokens 50",
    "opencode: input 700, cache.read 300, output 70, reasoning 20, total 1090",
    "qwen: promptTokenCount 1000, cachedContentTokenCount 300, candidatesTokenCount 90, "
    "thoughtsTokenCount 20",
    "ccusage of qwen: 1410 tokens",
]
sys.exit(0 if seen == wanted else 1)
PYTHON
python3 "$folder/try.py" "$folder"
