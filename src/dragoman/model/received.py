"""Reads and checks what came from a provider: an answer, or the error for what is not one.

It is between the endpoint, which has bytes, and the callers, which want an answer. `message.ending`
decides how an answer ended; here its errors get the host, the status and the beginning of the body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..codec.stream_decoder import StreamDecoder
from ..codec.wire import Wire
from ..errors import NoAnswer, ProviderError, ReadError
from ..message import ChatResponse, Usage, Written
from ..message.ending import classify_ending, find_failure, no_answer
from ..retry_after.headers import told_by_headers
from ..text.json_text import loads
from ..transport.call import Reply
from ..transport.errors import read_host

_SHOWN = 300  # bytes of a body that an error shows
_PAGES = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class Received:
    """A whole answer.

    Attributes:
        raw: Its body, parsed; None for one that came as events.
        response: The answer.
        usages: The usage of each body, if there are several; `raw` is then the list of them.
    """

    raw: Any
    response: ChatResponse
    usages: tuple[Usage, ...] = ()


def check_status(
    status: int, headers: Mapping[str, str], url: str, body: bytes = b""
) -> NoAnswer | None:
    """Return the error for a status below 400 without an answer: a redirect, or no content.

    Another attempt would get the same, so none is made; another model may be asked.
    """
    if 200 <= status < 300 and status not in (204, 205):
        return None
    to = headers.get("location", "")
    why = f"is a redirect to {read_host(to)}" if to and status >= 300 else "holds none"
    hint = "check base_url: the key is sent nowhere else"
    error = no_answer(why, read_host(url), status, _text(body), hint)
    error.should_retry = False
    return error


def is_page(headers: Mapping[str, str]) -> bool:
    """Return whether the headers announce a web page, or no content."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in _PAGES or headers.get("content-length", "").strip() == "0"


def page(url: str, status: int, body: bytes) -> NoAnswer:
    """Build the error for a web page, or for nothing, instead of a stream."""
    why = "is no stream" if body.strip() else "is empty"
    return no_answer(why, read_host(url), status, _text(body))


def read_reply(
    wire: Wire, out: Written, reply: Reply, url: str = "", allow_partial: bool = False
) -> Received:
    """Read the answer of a whole reply, one JSON body or the events of a stream.

    Args:
        wire: The wire that was asked.
        out: What was sent.
        reply: The reply, with a status that is not an error's.
        url: The address that was asked, for the text of errors.
        allow_partial: Whether an answer that broke off is accepted.

    Returns:
        The answer with the body that it was read from.

    Raises:
        NoAnswer: The reply is not an answer, or has neither content nor a reason for its end.
        StreamBroken: Its events have no end; `response` is what came.
        ProviderError: The provider reports an error, whatever the status is.
    """
    body = reply.body
    if (redirect := check_status(reply.status, reply.headers, url, _bytes(body))) is not None:
        raise redirect
    raw = _parse_body(body)
    try:
        if isinstance(raw, (bytes, str)) and not raw.strip():
            raise no_answer("is empty", _host(url), reply.status)
        response = wire.read_response(raw, request=out)
    except ReadError as error:
        why = "cannot be read as one" if isinstance(raw, (bytes, str)) else "is none of this wire"
        raise no_answer(why, _host(url), reply.status, _text(_bytes(body))) from error
    except ProviderError as error:
        error.status = error.status or reply.status
        raise told_by_headers(error, reply.headers) from error.__cause__
    if find_failure(response) is not None:  # then an error names the host and what came
        judge(response, _host(url), reply.status, _bytes(body), allow_partial)
    return Received(None if isinstance(raw, (bytes, str)) else raw, response)


def _host(url: str) -> str:
    return read_host(url) if url else ""


def judge(
    response: ChatResponse, host: str, status: int | None, received: bytes, allow_partial: bool
) -> None:
    """Raise the error for a response that is not an answer, broke off (unless allowed) or failed.

    What the provider itself reports as an error is raised in either case.
    """
    failure = find_failure(response, host, status, _text(received))
    if failure is None or (allow_partial and classify_ending(response) != "failed"):
        return
    raise failure


@dataclass(slots=True)
class StreamJudge:
    """Checks a stream at its end, as `judge` does a whole answer.

    Attributes:
        url: Returns the address that was asked; only called for an error.
        status: Returns the HTTP status; only called for an error.
        may_break: Whether a broken connection counts as the end.
        report: Is called with the answer, or with None and the error, if there is a listener.
    """

    url: Callable[[], str]
    status: Callable[[], int | None]
    may_break: bool = False
    report: Callable[..., None] | None = None

    def __call__(self, decoder: StreamDecoder, response: ChatResponse) -> None:
        """Raise the error for a stream that is not an answer, broke off or failed.

        A response that cannot be read at all is not a partial answer, but for example a web page.
        """
        if self.report is None:
            self._judge(decoder, response)
            return
        try:
            self._judge(decoder, response)
        except ProviderError as error:
            self.report(None, error)
            raise
        usages = decoder.builder.usages
        self.report(response, None, None, tuple(usages) if len(usages) > 1 else ())

    def _judge(self, decoder: StreamDecoder, response: ChatResponse) -> None:
        if find_failure(response) is None:
            return
        host, received = read_host(self.url()), decoder.begun_with
        if decoder.builder.unread and response.error is None:
            why = "is no stream of this wire" if received.strip() else "is empty"
            error = no_answer(why, host, self.status(), _text(received))
            error.response = response
            raise error
        judge(response, host, self.status(), received, self.may_break)


def _parse_body(body: Any) -> Any:
    """Return the JSON of a body; bytes that are not JSON, and what an SDK has parsed, unchanged."""
    if not isinstance(body, (bytes, str)):
        return body
    try:
        return loads(body)
    except ReadError:
        return body


def _bytes(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "replace")
    return body if isinstance(body, bytes) else b""


def _text(body: bytes) -> str:
    return body[:_SHOWN].decode("utf-8", "replace")
