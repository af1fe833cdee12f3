"""What is not as it came, or silent, and why that is right: (surface, what, reason).

`what` begins as the line that `python -m tests.sdk_types` prints: how the body differs, or the
path, without indexes, of a value that is nowhere.
"""

from __future__ import annotations

KNOWN = [
    (
        "gemini answer", "lost $.candidates[].content.parts",
        "a part that is a nameless call, a text and bytes at once, which no server sends",
    ),
    (
        "gemini answer", "lost $.candidates[].content.parts[].functionCall.willContinue",
        "of a call that has its arguments: how a call arrives is over when it has arrived",
    ),
    (
        "gemini answer", "silent $.candidates[].logprobsResult.chosenCandidates[].logProbability",
        "of tokens without a text, which stands where Responses has likelihoods",
    ),
    (
        "gemini request", "silent $.generationConfig.responseSchema.",
        "keywords beside an `anyOf` are named inside of its only branch, where they were put",
    ),
    (
        "ollama answer", " became  at $.message.images",
        "the SDK's object for an image, which is a text on the wire",
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
