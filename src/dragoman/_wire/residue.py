"""Residue: what a request lost on its way to a wire, kept beside it, and put back when it returns.

For two processes that speak over another protocol; within one, the ChatRequest holds everything.
Plain JSON: messages stand under a hash of what was made of them, as this wire's reader reads it,
so that they are found again also behind new turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from ..capabilities import Capabilities
from ..errors import InvalidMessage, WriteError
from ..jsontext import JsonObject, canonical
from ..losses import Report
from ..message import ChatRequest, Msg, Options
from ..room import Request, Room
from ..seats import Seated

__all__ = ["aligned", "left", "put_back"]


def left(
    req: ChatRequest, seated: Seated, out: Request, can: Capabilities, room: Room, report: Report
) -> JsonObject:
    """What reading the request back would not give: messages by hash, and fields."""
    back = room.read_request(out.body, out.path, out.headers)
    made: JsonObject = {}
    for ours, theirs in aligned(seated, back.messages, can, room, report):
        told = list(_sources(ours, req.messages, report))
        if told and told != theirs:
            made[_key(theirs)] = {"n": len(theirs), "messages": [m.to_dict() for m in told]}
    lost = {
        name: [_plain(value), _plain(read)]  # as it was, and as it is read here
        for name, value in req.options.given()
        if (read := getattr(back.options, name)) != value
    }
    fields = {"options": lost, "extras": req.extras}
    made["$"] = {name: value for name, value in fields.items() if value}
    return made


def put_back(req: ChatRequest, residue: Mapping[str, Any]) -> None:
    """Set into the request what was left over when it was written.

    Raises InvalidMessage for what is no residue.
    """
    sizes = sorted({row["n"] for key, row in _rows(residue)}, reverse=True)
    msgs: list[Msg] = []
    at = 0
    while at < len(req.messages):
        n, found = next(
            ((n, row) for n in sizes
             if (row := residue.get(_key(req.messages[at : at + n]))) and row["n"] == n),
            (1, None),
        )  # fmt: skip
        told = req.messages[at : at + n]
        if found is not None:
            path = "$.residue.messages"
            told = [Msg.from_dict(m, f"{path}[{i}]") for i, m in enumerate(found["messages"])]
        msgs += told
        at += n
    req.messages = msgs
    fields = residue.get("$", {})
    given = dict(req.options.given())
    for name, (was, became) in fields.get("options", {}).items():
        if _plain(given.get(name)) == became:  # nobody has changed it meanwhile
            given[name] = was
    req.options = Options.of(given)
    if fields.get("extras"):
        req.extras = {**fields["extras"], **(req.extras or {})}


def _plain(value: Any) -> Any:
    return list(value) if type(value) is tuple else value


def _rows(residue: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, row in residue.items():
        if key == "$":
            continue
        match row:
            case {"n": int(n), "messages": list()} if n > 0:
                yield key, row
            case _:
                raise InvalidMessage(
                    "no residue of a request", path="$.residue", code="stored.type"
                )


def _key(msgs: Sequence[Msg]) -> str:
    said = canonical([_unsigned(m.to_dict()) for m in msgs])
    return blake2b(said.encode(), digest_size=12).hexdigest()


def _unsigned(value: Any) -> Any:
    """The value without who made it: another model may be asked when it comes back."""
    if isinstance(value, dict):
        return {key: _unsigned(inner) for key, inner in value.items() if key != "origin"}
    return [_unsigned(inner) for inner in value] if isinstance(value, list) else value


def aligned(
    seated: Seated, back: list[Msg], can: Capabilities, room: Room, report: Report
) -> Iterator[tuple[list[Msg], list[Msg]]]:
    """(messages as they were seated, what is read back of them): the smallest runs that agree."""
    quiet = report.trial()
    ours = [_count(m, seat, can, room, quiet)
            for m, seat in zip(seated.msgs, seated.seats, strict=True)]  # fmt: skip
    apart = [m for m in back if (m.spelling or "").startswith("top")]
    inline = back[len(apart) :]
    theirs = [len(room.messages_as_read([m])) for m in inline]
    head = next((h for h in range(len(ours)) if sum(ours[h:]) == sum(theirs)), None)
    if head is None:
        return
    if head:
        yield seated.msgs[:head], apart
    i = j = 0
    starts, total, read = (head, 0), 0, 0
    i = head
    while i < len(ours) and j < len(theirs):
        if total <= read:
            total += ours[i]
            i += 1
        else:
            read += theirs[j]
            j += 1
        if total == read:
            yield seated.msgs[starts[0] : i], inline[starts[1] : j]
            starts = (i, j)


def _count(m: Msg, seat: int, can: Capabilities, room: Room, report: Report) -> int:
    """How many elements the message makes; one that is said as it was read may not be composed."""
    try:
        return len(room.messages(Seated([m], [seat], dirty=[0]), can, report))
    except (WriteError, AttributeError, TypeError, KeyError):
        return len(room.messages_as_read([m]))


def _sources(made: list[Msg], given: list[Msg], report: Report) -> Iterator[Msg]:
    """The messages of the request that these were made of, each once."""
    there = {id(m) for m in given}
    seen: set[int] = set()
    for m in made:
        for node in report.origins(m):
            if isinstance(node, Msg) and id(node) in there and id(node) not in seen:
                seen.add(id(node))
                yield node
