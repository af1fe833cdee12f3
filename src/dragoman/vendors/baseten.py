"""Baseten: open weights by Chat Completions, with efforts of each model's own.

Reference: Baseten docs, "Model APIs", "Inference errors"; pi-ai 1.6.0, catalogue of Baseten;
litellm 1.110.2.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts, without
from ..protocols.openai_chat import Dialect
from .vendor_row import Billing, Vendor

_LIST = "pi-ai 1.6.0, catalogue of Baseten: inputs and thinking levels of fifteen models"


VENDOR = Vendor(
    "baseten",
    base_url="https://inference.baseten.co/v1",
    billing=Billing(prices="baseten"),
    key="BASETEN_API_KEY",
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            keys={"top_k": "top_k", "repetition_penalty": "repetition_penalty"},
            model="zai-org/GLM-5.3",
            reads_items_of=("baseten", "openai-chat"),
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
            },
            rows=(
                Fact(
                    ("glm-5.[3-9]*", "glm-[6-9]*"),
                    {"image": ("user",), "thinks": "always", "efforts": ("low", "high", "max")},
                    "2026-11-20",
                    _LIST,
                ),
                Fact(
                    ("deepseek-v4.1*-1017*",),
                    {"image": ("user",), "efforts": ("low", "medium", "high", "max")},
                    "2026-11-20",
                    _LIST,
                ),
                Fact(
                    ("deepseek-v4.[1-9]*", "deepseek-v[5-9]*"),
                    {"image": ("user",), "efforts": ("high", "max")},
                    "2026-11-20",
                    _LIST,
                ),
                Fact(
                    ("kimi-k[3-9]*",),
                    {"image": ("user",), "efforts": ("low", "high", "max")},
                    "2026-11-20",
                    _LIST,
                ),
                Fact(("deepseek-v4*",), {"efforts": ("low", "high", "max")}, "2026-11-20", _LIST),
                Fact(("glm-5.2*",), {"efforts": ("high", "max")}, "2026-11-20", _LIST),
                Fact(("nvidia-nemotron-3*",), {"efforts": ("high",)}, "2026-11-20", _LIST),
            ),
            since="2026-11-28",
            source=_LIST,
        )
    },
)
