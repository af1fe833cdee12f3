"""Field rules of OpenAI's two protocols: those of every host, and those of OpenAI's own."""

from __future__ import annotations

from .field import FieldRule, JsonType, Rules

__all__ = ["CHAT", "CHAT_AT_HOME", "RESPONSES", "RESPONSES_AT_HOME"]

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh", "max"})
_REASONING = ("o1*", "o3*", "o4*", "gpt-5*", "gpt-6*")
_TIERS = frozenset({"auto", "default", "flex", "scale", "priority", "fast", "ultrafast"})

_NAME = r"[a-zA-Z0-9_-]{1,64}"
_FORM = "1 to 64 letters, digits, _ or -"
_CHAT_KEYS = (
    "model messages max_completion_tokens max_tokens temperature top_p presence_penalty"
    " frequency_penalty logit_bias logprobs top_logprobs seed n stop reasoning_effort verbosity"
    " tools tool_choice parallel_tool_calls functions function_call response_format modalities"
    " audio prediction web_search_options stream stream_options store metadata user"
    " safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention service_tier"
    " moderation"
)
_RESPONSES_KEYS = (
    "model input instructions previous_response_id conversation store include reasoning text"
    " max_output_tokens max_tool_calls parallel_tool_calls tool_choice tools temperature top_p"
    " top_logprobs truncation background stream stream_options context_management prompt metadata"
    " user safety_identifier prompt_cache_key prompt_cache_options prompt_cache_retention"
    " service_tier moderation image access_programs multi_agent"
)
_PARTS = (
    "input_text input_image input_file input_audio output_text refusal reasoning_text summary_text"
    " computer_screenshot"
)

CHAT = Rules(
    "OpenAI API reference, Create chat completion",
    "2026-11-21",
    (
        FieldRule("model", ("text",), needed=True),
        FieldRule("messages", ("list",), needed=True),
        FieldRule("messages[]", ("object",), needed=True),
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
        FieldRule("tools[]", ("object",), needed=True),
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
        FieldRule("", ("object",), keys=frozenset(_CHAT_KEYS.split())),
        FieldRule("messages[].tool_calls", ("list",), fewest=1),
        FieldRule("messages[].tool_calls[].function.arguments", ("text",)),
        FieldRule("messages[].content[].input_audio.format", ("text",),
                  words=frozenset({"wav", "mp3"})),
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
        FieldRule("tools", ("list",), fewest=1, longest=128),
        FieldRule("stop", ("text", "list"), longest=4),
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
        FieldRule("response_format.json_schema.name", ("text",), like=_NAME, form=_FORM),
    ),
)  # fmt: skip

_SAID: tuple[JsonType, ...] = ("text", "list")

RESPONSES = Rules(
    "OpenAI API reference, Create a model response",
    "2026-11-21",
    (
        FieldRule("model", ("text",)),
        FieldRule("input", _SAID),
        FieldRule("input[]", ("object",), needed=True),
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
        FieldRule("tools[]", ("object",), needed=True),
        FieldRule("tools[].type", ("text",), needed=True),
        FieldRule("tool_choice", ("text", "object")),
        FieldRule("parallel_tool_calls", ("boolean",)),
    ),
)

RESPONSES_AT_HOME = Rules(
    RESPONSES.source,
    RESPONSES.since,
    (
        FieldRule("", ("object",), keys=frozenset(_RESPONSES_KEYS.split())),
        FieldRule("input[].content[].type", ("text",), needed=True,
                  words=frozenset(_PARTS.split()), fix="Parts are `input_text`, `input_image`, ..."
                  " of the user, and `output_text` of the assistant."),
        FieldRule("context_management[].compact_threshold", ("integer",), least=1000),
        FieldRule("input[].role", ("text",),
                  words=frozenset({"user", "assistant", "system", "developer"})),
        FieldRule("max_output_tokens", ("integer",), least=16),
        FieldRule("reasoning.effort", ("text",), words=_EFFORTS),
        FieldRule("reasoning.summary", ("text",),
                  words=frozenset({"auto", "concise", "detailed"})),
        FieldRule("text.verbosity", ("text",), words=frozenset({"low", "medium", "high"})),
        FieldRule("text.format.type", ("text",), needed=True,
                  words=frozenset({"text", "json_object", "json_schema"})),
        FieldRule("text.format.name", ("text",), like=_NAME, form=_FORM),
        FieldRule("truncation", ("text",), words=frozenset({"auto", "disabled"})),
        FieldRule("service_tier", ("text",), words=_TIERS),
        FieldRule("metadata", ("object",)),
    ),
)  # fmt: skip
