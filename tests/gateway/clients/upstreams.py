"""The kinds of upstream that each client is served onto, and what their answers hold."""

from __future__ import annotations

from base64 import b64encode

from dragoman.message import ToolUseBlock

SIGNATURE = b64encode(b"only Gemini reads this").decode()

MODELS = {
    "openai-chat": "openai/openai-chat/gpt-5.6",
    "openai-responses": "openai/openai-responses/gpt-5.6",
    "anthropic": "anthropic/claude-opus-5-5",
    "gemini": "gemini/gemini-3.8-flash",
    "ollama": "ollama/qwen3",
}
UPSTREAMS = tuple(MODELS)
# where the model of the upstream cannot see
SEEING = {**MODELS, "ollama": "ollama/qwen3-vl:8b"}


def calls(upstream: str, streams: bool) -> list[ToolUseBlock]:
    """Two calls as the upstream's model makes them: Gemini signs the first of a content."""
    one = ToolUseBlock("call_1", "warmth", {"city": "Samarkand"})
    two = ToolUseBlock("call_2", "warmth", {"city": "Merv"})
    if upstream == "gemini":
        one.extras = {"gemini": {"thoughtSignature": SIGNATURE}}
        two.extras = {"gemini": {"thoughtSignature": SIGNATURE}} if streams else None
    return [one, two]
