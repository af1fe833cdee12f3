"""LM Studio: models on a desktop, by copies of three APIs.

Reference: LM Studio docs, "OpenAI Compatibility Endpoints", "API Changelog"; recorded answers of
Responses. What its Anthropic route takes is not fully documented.
"""

from __future__ import annotations

from dataclasses import replace

from ..capabilities import Facts, without
from ..capabilities.families.shared import BUDGETED, COPIED_ITEMS, SAMPLES, copy_facts
from ..capabilities.families.templates import HEADED
from ..protocols import anthropic, openai_chat, openai_responses
from ..stream.think_tags import SERVERS
from ..transport.credentials import OPTIONAL
from .vendor_row import Vendor

_PAYLOAD = "LM Studio docs, Chat Completions: supported payload parameters; API Changelog"


VENDOR = Vendor(
    "lmstudio",
    title="LMStudio",
    base_url="http://localhost:1234/v1",
    key="LMSTUDIO_API_KEY",
    auth=OPTIONAL,
    wires={
        "openai-chat": openai_chat.Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            think_tags="leading",  # unless its settings split them off
            think_pairs=SERVERS,  # whatever model it runs
            keys={"top_k": "top_k", "repetition_penalty": "repeat_penalty"},
            model="openai/gpt-oss-20b",
            reads_items_of=("lmstudio", "openai-chat"),
        ),
        "openai-responses": replace(
            openai_responses.COPY,
            assistant_text="full",
            model="openai/gpt-oss-20b",
            reads_items_of=("lmstudio", "openai-responses"),
        ),
        "anthropic": anthropic.Dialect(model="openai/gpt-oss-20b", reads_items_of=("lmstudio",)),
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": True,
                "empty_thinking": False,
                "tool_choices": ("auto", "none", "required"),
                "form": "none",  # no field of its payload asks for thinking
                "efforts": ("on",),
                "budgets": (),
            },
            rows=HEADED,  # its tracker, issue 2298: 500 of the template, of both endpoints
            since="2026-11-23",
            source=_PAYLOAD,
        ),
        "openai-responses": Facts(
            always={**COPIED_ITEMS, "tool_choices": ("auto", "none", "required")},
            rows=HEADED,
            since="2026-11-23",
            source="LM Studio docs, Responses; API Changelog, 0.3.29",
        ),
        "anthropic": copy_facts(
            "lmstudio",
            "2026-11-23",
            "LM Studio docs, Anthropic Compatibility Endpoints",
            {**BUDGETED, **SAMPLES},
        ),
    },
    urls={"anthropic": "http://localhost:1234"},
)
