"""The bytes of a stream, cut at random, and the answer that is read from the pieces."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import dragoman
from dragoman.message import ChatResponse

__all__ = ["by_bytes", "by_events", "cut"]


def by_events(wire: str, events: Sequence[tuple[str | None, Any]]) -> ChatResponse:
    """The answer of the events, fed one by one."""
    decoder = dragoman.wire(wire).stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def by_bytes(wire: str, chunks: Sequence[bytes], framing: Any) -> ChatResponse:
    """The answer of the chunks of a body in a framing."""
    decoder = dragoman.wire(wire).stream_decoder()
    decoder.framing = framing
    for chunk in chunks:
        decoder.feed_bytes(chunk)
    return decoder.finish()


def cut(body: bytes, rng: Random) -> list[bytes]:
    """The body in pieces: cut at random places, few or many of them."""
    most = min(len(body) - 1, rng.choice((1, 2, 3, 10, 30, 100)))
    places = sorted(rng.sample(range(1, len(body)), most))
    return [body[a:b] for a, b in zip([0, *places], [*places, len(body)], strict=True)]
