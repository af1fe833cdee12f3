"""Fields that may not stand together in a body, and fields that are nothing without another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["LAST", "TOGETHER", "Last", "Together"]


@dataclass(frozen=True, slots=True)
class Together:
    """`field` and `other` stand in one object, `home` (as in FieldRule; empty is the body).

    `how`: "never" both, the one "needs" the other (not empty, not false), or its number must be
    "below" the other's.
    """

    home: str
    field: str
    how: Literal["never", "needs", "below"]
    other: str
    fix: str


@dataclass(frozen=True, slots=True)
class Last:
    """What the last element of the list `home` may not be: a turn of `role` without `unless`."""

    home: str
    role: str
    unless: str
    fix: str


# by protocol; source and date are those of its field rules
LAST: dict[str, Last] = {
    "mistral": Last("messages", "assistant", "prefix",
                    "Set `prefix` to true to have it continued, or end with what the user says."),
}  # fmt: skip

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
        Together("", "thinking.budget_tokens", "below", "max_tokens",
                 "Raise `max_tokens` above the budget, for the answer is counted with it."),
    ),
    "cohere": (
        Together("", "frequency_penalty", "never", "presence_penalty", "Say one of them."),
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
