"""Streamed answers of the client's own protocol, which are passed on event by event."""

from __future__ import annotations

from collections.abc import Callable

from ...codec.stream_decoder import StreamDecoder
from ...errors import ProviderError
from ...losses import Loss
from ...stream.builder import Builder
from ...stream.framing import Framing
from ...stream.pieces import Failed
from ...text.hidden_keys import HiddenKey
from ..surfaces import Surface
from .beginning import SIGNS_OF_LIFE, Beginning, broken_off, is_alive_only
from .event_writer import EventWriter, is_error_event
from .forward_bytes import Passing
from .off_loop import LARGE, LongEvent, read_left


class PassedAnswer:
    """A stream of the client's own protocol, passed on event by event.

    Until a part of the answer comes, the events are also read: so an error is found before anything
    has been sent.
    """

    __slots__ = (
        "_ended",
        "_held",
        "_model",
        "_opening",
        "_passing",
        "_surface",
        "_writer",
        "failed",
        "halted",
        "long",
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
        self._writer = EventWriter(framing, surface)
        self._passing = Passing(surface, framing, most, candidates, hidden, marking)
        self._held: list[bytes] = []
        self._opening: Beginning | None = Beginning(self._decoder())
        self._ended = False
        self.failed: ProviderError | None = None
        self.over = self.halted = False
        self.long = b""
        self.progress = 0

    @property
    def leaves_long(self) -> bool:
        """Whether `feed` leaves long events to `read_long`."""
        return self._passing.leaves_long

    @leaves_long.setter
    def leaves_long(self, value: bool) -> None:
        self._passing.leaves_long = value

    @property
    def ends_long(self) -> bool:
        """Whether the last event, or the one that reports usage, is a large one."""
        return max(self._passing.held_size, self._passing.usage_size) > LARGE

    @property
    def events(self) -> int:
        """How many events have been passed on."""
        return self._passing.events

    @property
    def apart(self) -> bytes:
        """Bytes that must be sent last, in a piece of their own."""
        return self._writer.apart

    @property
    def begun(self) -> bool:
        """Whether a part of the answer itself has been passed on."""
        return self._opening is None

    @property
    def whole(self) -> bool:
        """Whether the event with the reason why the answer ended has been passed on."""
        return self._passing.ended

    @property
    def paused(self) -> bool:
        """False: the client continues a paused answer itself."""
        return False

    def feed(self, chunk: bytes) -> bytes:
        """The bytes for the client now."""
        if self.over:
            return b""
        if not (chunk.startswith(SIGNS_OF_LIFE) and is_alive_only(chunk)):
            self.progress += 1
        try:
            data = self._passing.feed(chunk)
        except LongEvent:
            self.long, self.halted = chunk, True
            return b""
        self.over = self.halted = self._passing.over
        if self._opening is None or not data:
            return data
        self._held.append(data)
        if self._opening.feed(data):
            self._opening = None
            return self.release()
        if self._opening.failed is not None:
            self.failed, self.over, self.halted = self._opening.failed, True, True
        return b""

    def read_long(self) -> bytes:
        """`feed` for the chunk in `long`."""
        return read_left(self)

    def end_body(self, cut: bool = False) -> None:
        """Nothing is done: the client gets all of it."""

    def following(self) -> None:
        """None: the client continues a paused answer itself."""

    begin_body = feed

    def finish(self, cut: bool = False) -> bytes:
        """The last bytes for the client."""
        if self._ended:
            return b""
        self._ended = True
        rest = b"" if cut else self._passing.rest()
        if not self._passing.ended:
            return self.fail(broken_off())
        self.failed = self._read_error()
        if self.failed is None:
            self._opening = None  # a stream that ends at once is an answer, too
            rest = self._close_framing(rest)
        return self.release() + rest

    def _close_framing(self, rest: bytes) -> bytes:
        """The end of a complete answer, with the last event if the provider left it out."""
        if self._writer.framing == "json-array":
            return rest if self._passing.over else b"]"
        if self._writer.framing == "ndjson":
            return rest
        if rest and not rest.endswith((b"\n\n", b"\r\n\r\n")):
            # clients drop an event that nothing closes
            rest += b"\n" if rest.endswith(b"\n") else b"\n\n"
        return rest if self._passing.over else rest + self._surface.closing

    def fail(self, error: ProviderError) -> bytes:
        """The events that report the error; an incomplete event is discarded."""
        self.failed = error
        self._ended = self.over = True
        self._writer.begun = self._passing.events > 0
        encoder = self._surface.wire.stream_encoder()
        events = [*encoder.feed(Failed(self._surface.translate_error(error))), *encoder.finish()]
        reports = [one for one in events if is_error_event(one)]
        return self.release() + self._writer.encode_events(reports) + self._writer.rest()

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
        decoder.framing = self._writer.framing
        return decoder

    def _read_error(self) -> ProviderError | None:
        """The error with which the provider has ended the stream."""
        last = self._passing.last
        if b"rror" not in last and b"failed" not in last:
            return None
        pieces = self._decoder().feed_bytes(last)
        return next((piece.error for piece in pieces if type(piece) is Failed), None)
