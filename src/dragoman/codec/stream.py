"""Loops over the events of one answer: `Stream` and `AsyncStream`, and what they read from.

Sans-IO: the caller fetches bytes and events and passes them in as values.
"""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from inspect import isawaitable
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from ..errors import AnswerTooLarge, ConfigError, ProviderError, ReadError, StreamBroken
from ..message import ChatResponse, Usage
from ..stream.builder import SegmentEnd
from ..stream.events import EventView, StreamEvent
from ..stream.pieces import Piece
from .stream_decoder import StreamDecoder

_Event = TypeVar("_Event")


def feed_chunk(decoder: StreamDecoder, chunk: Any) -> list[Piece]:
    """Read what arrived: bytes of the body, or one event in any form.

    Raises ReadError for text, which may be one event or a body that was decoded in pieces.
    """
    kind = type(chunk)
    if kind is bytes:
        return decoder.feed_bytes(chunk)
    if kind is dict:
        return decoder.feed(chunk)
    if kind is SegmentEnd:
        return decoder.begin_segment(chunk)
    if isinstance(chunk, tuple) and len(chunk) == 2:
        name, payload = chunk
        return decoder.feed(payload, name)
    if isinstance(data := getattr(chunk, "data", None), str) and hasattr(chunk, "event"):
        # a ServerEvent, of ours or of a client; one without a name has the event "message"
        return decoder.feed(data, chunk.event if chunk.event != "message" else None)
    if isinstance(chunk, (bytes, bytearray, memoryview)):
        return decoder.feed_bytes(bytes(chunk))
    if isinstance(chunk, str):
        text = "a stream is bytes or events, not text"
        hint = "iter_bytes() of the HTTP client gives bytes; an event may be (name, text)"
        raise ReadError(text, hint=hint, code="stream.text")
    return decoder.feed(chunk)


def iterate_chunks(chunks: Iterable[Any]) -> Iterator[Any]:
    """The iterator of a stream. Raises ConfigError for what only `async for` can read."""
    if isinstance(chunks, Iterable) and not isinstance(chunks, (str, bytes, Mapping)):
        return iter(chunks)
    text = f"{type(chunks).__name__} is no iterable of chunks"
    hint = "aread_stream and parse_stream read what arrives asynchronously"
    raise ConfigError(text, hint=hint, code="stream.type")


def aiterate_chunks(chunks: AsyncIterable[Any]) -> AsyncIterator[Any]:
    """The iterator of a stream. Raises ConfigError for what `async for` cannot read."""
    if isinstance(chunks, AsyncIterable):
        return aiter(chunks)
    text = f"{type(chunks).__name__} is no asynchronous iterable"
    hint = "await what a client gives; read_stream and parse_stream_sync read plain iterables"
    raise ConfigError(text, hint=hint, code="stream.type")


class Judge(Protocol):
    """Checks the answer of a stream at its end, and raises the error if it is not acceptable."""

    may_break: bool  # whether a broken connection may end the stream

    def __call__(self, decoder: StreamDecoder, response: ChatResponse) -> None:
        """Raise the error of an answer that failed, that broke off, or that is no answer."""


