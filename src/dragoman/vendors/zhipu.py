"""Zhipu (Z.AI, GLM): Chat Completions with only auto as tool choice, and JSON without a schema.

Reference: Z.AI docs, "Chat Completion", "Thinking Mode"; zai-sdk; error codes 1210 and 1214.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts, without
from ..capabilities.families.limits import limit_row
from ..capabilities.families.shared import BUDGETED, SAMPLES, UNKNOWN, copy_facts
from ..error_kinds import code_rows
from ..protocols import anthropic
from ..protocols.openai_chat import Dialect
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_SWITCH: dict[str, Any] = {"efforts": ("on",)}


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
        "form": "thinking",
        "needs_user": True,  # error 1214
        "options": dict.fromkeys(UNKNOWN, "refuses"),
    },
    rows=(
        Fact(
            ("glm-[0-9]v*", "glm-[0-9].[0-9]v*"),
            {**_SWITCH, "video": ("user",)},
            "2025-08-11",
            "Z.AI docs, GLM-4.5V: image_url and video_url",
        ),
        Fact(
            ("glm-[34]*", "glm-5", "glm-5-*", "glm-5.[01]*"),
            _SWITCH,
            "2025-07-28",
            "Z.AI docs, Thinking Mode: a switch until GLM-5.2",
        ),
        Fact(
            ("glm-[0-9]*-flash*",),
            {"video": ("user",)},
            "2026-08-20",
            "litellm 1.106: glm-5.3-flash sees; Z.AI docs, GLM-4.5V: image_url and video_url",
        ),
    ),
    since="2026-11-21",
    source="Z.AI docs, Chat Completion; agentscope-java's GLM formatter, tested live",
)


_ERRORS = code_rows(
    "zhipu",
    "2026-11-28",
    "Z.AI docs, Errors; zai-org/feedback issue 789",
    {
        "authentication": "1000 1001 1002 1003 1004",
        "permission": "1110 1111 1112 1220 1313",
        "billing": "1113 1309",
        "model_not_found": "1211 1311",
        "context_overflow": "1261",
        "content_filter": "1300 1301",
        "rate_limit": "1302 1303 1304 1308 1310",
        "overloaded": "1305 1312",
    },
)


VENDOR = Vendor(
    "zhipu",
    base_url="https://api.z.ai/api/paas/v4",
    key="ZAI_API_KEY",
    limits=(
        limit_row(200_000, 128_000, "glm-4.7*"),
        limit_row(1_000_000, 128_000, "glm-5.[2-9]*", "glm-[6-9]*"),
    ),
    base_variables={"openai-chat": ("ZAI_BASE_URL", "")},  # zai-sdk of 2026-11
    auths={"anthropic": API_KEY},
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
                        "enable": True,
                        "search_engine": "search_pro_jina",
                        "search_result": True,
                    },
                }
            },
            model="glm-5.3",
            reads_items_of=("zhipu", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="glm-5.3", reads_items_of=("zhipu",)),
    },
    facts={
        "openai-chat": _FACTS,
        "anthropic": copy_facts(
            "zhipu",
            "2026-11-21",
            "Z.AI docs, Claude Code: the Anthropic route",
            {**BUDGETED, **SAMPLES},
        ),
    },
    urls={"anthropic": "https://api.z.ai/api/anthropic"},
    regions={
        "cn": "https://open.bigmodel.cn/api/paas/v4",
        "anthropic/cn": "https://open.bigmodel.cn/api/anthropic",
        "coding": "https://api.z.ai/api/coding/paas/v4",
    },
    errors=_ERRORS,
)
