"""vLLM: a server of one's own; media by URL, thinking in `reasoning`, switched by the template.

Reference: vLLM docs, "OpenAI-Compatible Server", "Reasoning Outputs"; pull requests 27752 and
42664 on the field.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..capabilities import Fact, Facts, without
from ..protocols import openai_chat, openai_responses
from . import Vendor

_SERVER = "vLLM docs, OpenAI-Compatible Server: it runs what it is asked"
_TEMPLATE = "vLLM docs, Reasoning Outputs: the switch in each model's template"
_HEAD = 'templates since Qwen3.5, "System message must be at the beginning.": vllm issue 41114'
_SWITCH: dict[str, Any] = {"form": "template", "efforts": ("on",), "budgets": ()}
_NAMED: dict[str, Any] = {"form": "template thinking", "budgets": ()}


# no host's rules but the engine's: it pins nothing, and guides a forced call as the model thinks
_FREE: dict[str, Any] = {"forced_tools": True}


_UNPINNED: dict[str, Any] = {
    "options": dict.fromkeys(
        ("temperature", "top_p", "n", "presence_penalty", "frequency_penalty"), "takes"
    )
}


_ROWS = (
    Fact(("qwen3.[5-9]*",), {**_SWITCH, "system_head": "first", "late_system": "reminder"},
         "2026-02-15", _HEAD),
    Fact(("qwen*", "qwq*", "qvq*", "glm-*"), _SWITCH, "2025-04-28", _TEMPLATE),
    Fact(("kimi-*",), {**_NAMED, **_UNPINNED}, "2025-11-06", _TEMPLATE),
    Fact(("deepseek-*", "granite-*"), _NAMED, "2025-08-21", _TEMPLATE),
)  # fmt: skip


VENDOR = Vendor(
    "vllm",
    base_url="http://localhost:8000/v1",
    key="VLLM_API_KEY",
    wires={
        "openai-chat": openai_chat.Dialect(
            max_tokens_key="max_tokens",
            stops=0,
            developer=False,
            # servers between 0.16 and May 2026 read the first alone, older ones the second
            thinking_fields=("reasoning", "reasoning_content"),
            think_tags="leading",  # without --reasoning-parser
            keys={"top_k": "top_k", "repetition_penalty": "repetition_penalty"},
            model="default",
            issuers=("vllm", "openai-chat"),
        ),
        "openai-responses": replace(
            openai_responses.COPY,
            said="full",  # checked against the types of an answer, of which it reads one part
            bullets=True,  # results of several texts break gpt-oss
            model="default",
            issuers=("vllm", "openai-responses"),
        ),
    },
    facts={
        "openai-chat": Facts(
            rows=_ROWS,
            always={
                **_FREE,
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
            always={
                **_FREE,
                "refusal": False,
                "tool_choices": ("auto", "none", "required", "tool"),
                "server_tools": (),
                "cache_hints": 0,
            },
            since="2026-11-21",
            source=_SERVER,
        ),
    },
)
