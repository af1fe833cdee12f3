"""Law 3 for answers: recorded ones, written for the clients of other wires, and read by these.

The source is read by its own official client; where that one refuses what the provider sent, by
the package. A target's client is told to be strict.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import dragoman
from dragoman.codec.wire import Wire
from dragoman.errors import DragomanError
from dragoman.message import ChatResponse, RefusalBlock, TextBlock
from dragoman.message.ending import client_error
from dragoman.stream.pieces import Piece
from tests.contract.reading.recorded import Exchange, exchanges

from .clients import CLIENTS, REFUSALS, Call, Events, Said, Spent, client
from .recorded import BROKEN
from .words import end

__all__ = ["Answers", "answers", "apart", "told"]


@dataclass(slots=True)
class Answers:
    """What became of the answers of one pair of wires. `faults`: (class, id, words)."""

    whole: int = 0
    streams: int = 0
    by_us: int = 0  # of these, sources that only the package could read
    named: Counter[str] = field(default_factory=Counter)  # differences that a loss names
    faults: list[tuple[str, str, str]] = field(default_factory=list)


def answers(source: str, every: int = 1) -> dict[str, Answers]:
    """Every recorded answer of a wire, written for each of the clients."""
    made = {target: Answers() for target in CLIENTS}
    wire = dragoman.wire(source)
    for exchange in exchanges(source, every):
        if not exchange.taken:
            continue
        try:
            resp, pieces = _read(wire, exchange)
        except DragomanError:
            continue  # an error, or the answer of another call
        says, official = _says(source, exchange, resp)
        for target, one in made.items():
            one.by_us += not official
            one.whole += exchange.events is None
            one.streams += exchange.events is not None
            _judge(source, target, exchange, resp, pieces, says, official, one)
    return made


def _read(wire: Wire, exchange: Exchange) -> tuple[ChatResponse, list[Piece]]:
    if exchange.events is None:
        return wire.read_response(exchange.body), []
    decoder = wire.stream_decoder()
    pieces = [piece for name, data in exchange.events for piece in decoder.feed(data, name)]
    pieces += decoder.rest()
    return decoder.finish(), pieces


def _says(source: str, exchange: Exchange, resp: ChatResponse) -> tuple[list[Said], bool]:
    """What the source says, and whether its official client says so."""
    try:
        if exchange.events is None:
            return client(source).whole(exchange.body), True
        return client(source).streamed(_named(source, exchange.events)), True
    except REFUSALS:
        return told(resp), False


def _named(source: str, events: Events) -> Events:
    """The events under the names that the provider sends: some recordings left them out."""
    for name, data in events:
        unnamed = source == "anthropic" and name is None and isinstance(data, dict)
        yield data.get("type") if unnamed else name, data


def told(resp: ChatResponse) -> list[Said]:
    """What each candidate says as the package read it, for what no client reads."""
    usage = resp.usage
    known = [n for n in (usage.input, usage.cache_read, usage.cache_write) if n is not None]
    spent = Spent(sum(known) if known else None, usage.output, usage.total)
    made = []
    for one in resp.candidates:
        texts = [b.text for b in one.msg.blocks if isinstance(b, (TextBlock, RefusalBlock))]
        calls = [Call(call.name, call.input) for call in one.msg.calls]
        made.append(Said("".join(texts), calls, spent, None))
    return made


def _judge(
    source: str,
    target: str,
    exchange: Exchange,
    resp: ChatResponse,
    pieces: list[Piece],
    says: list[Said],
    official: bool,
    made: Answers,
) -> None:
    """Write the answer for the target, have it read, and lay both side by side."""
    wire = dragoman.wire(target, policy="ignore")
    try:
        if exchange.events is None:
            written: Any = wire.write_response(resp)
            body, losses = written.body, {loss.code for loss in written.losses}
        else:
            origins = [one.msg.origin for one in resp.candidates]
            encoder = wire.stream_encoder(origin=origins[0] if origins else None)
            body = [event for piece in pieces for event in encoder.feed(piece)]
            body += encoder.finish()
            losses = {loss.code for loss in encoder.report.losses}
    except BROKEN as error:
        made.faults.append((f"raised {type(error).__name__}", exchange.id, str(error)[:200]))
        return
    if target == source and exchange.events is None:
        if _text(body) != _text(exchange.body):
            made.faults.append(("not as it came", exchange.id, ""))
        return
    try:
        read = client(target)
        heard = (read.whole if exchange.events is None else read.streamed)(body, target != source)
    except REFUSALS as error:
        told_as_error = target != source and client_error(resp, wire.room.failures) is not None
        if not _broken(resp) and not told_as_error and (official or target != source):
            words = f"{type(error).__name__}: {error}".replace("\n", " ")
            made.faults.append((f"refused: {words[:60]}", exchange.id, words[:300]))
        return
    ours = {kind for kind, _ in apart(source, told(resp), target, heard)}
    for kind, words in apart(source, says, target, heard):
        if kind in _EXCUSED and losses & _EXCUSED[kind]:
            made.named[kind] += 1
        elif kind in _READ and kind not in ours:
            made.named[f"{kind} as it was read"] += 1
        else:
            made.faults.append((kind, exchange.id, words))


def _broken(resp: ChatResponse) -> bool:
    """Whether the source is an error, or broke off before it said anything."""
    silent = not any(one.msg.blocks for one in resp.candidates)
    return resp.error is not None or (silent and resp.status != "complete")


# The package may read an answer otherwise than the source's client sums it, for reasons that
# `tests.contract.reading` names one by one; here the target has to say what was read.
_READ = frozenset({"text", "calls", "input", "output", "total"})
# differences that a loss names
_EXCUSED = {
    "finish": {"answer.finish"},
    "candidates": {"answer.candidates"},
    "total": {"answer.usage"},
}


def _text(body: Any) -> str:
    return json.dumps(body, sort_keys=True)


def apart(
    source: str, says: list[Said], target: str, heard: list[Said]
) -> Iterator[tuple[str, str]]:
    """(class, words) for whatever the target's client heard otherwise."""
    if len(says) != len(heard) and (says or any(one.text or one.calls for one in heard)):
        yield "candidates", f"{len(says)} said, {len(heard)} heard"
    for said, other in zip(says, heard, strict=False):
        if said.text != other.text:
            yield "text", f"{said.text[:120]!r} said, {other.text[:120]!r} heard"
        if _text(_objects(said)) != _text(_objects(other, said)):
            yield "calls", f"{said.calls!s:.150} said, {other.calls!s:.150} heard"
        for figure in ("input", "output", "total"):
            one, two = getattr(said.spent, figure), getattr(other.spent, figure)
            if one is not None and two is not None and one != two:
                yield figure, f"{said.spent} said, {other.spent} heard"
        one, two = end(source, said), end(target, other)
        called = one == "ended" and two == "calls" and other.calls
        if one not in ("", "other", two) and not called:
            yield "finish", f"{said.finish} said, {other.finish} heard"


def _objects(one: Said, beside: Said | None = None) -> list[Call]:
    """The calls; of arguments that were cut off and are no JSON only the name, on both sides."""
    cut = [isinstance(call.input, str) for call in (beside or one).calls]
    return [Call(call.name, None) if nth < len(cut) and cut[nth] else call
            for nth, call in enumerate(one.calls)]  # fmt: skip
