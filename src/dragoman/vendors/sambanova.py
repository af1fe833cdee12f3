"""SambaNova: open weights by Chat Completions. Little is known of what it refuses.

Reference: SambaNova docs, "OpenAI Compatibility"; pydantic-ai's provider for address and key.
"""

from __future__ import annotations

from ..capabilities import Facts, without
from ..protocols.openai_chat import Dialect
from .vendor_row import Vendor

VENDOR = Vendor(
    "sambanova",
    title="SambaNova",
    base_url="https://api.sambanova.ai/v1",
    key="SAMBANOVA_API_KEY",
    base_variables={"*": ("SAMBA_NOVA_BASE_URL", "")},  # sambanova of 2026-11
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            think_tags="leading",
            keys={"top_k": "top_k"},
            model="gpt-oss-120b",
            reads_items_of=("sambanova", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                **without("audio", "document", "refusal"),
                "thinking": False,
                "form": "effort",
                "budgets": (),
            },
            since="2026-11-23",
            source="pydantic-ai, SambaNova: a plain copy; no recorded traffic",
        )
    },
)
