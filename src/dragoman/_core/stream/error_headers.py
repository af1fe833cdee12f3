"""What the headers of an answer say of its error: how long to wait, whether to ask again, its id.

Reference: OpenAI's and Anthropic's official SDKs (`retry-after-ms`, `x-should-retry`), Groq's and
OpenAI's docs on rate limits (`x-ratelimit-reset-...`), RFC 9110 (`retry-after`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from ...errors import ProviderError
from ..redaction import clipped

_Error = TypeVar("_Error", bound=ProviderError)

_REQUEST_IDS = ("x-request-id", "request-id", "x-amzn-requestid", "apim-request-id",
                "x-dashscope-request-id", "x-ds-trace-id", "cf-ray")  # fmt: skip
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_LONGEST = 366 * 86400.0


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
