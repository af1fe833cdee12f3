"""Stream and AsyncStream: events for whoever shows an answer while it arrives."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING

from ..errors import ConfigError, ProviderError
from ..message import ChatResponse
from ..pieces import EventView, StreamEvent

if TYPE_CHECKING:
    from .reading import StreamDecoder

__all__ = ["AsyncStream", "Stream"]


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
                hint="iterate over it first; decoder.snapshot() is the answer so far",
                code="stream.unread",
            )
        return self._response

    @property
    def error(self) -> ProviderError | None:
        """What the provider said went wrong, if it did."""
        return self.response.error

    def _fed(self, chunk: bytes) -> list[StreamEvent]:
        view = self._view
        return [event for piece in self.decoder.feed_bytes(chunk) for event in view.feed(piece)]

    def _closed(self) -> list[StreamEvent]:
        last = [event for piece in self.decoder.rest() for event in self._view.feed(piece)]
        self._response = self.decoder.finish()
        return [*last, *self._view.finish(self._response)]


class Stream(_Told):
    """Iterate for events; `response` is the answer behind the last one."""

    def __init__(self, decoder: StreamDecoder, chunks: Iterable[bytes]) -> None:
        super().__init__(decoder)
        self._chunks = chunks

    def __iter__(self) -> Iterator[StreamEvent]:
        for chunk in self._chunks:
            yield from self._fed(chunk)
        yield from self._closed()


class AsyncStream(_Told):
    """The same for `async for`."""

    def __init__(self, decoder: StreamDecoder, chunks: AsyncIterable[bytes]) -> None:
        super().__init__(decoder)
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[StreamEvent]:
        async for chunk in self._chunks:
            for event in self._fed(chunk):
                yield event
        for event in self._closed():
            yield event
