"""Cohere: its chat, and which of its models think, take images and tools.

Reference: Cohere docs, "Models", "Reasoning", "Structured Outputs"; recorded answers.
"""

from __future__ import annotations

from typing import Any

from ..capabilities import Fact, Facts
from ..protocols.cohere import Dialect
from .vendor_row import Vendor

_MODELS = "Cohere docs, Models; recorded"
_REASONING = "Cohere docs, Reasoning"
_STILL: dict[str, Any] = {"thinks": "never", "thinking": False}
_OLD: dict[str, Any] = {**_STILL, "image": False, "late_system": "reminder"}


_FACTS = Facts(
    rows=(
        Fact(("*",), {"formats": ("text",)}, "2024-03-11",
             "Cohere API, Chat: response_format is not taken beside tools", when="tools"),
        Fact(("command-a-plus*",), {"thinks": "default", "budgets": (1, 63_000)}, "2026-05-20",
             _REASONING),
        Fact(("command-a-reasoning*",),
             {"thinks": "default", "budgets": (1, 31_000), "image": False}, "2025-08-21",
             _REASONING),
        Fact(("command-a-vision*",), {**_STILL, "tools": False}, "2025-07-31",
             "Cohere docs, Command A Vision"),
        Fact(("command-a*",), {**_STILL, "image": False}, "2025-03-13", _MODELS),
        # "system turn must be the first in the list"
        Fact(("command-r7b*",), _OLD, "2024-12-13", _MODELS),
        Fact(("command-r*",), {**_OLD, "tool_choices": ("auto",)}, "2024-08-30",
             "Cohere API, Chat: tool_choice is for command-r7b and newer models"),
    ),
)  # fmt: skip


VENDOR = Vendor(
    "cohere",
    base_url="https://api.cohere.com/v2",
    key="CO_API_KEY",
    own_models_only=True,
    keys=("CO_API_KEY", "COHERE_API_KEY"),  # cohere 7.3, in this order
    base_variables={"cohere": ("CO_API_URL", "/v2")},  # cohere 7.3
    wires={"cohere": Dialect(model="command-a-plus-05-2026")},
    facts={"cohere": _FACTS},
)
