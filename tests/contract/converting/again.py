"""Law 1: what was read from a wire is written to it as it came, through the tree.

Requests also after they were stored and loaded, and with a turn behind them: then every earlier
element is the same, and so is every other field.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import dragoman
from dragoman import Msg
from dragoman.codec.wire import Wire
from dragoman.errors import DragomanError
from dragoman.message import ChatRequest, ChatResponse, dump, load
from tests.contract.reading.recorded import exchanges

from .elements import elements
from .recorded import BROKEN, Asked, asked

__all__ = ["EXCEPTIONS", "Again", "again", "apart"]

# recorded bodies that do not come back equal: id -> why
EXCEPTIONS: dict[str, str] = {}


@dataclass(slots=True)
class Again:
    """How many bodies of a wire came back equal, of how many; `faults`: (way, id, first place)."""

    requests: int = 0
    answers: int = 0
    grown: int = 0  # requests that a turn was appended to
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    excepted: Counter[str] = field(default_factory=Counter)

    def missed(self, way: str) -> int:
        """How many bodies did not come back equal this way."""
        return len({id for one, id, _ in self.faults if one == way})


def again(name: str, every: int = 1) -> Again:
    """All recorded requests and answers of a wire."""
    made = Again()
    wire = dragoman.wire(name, policy="ignore")
    for one in asked(name, every):
        made.requests += 1
        for way, words in _request(wire, one, made):
            _note(made, way, one.id, words)
    for exchange in exchanges(name, every):
        if exchange.events is None and exchange.taken:
            for way, words in _answer(wire, exchange.body, made):
                _note(made, way, exchange.id, words)
    return made


def _note(made: Again, way: str, id: str, words: str) -> None:
    if id in EXCEPTIONS:
        made.excepted[EXCEPTIONS[id]] += 1
    else:
        made.faults.append((way, id, words))


def _request(wire: Wire, one: Asked, made: Again) -> list[tuple[str, str]]:
    """(way, first difference) of the ways in which a request does not come back."""
    found = []
    before = json.dumps(one.body)
    for way, write in (("request", _written), ("stored", _stored), ("grown", _grown)):
        try:
            body = write(wire, one)
        except BROKEN as error:
            found.append((way, f"{type(error).__name__}: {error}"[:200]))
            continue
        said = elements(wire.name, one.body)
        if way == "grown":
            if said is None:
                continue
            made.grown += 1
            _cut(wire.name, body, len(said))
        if (words := apart(one.body, body)) is not None:
            found.append((way, words))
    if json.dumps(one.body) != before:
        found.append(("changed", "the body that was read is not what it was"))
    return found


def _written(wire: Wire, one: Asked) -> Any:
    return wire.write_request(wire.read_request(one.body, one.path)).body


def _stored(wire: Wire, one: Asked) -> Any:
    text = json.dumps(dump(wire.read_request(one.body, one.path)))
    loaded = load(json.loads(text))
    assert isinstance(loaded, ChatRequest)
    return wire.write_request(loaded).body


def _grown(wire: Wire, one: Asked) -> Any:
    """With a turn of the other side behind the last."""
    req = wire.read_request(one.body, one.path)
    last = req.messages[-1].role if req.messages else "system"
    req.messages.append(Msg("", "One more.", "assistant" if last == "user" else "user"))
    if req.messages[-1].role == "assistant":
        req.messages.append(Msg("", "Go on.", "user"))
    return wire.write_request(req).body


def _cut(wire: str, body: Any, length: int) -> None:
    """Take the elements behind the first `length` away again."""
    said = elements(wire, body)
    if said is not None:
        del said[length:]


def _answer(wire: Wire, body: Any, made: Again) -> list[tuple[str, str]]:
    try:
        resp = wire.read_response(body)
    except DragomanError:
        return []  # an error, or the answer of another call
    made.answers += 1
    found = []
    for way in ("answer", "stored answer"):
        try:
            told = resp if way == "answer" else load(json.loads(json.dumps(dump(resp))))
            assert isinstance(told, ChatResponse)
            out = wire.write_response(told)
            words = apart(body, out.body)
            losses = [f"{loss.code} at {loss.where}" for loss in out.losses]
        except BROKEN as error:
            words, losses = f"{type(error).__name__}: {error}"[:200], []
        if words is not None or losses:
            found.append((way, words or f"losses: {losses}"[:200]))
    return found


def apart(one: Any, two: Any, path: str = "$") -> str | None:
    """The first place where two bodies are not the same JSON; 1, 1.0 and true differ."""
    if isinstance(one, dict) and isinstance(two, dict):
        for key in {**one, **two}:
            if key not in one or key not in two:
                side, value = ("missing", one[key]) if key in one else ("added", two[key])
                return f"{path}.{key}: {side} {value!r:.80}"
            if (words := apart(one[key], two[key], f"{path}.{key}")) is not None:
                return words
        return None
    if isinstance(one, list) and isinstance(two, list):
        for nth, (a, b) in enumerate(zip(one, two, strict=False)):
            if (words := apart(a, b, f"{path}[{nth}]")) is not None:
                return words
        return None if len(one) == len(two) else f"{path}: {len(one)} became {len(two)}"
    same = type(one) is type(two) and one == two
    return None if same else f"{path}: {one!r:.80} became {two!r:.80}"
