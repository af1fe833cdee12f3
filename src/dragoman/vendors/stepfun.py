"""StepFun: Step models by three wires; thinking comes and goes in `reasoning`.

Reference: StepFun docs, "Chat Completion", "Messages", "Responses", as models.dev read them on
2026-06-25. There is no recorded traffic.
"""

from __future__ import annotations

from dataclasses import replace

from ..capabilities import Fact, Facts, without
from ..capabilities.families.shared import COPIED_ITEMS, SAMPLES, copy_facts
from ..protocols import anthropic, openai_chat, openai_responses
from ..transport.credentials import API_KEY
from .vendor_row import Vendor

_DOCS = "StepFun docs, Chat Completion, Messages, Responses: efforts; models.dev, 2026-06-25"
_LEVELS = ("low", "medium", "high")
_FEW = Fact(("step-3.5*",), {"efforts": ("low", "high")}, "2026-04-02", _DOCS)


VENDOR = Vendor(
    "stepfun",
    title="StepFun",
    base_url="https://api.stepfun.com/v1",
    key="STEPFUN_API_KEY",
    auths={"anthropic": API_KEY},
    wires={
        "openai-chat": openai_chat.Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning",),
            model="step-3.7-flash",
            reads_items_of=("stepfun", "openai-chat"),
        ),
        "anthropic": anthropic.Dialect(model="step-3.7-flash", reads_items_of=("stepfun",)),
        "openai-responses": replace(
            openai_responses.COPY,
            assistant_text="full",
            model="step-3.7-flash",
            reads_items_of=("stepfun", "openai-responses"),
        ),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": True,
                "thinks": "always",
                "form": "effort",
                "efforts": _LEVELS,
                "budgets": (),
            },
            rows=(_FEW,),
            since="2026-11-23",
            source=_DOCS,
        ),
        "anthropic": copy_facts(
            "stepfun",
            "2026-11-23",
            _DOCS,
            {**SAMPLES, "thinks": "always", "efforts": _LEVELS},
            _FEW,
        ),
        "openai-responses": Facts(
            always={
                **COPIED_ITEMS,
                "thinks": "always",
                "efforts": _LEVELS,
            },
            since="2026-11-23",
            source=_DOCS,
        ),
    },
    urls={"anthropic": "https://api.stepfun.com"},
)
