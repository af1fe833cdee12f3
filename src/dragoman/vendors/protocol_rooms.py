"""The protocols by name, and the class of each: its room, and its batch interface.

A new protocol is one folder in `protocols/` and one line in `PROTOCOLS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..protocols.base import Room
from ..protocols.batches import BatchForm, BatchLines

# protocol -> the folder and class of its room
PROTOCOLS: dict[str, tuple[str, str]] = {
    "openai-chat": ("openai_chat", "OpenAIChat"),
    "openai-responses": ("openai_responses", "OpenAIResponses"),
    "anthropic": ("anthropic", "Anthropic"),
    "gemini": ("gemini", "Gemini"),
    "gemini-interactions": ("gemini_interactions", "GeminiInteractions"),
    "dashscope": ("dashscope", "DashScope"),
    "ollama": ("ollama", "Ollama"),
    "bedrock-converse": ("bedrock", "BedrockConverse"),
    "mistral": ("mistral", "Mistral"),
    "cohere": ("cohere", "Cohere"),
}


def room(protocol: str, dialect: Any = None) -> Room:
    """The room of a protocol, with a dialect or its own default."""
    folder, cls = PROTOCOLS[protocol]
    module = import_module(f"..protocols.{folder}", __package__)
    result: Room = getattr(module, cls)(dialect)
    return result


def batch_lines(protocol: str) -> BatchLines:
    """How the lines of batches of a protocol are written and read; only some have batches."""
    folder, _ = PROTOCOLS[protocol]
    lines: BatchLines = import_module(f"..protocols.{folder}.batch", __package__).BATCH
    return lines


def bucket_lines(protocol: str) -> BatchLines:
    """How the lines of batches of a protocol look that are files in a bucket."""
    folder, _ = PROTOCOLS[protocol]
    lines: BatchLines = import_module(f"..protocols.{folder}.batch", __package__).BUCKET
    return lines


def batch_form(protocol: str) -> BatchForm:
    """The batch interface of a protocol; that of a bucket has none."""
    form = batch_lines(protocol)
    assert isinstance(form, BatchForm)  # as the limits of its hosts say
    return form
