"""The stream of an LLM: typed events as they arrive, and the answer of `ask` at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from dataclasses import replace
from typing import Any, Generic, Self, TypeVar

from ..codec.stream import AsyncStream, Stream
from ..errors import ConfigError, LossRefused, ProviderError, StreamError, WriteError
from ..message import ChatResponse, Written
from ..model.answer import Answer
from ..model.chat_model import AsyncChunks, Chunks
from ..observe.channel import CHANNEL, ObservedOperation
from ..stream.events import FinishEvent, StreamEvent
from ..suggestions.import_names import OF_STREAMS, explains_attributes
from .ask_loop import FrontDoor
from .fallbacks import has_no_key
from .question import Question
from .targets import ModelTarget

T = TypeVar("T")
_Chunks = TypeVar("_Chunks", Chunks, AsyncChunks)
_SILENT = frozenset({"text-start", "thinking-start", "refusal-start"})  # events without content


@explains_attributes(OF_STREAMS)
class _Streamed(Generic[T]):
    """One answer that is being streamed, from the first of the models that begins to answer."""

    def __init__(self, door: FrontDoor, question: Question) -> None:
        self._question = question
        self._fallbacks = door.fallbacks(question)
        self._counts = door.counts
        self._stream: Any = None  # Stream or AsyncStream, once a model is asked
        self._answer: Answer[T] | None = None

    def _begin(self, door: FrontDoor) -> Callable[[], ObservedOperation | None]:
        def begin() -> ObservedOperation | None:
            operation = door.observe(self._question, stream=True)
            self._question = self._question._replace(operation=operation)
            return operation

        return begin

    @property
    def response(self) -> Answer[T]:
        """The whole answer.

        Raises:
            ConfigError: The stream was not read to its end.
        """
        if self._answer is None:
            text = "the stream was not read to its end"
            hint = "iterate over it first; partial is the answer so far"
            raise ConfigError(text, hint=hint, code="stream.unread")
        return self._answer

    @property
    def partial(self) -> ChatResponse | None:
        """The answer so far; None before anything has arrived."""
        if self._answer is not None:
            return self._answer
        return None if self._stream is None else self._stream.partial

    @property
    def parsed_so_far(self) -> Any:
        """The value of a structured answer so far, as plain JSON that is not checked."""
        partial, structured = self.partial, self._question.structured
        if partial is None or structured is None:
            return None
        return structured.partial(partial)

    def _writes(self, target: ModelTarget) -> tuple[ModelTarget, Written]:
        """Write the request for the first model, from this one on, for which it can be written."""
        question = self._question
        request = replace(question.request, stream=True)
        while True:
            try:
                return target, target.write(request, question.structured, question.way)
            except (WriteError, LossRefused) as error:
                target = self._fallbacks.after(target, error)

    def _send(self, kind: type[_Chunks], target: ModelTarget, out: Written) -> _Chunks:
        """Return the chunks of the answer, which are sent for when they are read."""
        question = self._question
        return kind(target.model, out, question.allow_partial, question.follow_pauses)

    def _after(
        self, error: ProviderError | ConfigError, target: ModelTarget, out: Written
    ) -> ModelTarget:
        """Return the model to ask next, after one whose answer the program has seen nothing of."""
        if isinstance(error, ProviderError):
            error = self._attach_partial(error, target, out)
        elif not has_no_key(error):
            raise error
        following = self._fallbacks.after(target, error)
        self._stream = None
        return following

    def _attach_partial(
        self, error: ProviderError, target: ModelTarget, out: Written
    ) -> ProviderError:
        """Return the error with the part of the answer that had arrived."""
        if self._stream is not None and error.response is None:
            partial = self._stream.partial
            # a request for the rest of an answer may fail with an error that is not a StreamError
            if isinstance(error, StreamError) or any(c.msg.blocks for c in partial.candidates):
                error.response = partial
        return target.place_error(error, out)

    def _ends(self, event: FinishEvent, target: ModelTarget, out: Written) -> FinishEvent:
        """Return the last event, with the answer as `ask` returns it."""
        target.formatter.name_answer(event.response, out)
        self._answer = target.answer(
            out, event.response, self._question.request, self._question.structured
        )
        self._answer.usages = self._stream.usages
        return FinishEvent("finish", self._answer)


class AnswerStream(_Streamed[T]):
    """The events of an answer: iterate for them; `response` is the answer after the last one.

    The request is sent when the first event is asked for. The end of a `with` block, and `close`
    from any thread, close the connection; `partial` stays available. Iteration raises the errors of
    `ask`, and StreamBroken if the connection breaks, with the answer so far in its `response`.

    Args:
        door: The settings of the LLM.
        question: What is asked.
    """

    def __init__(self, door: FrontDoor, question: Question) -> None:
        super().__init__(door, question)
        self._chunks: Any = None
        self._events = self._iterate()
        if CHANNEL.on:
            from .observed import follow_stream

            self._events = follow_stream(self._begin(door), self._events)

    def __iter__(self) -> Iterator[StreamEvent]:
        try:
            yield from self._events
        finally:  # leaving the loop closes the connection
            self.close()

    @property
    def text(self) -> Iterator[str]:
        """The text of the first candidate, in pieces as they arrive."""
        return (e.text for e in self if e.type == "text-delta" and e.key[0] == 0)

    def _iterate(self) -> Generator[StreamEvent]:
        target = self._fallbacks.first
        while True:
            target, out = self._writes(target)
            self._chunks = self._send(Chunks, target, out)
            seen = False  # whether the program has seen a part of this answer
            held: list[StreamEvent] = []  # events without content so far
            try:
                self._chunks.open()
                stream: Stream = self._chunks.events()
                self._stream = stream
                try:
                    for event in stream:
                        made = event if event.type != "finish" else self._ends(event, target, out)
                        if not seen:
                            held.append(made)
                            if made.type in _SILENT:
                                continue
                            seen = True
                            yield from held
                        else:
                            yield made
                finally:
                    stream.close()
            except (ConfigError, ProviderError) as error:
                if seen:
                    if isinstance(error, ProviderError):
                        self._fallbacks.end(target, self._attach_partial(error, target, out))
                    raise
                target = self._after(error, target, out)
            else:
                return

    def close(self) -> None:
        """Close the connection; what had arrived stays in `partial`."""
        if self._chunks is not None:
            self._chunks.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncAnswerStream(_Streamed[T]):
    """The events of an answer, for `async for`; it has `aclose` and `async with`.

    Args:
        door: The settings of the LLM.
        question: What is asked.
    """

    def __init__(self, door: FrontDoor, question: Question) -> None:
        super().__init__(door, question)
        self._chunks: Any = None
        self._events = self._iterate()
        if CHANNEL.on:
            from .observed import afollow_stream

            self._events = afollow_stream(self._begin(door), self._events)

    def __await__(self) -> Generator[None, None, Self]:
        """Return the stream itself: some clients' streams are awaited first."""
        yield from ()
        return self

    async def __aiter__(self) -> AsyncIterator[StreamEvent]:
        try:
            async for event in self._events:
                yield event
        finally:  # leaving the loop closes the connection
            await self.aclose()

    @property
    async def text(self) -> AsyncGenerator[str]:
        """The text of the first candidate, in pieces as they arrive."""
        async for event in self:
            if event.type == "text-delta" and event.key[0] == 0:
                yield event.text

    async def _iterate(self) -> AsyncGenerator[StreamEvent]:
        target = self._fallbacks.first
        await target.fetch_ahead(self._question.request)
        while True:
            # a token counter may use the network while the request is written
            writes = self._writes
            wrote = await asyncio.to_thread(writes, target) if self._counts else writes(target)
            target, out = wrote
            self._chunks = self._send(AsyncChunks, target, out)
            seen = False  # whether the program has seen a part of this answer
            held: list[StreamEvent] = []  # events without content so far
            try:
                await self._chunks.open()
                stream: AsyncStream = self._chunks.events()
                self._stream = stream
                try:
                    async for event in stream:
                        made = event if event.type != "finish" else self._ends(event, target, out)
                        if not seen:
                            held.append(made)
                            if made.type in _SILENT:
                                continue
                            seen = True
                            for one in held:
                                yield one
                        else:
                            yield made
                finally:
                    await stream.aclose()
            except (ConfigError, ProviderError) as error:
                if seen:
                    if isinstance(error, ProviderError):
                        self._fallbacks.end(target, self._attach_partial(error, target, out))
                    raise
                target = self._after(error, target, out)
            else:
                return

    async def aclose(self) -> None:
        """Close the connection; what had arrived stays in `partial`."""
        if self._chunks is not None:
            await self._chunks.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
