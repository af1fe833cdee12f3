"""The time to decode grows with the bytes, however they are cut: steps are counted, not seconds."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.stream.framing import Decoder
from tests.laws.encoding import frame
from tests.laws.test_linear import work


def fed(framing: Any, body: bytes, step: int) -> int:
    """Lines of ours that run; each joins or copies what it holds once."""

    def run() -> None:
        decoder = Decoder(framing)
        for at in range(0, len(body), step):
            decoder.feed(body[at : at + step])
        decoder.flush()

    return work(run)


@pytest.mark.parametrize("framing", ["sse", "ndjson", "json-array", "aws-eventstream"])
@pytest.mark.parametrize("step", [3, 1000])
def test_many_events(framing: Any, step: int) -> None:
    one = {"sse": b"data: {}\n\n", "ndjson": b"{}\n", "json-array": b"{},",
           "aws-eventstream": frame({":event-type": "x"}, b"{}")}[framing]  # fmt: skip
    start = b"[" * (framing == "json-array")
    small, large = start + one * 200, start + one * 800
    assert fed(framing, large, step) / fed(framing, small, step) < 5


@pytest.mark.parametrize("framing", ["sse", "ndjson", "json-array", "aws-eventstream"])
def test_one_long_event_in_small_pieces(framing: Any) -> None:
    steps = [fed(framing, one_event(framing, size), 10) for size in (2000, 8000)]
    assert steps[1] / steps[0] < 5


def one_event(framing: str, size: int) -> bytes:
    text = b'{"a": "' + b"x" * size + b'"}'
    return {
        "sse": b"data: " + text + b"\n\n",
        "ndjson": text + b"\n",
        "json-array": b"[" + text + b"]",
        "aws-eventstream": frame({":event-type": "x"}, text),
    }[framing]


@pytest.mark.parametrize("framing", ["sse", "ndjson", "json-array", "aws-eventstream"])
def test_held_bytes_are_joined_once(framing: Any) -> None:
    """Lines do not see how much a line copies: of a long event no byte may be copied again."""
    body = one_event(framing, 200_000)
    decoder = Decoder(framing)
    held = []
    for at in range(0, len(body), 100):
        decoder.feed(body[at : at + 100])
        frames: Any = decoder._frames
        lines = getattr(frames, "_lines", frames)
        pieces = getattr(lines, "_open", None) or getattr(lines, "_pieces", [])
        held.append(max((len(piece) for piece in pieces), default=0))
    assert max(held[:-2]) <= 400, "pieces are kept as they came until the event is whole"
