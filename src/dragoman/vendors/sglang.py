"""SGLang: a server that users run; thinking in `reasoning_content`, switched by the template.

Reference: the server's sources, protocol and serving of each wire; SGLang docs, "Reasoning
Parser". The Anthropic route is known only by its sources.
"""

from __future__ import annotations

from dataclasses import replace

from ..capabilities import Facts, without
from ..capabilities.families.shared import BUDGETED, COPIED_ITEMS, TOP_K, copy_facts
from ..capabilities.families.templates import FREE, HEADED, SWITCHED
from ..protocols import anthropic, openai_chat, openai_responses
from ..stream.think_tags import SERVERS
from ..transport.credentials import OPTIONAL
from .vendor_row import Vendor

_SERVER = "sglang, entrypoints of OpenAI's and Anthropic's APIs"


VENDOR = Vendor(
    "sglang",
    title="SGLang",
    base_url="http://localhost:30000/v1",
    key="SGLANG_API_KEY",
    auth=OPTIONAL,
    wires={
        "openai-chat": openai_chat.Dialect(
            max_tokens_key="max_tokens",
            stops=0,
            developer=False,
            thinking_fields=("reasoning_content",),
            think_tags="leading",  # without --reasoning-parser
            think_pairs=SERVERS,  # whatever model it runs
            keys={"top_k": "top_k", "repetition_penalty": "repetition_penalty"},
            model="default",
            reads_items_of=("sglang", "openai-chat"),
        ),
        "openai-responses": replace(
            openai_responses.COPY,
            assistant_text="full",
            bullets=True,
            model="default",
            reads_items_of=("sglang", "openai-responses"),
        ),
        "anthropic": anthropic.Dialect(model="default", reads_items_of=("sglang",)),
    },
    facts={
        "openai-chat": Facts(
            rows=SWITCHED,
            always={
                **FREE,
                "video": ("user",),
                **without("document", "refusal"),
                "thinking": True,
                "form": "effort",
                "sources": {"audio": ("url", "base64")},
            },
            since="2026-11-23",
            source=_SERVER,
        ),
        "openai-responses": Facts(
            always={**FREE, **COPIED_ITEMS},
            rows=HEADED,
            since="2026-11-23",
            source=_SERVER,
        ),
        "anthropic": copy_facts("sglang", "2026-11-23", _SERVER, {**BUDGETED, **TOP_K}),
    },
    urls={"anthropic": "http://localhost:30000"},
)
