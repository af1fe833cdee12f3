"""Anthropic: the Messages API as Anthropic itself speaks it."""

from __future__ import annotations

from typing import ClassVar

from .._named import ChatFormatter, MultiAgentFormatter
from ..capabilities import Fact, Facts
from ..protocols.anthropic import Anthropic, Dialect
from . import Vendor

__all__ = ["VENDOR", "AnthropicChatFormatter", "AnthropicMultiAgentFormatter"]

_NO_SAMPLING = dict.fromkeys(("temperature", "top_p", "top_k"), "refuses")
_DOCS = "Anthropic docs, thinking and model pages, read 2026-11"

_FACTS = Facts(
    always={"move_media": ("image", "document"), "options": _NO_SAMPLING},
    rows=(
        Fact(
            models=("claude-fable-5-1*", "claude-fable-5-2*", "claude-mythos-5-1*",
                    "claude-mythos-5-2*", "claude-opus-5-5*", "claude-sonnet-5-5*"),
            changes={"tool_choices": ("auto", "none"), "late_system": "placed"},
            since="2026-09-02",
            source="anthropics/cookbooks issue 854; Anthropic docs, mid-conversation system",
        ),
        Fact(
            models=("claude-fable-5*", "claude-mythos-5*", "claude-opus-5*", "claude-opus-4-8*"),
            changes={"late_system": "placed"},
            since="2026-08-01",
            source="Anthropic docs, mid-conversation system messages",
        ),
        Fact(
            models=("claude-haiku-4*", "claude-sonnet-4*", "claude-opus-4-5*", "claude-opus-4-6*",
                    "claude-3*"),
            changes={"options": dict.fromkeys(_NO_SAMPLING, "takes")},
            since="2025-10-01",
            source=_DOCS,
        ),
    ),
)  # fmt: skip

VENDOR = Vendor(
    "anthropic",
    base_url="https://api.anthropic.com",
    key="ANTHROPIC_API_KEY",
    wires={"anthropic": Dialect()},
    facts={"anthropic": _FACTS},
)

_AGENTSCOPE = Dialect(text="blocks")
_CHANGES = {"late_system": "user"}


class AnthropicChatFormatter(ChatFormatter):
    """Messages for Claude; the system prompt is the first of the list, a request hoists it."""

    vendor = VENDOR
    changes: ClassVar = _CHANGES
    room = Anthropic
    dialect = _AGENTSCOPE


class AnthropicMultiAgentFormatter(MultiAgentFormatter):
    """Many agents' messages for Claude, their conversation merged into user messages."""

    vendor = VENDOR
    changes: ClassVar = _CHANGES
    room = Anthropic
    dialect = _AGENTSCOPE
