"""xAI (Grok): Responses first, and the Chat Completions that it calls deprecated.

Responses is the default because only there the reasoning of current models comes back and is
accepted again, and because xAI recommends it. Reference: xAI docs, "Comparison with Chat
Completions", "Reasoning", "Search tools".
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..capabilities.families.limits import limit_row
from ..protocols import openai_chat, openai_responses
from .vendor_row import Billing, Vendor

_DOCS = "xAI docs, API reference and Image understanding; recorded answers"


_COMMON: dict[str, Any] = {
    "tool_choices": ("auto", "none", "required", "tool"),
    "media_types": {"image": ("image/jpeg", "image/png")},
    "options": {"service_tier": "ignores"},
    "strict_schema": "",  # not every property has to be required
}


# names of retired models, for which Grok 4.3 answers
_RETIRED = Fact(
    ("grok-4-0709", "grok-4-fast-reasoning", "grok-4-1-fast-reasoning", "grok-3"),
    {"thinks": "default", "efforts": ("low", "medium", "high"), "image": ("user",)},
    "2026-05-15",
    "xAI docs, Retirement of May 15; pydantic-ai 2.68, profiles/grok.py, verified live",
)


_CODE = Fact(
    ("grok-code-fast*",),
    {"image": ("user",)},
    "2026-05-15",
    "pydantic-ai 2.68: grok-build-0.1 answers to it, which sees",
)


VENDOR = Vendor(
    "xai",
    title="XAI",
    base_url="https://api.x.ai/v1",
    billing=Billing(total="cost_in_usd_ticks", unit=10**10),
    key="XAI_API_KEY",
    limits=(
        limit_row(1_000_000, 30_000, "grok-4.3*"),
        limit_row(500_000, 500_000, "grok-4.[5-9]*", "grok-[5-9]*"),
    ),
    span_name="x_ai",  # semantic-conventions-genai, 2026-11-24
    wires={
        "openai-responses": openai_responses.Dialect(
            instructions=False,  # refused beside previous_response_id; the input takes them
            developer=False,
            blocked_domains="excluded_domains",
            user_key="user",
            model="grok-4.7",
            reads_items_of=("xai",),
        ),
        "openai-chat": openai_chat.Dialect(
            text="joined",
            developer=False,
            thinking_fields=("reasoning_content",),
            model="grok-4.7",
            reads_items_of=("xai", "openai-chat"),
        ),
    },
    facts={
        "openai-responses": Facts(
            rows=(_RETIRED, _CODE),
            always={**_COMMON, "sources": {"document": ("file",)}, "cache_hints": 0},
            since="2026-11-21",
            source=_DOCS,
        ),
        "openai-chat": Facts(
            rows=(_RETIRED, _CODE),
            always={
                **_COMMON,
                "audio": False,
                "document": False,
                "refusal": False,
                "thinking": True,
            },
            since="2026-11-21",
            source=_DOCS,
        ),
    },
)
