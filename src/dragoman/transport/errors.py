"""Faults of a connection as typed errors.

A fault is told by the host that was called and the reason; never by headers or a query.
"""

from __future__ import annotations

from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from ..errors import AnswerTooLarge, ConnectionFailed, ProviderError, StreamBroken, Timeout
from ..text.redaction import clip_text

Stage: TypeAlias = Literal["connect", "answer", "body"]


def read_host(url: str) -> str:
    """The host and port of a URL, for the text of an error."""
    return urlsplit(url).netloc.rpartition("@")[2] or "the server"


def find_reason(error: BaseException) -> str:
    """What a library says of a fault, or of the fault below it, in one line."""
    below: BaseException | None = error
    while below is not None:
        if text := str(below).strip():
            return clip_text(text.splitlines()[0], 200)
        below = below.__cause__ or below.__context__
    return type(error).__name__


def timed_out(url: str, stage: Stage, seconds: float | None, total: bool = False) -> ProviderError:
    """No connection, no answer or no further piece of one in time."""
    host = read_host(url)
    within = f" within {seconds:g} seconds" if seconds is not None else " in time"
    if total:
        kind, text = "total_timeout", f"{host} did not finish its answer{within}"
    elif stage == "connect":
        kind, text = "connect_timeout", f"no connection to {host}{within}"
    else:
        kind, text = "read_timeout", f"{host} sent nothing{within}"
    made = StreamBroken if stage == "body" else Timeout
    return made(text, type=kind, hint="allow more time in `timeout`")


def build_broken_error(url: str, stage: Stage, reason: str) -> ProviderError:
    """No connection, or one that broke."""
    host = read_host(url)
    if stage == "body":
        return StreamBroken(f"{host} broke off its answer: {reason}", type="connection")
    what = "cannot connect to" if stage == "connect" else "no answer from"
    hint = "check base_url, the network and the proxy" if stage == "connect" else ""
    return ConnectionFailed(f"{what} {host}: {reason}", type="connection", hint=hint)


def build_closed_error(url: str) -> ProviderError:
    """The stream was closed by the program while it was read."""
    text = f"the answer of {read_host(url)} was closed while it was read"
    return StreamBroken(text, type="connection_closed")


def too_large(host: str, most: int) -> AnswerTooLarge:
    """A body of more bytes, unpacked, than the caller takes."""
    text = f"the answer of {host} is larger than {most} bytes"
    return AnswerTooLarge(text, type="answer_too_large", hint="raise max_answer_bytes")


def whole(error: ProviderError) -> ProviderError:
    """The fault of a stream as that of a whole answer, of which nobody has seen anything."""
    if not isinstance(error, StreamBroken):
        return error
    kind = Timeout if error.kind == "timeout" else ConnectionFailed
    return kind(error.message, type=error.type, hint=error.hint)
