"""Formatters for DeepSeek by AgentScope's names: its positional arguments, its output."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ...protocols.openai_chat import Dialect, OpenAIChat
from ...vendors.deepseek import VENDOR
from .base import ChatFormatter, MultiAgentFormatter, NamedFormatter


# AgentScope: null beside tool calls; without a model, no thinking field where none was thought
class _DeepSeekFormatter(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = {"name_field": "never", "empty_messages": False, "result_names": True}
    unknown: ClassVar = {"empty_thinking": False}
    support_vision = False
    room = OpenAIChat
    dialect = Dialect(
        text="joined",
        call_content="null",
        bullets=True,
        result_name=True,
        developer=False,
        thinking_fields=("reasoning_content",),
        reads_items_of=("deepseek", "openai-chat"),
    )


class DeepSeekChatFormatter(_DeepSeekFormatter, ChatFormatter):
    """Messages for DeepSeek; thinking goes back as `reasoning_content`."""


class DeepSeekMultiAgentFormatter(_DeepSeekFormatter, MultiAgentFormatter):
    """Many agents' messages for DeepSeek, their conversation merged into user messages."""

    dialect = replace(_DeepSeekFormatter.dialect, system_parts=True)
