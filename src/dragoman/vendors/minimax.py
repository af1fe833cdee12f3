"""MiniMax: three wires; on Chat Completions thinking goes back in the details in which it came.

Reference: MiniMax docs, "OpenAI API compatible", "Anthropic API compatible", "Create Response";
error 2013 quoted in issues, 7as0nch/mimo2codex issue 7 among them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..capabilities import Fact, Facts, without
from ..capabilities.families.limits import limit_row
from ..capabilities.families.shared import SAMPLES, UNKNOWN, copy_facts
from ..error_kinds import code_rows
from ..protocols import anthropic, openai_responses
from ..protocols.openai_chat import Dialect
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_CREATE = "MiniMax docs, Create Response: reasoning only when asked, by M2 always"
_SEES = ("minimax-m[0-9]*",)
_BEFORE = ("minimax-m[12]*",)


_COMMON: dict[str, Any] = {
    "tool_choices": (),
    "none_by": "withholding",
    "parallel_switch": False,
    "strict_tools": False,
    "formats": ("text",),
    "document": False,
    "options": dict.fromkeys(UNKNOWN, "refuses"),
}


_CHAT_FACTS = Facts(
    always={
        **_COMMON,
        **without("audio", "video", "refusal"),
        "form": "adaptive",
        "efforts": ("on",),
        "thinking": True,
        "signatures": ("minimax",),
        "system_head": "first",
        "late_system": "reminder",
    },
    rows=(
        Fact(
            _SEES, {"video": ("user",)}, "2026-06-01", "MiniMax docs, M3: image and video", _BEFORE
        ),
    ),
    since="2026-11-21",
    source="MiniMax docs, OpenAI API compatible; agentscope-java, tested live; mimo2codex issue 7,"
    " error 2013: one system message, no tool_choice, no null content",
)


_ITEM_FACTS = Facts(
    always={**_COMMON, "image": False, "server_tools": (), "cache_hints": 0, "native_items": False},
    rows=(
        Fact(
            _SEES,
            {"thinks": "on_request", "efforts": ("minimal", "low", "medium", "high")},
            "2026-06-01",
            _CREATE,
            _BEFORE,
        ),
    ),
    since="2026-11-21",
    source=_CREATE,
)


_ERRORS = code_rows(
    "minimax",
    "2026-11-28",
    "MiniMax docs, Error codes",
    {
        "timeout": "1001",
        "rate_limit": "1002 1039 1041 2056",
        "authentication": "1004 2049",
        "billing": "1008",
        "server": "1000 1013 1024 1033",
        "content_filter": "1026 1027",
    },
)


VENDOR = Vendor(
    "minimax",
    title="MiniMax",
    base_url="https://api.minimax.io/v1",
    key="MINIMAX_API_KEY",
    limits=(limit_row(1_000_000, 128_000, "minimax-m[3-9]*"),),
    auths={"anthropic": API_KEY},
    wires={
        "openai-chat": Dialect(
            text="joined",
            call_content="empty",
            developer=False,
            thinking_details=True,
            cumulative_details=True,
            usage_field="",  # not documented, and not seen in answers
            think_tags="leading",  # for requests without reasoning_split
            limits={"temperature": (0.01, 1)},
            fixed={"reasoning_split": True},
            model="MiniMax-M3",
            reads_items_of=("minimax", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="MiniMax-M3", reads_items_of=("minimax",)),
        "openai-responses": replace(
            openai_responses.COPY,
            model="MiniMax-M3",
            reads_items_of=("minimax", "openai-responses"),
        ),
    },
    facts={
        "openai-chat": _CHAT_FACTS,
        "anthropic": copy_facts(
            "minimax",
            "2026-11-21",
            "MiniMax docs, Anthropic API compatible; agentscope 2",
            {**SAMPLES, "signed_thinking": True},
        ),
        "openai-responses": _ITEM_FACTS,
    },
    urls={"anthropic": "https://api.minimax.io/anthropic"},
    regions={
        "cn": "https://api.minimaxi.com/v1",
        "anthropic/cn": "https://api.minimaxi.com/anthropic",
        "openai-responses/cn": "https://api.minimaxi.com/v1",
    },
    errors=_ERRORS,
)
