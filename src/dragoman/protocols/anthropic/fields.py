"""The fields of a request of the Messages API, one row each.

Reference: Anthropic API reference, "Create a Message"; anthropic-sdk-python, types of Messages and
of its beta (2026-11-21).
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

# Arguments are those of version 2 of the client; it puts fields of the beta alone, and the sampling
# parameters that it has no more, into `extra_body`.
FIELDS = FieldTable(
    BodyField("model", argument=True),
    BodyField("messages", "list", needed=True, argument=True),
    BodyField("max_tokens", "integer", 0, needed=True, option="max_tokens", argument=True),
    BodyField("system", "text list", argument=True),
    BodyField("temperature", "number", 0.0, 1.0, option="temperature"),
    BodyField("top_p", "number", -1, 1, option="top_p"),  # -1 means unset
    BodyField("top_k", "integer", -1, option="top_k"),
    BodyField("stop_sequences", "list", option="stop", argument=True),
    BodyField("stream", "boolean", argument=True),
    BodyField("metadata", "object", closed=True, argument=True),
    BodyField("metadata.user_id", option="user"),
    BodyField(
        "service_tier",
        "text",
        words="auto standard_only",
        option="service_tier",
        argument=True,
    ),
    BodyField("tools", "list", argument=True),
    BodyField("tool_choice", "object", argument=True),
    BodyField("thinking", "object", argument=True),
    BodyField(
        "thinking.type",
        "text",
        needed=True,
        words="adaptive enabled disabled between_tools",
        special="reasoning",
    ),
    BodyField("thinking.budget_tokens", "integer", 1024, special="reasoning_budget"),
    BodyField("thinking.display", special="thoughts"),
    BodyField("output_config", "object"),
    BodyField(
        "output_config.effort",
        "text",
        words="low medium high xhigh max",
        special="reasoning",
    ),
    BodyField("output_format"),
    BodyField("inference_geo"),
    BodyField("speed"),
    BodyField("container"),
    BodyField("cache_control"),
    BodyField("diagnostics"),
    BodyField("context_management"),
    BodyField("compaction"),
    BodyField("mcp_servers"),
    BodyField("thread"),
    BodyField("fallbacks"),
    BodyField("fallback_credit_token"),
    BodyField("billing_policy"),
    BodyField("anthropic_version"),
    BodyField("anthropic_beta"),
    BodyField("betas"),
)

OPTIONS = FIELDS.keys
EFFORTS = FIELDS.words["output_config.effort"]
TIERS = FIELDS.words["service_tier"]
