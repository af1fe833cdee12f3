"""A model of each wire, and what the conversations of twelve steps are about."""

from __future__ import annotations

import base64

HOSTS = {
    "openai-chat": ("openai/openai-chat", "gpt-5.6"),
    "openai-responses": ("openai/openai-responses", "gpt-5.6"),
    "anthropic": ("anthropic/anthropic", "claude-opus-5-5"),
    "gemini": ("gemini/gemini", "gemini-3.5-flash"),
    "gemini-interactions": ("gemini/gemini-interactions", "gemini-3.5-flash"),
    "dashscope": ("dashscope/dashscope", "qwen3-max"),
    "ollama": ("ollama/ollama", "qwen3"),
    "bedrock-converse": ("bedrock/bedrock-converse", "anthropic.claude-opus-4-8"),
    "mistral": ("mistral/mistral", "mistral-large-latest"),
    "cohere": ("cohere/cohere", "command-a-plus-05-2026"),
}
PIXEL = base64.b64encode(bytes.fromhex(
    "89504e470d0a1a0a0000000d494844520000000100000001080600000 01f15c489".replace(" ", "")
)).decode()  # fmt: skip
CITY = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "degrees": {"type": "integer"}},
    "required": ["name", "degrees"],
    "additionalProperties": False,
}


def other_than(wire: str) -> str:
    return "openai-chat" if wire == "anthropic" else "anthropic"
