"""OpenAI: Chat Completions and Responses as OpenAI itself speaks them.

Chat Completions is the first, for whoever names no wire: what most programs were written for.
Current models reason over tools on Responses alone.
"""

from __future__ import annotations

from typing import ClassVar

from .._core.format.agentscope import ChatFormatter, MultiAgentFormatter
from ..capabilities import Facts
from ..protocols import openai_responses as responses
from ..protocols.openai_chat import Dialect, OpenAIChat
from . import Vendor

VENDOR = Vendor(
    "openai",
    base_url="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
    wires={"openai-chat": Dialect(), "openai-responses": responses.Dialect()},
    facts={
        "openai-chat": Facts(
            always={"tool_choices": ("auto", "none", "required", "tool", "allowed")},
            since="2026-11-21",
            source="OpenAI API reference, Create chat completion: tool_choice",
        )
    },
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


# AgentScope writes text and images as parts, and the text of a result alone
_AGENTSCOPE_ITEMS = responses.Dialect(text="parts", said="parts", detail=False, bullets=True)


_ITEMS = {"result": ("text",), "result_names": True}


class OpenAIResponseChatFormatter(ChatFormatter):
    """Input items for OpenAI's Responses API; the role decides who speaks."""

    vendor = VENDOR
    changes: ClassVar = _ITEMS
    promotes = _PROMOTES
    support_multiagent = True
    room = responses.OpenAIResponses
    dialect = _AGENTSCOPE_ITEMS


OpenAIResponsesChatFormatter = OpenAIResponseChatFormatter


class OpenAIResponseMultiAgentFormatter(MultiAgentFormatter):
    """Many agents' input items for the Responses API, their conversation merged."""

    vendor = VENDOR
    changes: ClassVar = _ITEMS
    promotes = _PROMOTES
    room = responses.OpenAIResponses
    dialect = _AGENTSCOPE_ITEMS


OpenAIResponsesMultiAgentFormatter = OpenAIResponseMultiAgentFormatter
