"""Databricks: foundation models of many makers in a workspace, by Chat Completions.

The names of its endpoints begin with `databricks-`. Reference: Databricks docs, "Query reasoning
models", "Foundation model REST API"; recorded answers of Claude.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..error_kinds import code_rows
from ..protocols.openai_chat import Dialect
from .vendor_row import Billing, Vendor

_REASONING = "Databricks docs, Query reasoning models: thinking of Claude and Gemini 2.5"
_BUDGET: dict[str, Any] = {"form": "thinking budget", "efforts": (), "budgets": (1024, 63_999)}


_ERRORS = code_rows(
    "databricks",
    "2026-11-28",
    "Databricks docs, REST API: error codes",
    {
        "model_not_found": "RESOURCE_DOES_NOT_EXIST",
    },
)


VENDOR = Vendor(
    "databricks",
    base_url="https://{workspace}/serving-endpoints",
    billing=Billing(prices="databricks"),
    key="DATABRICKS_TOKEN",
    places={"workspace": ("DATABRICKS_HOST",)},
    wires={
        "openai-chat": Dialect(
            max_tokens_key="max_tokens",
            developer=False,
            model="databricks-claude-sonnet-4-5",
            reads_items_of=("databricks", "openai-chat"),
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                "audio": False,
                "document": False,
                "refusal": False,
                "thinking": False,
                "form": "effort",
            },
            rows=(Fact(("claude-*", "gemini-2.5*"), _BUDGET, "2026-06-25", _REASONING),),
            since="2026-11-23",
            source="Databricks docs, Foundation model REST API; recorded",
        )
    },
    errors=_ERRORS,
)
