"""The fields of a request of Mistral's chat completions, one row each.

The API answers 422 to any other key. Reference: Mistral API, "ChatCompletionRequest" (2026-11-21).
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

PROMPT_MODE = "prompt_mode"  # an older way to ask for thinking

# Arguments are those of version 3 of the client.
FIELDS = FieldTable(
    BodyField("model", "text", needed=True, argument=True),
    BodyField("messages", "list", needed=True, argument=True),
    BodyField("temperature", "number", 0, 1.5, option="temperature", argument=True),
    BodyField("top_p", "number", 0, 1, option="top_p", argument=True),
    BodyField("max_tokens", "integer", 0, option="max_tokens", argument=True),
    BodyField("n", "integer", 1, option="n", argument=True),
    BodyField("random_seed", "integer", 0, option="seed", argument=True, unique=True),
    BodyField("stop", "text list", option="stop", argument=True),
    BodyField("stream", "boolean", argument=True),
    BodyField("presence_penalty", "number", -2, 2, option="presence_penalty", argument=True),
    BodyField("frequency_penalty", "number", -2, 2, option="frequency_penalty", argument=True),
    BodyField("tools", "list", argument=True),
    BodyField("tool_choice", "text object", argument=True),
    BodyField("response_format", "object", argument=True),
    BodyField("logprobs", option="logprobs", argument=True),
    BodyField("top_logprobs", option="top_logprobs", argument=True),
    BodyField("top_k", option="top_k", argument=True),
    BodyField("repetition_penalty", option="repetition_penalty", argument=True),
    BodyField("service_tier", option="service_tier", argument=True),
    BodyField("reasoning_effort", special="reasoning", argument=True),
    BodyField(PROMPT_MODE, special="reasoning", argument=True, unique=True),
    BodyField("parallel_tool_calls", argument=True),
    BodyField("prediction", argument=True),
    BodyField("guardrails", argument=True, unique=True),
    BodyField("prompt_cache_key", argument=True),
    BodyField("metadata", argument=True),
    BodyField("safe_prompt", argument=True, unique=True),
    BodyField("min_tokens", argument=True),
    BodyField("prompt_logprobs", argument=True),
    BodyField("top_prompt_logprobs", argument=True),
)
