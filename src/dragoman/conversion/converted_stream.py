"""The stream of an answer as events of another wire, to iterate over."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from functools import partial
from typing import Any

from ..codec.sdk_objects import decode_text
from ..codec.stream import Events, feed_chunk, iterate_chunks
from ..codec.wire import Wire
from ..errors import ConfigError, ProviderError, ReadError
from ..losses import Loss, Policy
from ..message import ChatRequest, ChatResponse
from ..sealed_state import Envelope
from ..stream.framing import ServerEvent
from ..stream.pieces import Raw
from ..text.json_text import Json, arguments
from ..text.redaction import show
from .detection import detect_stream
from .stream_converter import StreamConverter

_SHOWN = 200  # bytes of a body that is no stream, quoted in the error


class ConvertedStream(Events[ServerEvent]):
    """Iterates over `ServerEvent`s; `losses` are those so far, `response` is the answer at the end.

    Iterating raises ReadError, in place of the first event, for what is no stream of the source's
    wire, and LossRefused, in place of the event that would lose it, for what the policy refuses. An
    error of the provider, or that the answer broke off, is an event; `error` holds either. `close`,
    or the end of a `with` block, closes the source.

    Args:
        chunks: Bytes of the body, cut anywhere, or events.
        reader: The wire of the source; None: it is detected by the first events.
        target: The wire of the clients.
        model: The model's name for the clients; None: its own.
        policy: Which losses raise.
        request: What the client asked, as the target's wire read it.
        envelope: Seals the opaque state of the source's provider.
    """

    def __init__(
        self,
        chunks: Iterable[Any],
        reader: Wire | None,
        target: Wire,
        model: str | None,
        policy: Policy,
        request: ChatRequest | None = None,
        envelope: Envelope | None = None,
    ) -> None:
        self._source = chunks
        self._chunks = iterate_chunks(chunks)
        self._reader = reader  # None: detected by the events
        self._policy = policy
        self._loss_log = target.loss_log
        self._convert = partial(
            StreamConverter,
            target=target,
            model=model,
            policy=policy,
            request=request,
            envelope=envelope,
        )
        self._converter: StreamConverter | None = None
        self._ended = False
        self._events = self._iterate()

    @property
    def losses(self) -> list[Loss]:
        """What could not be written so far, and what was added."""
        return self._converter.losses if self._converter is not None else []

    @property
    def response(self) -> ChatResponse:
        """The whole answer, as its own wire was read.

        Raises:
            ConfigError: The last event has not come yet.
        """
        if self._converter is None or not self._ended:
            hint = "iterate over it first"
            raise ConfigError("the stream was not read to its end", hint=hint, code="stream.unread")
        return self._converter.decoder.snapshot()

    @property
    def error(self) -> ProviderError | None:
        """The error among the events: the provider's own, or that the answer broke off."""
        return self._converter.failed if self._converter is not None else None

    def _iterate(self) -> Generator[ServerEvent]:
        try:
            for name, payload in self._convert_events():
                yield ServerEvent(name, payload if isinstance(payload, str) else arguments(payload))
        except BaseException:
            self._close_sources()
            raise

    def _convert_events(self) -> Iterator[tuple[str | None, Json]]:
        wire, chunks = self._reader, self._chunks
        if wire is None:
            wire, chunks = detect_stream(chunks)
        converter = self._converter = self._convert(wire)
        read = False
        received: list[Any] = []  # for the error of what is no stream
        for chunk in chunks:
            if not (read or received):
                received.append(chunk)
            for piece in feed_chunk(converter.decoder, chunk):
                read = read or type(piece) is not Raw
                yield from converter.pieces((piece,))
        last = converter.decoder.rest()
        if not (read or any(type(piece) is not Raw for piece in last)):
            raise _no_stream(wire.name, received)
        yield from converter.pieces(last)
        yield from converter.settle()
        yield from converter.end()
        self._ended = True
        self._policy.judge(converter.encoder.report, self._loss_log)


def _no_stream(wire: str, received: list[Any]) -> ReadError:
    first = received[0] if received else b""
    if isinstance(first, (bytes, bytearray, memoryview)):
        first = decode_text(bytes(first[:_SHOWN]))
    text = f"this is no stream of {wire}: " + ("nothing came" if first == "" else show(first))
    hint = "check the wire, and the status of HTTP before the body is read"
    return ReadError(text, hint=hint, code="stream.shape")
