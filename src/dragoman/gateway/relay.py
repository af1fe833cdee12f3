"""Answers on their way to the client as they stream: converted, or passing untouched.

Sans-IO: bytes of the provider in, bytes for the client out. Nothing goes out before something of
the answer has come, so that an error until then is one with a status, and another provider can be
asked.
"""

from __future__ import annotations

from typing import Protocol

from .._core.convert import StreamConverter
from .._core.exchange.stream import feed_chunk
from .._core.exchange.wire import Wire
from .._core.jsontext import Json, encoded
from .._core.stream.pieces import Failed, Piece
from ..errors import ProviderError, StreamBroken
from ..losses import Loss
from ..message import Usage
from ..sse import Encoder, Framing
from .short_way import ShortWay
from .splice import Passing
from .surface import Surface


class AnswerStream(Protocol):
    """One streamed answer. `failed`: what went wrong, if something did; no success follows it."""

    failed: ProviderError | None
    progress: int  # grows with what is more than a sign of life

    @property
    def events(self) -> int:
        """How many have gone out."""

    @property
    def apart(self) -> bytes:
        """What is sent last, by itself."""

    @property
    def begun(self) -> bool:
        """Whether something of the answer itself has come."""

    def feed(self, chunk: bytes) -> bytes:
        """What goes to the client now. Raises ReadError, LossRefused."""

    def finish(self) -> bytes:
        """What stands at the end, once; an error's event if the provider broke off."""

    def fail(self, error: ProviderError) -> bytes:
        """The events that tell of an error in the middle. A call that was open stays open."""

    def release(self) -> bytes:
        """What is held back until something of the answer comes: for whoever waits no longer."""

    @property
    def usage(self) -> Usage:
        """How much was used, as far as it was told."""

    @property
    def losses(self) -> list[Loss]:
        """What the answer lost on its way."""


def _broken_off() -> ProviderError:
    text = "the provider's answer broke off before its end"
    return StreamBroken(text, type="connection_closed", hint="ask again")


class Framed:
    """Events as bytes of one framing. `apart` is what must be sent by itself, behind all others."""

    __slots__ = ("_array", "_surface", "apart", "framing")

    def __init__(self, framing: Framing, surface: Surface) -> None:
        self.framing = framing
        self.apart = b""
        self._surface = surface
        self._array = Encoder(framing) if framing == "json-array" else None

    def bytes_of(self, events: list[tuple[str | None, Json]]) -> bytes:
        """The bytes of these events."""
        if self._array is not None:
            return b"".join([self._array.feed(event) for event in events])
        if self.framing == "ndjson":
            return b"".join([encoded(payload) + b"\n" for _, payload in events])
        parts: list[bytes] = []
        for name, payload in events:
            if name is None and type(payload) is dict and self._surface.stands_alone(payload):
                self.apart = encoded(payload)
                continue
            if name is not None:
                parts += (b"event: ", name.encode(), b"\n")
            text = payload.encode() if type(payload) is str else encoded(payload)
            parts += (b"data: ", text, b"\n\n")
        return b"".join(parts)

    def rest(self) -> bytes:
        """What stands behind the last event."""
        return self._array.finish() if self._array is not None else b""


