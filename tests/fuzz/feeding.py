"""One mutated answer or stream, fed as a user would, and how long it took.

What may come of it: an answer, or an error of ours. Anything else passes through and is a fault.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from time import process_time
from typing import Any

import dragoman
from dragoman import DragomanError
from dragoman.message import ChatResponse, dump
from tests.fuzz.mutate import mutated, mutated_text
from tests.laws.encoding import encoded
from tests.laws.streams import FRAMINGS

__all__ = ["Case", "Outcome", "TooSlow", "cases", "run"]

SHOWN = 50  # events of a stream that are looked at
# seconds of processor time of one case: what never ends, for a collection of garbage may take one
LIMIT = 10.0
Event = tuple[str | None, Any]


class TooSlow(BaseException):
    """A case ran longer than the limit; no `except Exception` may swallow it."""


@dataclass(frozen=True, slots=True)
class Case:
    """Something mutated: a whole answer, or a stream whose events were."""

    wire: str
    how: str
    payload: Any  # a whole answer, its text, events, or chunks of bytes

    def __str__(self) -> str:
        try:
            return f"{self.wire} {self.how}: {self.payload!a:.2000}"
        except RecursionError:
            return f"{self.wire} {self.how}: nested too deeply to be shown"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case, how long it took."""

    kind: str  # the status of the answer, or the name of our error
    seconds: float


def cases(seed: int, wires: list[str], streams: dict[str, list[list[Event]]],
          answers: dict[str, list[Any]]) -> Iterator[Case]:  # fmt: skip
    """Endless cases, the same for the same seed: each wire in turn."""
    rng = Random(seed)
    donors = {
        wire: [*answers[wire], *(p for events in streams[wire] for _, p in events)]
        for wire in wires
    }
    while True:
        for wire in wires:
            if answers[wire] and rng.random() < 0.4:
                yield _answer(wire, rng.choice(answers[wire]), rng, donors[wire])
            else:
                yield _stream(wire, rng.choice(streams[wire]), rng, donors[wire])


def _answer(wire: str, body: Any, rng: Random, donors: list[Any]) -> Case:
    told = mutated(body, rng, donors)
    if rng.random() < 0.5:
        return Case(wire, "answer", told)
    text = _dumped(told)
    return Case(wire, "answer text", mutated_text(text, rng) if rng.random() < 0.3 else text)


def _dumped(value: Any) -> str:
    """JSON text; of what is nested too deeply for the library, too."""
    try:
        return json.dumps(value)
    except RecursionError:
        return '{"choices": ' + "[" * 5000 + "]" * 5000 + "}"


def _stream(wire: str, events: list[Event], rng: Random, donors: list[Any]) -> Case:
    told = list(events)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(told))
        name, payload = told[at]
        move = rng.randrange(12)
        if move == 0 and len(told) > 1:
            del told[at]
        elif move == 1:
            told.insert(rng.randrange(len(told) + 1), told[at])
        elif move == 2:
            told[at] = rng.choice((None, "", "error", "x")), payload
        else:
            told[at] = name, mutated(payload, rng, donors)
    how = rng.choice(("events", "event texts", "bytes"))
    if how == "events":
        return Case(wire, how, told)
    if how == "event texts":
        texts = [(name, _dumped(payload)) for name, payload in told]
        at = rng.randrange(len(texts))
        texts[at] = texts[at][0], mutated_text(texts[at][1], rng)
        return Case(wire, how, texts)
    return Case(wire, how, _chunks(wire, told, rng))


def _chunks(wire: str, events: list[Event], rng: Random) -> list[bytes]:
    framing = FRAMINGS.get(wire, ("sse",))[0]
    # half surrogates travel as escapes: they have no bytes of their own
    flat = [(name, _dumped(payload)) for name, payload in events]
    body = bytearray(encoded(flat, framing, rng.choice(("\n", "\r\n", "\r")), ascii=True))
    for _ in range(rng.choice((0, 0, 1, 3))):
        body[rng.randrange(len(body))] = rng.randrange(256)
    size = rng.choice((7, 64, 1024, 1 << 20))
    return [bytes(body[at : at + size]) for at in range(0, len(body), size)]


def run(case: Case) -> Outcome:
    """Feed one case. Raises what should not be raised, TooSlow among it."""
    start = process_time()
    with watched(LIMIT):
        try:
            resp = read(case)
            kind: str = resp.status
            repr(resp)
            dump(resp)
        except DragomanError as error:
            kind = type(error).__name__
            str(error)
    return Outcome(kind, process_time() - start)


def read(case: Case) -> ChatResponse:
    """The answer, with every view on it that a user may ask for on the way."""
    wire = dragoman.wire(case.wire)
    if case.how.startswith("answer"):
        return wire.read_response(case.payload)
    if case.how == "bytes":
        stream = wire.read_stream(case.payload)
        shown = [event for nth, event in enumerate(stream) if nth < SHOWN]
        repr(shown[-1:])
        return stream.response
    decoder = wire.stream_decoder()
    for name, payload in case.payload:
        decoder.feed(payload, name)
    decoder.snapshot()
    return decoder.finish()


@contextmanager
def watched(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the block once the time is up; where there are no timers, after it."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
