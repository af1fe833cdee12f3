"""Ollama: models on the user's own server, on Ollama's wire and on copies of three others.

Reference: ollama docs and api/types.go; issues there for what a model's renderer refuses. For the
copies: ollama docs, "OpenAI compatibility", "Anthropic compatibility", and their sources.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..capabilities import Fact, Facts, without
from ..capabilities.families.shared import BUDGETED, TOP_K, copy_facts
from ..protocols import anthropic, openai_chat, openai_responses
from ..protocols.ollama import Dialect
from ..stream.think_tags import SERVERS
from ..transport.credentials import OPTIONAL
from .vendor_row import Vendor

_HEADED = Fact(
    models=("qwen[0-9]*",),
    but=("qwen[12]*", "qwen3", "qwen3[-:]*", "qwen3.[5-7]*"),
    changes={"late_system": "reminder", "system_head": "first"},
    since="2026-08-15",
    source='ollama issue 17774: 500 "system message must be at the beginning"',
)


_FACTS = Facts(
    rows=(
        Fact(
            models=("gpt-oss*",),
            # only levels: booleans are ignored, and the thinking cannot be turned off
            changes={"thinks": "always", "efforts": ("low", "medium", "high")},
            since="2025-08-05",
            source="ollama docs, thinking",
        ),
        _HEADED,
    )
)


_OPENAI = "ollama docs, OpenAI compatibility: fields that are read; ollama 0.33, openai/*.go"
_LEVELS: dict[str, Any] = {"efforts": ("low", "medium", "high", "max"), "budgets": ()}
_OSS = Fact(
    ("gpt-oss*",),
    {"thinks": "always", "efforts": ("low", "medium", "high")},
    "2025-08-05",
    "ollama docs, thinking",
)


# Each copy ignores the tool choice, and takes media only as bytes.
_COPY: dict[str, Any] = {
    "tool_choices": ("auto",),
    "none_by": "withholding",
    "parallel_switch": False,
    "strict_tools": False,
    "base64_only": ("image",),
}


_CHAT = openai_chat.Dialect(
    max_tokens_key="max_tokens",
    stops=0,
    thinking_fields=("reasoning",),
    think_tags="leading",  # of models whose thinking it does not know
    think_pairs=SERVERS,  # whatever model it runs
    model="gpt-oss:20b",
    reads_items_of=("ollama", "openai-chat"),
)


_CHAT_FACTS = Facts(
    always={
        **_COPY,
        **without("audio", "document", "refusal"),
        "thinking": True,
        "empty_thinking": False,
        "form": "effort",
        **_LEVELS,
        "options": dict.fromkeys(("n", "user", "service_tier"), "ignores"),
    },
    rows=(_OSS, _HEADED),
    since="2026-08-21",
    source=_OPENAI,
)


_ITEMS = replace(
    openai_responses.COPY,
    assistant_text="full",
    model="gpt-oss:20b",
    reads_items_of=("ollama", "openai-responses"),
)


_ITEM_FACTS = Facts(
    always={
        **_COPY,
        "refusal": False,
        "native_items": False,  # 400 unknown input item type; of a tool the function is read
        "thinking": False,  # text of thoughts is no field of its items
        "formats": ("text", "schema"),
        "server_tools": (),
        "cache_hints": 0,
        **_LEVELS,
    },
    rows=(_OSS, _HEADED),
    since="2026-08-21",
    source=_OPENAI,
)


VENDOR = Vendor(
    "ollama",
    base_url="http://localhost:11434",
    key="OLLAMA_API_KEY",
    base_variables={  # ollama 0.6.3
        "ollama": ("OLLAMA_HOST", ":11434"),
        "openai-chat": ("OLLAMA_HOST", ":11434/v1"),
        "openai-responses": ("OLLAMA_HOST", ":11434/v1"),
    },
    auth=OPTIONAL,
    wires={
        "ollama": Dialect(model="qwen3"),
        "openai-chat": _CHAT,
        "openai-responses": _ITEMS,
        "anthropic": anthropic.Dialect(model="gpt-oss:20b", reads_items_of=("ollama",)),
    },
    facts={
        "ollama": _FACTS,
        "openai-chat": _CHAT_FACTS,
        "openai-responses": _ITEM_FACTS,
        "anthropic": copy_facts(
            "ollama",
            "2026-08-21",
            "ollama docs, Anthropic compatibility: what is not supported",
            {**BUDGETED, **TOP_K, **_COPY},
        ),
    },
    urls={
        "openai-chat": "http://localhost:11434/v1",
        "openai-responses": "http://localhost:11434/v1",
    },
)
