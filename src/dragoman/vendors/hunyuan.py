"""Tencent Hunyuan: Chat Completions and Messages on Hunyuan's own address.

Newer models (`hy3-...`) are served by TokenHub, a region here, with keys of its own. Reference:
Tencent Cloud docs, "OpenAI compatible", "Anthropic compatible", "TokenHub".
"""

from __future__ import annotations

from ..capabilities import Fact, Facts, without
from ..capabilities.families.shared import BUDGETED, SAMPLES, copy_facts
from ..protocols import anthropic
from ..protocols.openai_chat import Dialect
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_HUB = "Tencent Cloud docs, TokenHub: thinking.type, reasoning_effort; models.dev, 2026-06-25"
_MODEL = "hunyuan-2.0-thinking-20251109"
_TURNS = (
    "Tencent Cloud docs, ChatCompletions: a system message first, then user (or tools) and"
    " assistant in turns, from user to user (or tool)"
)


VENDOR = Vendor(
    "hunyuan",
    base_url="https://api.hunyuan.cloud.tencent.com/v1",
    key="HUNYUAN_API_KEY",
    auths={"anthropic": API_KEY},
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            model=_MODEL,
            reads_items_of=("hunyuan", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model=_MODEL, reads_items_of=("hunyuan",)),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": False,  # documented for answers only
                "strict_tools": False,
                "system_head": "first",
                "late_system": "reminder",
                "alternation": "merged",
                "first_user": True,
                "prefill": False,
            },
            rows=(
                Fact(
                    ("hy3*",),
                    {"form": "thinking", "efforts": ("low", "medium", "high"), "budgets": ()},
                    "2026-05-28",
                    _HUB,
                ),
                Fact(("hunyuan-*instruct*",), {"thinks": "never"}, "2025-11-11", _TURNS),
                Fact(
                    ("hunyuan-*thinking*",),
                    {"thinks": "always", "efforts": ("on",), "budgets": ()},
                    "2025-11-09",
                    _TURNS,
                ),
            ),
            since="2026-11-23",
            source=_TURNS,
        ),
        "anthropic": copy_facts(
            "hunyuan",
            "2026-11-23",
            "Tencent Cloud docs, Anthropic compatible: thinking.type; no more is told",
            {**BUDGETED, **SAMPLES, "image": False},
        ),
    },
    urls={"anthropic": "https://api.hunyuan.cloud.tencent.com/anthropic"},
    regions={"tokenhub": "https://tokenhub.tencentmaas.com/v1"},
)
