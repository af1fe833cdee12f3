"""One recorded exchange, read by us and assembled by somebody else, laid side by side."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import dragoman
from dragoman.codec.wire import Wire
from dragoman.errors import DragomanError, ProviderError
from dragoman.message import ChatResponse, ToolUseBlock
from dragoman.message.blocks import ANSWER, ContentBlock

from .difference import Difference
from .recorded import Exchange
from .told import Fields, flat, told

# what accumulators raise for events that they do not take
REFUSALS = (LookupError, TypeError, ValueError, AttributeError, RuntimeError, AssertionError)

__all__ = ["compared", "differences", "read"]


def read(wire: Wire, exchange: Exchange) -> ChatResponse:
    """The answer as we read it. Raises ReadError or ProviderError."""
    if exchange.events is None:
        return wire.read_response(exchange.body)
    decoder = wire.stream_decoder()
    for event, payload in exchange.events:
        decoder.feed(payload, event)
    return decoder.finish()


def compared(name: str, exchange: Exchange, wire: Wire | None = None) -> list[Difference]:
    """Where the stream as we read it and as somebody else assembled it differ.

    `name` is its protocol; `wire` who reads it, if not the protocol's own wire.
    """
    judge = import_module(f"{__package__}.wires.{name.replace('-', '_')}")
    wire = wire or dragoman.wire(name)
    ours = read(wire, exchange)
    events = exchange.events or []
    try:
        whole = judge.assemble(events)
    except REFUSALS as error:
        return [Difference(exchange, "refused", f"{type(error).__name__}: {error}", ours)]
    found = differences(judge, whole, ours)
    mine = told(ours)
    if hasattr(judge, "beside"):
        try:
            beside = judge.beside(events)
            found += [
                (f"beside.{k}", v, mine.get(k)) for k, v in beside.items() if v != mine.get(k)
            ]
        except REFUSALS as error:
            found.append(("refused", f"{type(error).__name__}: {error}", ours))
    found += _again(wire, whole, ours)
    return [Difference(exchange, *one) for one in found]


def _again(wire: Wire, whole: Any, ours: ChatResponse) -> list[tuple[str, Any, Any]]:
    """What our reading of their whole answer says otherwise than our reading of the stream."""
    try:
        again = wire.read_response(whole)
    except ProviderError as error:
        same = ours.error is not None and ours.error.message == error.message
        return [] if same else [("again", str(error), str(ours.error))]
    except DragomanError as error:
        return [("again", whole, str(error))]
    found = [(f"again.{field}", one, two) for field, one, two in _apart(told(again), told(ours))]
    if not _same(again, ours):
        found.append(("again.blocks", _blocks(again), _blocks(ours)))
    return found


def _same(one: ChatResponse, other: ChatResponse) -> bool:
    """Whether two answers hold the same blocks; where one has no argument text, only the input."""
    mine, yours = _blocks(one), _blocks(other)
    if [len(blocks) for blocks in mine] != [len(blocks) for blocks in yours]:
        return False
    pairs = [p for a, b in zip(mine, yours, strict=True) for p in zip(a, b, strict=True)]
    return all(a == b or _untexted(a, b) == _untexted(b, a) for a, b in pairs)


def _untexted(call: ContentBlock, beside: ContentBlock) -> ContentBlock:
    if type(call) is not ToolUseBlock or type(beside) is not ToolUseBlock:
        return call
    return replace(call, raw_input=None) if None in (call.raw_input, beside.raw_input) else call


def _blocks(resp: ChatResponse) -> list[list[ContentBlock]]:
    """The blocks of all candidates, without what stands in answers only: no request sends it."""
    made = []
    for one in resp.candidates:
        blocks: list[ContentBlock] = []
        for block in one.msg.blocks:
            own = {k: v for k, v in (block.extras or {}).items() if not k.endswith(ANSWER)}
            blocks.append(replace(block, extras=own or None))
        made.append(blocks)
    return made


def differences(judge: Any, whole: Any, ours: ChatResponse) -> list[tuple[str, Any, Any]]:
    """(field, theirs, ours) for whatever one side says otherwise."""
    mine = told(ours) | _prefixed(flat(judge.figures(ours.usage)) | _beside(ours.usage.extras))
    theirs = judge.fields(whole) | _prefixed(flat(judge.spent(whole)))
    return _apart(theirs, mine)


def _beside(extras: Any) -> Fields:
    return {path: n for own in (extras or {}).values() for path, n in flat(own).items()}


def _prefixed(figures: Fields) -> Fields:
    return {f"usage.{path}": n for path, n in figures.items()}


def _apart(theirs: Fields, mine: Fields) -> list[tuple[str, Any, Any]]:
    found = []
    for name in dict.fromkeys([*theirs, *mine]):
        said, read = theirs.get(name), mine.get(name)
        if said != read and (said or read or (said is not None and read is not None)):
            found.append((name, said, read))
    return found
