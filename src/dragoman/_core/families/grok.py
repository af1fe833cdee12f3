"""Grok by generation: which take an effort, and what all refuse while they reason.

Reference: xAI docs, "Reasoning"; 400s quoted in hermes-agent issue 23435, CLIProxyAPI issue 3968
and uni-api issue 105.
"""

from __future__ import annotations

from typing import Any

from ...capabilities import Fact
from .shared import known

_DOCS = "xAI docs, Reasoning: models with efforts"


_NO_EFFORT = '400 "Model does not support parameter reasoningEffort": hermes-agent issue 23435'


_REFUSED = '400 "Argument not supported on this model: presencePenalty": uni-api issue 105'


_SEES: dict[str, Any] = {"audio": False}


_TEXT: dict[str, Any] = {"audio": False, "image": False, "document": False}


_ARGUMENTS = ("presence_penalty", "frequency_penalty", "stop")


def _thinks(how: str, *efforts: str, **more: Any) -> dict[str, Any]:
    return {"thinks": how, "efforts": efforts or ("on",), **more}


_MODELS = (
    known(("grok-*non-reasoning*",), "2025-09-19", _DOCS, {"thinks": "never", **_SEES}),
    known(("grok-4.5*",), "2026-07-09", "xAI docs, Grok 4.5: reasoning cannot be disabled",
          _thinks("always", "low", "medium", "high", **_SEES)),
    known(("grok-4.3*",), "2026-04-30", "vercel/ai, xai 4.0: none to high for Grok 4.3",
          _thinks("default", "low", "medium", "high", **_SEES)),
    known(("grok-4.20-multi-agent*",), "2026-03-10", _DOCS,
          _thinks("always", "low", "medium", "high", **_SEES)),
    known(("grok-3-mini*",), "2025-04-09", _DOCS, _thinks("always", "low", "high", **_TEXT)),
    known(("grok-code*", "grok-build*"), "2025-08-28", _NO_EFFORT, _thinks("always", **_TEXT)),
    known(("grok-4*",), "2025-07-09", _NO_EFFORT, _thinks("always", **_SEES)),
    known(("grok-2-vision*", "grok-vision*"), "2024-12-12", _DOCS, {"thinks": "never", **_SEES}),
    known(("grok-2*", "grok-3*", "grok-beta*"), "2024-11-04", _DOCS, {"thinks": "never", **_TEXT}),
)  # fmt: skip


_STATES = (
    Fact(("grok-*",), {"options": dict.fromkeys(_ARGUMENTS, "refuses")}, "2025-07-09", _REFUSED,
         when="thinking"),
)  # fmt: skip


ROWS = (*(fact for rows in _MODELS for fact in rows), *_STATES)
