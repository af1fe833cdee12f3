"""Open weights that many hosts serve: gpt-oss, Llama, and the ids that Mistral's models take.

Reference: the models' own chat templates, as servers run them.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Fact
from .shared import known

_OSS = (
    'gpt-oss chat template: "Cannot pass both content and thinking in an assistant message with'
    ' tool calls!", llama.cpp issue 15242'
)


_NINE = 'Mistral API and templates, "Tool call id ... must be a-z, A-Z, 0-9, with a length of 9"'


_LLAMA = "Meta's model cards: inputs by model"


_MISTRAL = ("mistral*", "magistral*", "ministral*", "codestral*", "devstral*", "mixtral*",
            "pixtral*", "voxtral*", "open-mistral*", "open-mixtral*")  # fmt: skip


_TEXT: dict[str, Any] = {"image": False, "audio": False, "document": False}


_SEES: dict[str, Any] = {"audio": False, "document": False}


_NEVER: dict[str, Any] = {"thinks": "never"}


_LEVELS: dict[str, Any] = {"thinks": "always", "efforts": ("low", "medium", "high")}


_MODELS = (
    known(("gpt-oss*",), "2025-08-05", _OSS, {**_LEVELS, **_TEXT},
          {"call_text": "thought"}),
    # Bedrock makes ids of its own for them, and takes those: recorded with Pixtral
    (Fact(_MISTRAL, {}, "2025-04-08", "recorded: tooluse_... of Pixtral", wire="bedrock-converse"),
     Fact(_MISTRAL, {"ids": {"chars": "a-zA-Z0-9", "exact": 9}}, "2024-02-26", _NINE)),
    known(("llama-4*", "llama4*", "llama-3.2-*vision*", "llama3.2-vision*"), "2024-09-25",
          _LLAMA, {**_NEVER, **_SEES}),
    known(("llama-[23]*", "llama[23]*", "meta-llama-3*"), "2023-07-18", _LLAMA,
          {**_NEVER, **_TEXT}),
)  # fmt: skip


ROWS = tuple(fact for rows in _MODELS for fact in rows)
