"""The fields of a request of Ollama's chat, one row each.

Reference: ollama docs/api.md, "Chat"; api/types.go, ChatRequest and Options (2026-11-21).
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

MOST_LOGPROBS = 20

# Arguments are those of version 0.6 of the client.
FIELDS = FieldTable(
    BodyField("model", "text", needed=True, argument=True),
    BodyField("messages", "list", argument=True),
    BodyField("options", "object", argument=True, unique=True),
    BodyField("options.temperature", "number", option="temperature"),
    BodyField("options.num_predict", "integer", option="max_tokens"),
    BodyField("options.repeat_penalty", option="repetition_penalty"),
    BodyField("options.top_p", option="top_p"),
    BodyField("options.top_k", option="top_k"),
    BodyField("options.presence_penalty", option="presence_penalty"),
    BodyField("options.frequency_penalty", option="frequency_penalty"),
    BodyField("options.seed", option="seed"),
    BodyField("options.stop", option="stop"),
    BodyField("stream", "boolean", argument=True),
    BodyField("tools", "list", argument=True),
    BodyField("format", "text object", argument=True, unique=True),
    BodyField("logprobs", option="logprobs", argument=True),
    BodyField("top_logprobs", "integer", 0, MOST_LOGPROBS, option="top_logprobs", argument=True),
    BodyField("think", special="reasoning", argument=True, unique=True),
    BodyField("keep_alive", argument=True, unique=True),
    BodyField("truncate", unique=True),
    BodyField("shift", unique=True),
)

OPTIONS = FIELDS.keys
