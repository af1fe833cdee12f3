"""Fireworks: open weights by Chat Completions and Messages, under names with a p for the dot.

`accounts/fireworks/models/glm-5p3` is GLM-5.3. Reference: Fireworks docs, "Reasoning",
"Anthropic compatibility"; pi-ai 1.6.0, which asks Messages; issues of models.dev, measured.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts, without
from ..capabilities.families.shared import TOP_K, copy_facts
from ..protocols import anthropic
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

_REASONING = "Fireworks docs, Reasoning; deepagents' table of efforts by model"

_LIST = "pi-ai 1.6.0, catalogue of Fireworks: thinking levels by model"
_EFFORTS = (
    Fact(("deepseek-v4.[1-9]*", "deepseek-v[5-9]*", "deepseek-flash-latest", "kimi-k[3-9]*"),
         {"efforts": ("low", "high", "max")}, "2026-11-20", _LIST),
    Fact(("kimi-latest", "kimi-fast-latest"),
         {"efforts": ("low", "medium", "high", "max")}, "2026-11-20", _LIST),
    Fact(("minimax-m3.1*",),
         {"efforts": ("low", "medium", "high", "xhigh", "max")}, "2026-11-20", _LIST),
    Fact(("qwen3.[89]*", "qwen[4-9]*", "qwen-max-latest"),
         {"efforts": ("low", "medium", "xhigh")}, "2026-11-20", _LIST),
    Fact(("glm-5.[3-9]*", "glm-[6-9]*", "glm-*latest"),
         {"efforts": ("low", "high", "max")},
         "2026-09-04", "models.dev pull request 6237, measured: low, high and max"),
    Fact(("glm-5*",), {"efforts": ("high", "max")}, "2026-06-30", _REASONING),
)  # fmt: skip


VENDOR = Vendor(
    "fireworks",
    base_url="https://api.fireworks.ai/inference/v1",
    key="FIREWORKS_API_KEY",
    base_variables={"*": ("FIREWORKS_BASE_URL", "/v1")},  # fireworks-ai 1.2
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            think_tags="leading",  # of models that have no parser
            keys={"top_k": "top_k", "repetition_penalty": "repetition_penalty"},
            model="accounts/fireworks/models/glm-5p3",
            reads_items_of=("fireworks", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(
            model="accounts/fireworks/models/glm-5p3", reads_items_of=("fireworks",)
        ),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": True,
                "form": "effort",
                "efforts": ("low", "medium", "high"),
                "budgets": (),
            },
            rows=_EFFORTS,
            since="2026-11-23",
            source=_REASONING,
        ),
        "anthropic": copy_facts(
            "fireworks",
            "2026-11-28",
            "Fireworks docs, Anthropic compatibility: no server tools, no marks on tools; pi-ai"
            " 1.6.0: adaptive thinking, empty signatures",
            {
                **TOP_K,
                "form": "adaptive",
                "efforts": ("low", "medium", "high"),
                "cache_hints": 4,
                "cache_ttls": ("5m",),
                "tool_choices": ("auto", "none", "required", "tool"),
                "forced_tools": True,
            },
            *_EFFORTS,
        ),
    },
    urls={"anthropic": "https://api.fireworks.ai/inference"},
)
