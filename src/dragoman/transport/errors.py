"""Faults of a connection as typed errors.

Their text names the host that was called and the reason, but never headers or a query.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from ..errors import AnswerTooLarge, ConnectionFailed, ProviderError, StreamBroken, Timeout
from ..text.redaction import clip_text

_LOCAL = re.compile(r"localhost\Z|127\.|::1\Z|0\.0\.0\.0\Z|host\.docker\.internal\Z")
_CHECK = "check base_url, the network and the proxy"

Stage: TypeAlias = Literal["connect", "answer", "body"]


def read_host(url: str) -> str:
    """The host and port of a URL, for the text of an error."""
    return urlsplit(url).netloc.rpartition("@")[2] or "the server"


def find_reason(error: BaseException) -> str:
    """The reason that a library gives for a fault, or for its cause, in one line."""
    below: BaseException | None = error
    while below is not None:
        if text := str(below).strip():
            return clip_text(text.splitlines()[0], 200)
        below = below.__cause__ or below.__context__
    return type(error).__name__


def timed_out(url: str, stage: Stage, seconds: float | None, total: bool = False) -> ProviderError:
    """The error for a connection, an answer, or a further piece of it that took too long."""
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
    """The error for a connection that failed or broke."""
    host = read_host(url)
    if stage == "body":
        return StreamBroken(f"{host} broke off its answer: {reason}", type="connection")
    what = "cannot connect to" if stage == "connect" else "no answer from"
    hint = ""
    if stage == "connect":
        near = _LOCAL.match(urlsplit(url).hostname or "")
        hint = "is the server running? or give base_url" if near else _CHECK
    return ConnectionFailed(f"{what} {host}: {reason}", type="connection", hint=hint)


def build_closed_error(url: str) -> ProviderError:
    """The error for a stream that the program closed while it was read."""
    text = f"the answer of {read_host(url)} was closed while it was read"
    return StreamBroken(text, type="connection_closed")


def too_large(host: str, most: int) -> AnswerTooLarge:
    """The error for a body with more unpacked bytes than the caller allows."""
    text = f"the answer of {host} is larger than {most} bytes"
    return AnswerTooLarge(text, type="answer_too_large", hint="raise max_answer_bytes")


def whole(error: ProviderError) -> ProviderError:
    """Turn the fault of a stream into that of a whole answer, none of which the caller has seen."""
    if not isinstance(error, StreamBroken):
        return error
    kind = Timeout if error.kind == "timeout" else ConnectionFailed
    return kind(error.message, type=error.type, hint=error.hint)
