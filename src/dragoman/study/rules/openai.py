"""Field rules of OpenAI's two protocols: those of every host, and those of OpenAI's own."""

from __future__ import annotations

from .field import FieldRule, Rules

__all__ = ["CHAT", "CHAT_AT_HOME", "RESPONSES", "RESPONSES_AT_HOME"]

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
_REASONING = ("o1*", "o3*", "o4*", "gpt-5*", "gpt-6*")
_TIERS = frozenset({"auto", "default", "flex", "scale", "priority", "fast", "ultrafast"})

CHAT = Rules(
    "OpenAI API reference, Create chat completion",
    "2026-11-21",
    (
        FieldRule("model", ("text",), needed=True),
        FieldRule("messages", ("list",), needed=True),
        FieldRule("messages[]", ("object",)),
        FieldRule("messages[].role", ("text",), needed=True),
        FieldRule("messages[].content", ("text", "list")),
        FieldRule("messages[].tool_calls", ("list",)),
        FieldRule("messages[].tool_calls[].function.name", ("text",), needed=True),
        FieldRule("messages[].tool_calls[].function.arguments", ("text", "object")),
        FieldRule("temperature", ("number",), 0, 2),
        FieldRule("top_p", ("number",), 0, 1),
        FieldRule("frequency_penalty", ("number",), -2, 2),
        FieldRule("presence_penalty", ("number",), -2, 2),
        FieldRule("max_tokens", ("integer",), least=-1),  # some hosts take -1 for no limit
        FieldRule("max_completion_tokens", ("integer",), least=1),
        FieldRule("n", ("integer",), least=1),
        FieldRule("seed", ("integer",)),
        FieldRule("logprobs", ("boolean",)),
        FieldRule("top_logprobs", ("integer",), 0, 20),
        FieldRule("stop", ("text", "list")),
        FieldRule("stream", ("boolean",)),
        FieldRule("stream_options", ("object",)),
        FieldRule("tools", ("list",)),
        FieldRule("tools[]", ("object",)),
        FieldRule("tools[].function.name", ("text",), needed=True),
        FieldRule("tools[].function.parameters", ("object",)),
        FieldRule("tool_choice", ("text", "object")),
        FieldRule("parallel_tool_calls", ("boolean",)),
        FieldRule("response_format", ("object",)),
        FieldRule("reasoning_effort", ("text",)),
    ),
)

CHAT_AT_HOME = Rules(
    CHAT.source,
    CHAT.since,
    (
        FieldRule("messages[].role", ("text",), words=_ROLES, needed=True),
        FieldRule(
            "messages[].content[].type", ("text",), needed=True,
            words=frozenset({"text", "image_url", "input_audio", "file", "refusal"}),
        ),
        FieldRule("max_tokens", ("integer",), least=1),
        FieldRule("max_tokens", absent=True, models=_REASONING,
                  fix="Say `max_completion_tokens`."),
        FieldRule("messages[].role", words=frozenset({"user", "assistant", "tool", "function"}),
                  models=("o1-mini*", "o1-preview*"),
                  fix="Say the instructions in the first user message."),
        FieldRule("web_search_options", absent=True, models=("*",), but=("*search*",),
                  fix="Search with the tool `web_search` of the wire `openai-responses`."),
        FieldRule("n", ("integer",), 1, 128),
        FieldRule("reasoning_effort", ("text",), words=_EFFORTS),
        FieldRule("verbosity", ("text",), words=frozenset({"low", "medium", "high"})),
        FieldRule("service_tier", ("text",), words=_TIERS),
        FieldRule("logit_bias", ("object",)),
        FieldRule("metadata", ("object",)),
        FieldRule("store", ("boolean",)),
        FieldRule("user", ("text",)),
        FieldRule(
            "response_format.type", ("text",), needed=True,
            words=frozenset({"text", "json_object", "json_schema"}),
        ),
    ),
)  # fmt: skip

_SAID = ("text", "list")

RESPONSES = Rules(
    "OpenAI API reference, Create a model response",
    "2026-11-21",
    (
        FieldRule("model", ("text",)),
        FieldRule("input", _SAID),
        FieldRule("input[]", ("object",)),
        FieldRule("input[].content", _SAID),
        FieldRule("input[].call_id", ("text",)),
        FieldRule("input[].arguments", ("text", "object")),
        FieldRule("instructions", _SAID),
        FieldRule("previous_response_id", ("text",)),
        FieldRule("temperature", ("number",), 0, 2),
        FieldRule("top_p", ("number",), 0, 1),
        FieldRule("top_logprobs", ("integer",), 0, 20),
        FieldRule("max_output_tokens", ("integer",), least=1),
        FieldRule("max_tool_calls", ("integer",), least=1),
        FieldRule("stream", ("boolean",)),
        FieldRule("store", ("boolean",)),
        FieldRule("background", ("boolean",)),
        FieldRule("include", ("list",)),
        FieldRule("reasoning", ("object",)),
        FieldRule("text", ("object",)),
        FieldRule("tools", ("list",)),
        FieldRule("tools[]", ("object",)),
        FieldRule("tools[].type", ("text",), needed=True),
        FieldRule("tool_choice", ("text", "object")),
        FieldRule("parallel_tool_calls", ("boolean",)),
    ),
)

RESPONSES_AT_HOME = Rules(
    RESPONSES.source,
    RESPONSES.since,
    (
        FieldRule("input[].role", ("text",),
                  words=frozenset({"user", "assistant", "system", "developer"})),
        FieldRule("max_output_tokens", ("integer",), least=16),
        FieldRule("reasoning.effort", ("text",), words=_EFFORTS),
        FieldRule("reasoning.summary", ("text",),
                  words=frozenset({"auto", "concise", "detailed"})),
        FieldRule("text.verbosity", ("text",), words=frozenset({"low", "medium", "high"})),
        FieldRule("text.format.type", ("text",), needed=True,
                  words=frozenset({"text", "json_object", "json_schema"})),
        FieldRule("truncation", ("text",), words=frozenset({"auto", "disabled"})),
        FieldRule("service_tier", ("text",), words=_TIERS),
        FieldRule("metadata", ("object",)),
    ),
)  # fmt: skip
