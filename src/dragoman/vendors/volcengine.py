"""Volcengine Ark (ByteDance): Doubao, Seed and others, with thinking switched by an object.

`model` is the id of a model with its date, or of the user's own endpoint (`ep-...`), of which
nothing is known. Keys hold for one region. Reference: volcenginesdkarkruntime 5.0; error texts
quoted in issues.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts, without
from ..protocols import openai_chat, openai_responses
from .vendor_row import Vendor

_SDK = "volcenginesdkarkruntime 5.0.54, types of Chat Completions and Responses"
_DEEP = "Volcengine Ark docs, Deep thinking: on unless it is disabled; Roo-Code issue 11395"
_LEVELS: dict[str, Any] = {"form": "thinking", "efforts": ("low", "medium", "high"), "budgets": ()}
_MODEL = "doubao-seed-2-1-pro-260915"


VENDOR = Vendor(
    "volcengine",
    base_url="https://ark.cn-beijing.volces.com/api/v3",
    key="ARK_API_KEY",
    wires={
        "openai-chat": openai_chat.Dialect(
            call_content="empty",  # "missing `messages.content` parameter": AstrBot issue 6852
            developer=False,
            thinking_fields=("reasoning_content",),
            keys={"repetition_penalty": "repetition_penalty"},
            model=_MODEL,
            reads_items_of=("volcengine", "openai-chat"),
        ),
        "openai-responses": openai_responses.Dialect(
            developer=False,
            stores=False,
            user_key="user",
            model=_MODEL,
            reads_items_of=("volcengine",),
        ),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "video": ("user",),
                "thinking": True,
                "empty_thinking": False,
                **_LEVELS,
            },
            rows=(
                Fact(("doubao-seed-*", "dola-seed-*"), {"thinks": "default"}, "2025-10-16", _DEEP),
            ),
            since="2026-11-23",
            source=_SDK,
        ),
        "openai-responses": Facts(
            always={
                "tool_choices": ("auto", "none", "required", "tool"),
                "server_tools": (),
                "efforts": ("low", "medium", "high"),
                "cache_hints": 0,
            },
            since="2026-11-23",
            source=_SDK,
        ),
    },
    regions={
        "asia": "https://ark.ap-southeast.bytepluses.com/api/v3",
        "europe": "https://ark.eu-west.bytepluses.com/api/v3",
        "coding": "https://ark.cn-beijing.volces.com/api/coding/v3",
    },
)
