"""Any JSON in the place of any part of a stored conversation: it loads or is refused by type.

What loads can be written on every wire and stored again, or is refused by type there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Options
from dragoman.errors import DragomanError
from dragoman.message import ChatResponse, dump, load
from dragoman.message.stored import Storable
from dragoman.vendors import PROTOCOLS

from .conversations import CONVERSATIONS, TOOLS
from .streams import STREAMS

ODD: list[Any] = [None, 1, True, "x", "²", [], {}, [[]], {"a": 1}, 1.5, "9" * 5000]
WIRES = {name: dragoman.wire(name, policy="ignore") for name in PROTOCOLS}


def requests() -> Iterator[tuple[str, Any]]:
    for make in CONVERSATIONS:
        msgs = [m for turn in make("anthropic") for m in turn]
        options = Options(temperature=1, stop=("a",), max_tokens=9, reasoning="high")
        req = ChatRequest(msgs, tools=TOOLS, system="Be.", options=options)
        yield f"composed {make.__name__}", dump(req)
        for name, wire in WIRES.items():
            with suppress(DragomanError):
                body = wire.write_request(req).body
                yield f"{name} {make.__name__}", dump(wire.read_request(body))


def answers() -> Iterator[tuple[str, Any]]:
    for name, streams in STREAMS.items():
        for n, events in enumerate(streams):
            decoder = WIRES[name].stream_decoder()
            for event, payload in events:
                decoder.feed(payload, event)
            yield f"{name} {n}", dump(decoder.finish())


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value[:3]):
            yield from places(item, (*path, i))


def put(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """A copy with something odd at the path."""
    if not path:
        return odd
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], odd)
    return copy


def targets(source: str) -> list[dragoman.Wire]:
    """All wires, but for what a wire read: itself and the one after it.

    A part is written as it is wherever it was read, but by its own wire; and requests that were
    composed have all parts.
    """
    names = [*WIRES]
    if source not in names:
        return [*WIRES.values()]
    first = names.index(source)
    return [WIRES[names[(first + n) % len(names)]] for n in range(2)]


def written(value: Storable, source: str, seen: set[str]) -> None:
    """Stored again, and said on the wires, unless the same was seen before."""
    stored = json.dumps([source, dump(value)])
    if stored in seen:
        return
    seen.add(stored)
    for wire in targets(source):
        with suppress(DragomanError):
            if isinstance(value, ChatResponse):
                out = wire.write_response(value)
            elif isinstance(value, ChatRequest):
                out = wire.write_request(value)
            else:
                msgs = value if isinstance(value, list) else [value]
                out = wire.write_request(ChatRequest(msgs))
            for loss in out.losses:
                assert loss.to_dict()["where"].isprintable()


@pytest.mark.parametrize("stored", [requests, answers])
def test_what_is_odd_is_refused_or_written(stored: Any) -> None:
    seen: set[tuple[Any, ...]] = set()
    values: set[str] = set()
    loaded = 0
    for name, data in stored():
        for path in places(data):
            # the same place of another message is the same place
            whose = name.partition(" ")[0]
            place = whose, *("*" if isinstance(step, int) else step for step in path)
            for odd in ODD:
                if (place, repr(odd)) in seen:
                    continue
                seen.add((place, repr(odd)))
                try:
                    with suppress(DragomanError):
                        written(load(put(data, path, odd)), whose, values)
                        loaded += 1
                except Exception as error:
                    error.add_note(f"{name}: {odd!r:.40} at {path}")
                    raise
    assert loaded > 100
