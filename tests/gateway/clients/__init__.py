"""Official SDKs as clients of the gateway, in the same words for all: `talk(protocol)`."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from .talk import Call, Door, Reply, Talk, Tool

_HOMES = {
    "openai-chat": ("openai", "ChatTalk"),
    "openai-responses": ("openai", "ResponsesTalk"),
    "anthropic": ("anthropic", "MessagesTalk"),
    "gemini": ("gemini", "GeminiTalk"),
    "gemini-interactions": ("gemini", "InteractionsTalk"),
    "ollama": ("ollama", "OllamaTalk"),
}

CLIENTS = tuple(_HOMES)


def talk(protocol: str) -> type[Talk]:
    """The class of conversations over the SDK of a protocol."""
    module, name = _HOMES[protocol]
    return cast("type[Talk]", getattr(import_module(f"{__name__}.{module}"), name))


__all__ = ["CLIENTS", "Call", "Door", "Reply", "Talk", "Tool", "talk"]
