"""Streamed answers on their way to the client; `ConvertedAnswer` converts one of another protocol.

Sans-IO: bytes of the provider in, bytes for the client out. Nothing is sent before a part of the
answer has come: an error until then gets a status of its own, and another target can be called.
"""

from __future__ import annotations

from typing import Protocol

from ...codec.stream import feed_chunk
from ...codec.stream_decoder import StreamDecoder
from ...conversion.stream_converter import StreamConverter
from ...errors import InvalidMessage, ProviderError, ReadError
from ...losses import Loss
from ...message import Written
from ...model.segments import AnswerSegments
from ...stream.builder import Builder
from ...stream.framing import Framing
from ...stream.pieces import Failed, Piece
from ...text.hidden_keys import HiddenKey
from ...text.json_text import Json, JsonObject
from ..bodies import count_signs, too_many_values
from ..config.config_values import Limits
from ..surfaces import Surface
from .beginning import SIGNS_OF_LIFE, Beginning, broken_off, is_alive_only
from .event_writer import EventWriter, is_error_event
from .forward_bytes import answer_too_large, event_too_large
from .off_loop import LARGE, LongEvent, read_left
from .text_fast_path import TextFastPath

_LARGE_ANSWER = 2**20  # bytes of an answer whose last event may be long to write


class RelayStream(Protocol):
    """One streamed answer.

    Attributes:
        failed: The error, if there was one; the stream then reports no success.
        over: Whether the answer is complete, whatever the provider still sends.
        halted: Whether no more chunks are to be fed for now: it is over, or `long` comes first.
        leaves_long: Whether `feed` leaves a chunk that completes a large event, for `read_long` in
            another thread.
        long: That chunk; empty if there is none.
        progress: Grows with each piece that is more than a sign of life.
    """

    failed: ProviderError | None
    over: bool
    halted: bool
    leaves_long: bool
    long: bytes
    progress: int

    @property
    def ends_long(self) -> bool:
        """Whether `finish`, or reading `answer_so_far`, takes long."""

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

    @property
    def paused(self) -> bool:
        """Whether a whole body has come, with a reason after which another may continue it."""

    def feed(self, chunk: bytes) -> bytes:
        """The bytes for the client now.

        Raises:
            ReadError: The provider's bytes cannot be read.
            LossRefused: The answer loses what the policy does not allow to lose.
        """

    def read_long(self) -> bytes:
        """`feed` for the chunk in `long`."""

    def end_body(self, cut: bool = False) -> None:
        """Read what the end of a body completes; afterwards `paused` says if another may follow.

        Args:
            cut: Whether an error ended the body, so that an incomplete event is discarded.
        """

    def following(self) -> NextBody | None:
        """The body that continues a paused one; None if it cannot be asked for."""

    def begin_body(self, data: bytes) -> bytes:
        """The bytes for the client from the first ones of a body that continues another.

        Raises what `feed` raises.
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


class NextBody:
    """The body that continues an answer which its provider has paused.

    Call `begin`, and `take` for what comes, until it wants no more; then `finish`. Until that has
    returned, the call can be repeated.

    Attributes:
        written: The request for this body.
    """

    __slots__ = ("_beginning", "_has_begun", "_held", "_relay", "written")

    def __init__(self, written: Written, relay: ConvertedAnswer) -> None:
        self.written = written
        self._relay = relay
        self.begin()

    def begin(self) -> None:
        """Begin an attempt, without what came in an earlier one."""
        self._beginning = Beginning(self._relay.open_decoder())
        self._held: list[bytes] = []
        self._has_begun = False

    def take(self, chunk: bytes) -> bool:
        """Hold bytes of the provider; returns whether to wait for more of them."""
        if not (chunk.startswith(SIGNS_OF_LIFE) and is_alive_only(chunk)):
            self._relay.progress += 1
        self._held.append(chunk)
        beginning = self._beginning
        self._has_begun = beginning.feed(chunk)
        return not (self._has_begun or beginning.over or beginning.failed is not None)

    def finish(self) -> bytes:
        """The bytes that were held, for `begin_body` of the relay.

        Raises:
            ProviderError: No part of the answer has come.
        """
        beginning = self._beginning
        if not self._has_begun and beginning.failed is None:
            self._has_begun = beginning.finish()
        if not self._has_begun:
            raise beginning.failed or broken_off()
        return b"".join(self._held)


class ConvertedAnswer:
    """A stream of another protocol, converted to the client's."""

    __slots__ = (
        "_answer",
        "_converter",
        "_ended",
        "_held",
        "_hidden",
        "_is_read",
        "_large",
        "_left",
        "_most",
        "_most_values",
        "_open",
        "_segments",
        "_short",
        "_surface",
        "_usual_events",
        "_values",
        "_writer",
        "failed",
        "halted",
        "leaves_long",
        "long",
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
        segments: AnswerSegments | None = None,
    ) -> None:
        self._segments = segments
        if segments is not None:
            converter.follow_pauses(segments.end)
        self._hidden = hidden or HiddenKey("")  # the provider's key, which no answer may quote
        self._surface = surface
        self._converter = converter
        converter.decoder.stops = True
        self._most = limits.event  # bytes of an event
        self._most_values = limits.answer_values
        self._large = min(LARGE, limits.answer_values)  # bytes of an event that is looked at
        self._values = 0  # in the event that has begun, if it is a large one
        self._left = self._answer = limits.answer  # bytes of the whole answer, as its text is kept
        self._writer = EventWriter(framing, surface, asked)
        self._held: list[bytes] = []
        self._open = False  # whether nothing is held back any more
        self._is_read = False  # whether nothing more of this body will come
        self._ended = False
        self._usual_events = 0
        self._short = TextFastPath() if framing == "sse" else None
        self.failed: ProviderError | None = None
        self.over = self.halted = self.leaves_long = False
        self.long = b""
        self.progress = 0

    @property
    def events(self) -> int:
        """How many events have been sent to the client."""
        return self._usual_events + (self._short.events if self._short is not None else 0)

    @property
    def apart(self) -> bytes:
        """Bytes that must be sent last, in a piece of their own."""
        return self._hidden.data(self._writer.apart)

    @property
    def begun(self) -> bool:
        """Whether a part of the answer itself has come."""
        return self._converter.begun

    @property
    def whole(self) -> bool:
        """Whether the provider has given the reason why the answer ended."""
        return self._converter.finished and self._converter.failed is None

    @property
    def paused(self) -> bool:
        """Whether a whole body has come, with a reason after which another may continue it."""
        return self._converter.paused and self._converter.failed is None

    def feed(self, chunk: bytes) -> bytes:
        """The bytes for the client now."""
        if self.over:
            return b""
        self._left -= len(chunk)
        if self._left < 0:
            raise answer_too_large(self._answer)
        short = self._short
        try:
            data = short.feed(chunk, self._usual) if short is not None else self._usual(chunk)[1]
        except LongEvent:
            self._left += len(chunk)
            self.long, self.halted = chunk, True
            return b""
        if not (chunk.startswith(SIGNS_OF_LIFE) and is_alive_only(chunk)):
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
        if converter.decoder.unread + len(chunk) > self._large:
            self._look_at_large(chunk)
        try:
            pieces = feed_chunk(converter.decoder, chunk)
            events = converter.pieces(pieces)
        except RecursionError as error:
            raise _too_deep() from error
        self.failed = converter.failed
        self.over = self.halted = converter.decoder.over or self.failed is not None
        self._usual_events += len(events)
        return pieces, self._writer.encode_events(events)

    def _look_at_large(self, chunk: bytes) -> None:
        """Leave the last chunk of an event that takes long; count the values of a large one."""
        decoder = self._converter.decoder
        size = decoder.unread + len(chunk)
        if self.leaves_long and size > LARGE:
            # nothing is parsed before the line of an event has ended
            in_lines = decoder.framing in ("sse", "ndjson")
            if not in_lines or b"\n" in chunk or b"\r" in chunk:
                raise LongEvent
        if size > self._most_values:
            self._count_values(chunk)

    def read_long(self) -> bytes:
        """`feed` for the chunk in `long`."""
        return read_left(self)

    @property
    def ends_long(self) -> bool:
        """Whether the end of the answer may hold an event that is long to read or to write."""
        is_large = self._answer - self._left > _LARGE_ANSWER  # which a last event may repeat
        return is_large or self._converter.decoder.unread > LARGE

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
            leaves_long, self.leaves_long = self.leaves_long, False
            self._short.settle(self._usual)
            self.leaves_long = leaves_long

    def end_body(self, cut: bool = False) -> None:
        """Read what the end of a body completes."""
        if self._segments is None or self._ended or self._is_read:
            return
        self._settle()
        decoder = self._converter.decoder
        if cut:
            decoder.forget()
        try:
            self._hold(self._converter.pieces(decoder.rest()))
        except RecursionError as error:
            raise _too_deep() from error
        self._is_read = True

    def following(self) -> NextBody | None:
        """The body that continues a paused one; None if it cannot be asked for."""
        converter = self._converter
        if self._segments is None or not self.paused:
            return None
        written = self._segments.following(converter.decoder.snapshot())
        if written is None:
            return None
        converter.begin_segment()
        self.over = self.halted = False
        return NextBody(written, self)

    def begin_body(self, data: bytes) -> bytes:
        """The bytes for the client from the first ones of a body that continues another."""
        self._is_read = False
        held = self.release() if self._open else b""
        leaves_long, self.leaves_long = self.leaves_long, False
        try:
            return held + self.feed(data)
        finally:
            self.leaves_long = leaves_long

    def open_decoder(self) -> StreamDecoder:
        """A decoder for the beginning of a body, which may have to be read again."""
        decoder = self._converter.open_decoder()
        decoder.stops = True
        return decoder

    def _hold(self, events: list[tuple[str | None, Json]]) -> None:
        self._usual_events += len(events)
        if data := self._writer.encode_events(events):
            self._held.append(self._hidden.data(data))

    def finish(self, cut: bool = False) -> bytes:
        """The last bytes for the client."""
        if self._ended:
            return b""
        self._ended = True
        self._settle()
        converter = self._converter
        try:
            rest = [] if cut or self._is_read else converter.pieces(converter.decoder.rest())
            events = [] if cut else rest + converter.settle()
        except RecursionError:
            return self.fail(_too_deep())
        if converter.failed is None and not converter.finished:
            return (
                self.release()
                + self._hidden.data(self._writer.encode_events(events))
                + self.fail(broken_off())
            )
        self.failed = converter.failed
        return self._last(events)

    def fail(self, error: ProviderError) -> bytes:
        """The events that report an error in the middle."""
        self._ended = self.over = self.halted = True
        self._settle()
        events = self._converter.pieces((Failed(self._surface.translate_error(error)),))
        self.failed = self._converter.failed
        return self._last(events)

    def _last(self, events: list[tuple[str | None, Json]]) -> bytes:
        """These events and the last ones; after an error only events that report it."""
        try:
            last = self._converter.end()
            events += last if self.failed is None else [one for one in last if is_error_event(one)]
            data = self._writer.encode_events(events)
        except (RecursionError, InvalidMessage, ReadError):
            # the last events cannot be written: they repeat what is nested too deeply
            if self.failed is None:
                events = self._converter.pieces((Failed(_too_deep()),))
                self.failed = self._converter.failed
            events = [one for one in events if is_error_event(one)][:1]
            data = self._writer.encode_events(events)
        self._usual_events += len(events)
        return self.release() + self._hidden.data(data) + self._writer.rest()

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


def _too_deep() -> ProviderError:
    text = "the provider's answer is nested too deeply"
    return ProviderError(text, status=502, type="api_error", code="json.deep")
