"""Zhipu (Z.AI, GLM): Chat Completions with a tool choice of auto alone and JSON without a schema.

Reference: Z.AI docs, "Chat Completion", "Thinking Mode"; zai-sdk; error codes 1210 and 1214.
"""

from __future__ import annotations

from .._core.families.shared import BUDGETED, SAMPLES, UNKNOWN, copied
from ..capabilities import Fact, Facts, without
from ..protocols import anthropic
from ..protocols.openai_chat import Dialect
from . import Vendor

_FACTS = Facts(
    always={
        **without("audio", "video", "document", "refusal"),
        "thinking": True,
        "name_field": "never",
        "tool_choices": ("auto",),
        "none_by": "withholding",
        "parallel_switch": False,
        "strict_tools": False,
        "formats": ("text", "json"),
        "needs_user": True,  # error 1214
        "options": dict.fromkeys(UNKNOWN, "refuses"),
    },
    rows=(
        Fact(("glm-4*v*", "glm-5*v*"), {"video": ("user",)}, "2025-08-11",
             "Z.AI docs, GLM-4.5V: image_url and video_url"),
    ),
    since="2026-11-21",
    source="Z.AI docs, Chat Completion; agentscope-java's GLM formatter, tested live",
)  # fmt: skip


VENDOR = Vendor(
    "zhipu",
    base_url="https://api.z.ai/api/paas/v4",
    key="ZAI_API_KEY",
    wires={
        "openai-chat": Dialect(
            text="joined",
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            keys={"user": "user_id"},
            limits={"temperature": (0, 1), "top_p": (0.01, 1)},
            server_tools={
                "web_search": {
                    "type": "web_search",
                    "web_search": {
                        "enable": True, "search_engine": "search_pro_jina", "search_result": True,
                    },
                }
            },
            model="glm-5.3",
            issuers=("zhipu", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="glm-5.3", issuers=("zhipu",)),
    },
    facts={
        "openai-chat": _FACTS,
        "anthropic": copied(
            "zhipu", "2026-11-21", "Z.AI docs, Claude Code: the Anthropic route",
            {**BUDGETED, **SAMPLES},
        ),
    },
    urls={"anthropic": "https://api.z.ai/api/anthropic"},
    regions={
        "cn": "https://open.bigmodel.cn/api/paas/v4",
        "coding": "https://api.z.ai/api/coding/paas/v4",
    },
)  # fmt: skip
