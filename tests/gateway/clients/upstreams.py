"""The kinds of upstream that each client is served onto, and what their answers hold."""

from __future__ import annotations

MODELS = {
    "openai-chat": "openai/openai-chat/gpt-5.6",
    "openai-responses": "openai/openai-responses/gpt-5.6",
    "anthropic": "anthropic/claude-opus-5-5",
    "gemini": "gemini/gemini-3.8-flash",
    "ollama": "ollama/qwen3",
}
UPSTREAMS = tuple(MODELS)
