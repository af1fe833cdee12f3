"""SiliconFlow: open weights by Chat Completions, with Qwen's switch for the thinking of all models.

Models outside its list answer the switch with error 20015. Reference: SiliconFlow docs, "Chat
Completions"; error texts quoted in issues.
"""

from __future__ import annotations

from ..capabilities import Fact, Facts, without
from ..error_kinds import code_rows
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

_CREATE = (
    "SiliconFlow docs, Chat Completions: enable_thinking, thinking_budget; cherry-studio 14782"
)


_ERRORS = code_rows(
    "siliconflow",
    "2026-11-28",
    "SiliconFlow docs, Error codes; FoundationAgents/OpenManus issue 438",
    {
        "billing": "30001 30011",
        "model_not_found": "20012",
        "overloaded": "50505 50603",
    },
)


VENDOR = Vendor(
    "siliconflow",
    title="SiliconFlow",
    base_url="https://api.siliconflow.com/v1",
    key="SILICONFLOW_API_KEY",
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            keys={"top_k": "top_k"},
            model="zai-org/GLM-5.2",
            reads_items_of=("siliconflow", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": True,
                "strict_tools": False,
                "form": "switch",
                "efforts": ("on",),
                "budgets": (128, 32_768),
            },
            rows=(
                Fact(
                    ("deepseek-v4-flash*",),
                    {"form": "effort", "efforts": ("high", "max"), "budgets": ()},
                    "2026-06-25",
                    "SiliconFlow docs, Chat Completions (China)",
                ),
            ),
            since="2026-11-23",
            source=_CREATE,
        )
    },
    regions={"cn": "https://api.siliconflow.cn/v1"},
    errors=_ERRORS,
)
