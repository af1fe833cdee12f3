"""llama.cpp: its server by copies of three APIs, which all become one chat template.

Reference: llama.cpp, tools/server/README.md; 92 recorded requests.
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

_SERVER = "llama.cpp, tools/server/README.md"


VENDOR = Vendor(
    "llamacpp",
    title="LlamaCpp",
    base_url="http://localhost:8080/v1",
    key="LLAMA_API_KEY",
    auth=OPTIONAL,
    wires={
        "openai-chat": openai_chat.Dialect(
            max_tokens_key="max_tokens",
            stops=0,
            developer=False,
            thinking_fields=("reasoning_content",),
            think_tags="leading",  # with reasoning_format none
            think_pairs=SERVERS,  # whatever model it runs
            keys={"top_k": "top_k", "repetition_penalty": "repeat_penalty"},
            model="default",
            reads_items_of=("llamacpp", "openai-chat"),
        ),
        "openai-responses": replace(
            openai_responses.COPY,
            assistant_text="full",
            model="default",
            reads_items_of=("llamacpp", "openai-responses"),
        ),
        "anthropic": anthropic.Dialect(model="default", reads_items_of=("llamacpp",)),
    },
    facts={
        "openai-chat": Facts(
            rows=SWITCHED,
            always={
                **FREE,
                **without("document", "refusal"),
                "thinking": True,
                "form": "effort",
            },
            since="2026-11-23",
            source=_SERVER,
        ),
        "openai-responses": Facts(
            # an image in the output of a call: 400 "Output of tool call should be 'Input text'",
            # ggml-org/llama.cpp issue 23465 (2026-05-21), and still so in September
            always={**FREE, **COPIED_ITEMS, "result": ("text",), "move_media": ("image",)},
            rows=HEADED,
            since="2026-11-23",
            source=_SERVER,
        ),
        "anthropic": copy_facts(
            "llamacpp", "2026-11-23", _SERVER, {**BUDGETED, **TOP_K, "forced_tools": True}
        ),
    },
    urls={"anthropic": "http://localhost:8080"},
)
