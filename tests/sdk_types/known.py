"""What is not as it came, or silent, and why that is right: (surface, what, reason).

`what` is what the line that `python -m tests.sdk_types` prints says: how the body differs, or the
path, without indexes, of a value that is nowhere, and the wire. "..." at its end stands for more.
"""

from __future__ import annotations

_PART = "a part that is a nameless call, a text and bytes at once, which no server sends"
_SPAN = "a place in a text that the answer does not have: the body has none"

KNOWN = [
    ("gemini answer", "lost $.candidates[].content.parts", _PART),
    ("gemini answer", "silent $.candidates[].content.parts[].text -> openai-responses", _PART),
    (
        "gemini answer",
        "silent $.candidates[].content.parts[].thoughtSignature -> openai-responses", _PART,
    ),
    (
        "gemini answer",
        "silent $.candidates[].content.parts[].partMetadata.planted_key -> openai-responses",
        _PART,
    ),
    (
        "gemini answer", "lost $.candidates[].content.parts[].functionCall.willContinue",
        "of a call that has its arguments: how a call arrives is over when it has arrived",
    ),
    (
        "gemini answer",
        "silent $.candidates[].logprobsResult.chosenCandidates[].logProbability...",
        "of tokens without a text, which stands where Responses has likelihoods",
    ),
    (
        "gemini answer",
        "silent $.candidates[].logprobsResult.chosenCandidates[].token -> openai-responses",
        "of tokens without a text, whose likelihoods are named",
    ),
    (
        "gemini request", "silent $.generationConfig.responseSchema....",
        "keywords beside an `anyOf` are named inside of its only branch, where they were put",
    ),
    (
        "ollama answer", " became  at $.message.images",
        "the SDK's object for an image, which is a text on the wire",
    ),
    (
        "openai chat answer",
        "silent $.choices[].message.annotations[].url_citation.start_index -> gemini", _SPAN,
    ),
    (
        "openai chat answer",
        "silent $.choices[].message.annotations[].url_citation.end_index -> gemini", _SPAN,
    ),
    (
        "bedrock answer",
        "silent $.output.message.content[].citationsContent.citations[].location.web.domain...",
        "the host of the address, which is there",
    ),
]  # fmt: skip

# words of requests that say what is so without them: (surface, the line's begin, reason)
KNOWN_WORDS = [
    ("openai chat request", "$.tool_choice none", "of a request without a tool to call"),
    ("openai chat request", "$.messages[].content[].image_url.detail auto", "as if absent"),
    ("openai responses request", "$.input[].content[].detail auto", "as if absent"),
    ("openai beta request", "$.input[].content[].detail auto", "as if absent"),
    ("mistral request", "$.messages[].content[].image_url.detail auto", "as if absent"),
    ("mistral request", "$.response_format.type text", "as if absent"),
    ("cohere request", "$.thinking.type enabled", "it has a budget, which says so"),
    ("gemini request", "$.generationConfig.thinkingConfig.thinkingLevel XHIGH",
     "the budget beside it comes to the same effort"),
    ("gemini request", "$.generationConfig.responseSchema.type OBJECT", "as if absent"),
]  # fmt: skip


def is_known(surface: str, what: str) -> bool:
    """Whether there is an entry for what was found at a surface."""
    return any(name == surface and fits(one, what) for name, one, _ in KNOWN)


def fits(entry: str, what: str) -> bool:
    """Whether what was found is what an entry speaks of."""
    return what.startswith(entry.removesuffix("...")) if entry.endswith("...") else what == entry
