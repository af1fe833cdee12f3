"""Formatters for DashScope by AgentScope's names: its positional arguments, its output."""

from __future__ import annotations

from typing import ClassVar

from ...history.wording import Wording
from ...protocols.dashscope import DashScope, Dialect
from ...vendors.dashscope import VENDOR
from .base import ChatFormatter, MultiAgentFormatter, NamedFormatter

# AgentScope: media of every role, no cache hints, several texts of one result as a list with dashes
_SEATS = ("user", "assistant", "system")


class _DashScopeFormatter(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = {"cache_hints": 0}
    wording = Wording(media="media")
    promotes = (
        "promote_tool_result_images",
        "promote_tool_result_audios",
        "promote_tool_result_videos",
    )
    room = DashScope
    dialect = Dialect(bullets=True, media_seats=_SEATS)
    documented: ClassVar = {"think_tags": "exact"}


class DashScopeChatFormatter(_DashScopeFormatter, ChatFormatter):
    """Messages for Qwen on DashScope's own wire; text alone is a string, media make a list."""

    documented: ClassVar = {"think_tags": "exact", "typed": True}


class DashScopeMultiAgentFormatter(_DashScopeFormatter, MultiAgentFormatter):
    """Many agents' messages for Qwen, their conversation merged into user messages.

    As long as no `model` is named, a call without text has the content `[{"text": null}]`.
    """

    changes: ClassVar = {"cache_hints": 0, "system": ("text",)}
    dialect = Dialect(call_content="null_text", bullets=True, media_seats=_SEATS)
