"""What providers refuse, as data: rows with source and date, by protocol and by host.

From the providers' references, and held against recorded requests that were answered.
"""

from __future__ import annotations

from .fields import (
    ANTHROPIC,
    BEDROCK,
    CHAT,
    CHAT_AT_HOME,
    CLAUDE_API,
    COHERE,
    DASHSCOPE,
    DEEPSEEK,
    GEMINI,
    MISTRAL,
    OLLAMA,
    RESPONSES,
    RESPONSES_AT_HOME,
    ZHIPU,
    FieldRule,
    JsonType,
    Rules,
)
from .losses import REFUSED, SAYS, RefusedLoss
from .together import LAST, TOGETHER, Last, Together

__all__ = [
    "FIELDS",
    "LAST",
    "REFUSED",
    "SAYS",
    "TOGETHER",
    "FieldRule",
    "JsonType",
    "Last",
    "RefusedLoss",
    "Rules",
    "Together",
]


# protocol, and `host/protocol` for what a host adds or says otherwise of the same path
FIELDS: dict[str, Rules] = {
    "openai-chat": CHAT,
    "openai/openai-chat": CHAT_AT_HOME,
    "azure/openai-chat": CHAT_AT_HOME,
    "deepseek/openai-chat": DEEPSEEK,
    "zhipu/openai-chat": ZHIPU,
    "openai-responses": RESPONSES,
    "openai/openai-responses": RESPONSES_AT_HOME,
    "azure/openai-responses": RESPONSES_AT_HOME,
    "anthropic": ANTHROPIC,
    "anthropic/anthropic": CLAUDE_API,
    "gemini": GEMINI,
    "dashscope": DASHSCOPE,
    "ollama": OLLAMA,
    "bedrock-converse": BEDROCK,
    "mistral": MISTRAL,
    "cohere": COHERE,
}
