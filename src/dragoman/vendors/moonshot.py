"""Moonshot (Kimi): Chat Completions with pinned sampling and media by bytes alone.

Keys of the two platforms are not interchangeable. Reference: Moonshot docs, "Chat", "Use web
search"; kimi-cli, the vendor's own client.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts, without
from ..capabilities.families.limits import limit_row
from ..capabilities.families.shared import BUDGETED, copy_facts
from ..protocols import anthropic
from ..protocols.openai_chat import Dialect
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_SEARCH = "Moonshot docs, Use web search: thinking must be off"
_PARTS = "kimi-cli and vercel/ai: image_url and video_url as data URI or ms:// file"
_SWITCH: dict[str, Any] = {"form": "thinking", "efforts": ("on",)}
_EFFORT = "Moonshot docs, Use reasoning effort: K3 takes it, K2 a switch"


_FACTS = Facts(
    always={
        "schemes": ("ms",),  # of files that were uploaded there; addresses are not fetched
        **without("audio", "video", "document", "refusal"),
        "thinking": True,
        "blank_text": False,  # 400 "text content is empty"
        "parallel_switch": False,
        "strict_tools": False,
        "tool_schema": "moonshot",
        "form": "effort",
        "options": {"service_tier": "refuses"},
    },
    rows=(
        Fact(
            ("kimi-k2.[5-9]*", "kimi-for-coding*"),
            {**_SWITCH, "video": ("user",)},
            "2026-01-27",
            _PARTS,
        ),
        Fact(("kimi-k2*",), _SWITCH, "2025-07-11", _EFFORT),
        Fact(("kimi-k[0-9]*",), {"video": ("user",)}, "2026-07-30", _EFFORT),
        Fact(("*",), {"server_tools": ()}, "2026-04-20", _SEARCH, when="thinking"),
    ),
    since="2026-11-21",
    source="Moonshot docs, Chat; kimi-cli; agentscope-java, tested live; litellm 1.106",
)


VENDOR = Vendor(
    "moonshot",
    base_url="https://api.moonshot.ai/v1",
    key="MOONSHOT_API_KEY",
    limits=(
        limit_row(1_048_576, 1_048_576, "kimi-k[3-9]*"),
        limit_row(262_144, 262_144, "kimi-k2.[67]*"),
    ),
    span_name="moonshot_ai",  # semantic-conventions-genai, 2026-11-24
    auths={"anthropic": API_KEY},
    wires={
        "openai-chat": Dialect(
            text="joined",
            stops=5,
            developer=False,
            thinking_fields=("reasoning_content",),
            keys={"user": "safety_identifier"},
            server_tools={
                "web_search": {"type": "builtin_function", "function": {"name": "$web_search"}}
            },
            model="kimi-k3.1-pro",
            reads_items_of=("moonshot", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="kimi-k3.1-pro", reads_items_of=("moonshot",)),
    },
    facts={
        "openai-chat": _FACTS,
        "anthropic": copy_facts(
            "moonshot",
            "2026-11-21",
            "rig and hermes-agent issue 17510: the Anthropic route",
            {**BUDGETED, "base64_only": ("image",)},
        ),
    },
    urls={"anthropic": "https://api.moonshot.ai/anthropic"},
    regions={
        "cn": "https://api.moonshot.cn/v1",
        "anthropic/cn": "https://api.moonshot.cn/anthropic",
    },
)
