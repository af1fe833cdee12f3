"""A call of an LLM as listeners see it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import replace
from typing import Any, TypeAlias

from ..model.answer import Answer
from ..observe.channel import (
    CHANNEL,
    ObservedOperation,
    Subscription,
    afollow,
    awatch,
    follow,
    watch,
)
from ..observe.events import CallBegin, CallEnd
from ..stream.events import StreamEvent
from .question import Question

# reports that a question is asked; returns None without a listener
Begin: TypeAlias = "Callable[[], ObservedOperation | None]"


def begin_call(
    own: Subscription | None, question: Question, names: tuple[str, ...], *, stream: bool
) -> ObservedOperation | None:
    """Report that an LLM is asked; return None without a listener.

    Args:
        own: The listener of the LLM.
        question: What is asked.
        names: The models that may be asked, the first one first.
        stream: Whether the answer is streamed.
    """
    operation = CHANNEL.begin("call", names[0], own)
    if operation is None:
        return None
    request = question.request if not stream else replace(question.request, stream=True)
    if question.structured is not None:
        request = replace(request, response_format=question.structured.format)
    operation.request = request
    operation.emit(CallBegin(operation, request, names, question.repairs, stream))
    return operation


def ask_observed(
    operation: ObservedOperation, question: Question, ask: Callable[[Question], Answer[Any]]
) -> Answer[Any]:
    """Return the answer of a function that asks the question, and report its end."""
    asked = question._replace(operation=operation)
    return watch(
        operation, lambda: ask(asked), lambda error, answer: CallEnd(operation, error, answer)
    )


async def aask_observed(
    operation: ObservedOperation,
    question: Question,
    ask: Callable[[Question], Awaitable[Answer[Any]]],
) -> Answer[Any]:
    """Return the answer of a coroutine function as `ask_observed` does."""
    asked = question._replace(operation=operation)
    return await awatch(
        operation, lambda: ask(asked), lambda error, answer: CallEnd(operation, error, answer)
    )


def follow_stream(begin: Begin, events: Generator[StreamEvent]) -> Generator[StreamEvent]:
    """Yield the events of a stream, and report its beginning and its end."""
    return follow(begin, events, _end)


def afollow_stream(
    begin: Begin, events: AsyncGenerator[StreamEvent]
) -> AsyncGenerator[StreamEvent]:
    """Yield the events of a stream as `follow_stream` does."""
    return afollow(begin, events, _end)


def _end(
    operation: ObservedOperation, error: BaseException | None, last: StreamEvent | None
) -> CallEnd:
    answer = last.response if last is not None and last.type == "finish" else None
    return CallEnd(operation, error, answer)
