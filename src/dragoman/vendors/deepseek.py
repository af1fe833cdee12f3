"""DeepSeek: Chat Completions with `reasoning_content`, which tool turns must bring back.

Reference: DeepSeek API docs, "Thinking Mode" and "Create Chat Completion".
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from .._named import ChatFormatter, MultiAgentFormatter
from ..capabilities import Fact, Facts
from ..protocols.openai_chat import Dialect, OpenAIChat
from . import Vendor

__all__ = ["VENDOR", "DeepSeekChatFormatter", "DeepSeekMultiAgentFormatter"]

_DIALECT = Dialect(
    text="joined",
    call_content="empty",
    max_tokens_key="max_tokens",
    developer=False,
    thinking_fields=("reasoning_content",),
    model="deepseek-flash",
    issuers=("deepseek", "openai-chat"),
)

# Images: user messages of deepseek-flash only (deserialisation refuses the part elsewhere).
_FACTS = Facts(
    always={
        "image": False,
        "audio": False,
        "video": False,
        "document": False,
        "refusal": False,
        "thinking": True,
        "thinking_alone": False,
        "empty_thinking": True,  # turns that call a tool without their thinking are a 400
        "parallel_switch": False,
        "tool_choices": ("auto", "none"),  # thinking, on by default, takes no forced tool
        "formats": ("text", "json"),
        "name_field": "telling",
    },
    rows=(
        Fact(
            models=("deepseek-flash*", "deepseek-v4.1*"),
            changes={"image": ("user",)},
            since="2026-09-10",
            source="DeepSeek API docs, Your First API Call",
        ),
    ),
)

VENDOR = Vendor(
    "deepseek",
    base_url="https://api.deepseek.com",
    key="DEEPSEEK_API_KEY",
    wires={"openai-chat": _DIALECT},
    facts={"openai-chat": _FACTS},
)

# AgentScope: null beside tool calls; without a model, no thinking field where none was thought
_AGENTSCOPE = Dialect(
    text="joined",
    call_content="null",
    bullets=True,
    result_name=True,
    developer=False,
    thinking_fields=("reasoning_content",),
    issuers=("deepseek", "openai-chat"),
)


class DeepSeekChatFormatter(ChatFormatter):
    """Messages for DeepSeek; thinking goes back as `reasoning_content`."""

    vendor = VENDOR
    changes: ClassVar = {"name_field": "never", "empty_messages": False, "result_names": True}
    unknown: ClassVar = {"empty_thinking": False}
    support_vision = False
    room = OpenAIChat
    dialect = _AGENTSCOPE


class DeepSeekMultiAgentFormatter(MultiAgentFormatter):
    """Many agents' messages for DeepSeek, their conversation merged into user messages."""

    vendor = VENDOR
    changes: ClassVar = {"name_field": "never", "empty_messages": False, "result_names": True}
    unknown: ClassVar = {"empty_thinking": False}
    support_vision = False
    room = OpenAIChat
    dialect = replace(_AGENTSCOPE, system_parts=True)
