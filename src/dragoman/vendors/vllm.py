"""vLLM: a server that users run; media by URL, thinking in `reasoning`, switched by the template.

Reference: vLLM docs, "OpenAI-Compatible Server", "Reasoning Outputs"; pull requests 27752 and
42664 on the field.
"""

from __future__ import annotations

from dataclasses import replace

from ..capabilities import Fact, Facts, without
from ..capabilities.families.shared import BUDGETED, COPIED_ITEMS, TOP_K, copy_facts
from ..capabilities.families.templates import FREE, HEADED, SWITCHED
from ..protocols import anthropic, openai_chat, openai_responses
from ..stream.think_tags import SERVERS
from ..transport.credentials import OPTIONAL
from .vendor_row import Vendor

_SERVER = "vLLM docs, OpenAI-Compatible Server: it runs what it is asked"
# gpt-oss calls a tool or not: the server ignores `required`
_UNHEARD = Fact(
    ("gpt-oss*",),
    {"tool_choices": ("auto", "none", "tool")},
    "2025-08-05",
    "pydantic-ai 2.68, providers/vllm.py: required is ignored for gpt-oss",
)


VENDOR = Vendor(
    "vllm",
    title="VLLM",
    base_url="http://localhost:8000/v1",
    key="VLLM_API_KEY",
    auth=OPTIONAL,
    wires={
        "openai-chat": openai_chat.Dialect(
            max_tokens_key="max_tokens",
            stops=0,
            developer=False,
            # servers between 0.16 and May 2026 read only the first, older ones the second
            thinking_fields=("reasoning", "reasoning_content"),
            think_tags="leading",  # without --reasoning-parser
            think_pairs=SERVERS,  # whatever model it runs
            keys={"top_k": "top_k", "repetition_penalty": "repetition_penalty"},
            model="default",
            reads_items_of=("vllm", "openai-chat"),
        ),
        "openai-responses": replace(
            openai_responses.COPY,
            # checked against the types of an answer, of which it reads one part
            assistant_text="full",
            bullets=True,  # results of several texts break gpt-oss
            least_tokens=1,  # vLLM 0.32, tried
            model="default",
            reads_items_of=("vllm", "openai-responses"),
        ),
        "anthropic": anthropic.Dialect(model="default", reads_items_of=("vllm",)),
    },
    facts={
        "openai-chat": Facts(
            rows=(*SWITCHED, _UNHEARD),
            always={
                **FREE,
                "video": ("user",),
                **without("document", "refusal"),
                "thinking": True,
                "form": "effort",
                "sources": {"audio": ("url", "base64")},
            },
            since="2026-11-21",
            source=_SERVER,
        ),
        "openai-responses": Facts(
            always={**FREE, **COPIED_ITEMS},
            rows=(*HEADED, _UNHEARD),
            since="2026-11-21",
            source=_SERVER,
        ),
        "anthropic": copy_facts(
            "vllm",
            "2026-11-27",
            "vLLM 0.32, /v1/messages, tried: thinking with a signature",
            {**BUDGETED, **TOP_K, "forced_tools": True},
        ),
    },
    urls={"anthropic": "http://localhost:8000"},
)
