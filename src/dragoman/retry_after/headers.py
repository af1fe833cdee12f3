"""Read the headers of an error: how long to wait, whether to ask again, the request's id.

Reference: OpenAI's and Anthropic's official SDKs (`retry-after-ms`, `x-should-retry`), Groq's and
OpenAI's docs on rate limits (`x-ratelimit-reset-...`), RFC 9110 (`retry-after`); Anthropic, Rate
limits, and OpenRouter, Limits (`x-ratelimit-reset` in milliseconds of 1970); openclaw/clawhub issue
407 (`retry-after` as a second of 1970); looked up on 2026-11-28.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from ..errors import ProviderError
from ..text.redaction import clip_text

_Error = TypeVar("_Error", bound=ProviderError)

_REQUEST_IDS = (
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "apim-request-id",
    "x-dashscope-request-id",
    "x-ds-trace-id",
    "cf-ray",
)
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
LONGEST_WAIT = 366 * 86400.0
_EPOCH = 1_000_000_000.0  # seconds since 1970 that no wait is as long as
_REMAINING = re.compile(r"((?:x-|anthropic-)?ratelimit)-(?:(.+)-)?remaining(?:-(.+))?")


def error_name(headers: Mapping[str, str]) -> str | None:
    """The name of an error that only a header has: AWS sends it beside a body with the message.

    Reference: Smithy, AWS restJson1, Operation error serialization (2026-11-29).

    >>> error_name({"x-amzn-errortype": "ModelErrorException:http://internal.amazon.com/coral/"})
    'ModelErrorException'
    """
    name = headers.get("x-amzn-errortype", "").partition(":")[0].rpartition("#")[2].strip()
    return clip_text(name, 100) or None


def told_by_headers(error: _Error, headers: Mapping[str, str]) -> _Error:
    """Add to an error what the headers give: the request's id, and whether and when to retry."""
    if not error.request_id:
        found = (headers[name] for name in _REQUEST_IDS if headers.get(name))
        error.request_id = clip_text(next(found, ""), 100)
    delay = retry_delay(headers)
    error.retry_after = error.retry_after if delay is None else delay
    said = headers.get("x-should-retry", "").lower()
    error.should_retry = {"true": True, "false": False}.get(said)
    return error


def retry_delay(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a server asks to wait, None if it gives none.

    >>> retry_delay({"retry-after": "2"}), retry_delay({"retry-after-ms": "250"})
    (2.0, 0.25)
    >>> retry_delay({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2.5s"})
    62.5
    """
    if (delay := _number(headers.get("retry-after-ms", ""))) is not None:
        return delay / 1000
    text = headers.get("retry-after", "").strip()
    if (delay := _wait(text, now)) is not None:
        return delay
    waits = [_wait(headers.get(name, ""), now) for name in _find_exhausted(headers)]
    return max((wait for wait in waits if wait is not None), default=None)


def _find_exhausted(headers: Mapping[str, str]) -> list[str]:
    """The headers that give the reset time of each limit that is used up.

    OpenAI's and Groq's have the kind after the word (`x-ratelimit-remaining-tokens`), Cerebras' a
    time after that, Anthropic's the kind before it, OpenRouter's and the IETF's draft none.
    """
    names = []
    for name, value in headers.items():
        match = _REMAINING.fullmatch(name) if value.strip() == "0" else None
        if match is not None:
            names.append("-".join(filter(None, (match[1], match[2], "reset", match[3]))))
    return names


def _wait(text: str, now: datetime | None) -> float | None:
    """A time to wait: a number of seconds, a duration, a date; a second or millisecond of 1970."""
    number = _number(text)
    if number is not None and number < _EPOCH:
        return number if number <= LONGEST_WAIT else None
    if number is not None:
        second = number / 1000 if number >= _EPOCH * 1000 else number
        wait = second - (now or datetime.now(UTC)).timestamp()
        return wait if 0 <= wait <= LONGEST_WAIT else None
    until = _until(text, now)
    if until is None and "," in text:  # a header that a proxy sent twice is one with a comma
        waits = [_wait(part.strip(), now) for part in text.split(",", 3) if part.strip()]
        return max((one for one in waits if one is not None), default=None)
    return _duration(text) if until is None else until


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= _EPOCH * 10_000 else None


def _until(text: str, now: datetime | None) -> float | None:
    try:  # Anthropic's are dates of RFC 3339
        iso = len(text) > 10 and text[4:5] == "-"
        date = datetime.fromisoformat(text) if iso else parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    date = date if date.tzinfo is not None else date.replace(tzinfo=UTC)
    return min(max(0.0, (date - (now or datetime.now(UTC))).total_seconds()), LONGEST_WAIT)


def _duration(text: str) -> float | None:
    match = _DURATION.fullmatch(text) if text else None
    if match is None:
        return None
    hours, minutes, seconds, millis = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds + millis / 1000
