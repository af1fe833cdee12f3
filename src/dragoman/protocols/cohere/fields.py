"""The fields of a request of Cohere's chat, one row each.

Reference: Cohere API, "Chat", request body; Cohere docs, "Errors" (2026-11-21).
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

MOST_STOPS = 5

# Arguments are those of version 7 of the client, which has another method for a stream.
FIELDS = FieldTable(
    BodyField("model", "text", needed=True, argument=True),
    BodyField("messages", "list", fewest=1, needed=True, argument=True),
    BodyField("temperature", "number", 0, 1, option="temperature", argument=True),
    BodyField("p", "number", 0.01, 0.99, option="top_p", argument=True, unique=True),
    BodyField("k", "integer", 0, 500, option="top_k", argument=True, unique=True),
    BodyField("frequency_penalty", "number", 0, 1, option="frequency_penalty", argument=True),
    BodyField("presence_penalty", "number", 0, 1, option="presence_penalty", argument=True),
    BodyField("stop_sequences", "list", longest=MOST_STOPS, option="stop", argument=True),
    BodyField("max_tokens", "integer", 0, option="max_tokens", argument=True),
    BodyField("seed", "integer", option="seed", argument=True),
    BodyField("stream", "boolean"),
    BodyField("logprobs", "boolean", option="logprobs", argument=True),
    BodyField("strict_tools", "boolean", argument=True, unique=True),
    BodyField("priority", "integer", 0, 999),
    BodyField("safety_mode", "text", words="CONTEXTUAL STRICT OFF", argument=True, unique=True),
    BodyField("thinking", argument=True),
    BodyField("thinking.type", "text", words="enabled disabled", special="reasoning"),
    BodyField("thinking.token_budget", "integer", 1, special="reasoning_budget"),
    BodyField("documents", "list", argument=True, unique=True),
    BodyField("tools", "list", argument=True),
    BodyField(
        "tool_choice",
        "text",
        words="REQUIRED NONE",
        fix="Leave it out to let the model choose.",
        argument=True,
    ),
    BodyField("response_format", argument=True),
    BodyField("citation_options", argument=True, unique=True),
    BodyField("raw_prompting", unique=True),
)

OPTIONS = FIELDS.keys
