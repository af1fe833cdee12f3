"""Fields that may not stand together in a body, and fields that are nothing without another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["TOGETHER", "Together"]


@dataclass(frozen=True, slots=True)
class Together:
    """`field` and `other` stand in one object, `home` (as in FieldRule; empty is the body).

    `how`: "never" both, or the one "needs" the other (not empty, not false).
    """

    home: str
    field: str
    how: Literal["never", "needs"]
    other: str
    fix: str


_TOOLS = "Leave the choice out, or offer `tools`."

# by protocol, or `host/protocol`; source and date are those of its field rules
TOGETHER: dict[str, tuple[Together, ...]] = {
    "openai/openai-chat": (
        Together("", "max_tokens", "never", "max_completion_tokens",
                 "Say `max_completion_tokens` alone."),
        Together("", "tool_choice", "needs", "tools", _TOOLS),
        Together("", "parallel_tool_calls", "needs", "tools", _TOOLS),
        Together("", "stream_options", "needs", "stream", "Leave it out, or ask for a stream."),
        Together("", "top_logprobs", "needs", "logprobs", "Set `logprobs` to true."),
    ),
    "openai/openai-responses": (
        Together("", "previous_response_id", "never", "conversation", "Go on from one of them."),
    ),
    "anthropic": (
        Together("", "tool_choice", "needs", "tools", _TOOLS),
    ),
    "gemini": (
        Together("tools[].functionDeclarations[]", "parameters", "never", "parametersJsonSchema",
                 "Say `parametersJsonSchema` alone."),
        Together("generationConfig", "responseSchema", "never", "responseJsonSchema",
                 "Say `responseJsonSchema` alone."),
        Together("generationConfig.thinkingConfig", "thinkingBudget", "never", "thinkingLevel",
                 "Say `thinkingLevel` to Gemini 3 and later, `thinkingBudget` to those before."),
    ),
}  # fmt: skip
