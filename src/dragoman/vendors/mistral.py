"""Mistral: its chat completions, and which of its models think, hear and see.

Reference: Mistral docs, "Reasoning", "Vision", "Audio"; recorded answers.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..protocols.mistral import Dialect
from . import Vendor

_REASONING = "Mistral docs, Reasoning; mozilla-ai/any-llm issue 1241"
_MODELS = "Mistral docs, Models"


# Sending an effort to a model without one is an error (tontinton/maki issue 396).
_STILL: dict[str, Any] = {"thinks": "never", "thinking": False}


_FACTS = Facts(
    rows=(
        Fact(
            ("mistral-large-4*",),
            {"thinks": "default", "efforts": ("low", "medium", "high")},
            "2026-10-06",
            "Mistral docs, Reasoning: Large 4",
        ),
        Fact(
            ("mistral-small-latest", "mistral-small-26*", "mistral-small-4*", "mistral-medium-3-5*",
             "mistral-medium-latest", "mistral-medium-26*", "mistral-vibe*"),
            {"thinks": "asked", "efforts": ("high",)},
            "2026-04-29",
            _REASONING,
        ),
        Fact(("magistral*",), {"thinks": "default", "efforts": ("high",)}, "2026-04-29",
             _REASONING),
        Fact(("voxtral*",), {**_STILL, "audio": True, "image": False}, "2025-07-15",
             "Mistral docs, Audio; recorded"),
        Fact(("codestral*", "open-*", "mistral-tiny*", "mistral-nemo*"),
             {**_STILL, "image": False}, "2026-11-21", _MODELS),
        Fact(("ministral*", "mistral-*", "pixtral*", "devstral*"), _STILL, "2026-11-21", _MODELS),
    ),
)  # fmt: skip


VENDOR = Vendor(
    "mistral",
    base_url="https://api.mistral.ai/v1",
    key="MISTRAL_API_KEY",
    wires={"mistral": Dialect()},
    facts={"mistral": _FACTS},
)
