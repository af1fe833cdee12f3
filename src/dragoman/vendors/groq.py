"""Groq: Chat Completions on its own hardware; what its docs call unsupported is a 400.

The compound systems search and run code without being asked. Reference: Groq docs, "OpenAI
Compatibility", "Reasoning", "Built-in tools", "Structured outputs".
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts, without
from ..protocols.batches import BatchLimits
from ..protocols.openai_chat import Dialect
from .vendor_row import Billing, Vendor

_TOOLS = "Groq docs, Built-in tools: models that search and run code"
_SCHEMAS = "Groq docs, Structured outputs: supported models"
_REASONING = "Groq docs, Reasoning: efforts by model"
_REFUSED = ("logprobs", "top_logprobs", "presence_penalty", "frequency_penalty", "n")
_SCHEMA: dict[str, Any] = {"formats": ("text", "json", "schema")}


_FACTS = Facts(
    always={
        **without("image", "audio", "video", "document", "refusal"),
        "thinking": True,
        "empty_thinking": False,
        "name_field": "never",  # 400: messages[].name
        "formats": ("text", "json"),
        "json_word": True,  # mem0ai/mem0 pull request 4161
        "server_tools": (),
        "form": "effort",
        "options": dict.fromkeys(_REFUSED, "refuses"),
    },
    rows=(
        Fact(
            ("gpt-oss*",),
            {**_SCHEMA, "server_tools": ("web_search", "code_execution")},
            "2025-08-05",
            _TOOLS,
        ),
        Fact(("llama-[4-9]*",), {**_SCHEMA, "image": ("user",)}, "2025-04-05", _SCHEMAS),
        Fact(("kimi-k*",), _SCHEMA, "2025-09-05", _SCHEMAS),
        Fact(
            ("qwen3-*", "qwen-*", "qwen2*"),
            {"efforts": ("on",), "budgets": ()},
            "2025-06-11",
            _REASONING,
        ),
        Fact(
            ("qwen*",),
            {**_SCHEMA, "image": ("user",), "efforts": ("low", "medium", "high"), "budgets": ()},
            "2026-09-02",
            f"{_REASONING}; litellm 1.106: qwen3.8-27b",
        ),
    ),
    since="2026-11-21",
    source="Groq docs, OpenAI Compatibility: currently unsupported features",
)


VENDOR = Vendor(
    "groq",
    base_url="https://api.groq.com/openai/v1",
    billing=Billing(tiers=("flex",)),
    key="GROQ_API_KEY",
    # Groq docs, Batch: 50,000 requests; 100 MB by its SDK, resources/files (2026-11-29)
    batches={"openai-chat": BatchLimits(50_000, 100 * 10**6)},
    base_variables={"*": ("GROQ_BASE_URL", "/openai/v1")},  # groq 1.7
    wires={
        "openai-chat": Dialect(
            own_field="x_groq",
            text="joined",
            call_content="omit",
            developer=False,
            thinking_fields=("reasoning",),
            think_tags="leading",  # with reasoning_format raw
            server_tools={
                "web_search": {"type": "browser_search"},
                "code_execution": {"type": "code_interpreter"},
            },
            usual_tier="on_demand",
            model="openai/gpt-oss-120b",
            reads_items_of=("groq", "openai-chat"),
        )
    },
    facts={"openai-chat": _FACTS},
)
