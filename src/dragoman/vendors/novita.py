"""Novita AI: open weights by Chat Completions and, some of them, by Messages.

Reference: Novita docs, "LLM API", "Anthropic SDK Compatibility", "Error codes"; litellm 1.110.2.
"""

from __future__ import annotations

from ..capabilities import Facts, without
from ..capabilities.families.shared import BUDGETED, SAMPLES, copy_facts
from ..error_kinds import code_rows
from ..protocols import anthropic
from ..protocols.openai_chat import Dialect
from .vendor_row import Billing, Vendor

VENDOR = Vendor(
    "novita",
    base_url="https://api.novita.ai/v3/openai",
    billing=Billing(prices="novita"),
    key="NOVITA_API_KEY",
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            think_tags="leading",
            keys={"top_k": "top_k", "repetition_penalty": "repetition_penalty"},
            model="zai-org/glm-4.7",
            reads_items_of=("novita", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="zai-org/glm-4.7", reads_items_of=("novita",)),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": True,
                "empty_thinking": False,
                "form": "effort",
                "budgets": (),
            },
            since="2026-11-28",
            source="Novita docs, LLM API; litellm 1.110.2, novita",
        ),
        "anthropic": copy_facts(
            "novita",
            "2026-11-28",
            "Novita docs, Anthropic SDK Compatibility",
            {**BUDGETED, **SAMPLES, "signed_thinking": True},
        ),
    },
    urls={"anthropic": "https://api.novita.ai/anthropic"},
    errors=code_rows(
        "novita",
        "2026-11-28",
        "Novita docs, Error codes: 403",
        {"permission": "model_access_denied"},
    ),
)
