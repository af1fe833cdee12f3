"""Field rules of Gemini's generateContent."""

from __future__ import annotations

from .field import FieldRule, Rules

__all__ = ["GEMINI"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONFIG = _words(
    "temperature topP topK candidateCount maxOutputTokens stopSequences seed presencePenalty"
    " frequencyPenalty responseMimeType responseSchema responseJsonSchema responseModalities"
    " speechConfig imageConfig mediaResolution thinkingConfig responseLogprobs logprobs"
    " audioTranscriptionConfig routingConfig modelSelectionConfig enableAffectiveDialog"
    " enableEnhancedCivicAnswers audioTimestamp _responseJsonSchema responseFormat"
)
_KEYS = _words(
    "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent"
    " serviceTier store continuationToken labels modelArmorConfig routingConfig"
    " generationOutputConfig audioTimestamp model"
)

GEMINI = Rules(
    "Gemini API reference, Generating content",
    "2026-11-21",
    (
        FieldRule("", ("object",), keys=_KEYS),
        FieldRule("contents", ("list", "object"), needed=True),
        FieldRule("contents[]", ("object",), needed=True, keys=_words("role parts")),
        FieldRule("contents[].role", ("text",), words=_words("user model function")),
        FieldRule("contents[].parts", ("list", "object"), fewest=1),
        FieldRule(
            "contents[].parts[]", ("object",), fewest=1, needed=True, fix="Leave the part out."
        ),
        FieldRule("contents[].parts[].text", ("text",)),
        FieldRule("contents[].parts[].functionCall.name", ("text",), needed=True),
        FieldRule("contents[].parts[].functionCall.args", ("object",)),
        FieldRule("contents[].parts[].functionResponse.name", ("text",), needed=True),
        FieldRule("contents[].parts[].functionResponse.response", ("object",)),
        FieldRule("generationConfig", ("object",), keys=_CONFIG),
        FieldRule("generationConfig.temperature", ("number",), 0, 2),
        FieldRule("generationConfig.topP", ("number",), 0, 1),
        FieldRule("generationConfig.topK", ("number",), least=0),
        FieldRule("generationConfig.maxOutputTokens", ("integer",), least=1),
        FieldRule("generationConfig.candidateCount", ("integer",), 1, 8),
        FieldRule("generationConfig.stopSequences", ("list",), longest=5),
        FieldRule("generationConfig.seed", ("integer",)),
        FieldRule("generationConfig.responseModalities", ("list",)),
        FieldRule(
            "toolConfig.functionCallingConfig.mode",
            words=_words("AUTO ANY NONE VALIDATED MODE_UNSPECIFIED auto any none validated"),
        ),
        FieldRule("tools[].functionDeclarations[].name", ("text",), needed=True),
        FieldRule("cachedContent", ("text",)),
    ),
    loose=True,
)
