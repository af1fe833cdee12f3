"""NVIDIA NIM: each model on a server of its own at one address, most of them vLLM.

There is no single way to ask for thinking: it depends on the model, mostly on its template.
Reference: NVIDIA docs, "NIM, LLM APIs".
"""

from __future__ import annotations

from ..capabilities import Facts, without
from ..capabilities.families.templates import SWITCHED
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

VENDOR = Vendor(
    "nvidia",
    title="NVIDIA",
    base_url="https://integrate.api.nvidia.com/v1",
    key="NVIDIA_API_KEY",
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            thinking_fields=("reasoning_content",),
            think_tags="leading",
            model="openai/gpt-oss-120b",
            reads_items_of=("nvidia", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            rows=SWITCHED,
            always={
                **without("audio", "document", "refusal"),
                "thinking": True,
                "form": "effort",
                "budgets": (),
            },
            since="2026-11-23",
            source="NVIDIA docs, NIM: a schema for each model; models.dev, 2026-06-25",
        )
    },
)
