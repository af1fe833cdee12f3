"""The fields of a request of Chat Completions, one row each: OpenAI's, and those of its copies.

Reference: OpenAI API, "Create chat completion", request body (2026-11-21); requests of some forty
hosts.
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

# Arguments are those of version 3 of the client. Limits are those that every host keeps to.
FIELDS = FieldTable(
    BodyField("model", "text", needed=True, argument=True),
    BodyField("messages", "list", needed=True, argument=True),
    BodyField("temperature", "number", 0, 2, option="temperature", argument=True),
    BodyField("top_p", "number", 0, 1, option="top_p", argument=True),
    BodyField("frequency_penalty", "number", -2, 2, option="frequency_penalty", argument=True),
    BodyField("presence_penalty", "number", -2, 2, option="presence_penalty", argument=True),
    BodyField("max_completion_tokens", "integer", 1, option="max_tokens", argument=True),
    # some hosts take -1 for no limit
    BodyField("max_tokens", "integer", -1, option="max_tokens", argument=True),
    BodyField("n", "integer", 1, option="n", argument=True),
    BodyField("seed", "integer", option="seed", argument=True),
    BodyField("logprobs", "boolean", option="logprobs", argument=True),
    BodyField("top_logprobs", "integer", 0, 20, option="top_logprobs", argument=True),
    BodyField("stop", "text list", option="stop", argument=True),
    BodyField("stream", "boolean", argument=True),
    BodyField("stream_options", "object", argument=True),
    BodyField("tools", "list", argument=True),
    BodyField("tool_choice", "text object", argument=True),
    BodyField("parallel_tool_calls", "boolean", argument=True),
    BodyField("response_format", "object", argument=True),
    BodyField("reasoning_effort", "text", special="reasoning", argument=True),
    BodyField("service_tier", option="service_tier", argument=True),
    BodyField("user", option="user", argument=True),
    BodyField("safety_identifier", option="user"),  # the newer one: not every host knows it
    BodyField("metadata", argument=True),
    BodyField("store", argument=True),
    BodyField("logit_bias"),
    BodyField("verbosity"),
    BodyField("functions"),
    BodyField("function_call"),
    BodyField("modalities"),
    BodyField("audio"),
    BodyField("prediction"),
    BodyField("web_search_options"),
    BodyField("prompt_cache_key"),
    BodyField("prompt_cache_options"),
    BodyField("prompt_cache_retention"),
    BodyField("moderation"),
    BodyField("top_k", option="top_k", copied=True),
    BodyField("repetition_penalty", option="repetition_penalty", copied=True),
    BodyField("reasoning.max_tokens", option="reasoning_budget", copied=True),
    BodyField("thinking_budget", option="reasoning_budget", copied=True),
    BodyField("thinking.budget_tokens", option="reasoning_budget", copied=True),
    BodyField("reasoning.exclude", option="thoughts", copied=True),
    BodyField("reasoning.effort", special="reasoning", copied=True),
    BodyField("thinking.type", special="reasoning", copied=True),
    BodyField("reasoning.enabled", special="reasoning", copied=True),
    BodyField("enable_thinking", special="reasoning", copied=True),
    BodyField("chat_template_kwargs.enable_thinking", special="reasoning", copied=True),
    BodyField("chat_template_kwargs.thinking", special="reasoning", copied=True),
)

# many requests have no other fields than these, which hold no option
NO_OPTIONS_IN = frozenset(row.path for row in FIELDS.rows if not row.option and not row.special)
# read from any host, and written only in dialects that name a key
COPIED_OPTIONS = frozenset(row.option for row in FIELDS.rows if row.option and row.copied)
