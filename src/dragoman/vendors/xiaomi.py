"""Xiaomi MiMo: two wires; on each, turns with tool calls must bring their thinking back.

Reference: MiMo docs, "OpenAI API", "Anthropic API", "Passing back reasoning_content"; its notice
of 2026-05-12, quoted in issues.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts, without
from ..capabilities.families.shared import BUDGETED, SAMPLES, copy_facts
from ..protocols import anthropic
from ..protocols.openai_chat import Dialect
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_BACK = (
    '400 "The reasoning_content in the thinking mode must be passed back to the API.": GCMP issue'
    " 171, craft-agents issue 746"
)
_API = "MiMo docs, OpenAI API: thinking, defaults by model, read by models.dev on 2026-06-25"
_MODELS = "models.dev, xiaomi: inputs by model"
_SWITCH: dict[str, Any] = {"form": "thinking", "efforts": ("on",), "budgets": ()}
_SEES: dict[str, Any] = {"image": ("user",), "video": ("user",), "audio": ("user",)}


VENDOR = Vendor(
    "xiaomi",
    base_url="https://api.xiaomimimo.com/v1",
    key="MIMO_API_KEY",  # platform.xiaomimimo.com, OpenAI API Compatibility: request headers
    auths={"anthropic": API_KEY},
    wires={
        "openai-chat": Dialect(
            text="joined",
            call_content="empty",
            developer=False,
            thinking_fields=("reasoning_content",),
            model="mimo-v2.6-pro",
            reads_items_of=("xiaomi", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="mimo-v2.6-pro", reads_items_of=("xiaomi",)),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("image", "audio", "video", "document", "refusal"),
                "thinking": True,
                "empty_thinking": True,
                "strict_tools": False,
                "formats": ("text", "json"),
                "thinks": "default",
                **_SWITCH,
            },
            rows=(
                Fact(("mimo-v2-omni*",), _SEES, "2026-03-18", _MODELS),
                Fact(
                    ("mimo-v2.[6-9]*",),
                    _SEES,
                    "2026-09-21",
                    "litellm 1.110.2, models.dev: MiMo-V2.6 sees, hears and watches",
                ),
                Fact(("mimo-v2.[5-9]*",), _SEES, "2026-04-22", _MODELS, but=("*-pro*",)),
                Fact(("mimo-v2-flash*",), {"thinks": "on_request"}, "2025-12-16", _API),
            ),
            since="2026-11-23",
            source=f"{_API}; agno, MiMo: no json_schema; {_BACK}",
        ),
        "anthropic": copy_facts(
            "xiaomi",
            "2026-11-23",
            f"MiMo docs, Anthropic API; {_BACK}",
            {**SAMPLES, "image": False, "empty_thinking": True, "thinks": "default", **BUDGETED},
            Fact(("mimo-v2-flash*",), {"thinks": "on_request"}, "2025-12-16", _API),
        ),
    },
    urls={"anthropic": "https://api.xiaomimimo.com/anthropic"},
)
