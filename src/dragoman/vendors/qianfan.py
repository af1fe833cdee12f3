"""Baidu Qianfan: ERNIE and open weights by Chat Completions. Little is known of what it refuses.

Reference: Baidu AI Cloud docs, "Qianfan V2, OpenAI compatible".
"""

from __future__ import annotations

from ..capabilities import Facts, without
from ..error_kinds import code_rows
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

_ERRORS = code_rows(
    "qianfan",
    "2026-11-28",
    "Baidu AI Cloud docs, Qianfan: error codes; clients that list 336103",
    {
        "rate_limit": "17 18 19 336501 336502",
        "authentication": "110 111",
        "permission": "6",
        "overloaded": "336100",
        "server": "336000",
        "context_overflow": "336103",
    },
)


VENDOR = Vendor(
    "qianfan",
    base_url="https://qianfan.baidubce.com/v2",
    key="QIANFAN_API_KEY",
    wires={
        "openai-chat": Dialect(
            developer=False,
            thinking_fields=("reasoning_content",),
            model="ernie-4.5-turbo-128k",
            reads_items_of=("qianfan", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": False,  # documented for answers only
                "strict_tools": False,
                "form": "none",  # no field that all its models read
                "efforts": ("on",),
                "budgets": (),
            },
            since="2026-11-23",
            source="Baidu AI Cloud docs, Qianfan V2: an address and a copy; no recorded traffic",
        )
    },
    errors=_ERRORS,
)
