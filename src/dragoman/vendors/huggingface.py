"""Hugging Face: a router to many hosts; a model's name may end in the host's, `:groq`.

What is taken is the matter of the host that was chosen. Reference: Hugging Face docs, "Inference
Providers, Chat Completion"; recorded answers.
"""

from __future__ import annotations

from ..capabilities import Facts, without
from ..protocols.openai_chat import Dialect
from . import Vendor

VENDOR = Vendor(
    "huggingface",
    base_url="https://router.huggingface.co/v1",
    key="HF_TOKEN",
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning",),
            think_tags="leading",
            model="openai/gpt-oss-120b",
            issuers=("huggingface", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": False,  # no field that every host reads
                "form": "effort",
                "budgets": (),
            },
            since="2026-11-23",
            source="Hugging Face docs, Inference Providers, Chat Completion; recorded",
        )
    },
)
