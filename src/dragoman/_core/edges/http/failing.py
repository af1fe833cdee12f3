"""Faults of a connection as typed errors, and what an answer's headers say of an error.

A fault is told by the host that was called and the reason; never by headers or a query. Reference
for headers: OpenAI's and Anthropic's official SDKs (`retry-after-ms`, `x-should-retry`), Groq's and
OpenAI's docs on rate limits (`x-ratelimit-reset-...`), RFC 9110 (`retry-after`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, TypeAlias, TypeVar
from urllib.parse import urlsplit

from ....errors import AnswerTooLarge, ConnectionFailed, ProviderError, StreamBroken, Timeout
from ...redaction import clipped

_Error = TypeVar("_Error", bound=ProviderError)
Stage: TypeAlias = Literal["connect", "answer", "body"]

_REQUEST_IDS = ("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id",
                "x-dashscope-request-id", "x-ds-trace-id", "cf-ray")  # fmt: skip
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_LONGEST = 366 * 86400.0


def host_of(url: str) -> str:
    """The host and port of a URL, for the text of an error."""
    return urlsplit(url).netloc.rpartition("@")[2] or "the server"


def reason_of(error: BaseException) -> str:
    """What a library says of a fault, or of the fault below it, in one line."""
    below: BaseException | None = error
    while below is not None:
        if text := str(below).strip():
            return clipped(text.splitlines()[0], 200)
        below = below.__cause__ or below.__context__
    return type(error).__name__


def timed_out(url: str, stage: Stage, seconds: float | None, total: bool = False) -> ProviderError:
    """No connection, no answer or no further piece of one in time."""
    host = host_of(url)
    within = f" within {seconds:g} seconds" if seconds is not None else " in time"
    if total:
        kind, text = "total_timeout", f"{host} did not finish its answer{within}"
    elif stage == "connect":
        kind, text = "connect_timeout", f"no connection to {host}{within}"
    else:
        kind, text = "read_timeout", f"{host} sent nothing{within}"
    made = StreamBroken if stage == "body" else Timeout
    return made(text, type=kind, hint="allow more time in `timeout`")


def broken(url: str, stage: Stage, reason: str) -> ProviderError:
    """No connection, or one that broke."""
    host = host_of(url)
    if stage == "body":
        return StreamBroken(f"{host} broke off its answer: {reason}", type="connection")
    what = "cannot connect to" if stage == "connect" else "no answer from"
    hint = "check base_url, the network and the proxy" if stage == "connect" else ""
    return ConnectionFailed(f"{what} {host}: {reason}", type="connection", hint=hint)


def closed(url: str) -> ProviderError:
    """The stream was closed by the program while it was read."""
    text = f"the answer of {host_of(url)} was closed while it was read"
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


def told_by_headers(error: _Error, headers: Mapping[str, str]) -> _Error:
    """The error with what the headers say: the id of the request, and whether and when to retry."""
    if not error.request_id:
        found = (headers[name] for name in _REQUEST_IDS if headers.get(name))
        error.request_id = clipped(next(found, ""), 100)
    delay = retry_delay(headers)
    error.retry_after = error.retry_after if delay is None else delay
    said = headers.get("x-should-retry", "").lower()
    error.should_retry = {"true": True, "false": False}.get(said)
    return error


def retry_delay(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a server asks to wait, None if it does not say.

    >>> retry_delay({"retry-after": "2"}), retry_delay({"retry-after-ms": "250"})
    (2.0, 0.25)
    >>> retry_delay({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2.5s"})
    62.5
    """
    if (delay := _number(headers.get("retry-after-ms", ""))) is not None:
        return delay / 1000
    text = headers.get("retry-after", "").strip()
    if (delay := _number(text)) is not None:
        return delay
    if (delay := _until(text, now)) is not None:
        return delay
    waits = [
        _duration(headers.get(f"x-ratelimit-reset-{what}", ""))
        for what in ("requests", "tokens")
        if headers.get(f"x-ratelimit-remaining-{what}") == "0"
    ]
    return max((wait for wait in waits if wait is not None), default=None)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= _LONGEST else None


def _until(text: str, now: datetime | None) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return min(max(0.0, (date - (now or datetime.now(UTC))).total_seconds()), _LONGEST)


def _duration(text: str) -> float | None:
    match = _DURATION.fullmatch(text) if text else None
    if match is None:
        return _number(text)
    hours, minutes, seconds, millis = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds + millis / 1000