class _StreamState:
    """The state that both streams share: the decoder, its events, and the answer at the end."""

    def __init__(self, decoder: StreamDecoder, chunks: object, judge: Judge | None) -> None:
        self.decoder = decoder
        decoder.max_unread = getattr(chunks, "max_event_bytes", None)
        self._judge = judge
        self._view = EventView(decoder.names, decoder.origin)
        self._response: ChatResponse | None = None

    @property
    def response(self) -> ChatResponse:
        """The whole answer.

        Raises:
            ConfigError: The stream has not been read to its end.
        """
        if self._response is None:
            text = "the stream was not read to its end"
            hint = "iterate over it first; partial is the answer so far"
            raise ConfigError(text, hint=hint, code="stream.unread")
        return self._response

    @property
    def partial(self) -> ChatResponse:
        """The answer so far, also after the connection broke or the loop was left."""
        return self.decoder.snapshot() if self._response is None else self._response

    @property
    def usages(self) -> tuple[Usage, ...]:
        """The usage of each body, if the answer came in several."""
        usages = self.decoder.builder.usages
        return tuple(usages) if len(usages) > 1 else ()

    @property
    def error(self) -> ProviderError | None:
        """The error that the provider reported, if any."""
        return self.response.error

    def _feed_view(self, chunk: Any) -> list[StreamEvent]:
        view = self._view
        return [event for piece in feed_chunk(self.decoder, chunk) for event in view.feed(piece)]

    def _close_view(self) -> Iterator[StreamEvent]:
        """The last events; the judge raises before `finish` if the answer is not acceptable."""
        for piece in self.decoder.rest():
            yield from self._view.feed(piece)
        response = self.decoder.finish()
        if self._judge is not None:
            self._judge(self.decoder, response)
        self._response = response
        yield from self._view.finish(response)

    def _may_break(self, error: BaseException) -> bool:
        """Whether the answer is accepted although the connection broke."""
        return isinstance(error, StreamBroken) and self._judge is not None and self._judge.may_break


class Events(Generic[_Event]):
    """Iterates over events built from chunks one by one; several loops may share it."""

    _source: Iterable[Any]
    _chunks: Iterator[Any]
    _events: Generator[_Event]

    def __iter__(self) -> Iterator[_Event]:
        return self._events

    def __next__(self) -> _Event:
        return next(self._events)

    def close(self) -> None:
        """Stop reading, and close the source."""
        self._events.close()
        self._close_sources()

    def _close_sources(self) -> None:
        for resource in (self._chunks, self._source):
            close = getattr(resource, "close", None)
            if close is not None:
                close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Stream(_StreamState, Events[StreamEvent]):
    """The events of one answer, to iterate over; `response` is the answer after the last event.

    A loop that is left early can be continued by another loop. `close`, or the end of a `with`
    block, ends the stream and closes its source; `partial` remains available.

    Args:
        decoder: A fresh decoder for the answer.
        chunks: What arrives: bytes of the body, or events.
        judge: Checks the answer at the end.
    """

    def __init__(
        self, decoder: StreamDecoder, chunks: Iterable[Any], judge: Judge | None = None
    ) -> None:
        super().__init__(decoder, chunks, judge)
        self._source = chunks
        self._chunks = iterate_chunks(chunks)
        self._events = self._iterate()

    def _iterate(self) -> Generator[StreamEvent]:
        try:
            for chunk in self._chunks:
                yield from self._feed_view(chunk)
        except BaseException as error:
            if isinstance(error, AnswerTooLarge):
                self.decoder.forget()
            self._close_sources()
            if not self._may_break(error):
                raise
        yield from self._close_view()


class AsyncStream(_StreamState):
    """The events of one answer, for `async for`; see `Stream`. It closes by `aclose`."""

    def __init__(
        self, decoder: StreamDecoder, chunks: AsyncIterable[Any], judge: Judge | None = None
    ) -> None:
        super().__init__(decoder, chunks, judge)
        self._source = chunks
        self._chunks = aiterate_chunks(chunks)
        self._events = self._iterate()

    async def _iterate(self) -> AsyncGenerator[StreamEvent]:
        try:
            async for chunk in self._chunks:
                for event in self._feed_view(chunk):
                    yield event
        except BaseException as error:
            if isinstance(error, AnswerTooLarge):
                self.decoder.forget()
            await self._close_sources()
            if not self._may_break(error):
                raise
        for event in self._close_view():
            yield event

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        return self._events

    async def __anext__(self) -> StreamEvent:
        return await anext(self._events)

    async def aclose(self) -> None:
        """Stop reading, and close the source."""
        await self._events.aclose()
        await self._close_sources()

    async def _close_sources(self) -> None:
        for resource in (self._chunks, self._source):
            close = getattr(resource, "aclose", None) or getattr(resource, "close", None)
            closing = close() if close is not None else None
            if isawaitable(closing):
                await closing

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
