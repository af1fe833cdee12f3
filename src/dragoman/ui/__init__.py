"""Streams for user interfaces: an LLM's or an agent's events as a page's own protocol, and back.

    asked = ui.read_request(await request.json())
    stream = ui.ai_sdk(agent.events(asked.give_to(agent)), request=asked)
    return StreamingResponse(stream.sse(), headers=stream.headers)

`ai_sdk` writes the UI message stream of Vercel's AI SDK, `ag_ui` the events of AG-UI 1.0. Nothing
here touches a socket: the program's web framework sends what is returned.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from secrets import token_hex
from typing import TYPE_CHECKING, Any, overload

from ..losses import Report
from ..suggestions.import_names import listing, refusing
from .ag_ui_writer import HEADERS as AG_UI_HEADERS
from .ag_ui_writer import AGUIWriter
from .ai_sdk_writer import HEADERS, LAST, AISDKWriter
from .errors import describe_error
from .history import write_history
from .reading import read_request
from .request import UIRequest
from .streams import AsyncUIStream, UIStream
from .walk import StreamWriter, Walk

__all__ = [
    "AsyncUIStream",
    "UIRequest",
    "UIStream",
    "ag_ui",
    "ai_sdk",
    "read_request",
    "write_history",
]


@overload
def ai_sdk(
    events: AsyncIterable[Any],
    *,
    request: UIRequest | None = ...,
    message_id: str | None = ...,
    describe: Callable[[BaseException], str] = ...,
) -> AsyncUIStream: ...


@overload
def ai_sdk(
    events: Iterable[Any],
    *,
    request: UIRequest | None = ...,
    message_id: str | None = ...,
    describe: Callable[[BaseException], str] = ...,
) -> UIStream: ...


def ai_sdk(
    events: AsyncIterable[Any] | Iterable[Any],
    *,
    request: UIRequest | None = None,
    message_id: str | None = None,
    describe: Callable[[BaseException], str] = describe_error,
) -> AsyncUIStream | UIStream:
    """Write events as the AI SDK's UI message stream, protocol v1, which `useChat` reads.

    Args:
        events: The events of an LLM's stream, or of an agent's run.
        request: The request that is answered; with it, a message goes on where calls were answered,
            and refused calls are shown as refused.
        message_id: The id of the message; by default that of the request, or the page's choice.
        describe: Describes an error for the page; by default only its kind is sent.

    Returns:
        The stream, for `for` or `async for` as the events are.

    Source: npm `ai` 7.0.173, `uiMessageChunkSchema` (2026-11-29).
    """
    report = Report(target="ai-sdk")
    if message_id is None and request is not None:
        message_id = request.message_id
    writer = AISDKWriter(report, message_id, describe)
    return _stream(events, writer, report, request, HEADERS, LAST)


@overload
def ag_ui(
    events: AsyncIterable[Any],
    *,
    request: UIRequest | None = ...,
    thread_id: str | None = ...,
    run_id: str | None = ...,
    describe: Callable[[BaseException], str] = ...,
) -> AsyncUIStream: ...


@overload
def ag_ui(
    events: Iterable[Any],
    *,
    request: UIRequest | None = ...,
    thread_id: str | None = ...,
    run_id: str | None = ...,
    describe: Callable[[BaseException], str] = ...,
) -> UIStream: ...


def ag_ui(
    events: AsyncIterable[Any] | Iterable[Any],
    *,
    request: UIRequest | None = None,
    thread_id: str | None = None,
    run_id: str | None = None,
    describe: Callable[[BaseException], str] = describe_error,
) -> AsyncUIStream | UIStream:
    """Write events as those of AG-UI 1.0.

    Args:
        events: The events of an LLM's stream, or of an agent's run.
        request: The request that is answered.
        thread_id: The conversation; by default that of the request, or a new one.
        run_id: The run, whose id no other run of the conversation has; by default likewise.
        describe: Describes an error for the page; by default only its kind is sent.

    Returns:
        The stream, for `for` or `async for` as the events are.

    Source: npm `@ag-ui/core` 1.0.0, `EventSchemas`, and `@ag-ui/client` 1.0.0 (2026-11-29).
    """
    report = Report(target="ag-ui")
    thread = thread_id or (request.thread_id if request is not None else "") or token_hex(8)
    run = run_id or (request.run_id if request is not None else "") or token_hex(8)
    writer = AGUIWriter(report, thread, run, describe)
    return _stream(events, writer, report, request, AG_UI_HEADERS, "")


def _stream(
    events: AsyncIterable[Any] | Iterable[Any],
    writer: StreamWriter,
    report: Report,
    request: UIRequest | None,
    headers: dict[str, str],
    last: str,
) -> AsyncUIStream | UIStream:
    walk = Walk(writer, report, request)
    if isinstance(events, AsyncIterable):
        return AsyncUIStream(events, walk, report, {**headers}, last)
    return UIStream(events, walk, report, {**headers}, last)


if not TYPE_CHECKING:  # type checkers report unknown names themselves
    __getattr__, __dir__ = refusing(__name__), listing(globals(), __all__)
