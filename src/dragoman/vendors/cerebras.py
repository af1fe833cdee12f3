"""Cerebras: open weights on its own hardware, with thinking in `reasoning`.

Reference: Cerebras docs, "Reasoning", "OpenAI Compatibility"; recorded answers.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts, without
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

_REASONING = "Cerebras docs, Reasoning: efforts by model"


VENDOR = Vendor(
    "cerebras",
    base_url="https://api.cerebras.ai/v1",
    key="CEREBRAS_API_KEY",
    base_variables={"*": ("CEREBRAS_BASE_URL", "/v1")},  # cerebras-cloud-sdk 1.91
    wires={
        "openai-chat": Dialect(
            developer=False,
            thinking_fields=("reasoning",),
            think_tags="leading",  # of Qwen3, and with reasoning_format raw
            model="gpt-oss-120b",
            reads_items_of=("cerebras", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("image", "audio", "document", "refusal"),
                "thinking": True,
                "empty_thinking": False,
                "form": "effort",
                "budgets": (),
                "options": dict.fromkeys(("presence_penalty", "frequency_penalty"), "refuses"),
            },
            rows=(
                Fact(
                    ("gpt-oss*",), {"efforts": ("low", "medium", "high")}, "2025-08-05", _REASONING
                ),
                # none turns it off; no efforts are documented
                Fact(
                    ("qwen-3.8-27b*", "gemma-4-31b*"),
                    {"image": ("user",)},
                    "2026-10-30",
                    "litellm 1.110.2, model table: vision of qwen-3.8-27b and gemma-4-31b",
                ),
                Fact(("glm-*",), {"efforts": ("on",)}, "2026-01-07", _REASONING),
            ),
            since="2026-11-23",
            source="Cerebras docs, OpenAI Compatibility: unsupported features; pydantic-ai and"
            " vercel/ai of 2026-08",
        )
    },
)
