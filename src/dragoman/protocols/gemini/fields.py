"""The fields of a request of generateContent, one row each, in camelCase.

Reference: Gemini API reference, "Generating content", "GenerationConfig" (2026-11-21); google-genai
3.6, `GenerationConfig` (2026-11-29).
"""

from __future__ import annotations

from ..body_fields import BodyField, FieldTable

CONFIG = "generationConfig"
THINKING = "thinkingConfig"

# The client gets the whole body as `extra_body`, so that no argument is marked here.
FIELDS = FieldTable(
    BodyField("contents", "list object", needed=True),
    BodyField("systemInstruction"),
    BodyField(CONFIG, "object", closed=True),
    BodyField(f"{CONFIG}.temperature", "number", 0, 2, option="temperature"),
    BodyField(f"{CONFIG}.topP", "number", 0, 1, option="top_p"),
    BodyField(f"{CONFIG}.topK", "number", 0, option="top_k"),
    BodyField(f"{CONFIG}.maxOutputTokens", "integer", 1, option="max_tokens"),
    BodyField(f"{CONFIG}.candidateCount", "integer", 1, 8, option="n"),
    BodyField(f"{CONFIG}.stopSequences", "list", longest=5, option="stop"),
    BodyField(f"{CONFIG}.seed", "integer", option="seed"),
    BodyField(f"{CONFIG}.responseModalities", "list"),
    BodyField(f"{CONFIG}.presencePenalty", option="presence_penalty"),
    BodyField(f"{CONFIG}.frequencyPenalty", option="frequency_penalty"),
    BodyField(f"{CONFIG}.responseLogprobs", option="logprobs"),
    BodyField(f"{CONFIG}.logprobs", option="top_logprobs"),
    BodyField(f"{CONFIG}.{THINKING}.thinkingLevel", special="reasoning"),
    BodyField(f"{CONFIG}.{THINKING}.thinkingBudget", special="reasoning reasoning_budget"),
    BodyField(f"{CONFIG}.{THINKING}.includeThoughts", special="thoughts"),
    BodyField(f"{CONFIG}.responseMimeType"),
    BodyField(f"{CONFIG}.responseSchema"),
    BodyField(f"{CONFIG}.responseJsonSchema"),
    BodyField(f"{CONFIG}._responseJsonSchema"),
    BodyField(f"{CONFIG}.responseFormat"),
    BodyField(f"{CONFIG}.speechConfig"),
    BodyField(f"{CONFIG}.imageConfig"),
    BodyField(f"{CONFIG}.mediaResolution"),
    BodyField(f"{CONFIG}.audioTranscriptionConfig"),
    BodyField(f"{CONFIG}.audioTimestamp"),
    BodyField(f"{CONFIG}.translationConfig"),
    BodyField(f"{CONFIG}.routingConfig"),
    BodyField(f"{CONFIG}.modelSelectionConfig"),
    BodyField(f"{CONFIG}.enableAffectiveDialog"),
    BodyField(f"{CONFIG}.enableEnhancedCivicAnswers"),
    BodyField("toolConfig"),
    BodyField("tools"),
    BodyField("cachedContent", "text"),
    BodyField("serviceTier", option="service_tier"),
    BodyField("audioTimestamp"),
    BodyField("continuationToken"),
    BodyField("generationOutputConfig"),
    BodyField("labels"),
    BodyField("model"),
    BodyField("modelArmorConfig"),
    BodyField("routingConfig"),
    BodyField("safetySettings"),
    BodyField("store"),
)

# each option and its key; all but the tier are in generationConfig
KEYS = {name: key.removeprefix(f"{CONFIG}.") for name, key in FIELDS.keys.items()}
