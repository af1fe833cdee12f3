"""The fields of a request of Interactions, one row each.

Reference: google-genai 3.4, `CreateModelInteraction`, `CreateAgentInteraction` and
`GenerationConfig` (2026-11-21).
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

CONFIG = "generation_config"
TIER = "service_tier"

# The client adds fields that are no arguments of it unchanged.
FIELDS = FieldTable(
    BodyField("model", argument=True),
    BodyField("agent", argument=True, unique=True),
    BodyField("agent_config", unique=True),
    BodyField("input", "text list object", argument=True),
    BodyField("system_instruction", "text"),
    BodyField(CONFIG, "object", closed=True),
    BodyField(f"{CONFIG}.temperature", "number", 0, 2, option="temperature"),
    BodyField(f"{CONFIG}.top_p", "number", 0, 1, option="top_p"),
    BodyField(f"{CONFIG}.max_output_tokens", "integer", 1, option="max_tokens"),
    BodyField(f"{CONFIG}.stop_sequences", "list", option="stop"),
    BodyField(f"{CONFIG}.seed", "integer", option="seed"),
    BodyField(
        f"{CONFIG}.thinking_level",
        "text",
        words="minimal low medium high xhigh",
        special="reasoning",
    ),
    BodyField(f"{CONFIG}.thinking_summaries", special="thoughts"),
    BodyField(f"{CONFIG}.tool_choice"),
    BodyField(f"{CONFIG}.image_config"),
    BodyField(f"{CONFIG}.speech_config"),
    BodyField(f"{CONFIG}.transcription_config"),
    BodyField(f"{CONFIG}.video_config"),
    BodyField("tools", "list"),
    BodyField("store", "boolean"),
    BodyField("background", "boolean"),
    BodyField("stream", "boolean", argument=True),
    BodyField(TIER, "text", words="flex standard priority deferred", option=TIER),
    BodyField("cached_content"),
    BodyField("continuation_token", unique=True),
    BodyField("environment"),
    BodyField("labels"),
    BodyField("previous_interaction_id", unique=True),
    BodyField("response_format"),
    BodyField("response_mime_type"),
    BodyField("response_modalities"),
    BodyField("safety_settings"),
    BodyField("webhook_config", unique=True),
)

# option -> its key in generation_config; the tier is beside that
OPTIONS = {name: keys[0] for name, keys in FIELDS.list_below(CONFIG).items()}
LEVELS = FIELDS.words[f"{CONFIG}.thinking_level"]
TIERS = FIELDS.words[TIER]
