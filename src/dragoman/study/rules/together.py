"""Fields that may not stand together in a body, and fields that are nothing without another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


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


@dataclass(frozen=True, slots=True)
class SchemaPlace:
    """Schemas at `path`, of the dialect; with `when`, only where this neighbour of theirs is true.

    `path` is spelled as in FieldRule. `when` counts from the list's element (or the object) that
    `home` names, `plain` is the dialect where it is not true; empty is any schema.
    """

    home: str
    schema: str
    dialect: str
    when: str = ""
    plain: str = ""


_CHAT_TOOLS = SchemaPlace(
    "tools[]", "function.parameters", "openai-strict", "function.strict"
)  # fmt: skip


_CHAT_FORMAT = SchemaPlace("response_format.json_schema", "schema", "openai-strict", "strict")


# by protocol, or `host/protocol`
SCHEMAS: dict[str, tuple[SchemaPlace, ...]] = {
    "openai/openai-chat": (_CHAT_TOOLS, _CHAT_FORMAT),
    "azure/openai-chat": (_CHAT_TOOLS, _CHAT_FORMAT),
    "openai/openai-responses": (
        SchemaPlace("tools[]", "parameters", "openai-strict", "strict"),
        SchemaPlace("text.format", "schema", "openai-strict", "strict"),
    ),
    "anthropic": (
        SchemaPlace("tools[]", "input_schema", "anthropic-strict", "strict", "anthropic"),
        SchemaPlace("output_config.format", "schema", "anthropic-strict"),
    ),
    "bedrock-converse": (
        SchemaPlace("toolConfig.tools[].toolSpec", "inputSchema.json", "bedrock-strict", "strict",
                    "bedrock"),
    ),
    "gemini": (
        SchemaPlace("tools[].functionDeclarations[]", "parameters", "gemini-openapi"),
        SchemaPlace("generationConfig", "responseSchema", "gemini-openapi-format"),
    ),
    "mistral": (SchemaPlace("tools[].function", "parameters", "object"),),
}  # fmt: skip


# how many tools may be strict: protocol -> (most, source, since)
STRICT_TOOLS: dict[str, tuple[int, str, str]] = {
    "anthropic": (20, "Anthropic docs, Structured outputs: schema complexity limits", "2026-11-21"),
}


# how many optional properties one strict schema may have; the same number over several is taken:
# dialect -> (most, source, since)
OPTIONAL: dict[str, tuple[int, str, str]] = {
    "anthropic-strict": (
        23, 'a recorded 400, "Schema is too complex for compilation", of Claude Sonnet 4.6',
        "2026-11-21",
    ),
}  # fmt: skip
