"""Together AI: open weights by Chat Completions, with a switch for thinking in `reasoning`.

Reference: Together docs, "Chat completions", "Reasoning"; together 3.1; recorded answers of 2025.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts, without
from ..protocols.batches import BatchLimits
from ..protocols.openai_chat import Dialect
from .vendor_row import Billing, Vendor

_REASONING = "Together docs, Reasoning: reasoning.enabled, reasoning_effort; models.dev, 2026-06-25"
_LEVELS = ("low", "medium", "high")


_BATCHES = BatchLimits(50_000, 100 * 10**6, purpose="batch-api", upload="/files/upload")


VENDOR = Vendor(
    "together",
    base_url="https://api.together.ai/v1",
    billing=Billing(prices="together"),
    key="TOGETHER_API_KEY",
    # Together docs, Batch, and API reference, Upload a file, Create a batch job (2026-11-29)
    batches={"openai-chat": _BATCHES},
    base_variables={"*": ("TOGETHER_BASE_URL", "/v1")},  # together 3.1
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning",),
            think_tags="leading",
            keys={"top_k": "top_k", "repetition_penalty": "repetition_penalty"},
            model="openai/gpt-oss-120b",
            reads_items_of=("together", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": True,
                "empty_thinking": False,
                "form": "enabled",
                "efforts": ("on",),
                "budgets": (),
            },
            rows=(
                Fact(
                    ("gpt-oss*",), {"form": "effort", "efforts": _LEVELS}, "2025-08-05", _REASONING
                ),
            ),
            since="2026-11-23",
            source=_REASONING,
        )
    },
)
