"""OpenAI: Chat Completions and Responses as OpenAI itself speaks them.

Chat Completions is the first, for whoever names no wire: what most programs were written for.
Current models reason over tools on Responses alone.
"""

from __future__ import annotations

from typing import ClassVar

from ..capabilities import Facts
from ..formatter.agentscope.base import ChatFormatter, MultiAgentFormatter, NamedFormatter
from ..protocols import openai_responses as responses
from ..protocols.openai_chat import Dialect, OpenAIChat
from . import Vendor

# OpenAI docs, Web search: domain filtering; pydantic-ai pull request 8323, tried live 2026-09-14
_RESPONSES = responses.Dialect(blocked_domains="blocked_domains", joint_domains=True)


VENDOR = Vendor(
    "openai",
    base_url="https://api.openai.com/v1",
    key="OPENAI_API_KEY",
    base_variables={"*": ("OPENAI_BASE_URL", "")},  # openai 3.57
    wires={"openai-chat": Dialect(), "openai-responses": _RESPONSES},
    facts={
        "openai-chat": Facts(
            always={
                "tool_choices": ("auto", "none", "required", "tool", "allowed"),
                "json_word": True,  # of Chat Completions alone: Responses goes without
                "tool_schema": "openai",
            },
            since="2026-11-21",
            source="OpenAI API reference, Create chat completion: tool_choice, response_format",
        ),
        "openai-responses": Facts(
            always={"tool_schema": "openai"},
            since="2026-08-12",
            source="OpenAI API, error invalid_function_parameters",
        ),
    },
)


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


class _Items(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = {"result": ("text",), "result_names": True}
    promotes = ("promote_tool_result_images",)
    room = responses.OpenAIResponses
    # AgentScope writes text and images as parts, and the text of a result alone
    dialect = responses.Dialect(text="parts", said="parts", detail=False, bullets=True)


class OpenAIResponseChatFormatter(_Items, ChatFormatter):
    """Input items for OpenAI's Responses API; the role decides who speaks."""

    support_multiagent = True


OpenAIResponsesChatFormatter = OpenAIResponseChatFormatter


class OpenAIResponseMultiAgentFormatter(_Items, MultiAgentFormatter):
    """Many agents' input items for the Responses API, their conversation merged."""


OpenAIResponsesMultiAgentFormatter = OpenAIResponseMultiAgentFormatter
