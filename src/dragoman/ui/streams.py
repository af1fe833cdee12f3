"""Streams for a user interface: what a protocol sends, as objects or as server-sent events."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from inspect import isawaitable
from typing import Any

from ..losses import Losses, Report
from ..losses import policy as policy_of
from ..losses.policies import LossLog
from ..text.json_text import JsonObject, encode_json
from .walk import Chunks, Walk

_log = logging.getLogger("dragoman.ui")
_LOSSES = LossLog()


class _Stream:
    """What both kinds of streams share.

    Attributes:
        headers: The headers of the HTTP response.
        error: The error that ended the stream; None if none did.
    """

    def __init__(self, walk: Walk, report: Report, headers: dict[str, str], last: str) -> None:
        self.headers = headers
        self.error: Exception | None = None
        self._walk, self._report, self._last = walk, report, last

    @property
    def losses(self) -> Losses:
        """What the protocol could not say so far."""
        return self._report.losses

    def _fail(self, error: Exception) -> Chunks:
        """End the stream with an error, which the program finds in `error` and in its log."""
        self.error = error
        _log.error("a stream for a user interface broke off", exc_info=error)
        return self._walk.fail(error)

    def _log_losses(self) -> None:
        if self._report.kinds:
            policy_of("log").judge(self._report, _LOSSES)


class UIStream(_Stream):
    """A stream for a user interface, to iterate over once.

    An error of the model or of the agent is sent to the page, logged, and kept in `error`; it is
    not raised, since the response has begun.

    Args:
        events: The events of an LLM's stream or of an agent's run.
        walk: Makes what is sent of them.
        report: Collects the losses.
        headers: The headers of the HTTP response.
        last: The data of the last server-sent event; empty for none.
    """

    def __init__(
        self, events: Iterable[Any], walk: Walk, report: Report, headers: dict[str, str], last: str
    ) -> None:
        super().__init__(walk, report, headers, last)
        self._source = events

    def __iter__(self) -> Iterator[JsonObject]:
        yield from self._walk.begin()
        events = iter(self._source)
        try:
            for event in events:
                yield from self._walk.feed(event)
        except Exception as error:  # noqa: BLE001 - the page must hear of whatever went wrong
            yield from self._fail(error)
        else:
            yield from self._walk.close()
        finally:
            if (close := getattr(events, "close", None)) is not None:
                close()
        self._log_losses()

    def sse(self) -> Iterator[str]:
        """Return the same as the text of server-sent events.

        Yields:
            One event, with the blank line that ends it.
        """
        for chunk in self:
            yield to_sse(chunk)
        if self._last:
            yield f"data: {self._last}\n\n"


class AsyncUIStream(_Stream):
    """A stream for a user interface, for `async for`; see `UIStream`.

    Args:
        events: The events of an LLM's stream or of an agent's run.
        walk: Makes what is sent of them.
        report: Collects the losses.
        headers: The headers of the HTTP response.
        last: The data of the last server-sent event; empty for none.
    """

    def __init__(
        self,
        events: AsyncIterable[Any],
        walk: Walk,
        report: Report,
        headers: dict[str, str],
        last: str,
    ) -> None:
        super().__init__(walk, report, headers, last)
        self._source = events

    async def __aiter__(self) -> AsyncIterator[JsonObject]:
        for chunk in self._walk.begin():
            yield chunk
        events = aiter(self._source)
        try:
            async for event in events:
                for chunk in self._walk.feed(event):
                    yield chunk
        except Exception as error:  # noqa: BLE001 - the page must hear of whatever went wrong
            for chunk in self._fail(error):
                yield chunk
        else:
            for chunk in self._walk.close():
                yield chunk
        finally:
            closing = getattr(events, "aclose", lambda: None)()
            if isawaitable(closing):
                await closing
        self._log_losses()

    def sse(self) -> AsyncIterator[str]:
        """Return the same as the text of server-sent events: one at a time, with its blank line."""
        return self._lines()

    async def _lines(self) -> AsyncIterator[str]:
        chunks = aiter(self)
        try:
            async for chunk in chunks:
                yield to_sse(chunk)
            if self._last:
                yield f"data: {self._last}\n\n"
        finally:
            await chunks.aclose()  # type: ignore[attr-defined]  # a generator


def to_sse(chunk: JsonObject) -> str:
    """Return one object as a server-sent event, with the blank line that ends it.

    Args:
        chunk: The object.
    """
    return f"data: {encode_json(chunk).decode()}\n\n"
