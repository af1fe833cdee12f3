"""OpenAI: Chat Completions as OpenAI itself speaks it."""

from __future__ import annotations

from typing import ClassVar

from .._named import ChatFormatter, MultiAgentFormatter
from ..protocols.openai_chat import Dialect, OpenAIChat
from . import Vendor

__all__ = ["VENDOR", "OpenAIChatFormatter", "OpenAIFormatter", "OpenAIMultiAgentFormatter"]

VENDOR = Vendor(
    "openai",
    base_url="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
    wires={"openai-chat": Dialect()},
)

# AgentScope writes every text as a content part, and the tool's name on its result
_AGENTSCOPE = Dialect(
    text="parts",
    bullets=True,
    result_name=True,
)
_PROMOTES = ("promote_tool_result_images",)


class OpenAIChatFormatter(ChatFormatter):
    """Messages for OpenAI, vLLM and other compatible servers; names go into the `name` field."""

    vendor = VENDOR
    changes: ClassVar = {"name_field": "always", "result_names": True}
    promotes = _PROMOTES
    support_multiagent = True
    room = OpenAIChat
    dialect = _AGENTSCOPE


OpenAIFormatter = OpenAIChatFormatter


class OpenAIMultiAgentFormatter(MultiAgentFormatter):
    """Many agents' messages for OpenAI, their conversation merged into user messages."""

    vendor = VENDOR
    changes: ClassVar = {"name_field": "always", "result_names": True}
    promotes = _PROMOTES
    room = OpenAIChat
    dialect = _AGENTSCOPE
