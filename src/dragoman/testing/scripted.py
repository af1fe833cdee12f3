"""Scripted: a transport that returns the answers of a test, in the protocol of each call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from threading import Lock
from typing import Any, Self

from .._old_names import keeps_old_names
from ..codec.wire import Wire
from ..errors import ConfigError, ConnectionFailed, StreamBroken
from ..message import ChatRequest
from ..transport.call import HttpCall, Reply
from ..transport.timeouts import Timeouts
from ..vendors import Vendor
from .answers import Answer, Rendered, asked_request, asked_wire, render_answer


class SentReply:
    """An answer in pieces, for threads and for event loops; it can be read once."""

    def __init__(self, made: Rendered) -> None:
        self.status = made.status
        self.headers: Mapping[str, str] = made.headers
        self.closed = False
        self._made = made

    @property
    def length(self) -> int:
        """The bytes of the body; of one that breaks off, more than are sent."""
        return sum(map(len, self._made.chunks)) + self._made.broken

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._made.chunks:
            time.sleep(self._made.pause)
            yield self._open(chunk)
        self._end()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._made.chunks:
            await asyncio.sleep(self._made.pause)
            yield self._open(chunk)
        self._end()

    def _open(self, chunk: bytes) -> bytes:
        if self.closed:
            raise StreamBroken("the connection is closed", type="closed")
        return chunk

    def _end(self) -> None:
        if self._made.broken:
            raise StreamBroken("the connection broke", type="broken", hint="the script says so")

    def close(self) -> None:
        """Close it: reading on raises StreamBroken."""
        self.closed = True

    async def aclose(self) -> None:
        """Close it, in an event loop."""
        self.closed = True

    def read(self) -> bytes:
        """Return the whole body. Raises StreamBroken if it breaks off."""
        return b"".join(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncSentReply(SentReply):
    """An answer in pieces, whose `read` is awaited."""

    async def read(self) -> bytes:  # type: ignore[override]  # as the protocol has it
        """Return the whole body. Raises StreamBroken if it breaks off."""
        return b"".join([chunk async for chunk in self])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


@keeps_old_names
class Scripted:
    """A transport, sync and async, that returns given answers, one for each call.

    Args:
        *answers: A text, a Msg, blocks, a ChatResponse, an exception (a ProviderError with a status
            is sent as the wire's own error), a `Fault`, or a function of the ChatRequest that
            returns one. Each is sent on the wire of the call, whole or as a stream.
        wire: The wire; None detects it by the address and the body.
        repeat: Whether the last answer is used for all further calls.

    Attributes:
        requests: The calls so far, as that wire reads them.
        calls: The calls so far, as they came.

    Raises:
        ConfigError: Raised by a call for which no answer is left.
    """

    def __init__(
        self, *answers: Answer, wire: str | Vendor | Wire | None = None, repeat: bool = False
    ) -> None:
        self.requests: list[ChatRequest] = []
        self.calls: list[HttpCall] = []
        self._answers = list(answers)
        self._wire = wire
        self._repeat = repeat
        self._lock = Lock()

    @property
    def remaining(self) -> int:
        """How many answers were not asked for yet."""
        return len(self._answers)

    def send(self, call: HttpCall, timeouts: Timeouts = Timeouts()) -> Reply:
        """Return the next answer, whole.

        Args:
            call: The call.
            timeouts: Not used.

        Returns:
            The answer.
        """
        made = self.answer(call)
        time.sleep(made.pause)
        return _reply(made)

    def stream(self, call: HttpCall, timeouts: Timeouts = Timeouts()) -> SentReply:
        """Return the next answer, in pieces.

        Args:
            call: The call.
            timeouts: Not used.

        Returns:
            The answer.
        """
        return SentReply(self.answer(call))

    def close(self) -> None:
        """Do nothing: no connection is open."""

    async def asend(self, call: HttpCall, timeouts: Timeouts = Timeouts()) -> Reply:
        """Return the next answer, whole.

        Args:
            call: The call.
            timeouts: Not used.

        Returns:
            The answer.
        """
        made = self.answer(call)
        await asyncio.sleep(made.pause)
        return _reply(made)

    async def astream(self, call: HttpCall, timeouts: Timeouts = Timeouts()) -> AsyncSentReply:
        """Return the next answer, in pieces.

        Args:
            call: The call.
            timeouts: Not used.

        Returns:
            The answer.
        """
        return AsyncSentReply(self.answer(call))

    async def aclose(self) -> None:
        """Do nothing: no connection is open."""

    def answer(self, call: HttpCall) -> Rendered:
        """Return the next answer for a call, as bytes.

        Args:
            call: The call.

        Returns:
            The answer.

        Raises:
            ConfigError: No answer is left.
        """
        wire = asked_wire(call, self._wire)
        request = asked_request(call, wire)
        with self._lock:
            self.calls.append(call)
            self.requests.append(request)
            answer: Any = self._next()
        return render_answer(answer, wire, request)

    def _next(self) -> Answer:
        if not self._answers:
            text = f"call {len(self.calls)} finds no answer: the script has none left"
            hint = "give one answer for each call, or repeat=True"
            raise ConfigError(text, hint=hint, code="testing.exhausted")
        last = self._repeat and len(self._answers) == 1
        return self._answers[0] if last else self._answers.pop(0)


def _reply(made: Rendered) -> Reply:
    if made.broken:
        raise ConnectionFailed("the connection broke before the end of the answer", type="broken")
    return Reply(made.status, made.headers, b"".join(made.chunks))
