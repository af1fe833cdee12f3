"""DeepInfra: open weights by Chat Completions.

Reference: DeepInfra docs, "OpenAI API", "Function calling": the choice of a tool is auto or none,
results are text; litellm 1.110.2 and any-llm 1.40.
"""

from __future__ import annotations

from ..capabilities import Facts, without
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

VENDOR = Vendor(
    "deepinfra",
    base_url="https://api.deepinfra.com/v1/openai",
    key="DEEPINFRA_API_KEY",
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            think_tags="leading",
            keys={"top_k": "top_k", "repetition_penalty": "repetition_penalty"},
            model="zai-org/GLM-5.3",
            reads_items_of=("deepinfra", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": True,
                "empty_thinking": False,
                "form": "effort",
                "budgets": (),
                "tool_choices": ("auto", "none"),
            },
            since="2026-11-28",
            source="DeepInfra docs, Function calling; litellm 1.110.2, deepinfra",
        )
    },
)
