"""Streamed answers on their way to the client: converted, or passed on unchanged.

Sans-IO: bytes of the provider in, bytes for the client out. Nothing is sent before a part of the
answer has come: an error until then gets a status of its own, and another target can be called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...codec.stream import feed_chunk
from ...codec.stream_decoder import StreamDecoder
from ...conversion.stream_converter import StreamConverter
from ...errors import InvalidMessage, ProviderError, ReadError, StreamBroken
from ...losses import Loss
from ...stream.builder import Builder
from ...stream.framing import Framing
from ...stream.pieces import End, Failed, Part, Piece, Raw
from ...text.hidden_keys import HiddenKey
from ...text.json_text import Json, JsonObject, encode_json
from ..bodies import count_signs, too_many_values
from ..config.values import Limits
from ..surfaces import Surface
from .passing import Passing, answer_too_large, event_too_large
from .text_fast_path import TextFastPath

_HELD = 2**20  # the most bytes that are held back until a part of the answer comes


class RelayStream(Protocol):
    """One streamed answer.

    Attributes:
        failed: The error, if there was one; the stream then reports no success.
        over: Whether the answer is complete, whatever the provider still sends.
        progress: Grows with each piece that is more than a sign of life.
    """

    failed: ProviderError | None
    over: bool
    progress: int

    @property
    def events(self) -> int:
        """How many events have been sent to the client."""

    @property
    def apart(self) -> bytes:
        """Bytes that must be sent last, in a piece of their own."""

    @property
    def begun(self) -> bool:
        """Whether a part of the answer itself has come."""

    @property
    def whole(self) -> bool:
        """Whether the provider has given the reason why the answer ended: nothing is missing."""

    def feed(self, chunk: bytes) -> bytes:
        """The bytes for the client now.

        Raises:
            ReadError: The provider's bytes cannot be read.
            LossRefused: The answer loses what the policy does not allow to lose.
        """

    def finish(self, cut: bool = False) -> bytes:
        """The last bytes for the client, once; an error event if the provider broke off.

        Args:
            cut: Whether an error ended the stream, so that an incomplete event is discarded.
        """

    def fail(self, error: ProviderError) -> bytes:
        """The events that report an error in the middle. A tool call in progress stays open."""

    def release(self) -> bytes:
        """The bytes that are held back, for a caller that waits no longer for the answer."""

    @property
    def answer_so_far(self) -> Builder:
        """What the provider has sent so far: usage, model, finish reasons."""

    @property
    def losses(self) -> list[Loss]:
        """The losses of converting the answer."""


def _broken_off() -> ProviderError:
    text = "the provider's answer broke off before its end"
    return StreamBroken(text, type="connection_closed", hint="ask again")


def _too_deep() -> ProviderError:
    text = "the provider's answer is nested too deeply"
    return ProviderError(text, status=502, type="api_error", code="json.deep")


class Framed:
    """Writes events in one framing.

    Attributes:
        apart: Bytes that must be sent in a piece of their own, after all others.
        begun: Whether the JSON array has elements already, of this writer or of another.
    """

    __slots__ = ("_asked", "_surface", "apart", "begun", "framing")

    def __init__(self, framing: Framing, surface: Surface, asked: JsonObject | None = None) -> None:
        self.framing = framing
        self._asked = asked  # the client's request, for protocols whose answers repeat parts of it
        self.apart = b""
        self.begun = False
        self._surface = surface

    def encode_events(self, events: list[tuple[str | None, Json]]) -> bytes:
        """The bytes of these events."""
        if self.framing == "json-array":
            return b"".join([self._element(payload) for _, payload in events])
        if self.framing == "ndjson":
            return b"".join([encode_json(payload) + b"\n" for _, payload in events])
        parts: list[bytes] = []
        for name, told in events:
            payload = self._complete_event(name, told)
            if name is None and type(payload) is dict and self._surface.stands_alone(payload):
                self.apart = encode_json(payload)
                continue
            if name is not None:
                parts += (b"event: ", name.encode(), b"\n")
            text = payload.encode() if type(payload) is str else encode_json(payload)
            parts += (b"data: ", text, b"\n\n")
        return b"".join(parts)

    def _complete_event(self, name: str | None, payload: Json) -> Json:
        if self._asked is None or name not in self._surface.heads:
            return payload
        return self._surface.completed_event(payload, self._asked)

    def _element(self, payload: Json) -> bytes:
        begun, self.begun = self.begun, True
        return (b",\r\n" if begun else b"[") + encode_json(payload)

    def rest(self) -> bytes:
        """The bytes after the last event: the end of a JSON array."""
        if self.framing != "json-array":
            return b""
        return b"]" if self.begun else b"[]"


class ConvertedAnswer:
    """A stream of another protocol, converted to the client's."""

    __slots__ = (
        "_answer",
        "_converter",
        "_ended",
        "_framed",
        "_held",
        "_hidden",
        "_left",
        "_most",
        "_most_values",
        "_open",
        "_short",
        "_surface",
        "_usual_events",
        "_values",
        "failed",
        "over",
        "progress",
    )

    def __init__(
        self,
        converter: StreamConverter,
        framing: Framing,
        surface: Surface,
        limits: Limits,
        asked: JsonObject | None = None,
        hidden: HiddenKey | None = None,
    ) -> None:
        self._hidden = hidden or HiddenKey("")  # the provider's key, which no answer may quote
        self._surface = surface
        self._converter = converter
        converter.decoder.stops = True
        self._most = limits.event  # bytes of an event
        self._most_values = limits.answer_values
        self._values = 0  # in the event that has begun, if it is a large one
        self._left = self._answer = limits.answer  # bytes of the whole answer, as its text is kept
        self._framed = Framed(framing, surface, asked)
        self._held: list[bytes] = []
        self._open = False  # whether nothing is held back any more
        self._ended = False
        self._usual_events = 0
        self._short = TextFastPath(self._usual) if framing == "sse" else None
        self.failed: ProviderError | None = None
        self.over = False
        self.progress = 0

    @property
    def events(self) -> int:
        """How many events have been sent to the client."""
        return self._usual_events + (self._short.events if self._short is not None else 0)

    @property
    def apart(self) -> bytes:
        """Bytes that must be sent last, in a piece of their own."""
        return self._hidden.data(self._framed.apart)

    @property
    def begun(self) -> bool:
        """Whether a part of the answer itself has come."""
        return self._converter.begun

    @property
    def whole(self) -> bool:
        """Whether the provider has given the reason why the answer ended."""
        return self._converter.finished and self._converter.failed is None

    def feed(self, chunk: bytes) -> bytes:
        """The bytes for the client now."""
        if self.over:
            return b""
        self._left -= len(chunk)
        if self._left < 0:
            raise answer_too_large(self._answer)
        short = self._short
        data = short.feed(chunk) if short is not None else self._usual(chunk)[1]
        if not (chunk.startswith(_SIGNS_OF_LIFE) and _alive_only(chunk)):
            self.progress += 1
        if not data:
            if self._converter.decoder.unread > self._most:
                raise event_too_large(self._most)
            return b""
        if self._hidden:
            data = self._hidden.data(data)
        if self._open:
            return data
        self._held.append(data)
        converter = self._converter
        return self.release() if converter.begun or converter.finished else b""

    def _usual(self, chunk: bytes) -> tuple[list[Piece], bytes]:
        """The pieces of a chunk, and the bytes for the client."""
        converter = self._converter
        if converter.decoder.unread + len(chunk) > self._most_values:
            self._count_values(chunk)
        try:
            pieces = feed_chunk(converter.decoder, chunk)
            events = converter.pieces(pieces)
        except RecursionError as error:
            raise _too_deep() from error
        self.failed = converter.failed
        self.over = converter.decoder.over or self.failed is not None
        self._usual_events += len(events)
        return pieces, self._framed.encode_events(events)

    def _count_values(self, chunk: bytes) -> None:
        """Raise ReadError for an event with more values than an answer may have.

        An event of fewer bytes cannot have them, so counting begins with the chunk that makes it
        larger. Signs in texts count, too: an event that is mostly text has one of them in a word.
        """
        if not self._converter.decoder.unread:
            self._values = 0
        self._values += count_signs(chunk)
        if self._values > self._most_values:
            raise too_many_values(self._most_values)

    def _settle(self) -> None:
        """Let the converter see the texts that took the fast path."""
        if self._short is not None:
            self._short.settle()

    def finish(self, cut: bool = False) -> bytes:
        """The last bytes for the client."""
        if self._ended:
            return b""
        self._ended = True
        self._settle()
        converter = self._converter
        try:
            events = [] if cut else converter.pieces(converter.decoder.rest()) + converter.settle()
        except RecursionError:
            return self.fail(_too_deep())
        if converter.failed is None and not converter.finished:
            return (
                self.release()
                + self._hidden.data(self._framed.encode_events(events))
                + self.fail(_broken_off())
            )
        self.failed = converter.failed
        return self._last(events)

    def fail(self, error: ProviderError) -> bytes:
        """The events that report an error in the middle."""
        self._ended = self.over = True
        self._settle()
        events = self._converter.pieces((Failed(self._surface.translate_error(error)),))
        self.failed = self._converter.failed
        return self._last(events)

    def _last(self, events: list[tuple[str | None, Json]]) -> bytes:
        """These events and the last ones; after an error only events that report it."""
        try:
            last = self._converter.end()
            events += last if self.failed is None else [one for one in last if _tells_error(one)]
            data = self._framed.encode_events(events)
        except (RecursionError, InvalidMessage, ReadError):
            # the last events cannot be written: they repeat what is nested too deeply
            if self.failed is None:
                events = self._converter.pieces((Failed(_too_deep()),))
                self.failed = self._converter.failed
            events = [one for one in events if _tells_error(one)][:1]
            data = self._framed.encode_events(events)
        self._usual_events += len(events)
        return self.release() + self._hidden.data(data) + self._framed.rest()

    def release(self) -> bytes:
        """The bytes that are held back."""
        self._open = True
        held = b"".join(self._held)
        self._held.clear()
        return held

    @property
    def answer_so_far(self) -> Builder:
        """What the provider has sent so far."""
        return self._converter.decoder.builder

    @property
    def losses(self) -> list[Loss]:
        """The losses of converting the answer."""
        return self._converter.losses