class ConvertedAnswer:
    """A stream of another protocol, written in the client's."""

    __slots__ = (
        "_converter",
        "_ended",
        "_framed",
        "_held",
        "_open",
        "_short",
        "_usual_events",
        "failed",
        "progress",
    )

    def __init__(self, converter: StreamConverter, framing: Framing, surface: Surface) -> None:
        self._converter = converter
        self._framed = Framed(framing, surface)
        self._held: list[bytes] = []
        self._open = False  # nothing is held back any more
        self._ended = False
        self._usual_events = 0
        self._short = ShortWay(self._usual) if framing == "sse" else None
        self.failed: ProviderError | None = None
        self.progress = 0

    @property
    def events(self) -> int:
        """How many went out."""
        return self._usual_events + (self._short.events if self._short is not None else 0)

    @property
    def apart(self) -> bytes:
        """What is sent last, by itself."""
        return self._framed.apart

    @property
    def begun(self) -> bool:
        """Whether something of the answer itself has come."""
        return self._converter.begun

    def feed(self, chunk: bytes) -> bytes:
        """What goes to the client now."""
        short = self._short
        data = short.feed(chunk) if short is not None else self._usual(chunk)[1]
        if not data:
            return b""
        self.progress += 1
        if self._open:
            return data
        self._held.append(data)
        converter = self._converter
        return self.release() if converter.begun or converter.finished else b""

    def _usual(self, chunk: bytes) -> tuple[list[Piece], bytes]:
        """The pieces of a chunk, and the client's bytes of them."""
        converter = self._converter
        pieces = feed_chunk(converter.decoder, chunk)
        events = converter.pieces(pieces)
        self.failed = converter.failed
        self._usual_events += len(events)
        return pieces, self._framed.bytes_of(events)

    def _settle(self) -> None:
        """Let the converter know of what took the short way."""
        if self._short is not None:
            self._short.settle()

    def finish(self) -> bytes:
        """What stands at the end."""
        if self._ended:
            return b""
        self._ended = True
        self._settle()
        converter = self._converter
        events = converter.pieces(converter.decoder.rest())
        if converter.failed is None and not converter.finished:
            return self.release() + self._framed.bytes_of(events) + self.fail(_broken_off())
        self.failed = converter.failed
        events += converter.end()
        self._usual_events += len(events)
        return self.release() + self._framed.bytes_of(events) + self._framed.rest()

    def fail(self, error: ProviderError) -> bytes:
        """The events that tell of an error in the middle."""
        self._ended = True
        self._settle()
        events = self._converter.fail(error)
        self.failed = self._converter.failed
        return self.release() + self._framed.bytes_of(events) + self._framed.rest()

    def release(self) -> bytes:
        """What is held back."""
        self._open = True
        held = b"".join(self._held)
        self._held.clear()
        return held

    @property
    def usage(self) -> Usage:
        """How much was used, as far as it was told."""
        return self._converter.decoder.usage

    @property
    def losses(self) -> list[Loss]:
        """What the answer lost on its way."""
        return self._converter.losses


class PassedAnswer:
    """A stream of the client's own protocol, event by event as it came."""

    __slots__ = (
        "_ended",
        "_framed",
        "_held",
        "_open",
        "_passing",
        "_surface",
        "failed",
        "progress",
    )

    def __init__(self, surface: Surface, framing: Framing, most: int) -> None:
        self._surface = surface
        self._framed = Framed(framing, surface)
        self._passing = Passing(surface, framing, most)
        self._held: list[bytes] = []
        self._open = False
        self._ended = False
        self.failed: ProviderError | None = None
        self.progress = 0

    @property
    def events(self) -> int:
        """How many have passed."""
        return self._passing.events

    @property
    def apart(self) -> bytes:
        """What is sent last, by itself."""
        return self._framed.apart

    @property
    def begun(self) -> bool:
        """Whether something that is no error has passed."""
        return self._open

    def feed(self, chunk: bytes) -> bytes:
        """What goes to the client now."""
        data = self._passing.feed(chunk)
        if not data:
            return b""
        if _alive_only(data):
            return data if self._open else b""
        self.progress += 1
        if self._open:
            return data
        self._held.append(data)
        self.failed = self._told(data)
        return b"" if self.failed is not None else self.release()

    def finish(self) -> bytes:
        """What stands at the end."""
        if self._ended:
            return b""
        self._ended = True
        rest = self._passing.rest()
        if self._passing.ended:
            return self.release() + rest
        return self.fail(_broken_off())

    def fail(self, error: ProviderError) -> bytes:
        """The error's events; the half of an event that came is left out."""
        self.failed = error
        self._ended = True
        encoder = self._surface.wire.stream_encoder()
        events = [*encoder.feed(Failed(error)), *encoder.finish()]
        told = [one for one in events if _tells_error(one)]
        return self.release() + self._framed.bytes_of(told)

    def release(self) -> bytes:
        """What is held back."""
        self._open = True
        held = b"".join(self._held)
        self._held.clear()
        return held

    @property
    def usage(self) -> Usage:
        """How much was used, as far as it was told."""
        return self._passing.usage(self._surface.wire)

    @property
    def losses(self) -> list[Loss]:
        """None: nothing was written anew."""
        return []

    def _told(self, data: bytes) -> ProviderError | None:
        """The error that the first event of all may be."""
        if b"rror" not in data:
            return None
        wire: Wire = self._surface.wire
        decoder = wire.stream_decoder()
        decoder.framing = self._framed.framing
        pieces = [*decoder.feed_bytes(data)]
        return next((piece.error for piece in pieces if type(piece) is Failed), None)


def _tells_error(event: tuple[str | None, Json]) -> bool:
    name, payload = event
    if name is None:
        return isinstance(payload, dict) and "error" in payload
    return name in ("error", "response.failed")


def _alive_only(data: bytes) -> bool:
    """Whether these events say nothing but that the provider is there: a comment, or a ping."""
    if data[:1] == b":":
        return b"data:" not in data
    return data.startswith(b"event: ping") and data.count(b"\n\n") == 1
