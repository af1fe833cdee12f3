"""Formatters for Anthropic by AgentScope's names: its positional arguments, its output."""

from __future__ import annotations

from typing import ClassVar

from ...protocols.anthropic import Anthropic, Dialect
from ...vendors.anthropic import VENDOR
from .base import ChatFormatter, MultiAgentFormatter, NamedFormatter


class _AnthropicFormatter(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = {"late_system": "user"}
    room = Anthropic
    dialect = Dialect(text="blocks")


class AnthropicChatFormatter(_AnthropicFormatter, ChatFormatter):
    """Messages for Claude; the system prompt is the first of the list, a request hoists it."""


class AnthropicMultiAgentFormatter(_AnthropicFormatter, MultiAgentFormatter):
    """Many agents' messages for Claude, their conversation merged into user messages."""
