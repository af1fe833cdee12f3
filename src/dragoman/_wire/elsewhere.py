"""What a request brings that only the provider has which it was made for.

Words of its wire are named; what it keeps for its clients, nobody else can go on from.
"""

from __future__ import annotations

from typing import Any

from ..errors import WriteError
from ..losses import Report
from ..message import AsRead, ChatRequest, RawBlock
from ..message.as_read import ITEM
from ..message.blocks import noted
from ..room import Room

__all__ = ["come_from_elsewhere"]


def come_from_elsewhere(req: ChatRequest, room: Room, issuer: str, report: Report) -> None:
    """Name the words that only the wire has which read the request.

    `issuer` is whose dialect the room speaks. Raises WriteError if another provider keeps what the
    request goes on from: half a conversation is none.
    """
    read = req.read
    if read is None:
        return
    own = (req.extras or {}).get(read.issuer, {})
    if read.protocol != room.protocol:
        for word in (req.extras or {}).get(noted(read.issuer), {}).get("words", ()):
            report.lost("word.foreign", req, f"extras.{read.issuer}.{word}")
    elif read.issuer == issuer or getattr(getattr(room, "dialect", None), "stores", True):
        return  # this host may be the one that keeps it
    for name in read.state:
        if name.startswith(ITEM):
            _items(req, read, name.removeprefix(ITEM), report)
        elif _names(own.get(name)):
            path = report.locate(req, field=f"extras.{read.issuer}.{name}")
            raise _kept(name, read, path, "this field")


def _names(value: Any) -> bool:
    """Whether a field names something: an object does by its id, and may say other things."""
    return bool(value.get("id") if isinstance(value, dict) else value)


def _items(req: ChatRequest, read: AsRead, kind: str, report: Report) -> None:
    for m in req.messages:
        for block in () if isinstance(m.content, str) else m.content:
            told = block.data if type(block) is RawBlock and block.issuer == read.issuer else None
            if isinstance(told, dict) and told.get("type") == kind:
                raise _kept(kind, read, report.locate(block), "such items")


def _kept(name: str, read: AsRead, path: str, without: str) -> WriteError:
    return WriteError(
        f"{name} names what {read.issuer} keeps, and nobody else can go on from",
        path=path, code="state.server_side",
        hint=f"send the whole history, without {without}",
    )  # fmt: skip
