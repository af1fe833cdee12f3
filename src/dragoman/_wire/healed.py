"""Texts of a request itself that held half a surrogate pair: healed, and named as losses."""

from __future__ import annotations

from dataclasses import replace

from ..losses import Report
from ..message import ChatRequest
from ..message.heal import HEALED, heal

__all__ = ["healed", "healed_model"]

_DID = "half a pair is U+FFFD"


def healed(req: ChatRequest, report: Report) -> ChatRequest:
    """The request without the note of what was broken in its own texts, which is named here."""
    own = dict(req.extras or {})
    for field in own.pop(HEALED)["healed"]:
        report.lost("text.surrogate", req, field, did=_DID)
    return replace(req, extras=own or None)


def healed_model(model: str, req: ChatRequest, report: Report) -> str:
    """The name of a model, which no path and no header can hold broken."""
    broken: list[str] = []
    made = heal(model, "$.model", broken)
    if broken:
        report.lost("text.surrogate", req, "model", did=_DID)
    return str(made)
