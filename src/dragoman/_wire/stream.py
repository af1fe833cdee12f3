"""Stream and AsyncStream: events for whoever shows an answer while it arrives.

Thin loops over a decoder. What arrives is the bytes of a body, or events that somebody has taken
out of it already: parsed JSON, an official SDK's objects, ServerEvents, (event, payload).
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
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from ..errors import ConfigError, ProviderError, ReadError
from ..message import ChatResponse
from ..pieces import EventView, Piece, StreamEvent

if TYPE_CHECKING:
    from .decoder import StreamDecoder

__all__ = ["AsyncStream", "Events", "Stream", "aiterated", "fed", "iterated"]

_Event = TypeVar("_Event")


def fed(decoder: StreamDecoder, chunk: Any) -> list[Piece]:
    """The pieces of what arrived: bytes of the body, or one event in any form.

    Raises ReadError for text: it may be a body that was decoded in pieces, or one event.
    """
    kind = type(chunk)
    if kind is bytes:
        return decoder.feed_bytes(chunk)
    if kind is dict:
        return decoder.feed(chunk)
    if isinstance(chunk, tuple) and len(chunk) == 2:
        name, payload = chunk
        return decoder.feed(payload, name)
    if isinstance(data := getattr(chunk, "data", None), str) and hasattr(chunk, "event"):
        # a ServerEvent, of ours or of a client; a server that names none means "message"
        return decoder.feed(data, chunk.event if chunk.event != "message" else None)
    if isinstance(chunk, (bytes, bytearray, memoryview)):
        return decoder.feed_bytes(bytes(chunk))
    if isinstance(chunk, str):
        raise ReadError(
            "a stream is bytes or events, not text",
            hint="iter_bytes() of the HTTP client gives bytes; an event may be (name, text)",
            code="stream.text",
        )
    return decoder.feed(chunk)


def iterated(chunks: Iterable[Any]) -> Iterator[Any]:
    """The iterator of a stream. Raises ConfigError for what only `async for` can read."""
    if isinstance(chunks, Iterable) and not isinstance(chunks, (str, bytes, Mapping)):
        return iter(chunks)
    raise ConfigError(
        f"{type(chunks).__name__} is no iterable of chunks",
        hint="aread_stream and parse_stream read what arrives asynchronously",
        code="stream.type",
    )


def aiterated(chunks: AsyncIterable[Any]) -> AsyncIterator[Any]:
    """The iterator of a stream. Raises ConfigError for what `async for` cannot read."""
    if isinstance(chunks, AsyncIterable):
        return aiter(chunks)
    raise ConfigError(
        f"{type(chunks).__name__} is no asynchronous iterable",
        hint="await what a client gives; read_stream and parse_stream_sync read plain iterables",
        code="stream.type",
    )


class _Told:
    """The events of a decoder, and the answer behind the last of them."""

    def __init__(self, decoder: StreamDecoder) -> None:
        self.decoder = decoder
        self._view = EventView(decoder.names)
        self._response: ChatResponse | None = None

    @property
    def response(self) -> ChatResponse:
        """The whole answer. Raises ConfigError before the stream was read to its end."""
        if self._response is None:
            raise ConfigError(
                "the stream was not read to its end",
                hint="iterate over it first; partial is the answer so far",
                code="stream.unread",
            )
        return self._response

    @property
    def partial(self) -> ChatResponse:
        """The answer so far, also when the connection broke or nobody reads on."""
        return self.decoder.snapshot() if self._response is None else self._response

    @property
    def error(self) -> ProviderError | None:
        """What the provider said went wrong, if it did."""
        return self.response.error

    def _fed(self, chunk: Any) -> list[StreamEvent]:
        view = self._view
        return [event for piece in fed(self.decoder, chunk) for event in view.feed(piece)]

    def _closed(self) -> list[StreamEvent]:
        last = [event for piece in self.decoder.rest() for event in self._view.feed(piece)]
        self._response = self.decoder.finish()
        return [*last, *self._view.finish(self._response)]


class Events(Generic[_Event]):
    """Made of chunks one by one, in a loop or more, until its end or `close`."""

    _source: Iterable[Any]
    _chunks: Iterator[Any]
    _events: Generator[_Event]

    def __iter__(self) -> Iterator[_Event]:
        return self._events

    def __next__(self) -> _Event:
        return next(self._events)

    def close(self) -> None:
        """Read no further, and close what it reads from."""
        self._events.close()
        self._left()

    def _left(self) -> None:
        for one in (self._chunks, self._source):
            close = getattr(one, "close", None)
            if close is not None:
                close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


class Stream(_Told, Events[StreamEvent]):
    """Iterate for events; `response` is the answer behind the last one.

    Whoever leaves the loop early may go on later, with another loop. `close`, or the end of a
    `with` block, ends it for good and closes what it reads from; `partial` stays.
    """

    def __init__(self, decoder: StreamDecoder, chunks: Iterable[Any]) -> None:
        super().__init__(decoder)
        self._source = chunks
        self._chunks = iterated(chunks)
        self._events = self._told()

    def _told(self) -> Generator[StreamEvent]:
        try:
            for chunk in self._chunks:
                yield from self._fed(chunk)
        except BaseException:
            self._left()
            raise
        yield from self._closed()


class AsyncStream(_Told):
    """The same for `async for`, `aclose` and `async with`."""

    def __init__(self, decoder: StreamDecoder, chunks: AsyncIterable[Any]) -> None:
        super().__init__(decoder)
        self._source = chunks
        self._chunks = aiterated(chunks)
        self._events = self._told()

    async def _told(self) -> AsyncGenerator[StreamEvent]:
        try:
            async for chunk in self._chunks:
                for event in self._fed(chunk):
                    yield event
        except BaseException:
            await self._left()
            raise
        for event in self._closed():
            yield event

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        return self._events

    async def __anext__(self) -> StreamEvent:
        return await anext(self._events)

    async def aclose(self) -> None:
        """Read no further, and close what it reads from."""
        await self._events.aclose()
        await self._left()

    async def _left(self) -> None:
        for one in (self._chunks, self._source):
            close = getattr(one, "aclose", None) or getattr(one, "close", None)
            closing = close() if close is not None else None
            if isawaitable(closing):
                await closing

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        await self.aclose()
