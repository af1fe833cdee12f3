"""What a refused request says of the cause: what was lost of it before, and where that stands."""

from __future__ import annotations

from typing import Any

from ..errors import WriteError
from ..losses import Report
from ..message import ChatRequest
from ..message.blocks import ANSWER, NOTES

__all__ = ["caused"]

_ODD = ("raw.foreign", "extras.foreign")  # of what no reader understood


def caused(error: WriteError, req: ChatRequest, report: Report) -> WriteError:
    """The error with the losses so far; one of an empty request names what was not understood."""
    if error.code == "messages.empty":
        for m in req.messages:
            for issuer, fields in (m.extras or {}).items() if not m.blocks else ():
                if issuer.endswith((ANSWER, NOTES)):
                    continue
                for name in fields:
                    report.lost("extras.foreign", m, f"extras.{issuer}.{name}", name)
        error = _empty(req, report)
    error.losses = tuple(report.losses)
    return error


def _empty(req: ChatRequest, report: Report) -> WriteError:
    odd = next((loss for loss in report.losses if loss.code in _ODD), None)
    if odd is not None and req.messages:
        return _because("what stands here is no message or part that this wire has", odd.where)
    places = req.read.places if req.read is not None else None
    listed = getattr(getattr(places, "room", None), "listed", "$.messages")
    told: Any = getattr(places, "body", {})
    for key in listed.split(".")[1:]:
        told = told.get(key) if isinstance(told, dict) else None
    if told and not isinstance(told, list):
        return _because("what stands here is no list of messages", listed)
    return WriteError(
        "there is nothing to send", path=listed, hint="add a user message", code="messages.empty"
    )


def _because(why: str, path: str) -> WriteError:
    return WriteError(
        f"there is nothing to send: {why}", path=path,
        hint="spell it as its own wire does; `losses` of this error names all that was lost",
        code="messages.empty",
    )  # fmt: skip
