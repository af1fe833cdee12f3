"""Ollama: models on a server of one's own, on Ollama's wire.

Reference: ollama docs and api/types.go; what a model's renderer refuses is told by issues there.
"""

from __future__ import annotations

from typing import ClassVar

from .._core.format.agentscope import ChatFormatter, MultiAgentFormatter, NamedFormatter
from ..capabilities import Fact, Facts
from ..protocols.ollama import Dialect, Ollama
from . import Vendor

_FACTS = Facts(
    rows=(
        Fact(
            models=("gpt-oss*",),
            # levels alone: booleans are ignored, and the thinking cannot be turned off
            changes={"thinks": "always", "efforts": ("low", "medium", "high")},
            since="2025-08-05",
            source="ollama docs, thinking",
        ),
        Fact(
            models=("qwen3.8*",),
            changes={"late_system": "reminder", "system_head": "first"},
            since="2026-08-15",
            source='ollama issue 17774: 500 "system message must be at the beginning"',
        ),
    )
)


VENDOR = Vendor(
    "ollama",
    base_url="http://localhost:11434",
    key="OLLAMA_API_KEY",
    wires={"ollama": Dialect()},
    facts={"ollama": _FACTS},
)


# AgentScope: null where there is no text, no message without anything, no thinking sent back
_CHANGES = {"empty_messages": False, "thinking": "never"}


class _Named(NamedFormatter):
    vendor = VENDOR
    changes: ClassVar = _CHANGES
    promotes = ("promote_tool_result_images",)
    room = Ollama
    dialect = Dialect(no_text="null", bullets=True)


class OllamaChatFormatter(_Named, ChatFormatter):
    """Messages for Ollama; results carry `tool_name`, which is all that its server matches by."""


class OllamaMultiAgentFormatter(_Named, MultiAgentFormatter):
    """Many agents' messages for Ollama, their conversation merged into user messages."""

    changes: ClassVar = {**_CHANGES, "system": ("text",)}
    dialect = Dialect(no_text="null", bullets=True, image_gaps=True)
