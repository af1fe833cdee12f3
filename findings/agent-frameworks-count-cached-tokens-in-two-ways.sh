#!/usr/bin/env bash
# agentscope 2.0.11 and strands-agents 1.62.0 (PyPI, 2026-11-29), CPython 3.11.
#
# Both libraries give every answer a usage of one form, whatever model it is of: input tokens, and
# those of them that were read from the cache. But each provider's figures are copied as they are:
# OpenAI's input includes the cached tokens, Anthropic's does not. For one request of 1000 tokens of
# which 900 were cached, a program that adds the two, or that subtracts them, is wrong for one of
# the two providers, and nothing in a message says which it was.
#
# Output seen:
#   agentscope openai    input, from the cache: (1000, 900)
#   agentscope anthropic input, from the cache: (100, 900)
#   strands    openai    input, from the cache: (1000, 900)
#   strands    anthropic input, from the cache: (100, 900)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check \
  agentscope==2.0.11 opentelemetry-sdk==1.45.1 strands-agents==1.62.0
cat > "$folder/try.py" <<'PYTHON'
import asyncio
import json
import logging
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

logging.disable(logging.CRITICAL)
CHUNK = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
TOLD = {"prompt_tokens": 1000, "completion_tokens": 5, "total_tokens": 1005,
        "prompt_tokens_details": {"cached_tokens": 900}}
OPENAI = [
    {**CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": None}]},
    {**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {**CHUNK, "choices": [], "usage": TOLD},
]
USAGE = {"input_tokens": 100, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 0, "output_tokens": 5}
ANTHROPIC = [
    {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "m",
                                          "content": [], "stop_reason": None, "stop_sequence": None, "usage": USAGE}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": USAGE},
    {"type": "message_stop"},
]


class Host(BaseHTTPRequestHandler):
    """Answers a request of 1000 tokens, of which 900 were in the cache, as either provider does."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/messages"):
            data = "".join(f"event: {row['type']}\ndata: {json.dumps(row)}\n\n" for row in ANTHROPIC)
        else:
            data = "".join(f"data: {json.dumps(row)}\n\n" for row in OPENAI) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"


async def with_agentscope(provider):
    from agentscope.credential import AnthropicCredential, OpenAICredential
    from agentscope.message import UserMsg
    from agentscope.model import AnthropicChatModel, OpenAIChatModel

    if provider == "openai":
        model = OpenAIChatModel(OpenAICredential(api_key="none", base_url=f"{url}/v1"), "m")
    else:
        model = AnthropicChatModel(AnthropicCredential(api_key="none", base_url=url), "m")
    async for response in await model([UserMsg("user", "Hi")]):
        usage = response.usage or None
    return usage.input_tokens, usage.cache_input_tokens


async def with_strands(provider):
    from strands.models.anthropic import AnthropicModel
    from strands.models.openai import OpenAIModel

    if provider == "openai":
        model = OpenAIModel(client_args={"base_url": f"{url}/v1", "api_key": "none"}, model_id="m")
    else:
        model = AnthropicModel(client_args={"base_url": url, "api_key": "none"}, model_id="m", max_tokens=9)
    async for event in model.stream([{"role": "user", "content": [{"text": "Hi"}]}]):
        usage = event.get("metadata", {}).get("usage")
    return usage["inputTokens"], usage.get("cacheReadInputTokens")


seen = {}
for run in (with_agentscope, with_strands):
    for provider in ("openai", "anthropic"):
        name = run.__name__.removeprefix("with_")
        seen[name, provider] = asyncio.run(run(provider))
        print(f"{name:10} {provider:9} input, from the cache: {seen[name, provider]}")
expected = {"openai": (1000, 900), "anthropic": (100, 900)}
sys.exit(0 if all(told == expected[provider] for (_, provider), told in seen.items()) else 1)
PYTHON
"$folder/venv/bin/python" "$folder/try.py"
