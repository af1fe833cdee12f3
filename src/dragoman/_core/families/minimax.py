"""MiniMax: M2 always thinks, M3 as much as it likes unless it is told not to.

Reference: MiniMax docs, "OpenAI API compatible", "Create Response".
"""

from __future__ import annotations

from typing import Any

from .shared import known

_DOCS = "MiniMax docs, OpenAI API compatible: thinking by model"


_TEXT: dict[str, Any] = {"image": False, "audio": False, "document": False}


_SEES: dict[str, Any] = {"audio": False, "document": False}


_SWITCH: dict[str, Any] = {"form": "adaptive", "efforts": ("on",), "thinking": True}


_MODELS = (
    known(("minimax-m2*",), "2025-10-27", _DOCS, {"thinks": "always", **_TEXT}, _SWITCH),
    known(("minimax-m[3-9]*",), "2026-06-01", _DOCS, {"thinks": "default", **_SEES}, _SWITCH),
    known(("minimax-m1*", "minimax-text*"), "2025-06-16", _DOCS, _TEXT),
)  # fmt: skip


ROWS = tuple(fact for rows in _MODELS for fact in rows)
