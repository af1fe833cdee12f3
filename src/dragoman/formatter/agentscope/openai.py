"""Formatters for OpenAI by AgentScope's names: its positional arguments, its output."""

from __future__ import annotations

from typing import ClassVar

from ...protocols import openai_responses as responses
from ...protocols.openai_chat import Dialect, OpenAIChat
from ...vendors.openai import VENDOR
from .base import ChatFormatter, MultiAgentFormatter, NamedFormatter


class _Chat(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = {"name_field": "always", "result_names": True}
    promotes = ("promote_tool_result_images",)
    room = OpenAIChat
    # AgentScope writes every text as a content part, and the tool's name on its result
    dialect = Dialect(text="parts", bullets=True, result_name=True)


class OpenAIChatFormatter(_Chat, ChatFormatter):
    """Messages for OpenAI, vLLM and other compatible servers; names go into the `name` field."""

    support_multiagent = True


OpenAIFormatter = OpenAIChatFormatter


class OpenAIMultiAgentFormatter(_Chat, MultiAgentFormatter):
    """Many agents' messages for OpenAI, their conversation merged into user messages."""


class _ItemFormatter(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = {"result": ("text",), "result_names": True}
    promotes = ("promote_tool_result_images",)
    room = responses.OpenAIResponses
    # AgentScope writes text and images as parts, and the text of a result alone
    dialect = responses.Dialect(text="parts", assistant_text="parts", detail=False, bullets=True)


class OpenAIResponseChatFormatter(_ItemFormatter, ChatFormatter):
    """Input items for OpenAI's Responses API; the role decides who speaks."""

    support_multiagent = True


OpenAIResponsesChatFormatter = OpenAIResponseChatFormatter


class OpenAIResponseMultiAgentFormatter(_ItemFormatter, MultiAgentFormatter):
    """Many agents' input items for the Responses API, their conversation merged."""


OpenAIResponsesMultiAgentFormatter = OpenAIResponseMultiAgentFormatter
