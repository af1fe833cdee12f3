"""The fields of a request of the Responses API, one row each.

Reference: OpenAI API, "Create a model response", request body (2026-11-21); openai-python 3.57,
types of responses and of their beta (2026-11-29).
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

# Arguments are those of version 3 of the client. Limits are those that every host keeps to.
FIELDS = FieldTable(
    BodyField("model", "text", argument=True),
    BodyField("input", "text list", argument=True),
    BodyField("instructions", "text list", argument=True),
    BodyField("previous_response_id", "text", argument=True),
    BodyField("temperature", "number", 0, 2, option="temperature", argument=True),
    BodyField("top_p", "number", 0, 1, option="top_p", argument=True),
    BodyField("top_logprobs", "integer", 0, 20, option="top_logprobs", argument=True),
    BodyField("max_output_tokens", "integer", 1, option="max_tokens", argument=True),
    BodyField("max_tool_calls", "integer", 1),
    BodyField("stream", "boolean", argument=True),
    BodyField("store", "boolean", argument=True),
    BodyField("background", "boolean"),
    BodyField("include", "list", special="logprobs", argument=True),
    BodyField("reasoning", "object", argument=True),
    BodyField("reasoning.effort", special="reasoning"),
    BodyField("reasoning.summary", special="thoughts"),
    BodyField("text", "object", argument=True),
    BodyField("tools", "list", argument=True),
    BodyField("tool_choice", "text object", argument=True),
    BodyField("parallel_tool_calls", "boolean", argument=True),
    BodyField("service_tier", option="service_tier", argument=True),
    BodyField("safety_identifier", option="user"),
    BodyField("user", option="user", argument=True),  # the older one
    BodyField("metadata", argument=True),
    BodyField("truncation", argument=True),
    BodyField("access_programs"),
    BodyField("background_options"),
    BodyField("context_management"),
    BodyField("conversation"),
    BodyField("image"),
    BodyField("moderation"),
    BodyField("multi_agent"),
    BodyField("prompt"),
    BodyField("prompt_cache_key"),
    BodyField("prompt_cache_options"),
    BodyField("prompt_cache_retention"),
    BodyField("stream_options"),
)

OPTIONS = FIELDS.places