class PassedAnswer:
    """A stream of the client's own protocol, passed on event by event.

    Until a part of the answer comes, the events are also read: so an error is found before anything
    has been sent.
    """

    __slots__ = (
        "_ended",
        "_framed",
        "_held",
        "_model",
        "_opening",
        "_passing",
        "_size",
        "_surface",
        "failed",
        "over",
        "progress",
    )

    def __init__(
        self,
        surface: Surface,
        framing: Framing,
        most: int,
        model: str | None = None,
        candidates: int = 1,
        hidden: HiddenKey | None = None,
        marking: Callable[[bytes], bytes] | None = None,
    ) -> None:
        self._surface = surface
        self._model = model  # the model's name for the client, if it is not the provider's
        self._framed = Framed(framing, surface)
        self._passing = Passing(surface, framing, most, candidates, hidden, marking)
        self._held: list[bytes] = []
        self._size = 0  # bytes that are held back
        self._opening: StreamDecoder | None = self._decoder()
        self._ended = False
        self.failed: ProviderError | None = None
        self.over = False
        self.progress = 0

    @property
    def events(self) -> int:
        """How many events have been passed on."""
        return self._passing.events

    @property
    def apart(self) -> bytes:
        """Bytes that must be sent last, in a piece of their own."""
        return self._framed.apart

    @property
    def begun(self) -> bool:
        """Whether a part of the answer itself has been passed on."""
        return self._opening is None

    @property
    def whole(self) -> bool:
        """Whether the event with the reason why the answer ended has been passed on."""
        return self._passing.ended

    def feed(self, chunk: bytes) -> bytes:
        """The bytes for the client now."""
        if self.over:
            return b""
        if not (chunk.startswith(_SIGNS_OF_LIFE) and _alive_only(chunk)):
            self.progress += 1
        data = self._passing.feed(chunk)
        self.over = self._passing.over
        if self._opening is None or not data:
            return data
        self._held.append(data)
        self._size += len(data)
        if self._size > _HELD:  # signs of life, or events that the protocol does not know
            self._opening = None
            return self.release()
        for piece in self._opening.feed_bytes(data):
            if type(piece) is Failed:
                self.failed, self.over = piece.error, True
                return b""
            if type(piece) in _OPENING and not _is_noise(piece):
                self._opening = None
                return self.release()
        return b""

    def finish(self, cut: bool = False) -> bytes:
        """The last bytes for the client."""
        if self._ended:
            return b""
        self._ended = True
        rest = b"" if cut else self._passing.rest()
        if not self._passing.ended:
            return self.fail(_broken_off())
        self.failed = self._read_error()
        if self.failed is None:
            self._opening = None  # a stream that ends at once is an answer, too
            rest = self._close_framing(rest)
        return self.release() + rest

    def _close_framing(self, rest: bytes) -> bytes:
        """The end of a complete answer, with the last event if the provider left it out."""
        if self._framed.framing == "json-array":
            return rest if self._passing.over else b"]"
        if self._framed.framing == "ndjson":
            return rest
        if rest and not rest.endswith((b"\n\n", b"\r\n\r\n")):
            # clients drop an event that nothing closes
            rest += b"\n" if rest.endswith(b"\n") else b"\n\n"
        return rest if self._passing.over else rest + self._surface.closing

    def fail(self, error: ProviderError) -> bytes:
        """The events that report the error; an incomplete event is discarded."""
        self.failed = error
        self._ended = self.over = True
        self._framed.begun = self._passing.events > 0
        encoder = self._surface.wire.stream_encoder()
        events = [*encoder.feed(Failed(self._surface.translate_error(error))), *encoder.finish()]
        told = [one for one in events if _tells_error(one)]
        return self.release() + self._framed.encode_events(told) + self._framed.rest()

    def release(self) -> bytes:
        """The bytes that are held back."""
        held = b"".join(self._held)
        self._held.clear()
        return held if self._model is None else self._surface.rename_model(held, self._model)

    @property
    def answer_so_far(self) -> Builder:
        """What the provider has sent so far, by the events that report usage."""
        return self._passing.read_usage(self._surface.wire)

    @property
    def losses(self) -> list[Loss]:
        """No losses: nothing was converted."""
        return []

    def _decoder(self) -> StreamDecoder:
        decoder = self._surface.wire.stream_decoder()
        decoder.framing = self._framed.framing
        return decoder

    def _read_error(self) -> ProviderError | None:
        """The error with which the provider has ended the stream."""
        last = self._passing.last
        if b"rror" not in last and b"failed" not in last:
            return None
        pieces = self._decoder().feed_bytes(last)
        return next((piece.error for piece in pieces if type(piece) is Failed), None)


# pieces that are more than the name of an answer; a Raw one may hold anything
_OPENING = frozenset({Part, End, Raw})


def _is_noise(piece: Piece) -> bool:
    """Whether an event means nothing: it is neither JSON nor a word of the protocol."""
    return type(piece) is Raw and isinstance(piece.payload, str)


def _tells_error(event: tuple[str | None, Json]) -> bool:
    name, payload = event
    if name is None:
        return isinstance(payload, dict) and "error" in payload
    return name in ("error", "response.failed")


_SIGNS_OF_LIFE = (b":", b"event: ping")


def _alive_only(data: bytes) -> bool:
    """Whether bytes are signs of life alone: comments, or pings."""
    if data[:1] == b":":
        return b"data:" not in data
    if not data.startswith(b"event: ping"):
        return False
    return data.count(b"event:") == data.count(b"event: ping")
