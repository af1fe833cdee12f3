"""Formatters for Ollama by AgentScope's names: its positional arguments, its output."""

from __future__ import annotations

from typing import ClassVar

from ...protocols.ollama import Dialect, Ollama
from ...vendors.ollama import VENDOR
from .base import ChatFormatter, MultiAgentFormatter, NamedFormatter

# AgentScope: null where there is no text, no message without anything, no thinking sent back
_CHANGES = {"empty_messages": False, "thinking": "never"}


class _OllamaFormatter(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = _CHANGES
    promotes = ("promote_tool_result_images",)
    room = Ollama
    dialect = Dialect(no_text="null", bullets=True)


class OllamaChatFormatter(_OllamaFormatter, ChatFormatter):
    """Messages for Ollama; results carry `tool_name`, which is all that its server matches by."""


class OllamaMultiAgentFormatter(_OllamaFormatter, MultiAgentFormatter):
    """Many agents' messages for Ollama, their conversation merged into user messages."""

    changes: ClassVar = {**_CHANGES, "system": ("text",)}
    dialect = Dialect(no_text="null", bullets=True, image_gaps=True)
