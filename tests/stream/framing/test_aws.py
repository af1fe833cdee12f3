"""AWS event streams, beside the frame reader of botocore."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from random import Random
from typing import Any

import pytest

from dragoman.errors import ReadError
from dragoman.stream.framing import Decoder
from tests.laws.encoding import frame

EVENT = {":message-type": "event", ":content-type": "application/json"}


def named(kind: str, payload: Any) -> bytes:
    return frame({":event-type": kind, **EVENT}, json.dumps(payload).encode())


def events(body: bytes, by: int | None = None) -> list[tuple[str | None, str]]:
    decoder = Decoder("aws-eventstream")
    step = by or max(len(body), 1)
    found = [e for at in range(0, len(body), step) for e in decoder.feed(body[at : at + step])]
    return [(one.event, one.data) for one in [*found, *decoder.flush()]]


BODY = b"".join([
    named("messageStart", {"role": "assistant"}),
    named("contentBlockDelta", {"delta": {"text": "北京"}, "contentBlockIndex": 0}),
    named("messageStop", {"stopReason": "end_turn"}),
])  # fmt: skip


@pytest.mark.parametrize("by", [None, 1, 7, 12, 100])
def test_frames_are_events_with_names(by: int | None) -> None:
    assert [(name, json.loads(data)) for name, data in events(BODY, by)] == [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"delta": {"text": "北京"}, "contentBlockIndex": 0}),
        ("messageStop", {"stopReason": "end_turn"}),
    ]


def test_botocore_reads_the_same() -> None:
    eventstream = pytest.importorskip("botocore.eventstream")
    rng = Random(1)
    for _ in range(50):
        told = [(rng.choice(("a", "messageStop", "é")), rng.randbytes(rng.randrange(400)))
                for _ in range(rng.randrange(1, 6))]  # fmt: skip
        body = b"".join(frame({":event-type": name.encode().decode(), "x": "y" * rng.randrange(99)},
                              json.dumps(data.hex()).encode()) for name, data in told
                        if name.isascii())  # fmt: skip
        buffer = eventstream.EventStreamBuffer()
        buffer.add_data(body)
        theirs = [(one.headers[":event-type"], one.payload.decode()) for one in buffer]
        assert events(body, rng.randrange(1, 60)) == theirs


def test_headers_of_every_type_are_passed() -> None:
    eventstream = pytest.importorskip("botocore.eventstream")
    head = b"".join([
        b"\x01a\x00", b"\x01b\x01", b"\x01c\x02\x07", b"\x01d\x03\x00\x07",
        b"\x01e\x04" + b"\x00" * 4,
        b"\x01f\x05" + b"\x00" * 8, b"\x01g\x06\x00\x03xyz", b"\x01h\x08" + b"\x00" * 8,
        b"\x01i\x09" + b"\x00" * 16, b"\x0b:event-type\x07\x00\x04stop",
    ])  # fmt: skip
    body = raw(head, b"{}")
    buffer = eventstream.EventStreamBuffer()
    buffer.add_data(body)
    (theirs,) = list(buffer)
    assert theirs.headers[":event-type"] == "stop"
    assert events(body) == [("stop", "{}")]


def raw(head: bytes, payload: bytes) -> bytes:
    """A frame with the headers as bytes."""
    lengths = struct.pack("!II", 16 + len(head) + len(payload), len(head))
    start = lengths + struct.pack("!I", zlib.crc32(lengths)) + head + payload
    return start + struct.pack("!I", zlib.crc32(start))


def test_exceptions_are_named() -> None:
    body = frame({":exception-type": "throttlingException", ":message-type": "exception"}, b"{}")
    headers = {":error-code": "InternalFailure", ":error-message": "no", ":message-type": "error"}
    body += frame(headers, b"")
    (first, second) = events(body)
    assert first == ("throttlingException", "{}")
    assert (second[0], json.loads(second[1])["message"]) == ("InternalFailure", "no")


def test_the_wrapping_of_invoke_model_is_taken_off() -> None:
    inner = '{"type": "ping", "t": "北"}'
    chunk = {"bytes": base64.b64encode(inner.encode()).decode(), "p": "abc"}
    assert events(named("chunk", chunk)) == [(None, inner)]
    assert events(named("chunk", {"other": 1})) == [(None, '{"other": 1}')]
    with pytest.raises(ReadError) as caught:
        events(named("chunk", {"bytes": "?"}))
    assert caught.value.code == "frame.chunk"


@pytest.mark.parametrize(
    ("at", "code"), [(0, "frame.prelude"), (9, "frame.prelude"), (20, "frame.checksum"),
                     (-6, "frame.checksum"), (-1, "frame.checksum")],
)  # fmt: skip
def test_a_broken_frame_is_refused_as_botocore_does(at: int, code: str) -> None:
    eventstream = pytest.importorskip("botocore.eventstream")
    body = bytearray(named("messageStart", {"role": "assistant"}))
    body[at] ^= 0x55
    with pytest.raises(ReadError) as caught:
        events(bytes(body))
    assert caught.value.code == code
    buffer = eventstream.EventStreamBuffer()
    buffer.add_data(bytes(body))
    with pytest.raises(eventstream.ParserError):
        list(buffer)


def test_broken_headers_are_refused() -> None:
    for head in (b"\x05ab", b"\x01a\x63", b"\x01a"):
        with pytest.raises(ReadError) as caught:
            events(raw(head, b"{}"))
        assert caught.value.code == "frame.headers"


@pytest.mark.parametrize("by", [1, 50, 10_000])
def test_events_before_a_broken_frame_are_given_first(by: int) -> None:
    body = BODY[:-1] + b"?"
    decoder = Decoder("aws-eventstream")
    found = []
    with pytest.raises(ReadError):  # noqa: PT012 - in which of them is what the cuts decide
        for at in range(0, len(body), by):
            found += decoder.feed(body[at : at + by])
        decoder.flush()
    assert [one.event for one in found] == ["messageStart", "contentBlockDelta"]
    with pytest.raises(ReadError):
        decoder.feed(BODY)
    assert decoder.flush() == [], "who was told may ask for the rest"


def test_half_a_frame_says_nothing() -> None:
    decoder = Decoder("aws-eventstream")
    first = decoder.feed(BODY[:-10])
    assert [one.event for one in first] == ["messageStart", "contentBlockDelta"]
    assert decoder.flush() == [], "half a frame says nothing"


@pytest.mark.parametrize("body", [b'{"message": "denied"}', b"<html>502</html>"])
@pytest.mark.parametrize("by", [1, 5, 100])
def test_an_error_that_is_no_frame_is_one_event(body: bytes, by: int) -> None:
    decoder = Decoder("aws-eventstream")
    found = [e for at in range(0, len(body), by) for e in decoder.feed(body[at : at + by])]
    assert [(one.event, one.data) for one in [*found, *decoder.flush()]] == [(None, body.decode())]
