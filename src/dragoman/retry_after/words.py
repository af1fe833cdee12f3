"""Read from an error's body how long to wait: from fields, and from its sentence.

Some hosts send no header for it, and in a stream there is none.

Reference: google.rpc.RetryInfo (`retryDelay`); OpenAI's, Groq's and Azure's sentences ("Please try
again in 7m12s", "Please retry after 26 seconds"; openai/codex, codex-api, reads them likewise);
earendil-works/pi issue 4172 (`resets_in_seconds`); OpenRouter docs, Limits (`metadata.headers`);
NousResearch/hermes-agent pull request 93455 ("Resets in 6hr 29min"); volcengine/ark-cli issue 10,
MiniMax's, Zhipu's and Anthropic's plans (a date, at Zhipu without an offset: Beijing's time,
openclaw/openclaw pull request 33988). Looked up on 2026-11-28 and 29.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from .headers import LONGEST_WAIT, retry_delay

_SECONDS = re.compile(r"[0-9]{1,6}(\.[0-9]{1,9})?s")
_FIELDS = ("retry_after", "retry_after_seconds", "retryAfter", "resets_in_seconds")
_UNIT = "days?|hours?|hrs?|minutes?|mins?|milliseconds?|ms|seconds?|secs?|[dhms]"
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
# days, hours, minutes, seconds and milliseconds: no more than five parts
_WAIT = re.compile(
    r"(?:try again|retry|retrying|wait|resets?)(?: your request)?(?: in| after| for)? "
    rf"((?:{_NUMBER}\s{{0,2}}(?:{_UNIT})(?![a-z])[\s,]{{0,2}}){{1,5}})",
    re.IGNORECASE,
)
_PART = re.compile(rf"({_NUMBER})\s{{0,2}}({_UNIT})", re.IGNORECASE)
_LENGTHS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_DATE = re.compile(
    r"(?:resets? at|again at|access on|将在)\s?"
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?: at|T)? ?([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)"
    r"(?:\.[0-9]{1,9})? ?(Z|UTC|[+-][0-9]{2}:?[0-9]{2})?",
    re.IGNORECASE,
)
_BEIJING = timezone(timedelta(hours=8))
_LONGEST = 4096  # characters of a sentence that are looked at


def find_delay(error: Mapping[str, Any], message: str, now: datetime | None = None) -> float | None:
    """The seconds that an error asks to wait, None if it gives none.

    >>> find_delay({"details": [{"retryDelay": "34.4s"}]}, "")
    34.4
    >>> find_delay({}, "Rate limit reached. Please try again in 1m2.5s.")
    62.5
    """
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and _SECONDS.fullmatch(delay):
            return float(delay[:-1])
    metadata = error.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    for fields in (error, metadata):
        for name in _FIELDS:
            if (seconds := _seconds(fields.get(name))) is not None:
                return seconds
    headers = metadata.get("headers")
    if isinstance(headers, dict):
        texts = {str(name).lower(): str(value) for name, value in headers.items()}
        if (wait := retry_delay(texts, now)) is not None:
            return wait
    return delay_in_words(message, now)


def delay_in_words(message: str, now: datetime | None = None) -> float | None:
    """The seconds that a sentence asks to wait, or that lie before the date that it names.

    >>> delay_in_words("Please retry after 26 seconds.")
    26.0
    >>> delay_in_words("It will reset at 2026-06-27 12:13:19 +0800 CST.",
    ...                datetime(2026, 6, 27, 4, 13, 9, tzinfo=UTC))
    10.0
    """
    text = message[:_LONGEST]
    if (match := _WAIT.search(text)) is not None:
        parts = _PART.findall(match[1])
        return min(sum(float(number) * _length(unit) for number, unit in parts), LONGEST_WAIT)
    if (match := _DATE.search(text)) is not None:
        try:
            date = datetime.fromisoformat(f"{match[1]}T{match[2]}{_offset(match[3])}")
        except ValueError:
            return None
        date = date if date.tzinfo is not None else date.replace(tzinfo=_BEIJING)
        wait = (date - (now or datetime.now(UTC))).total_seconds()
        return min(wait, LONGEST_WAIT) if wait >= 0 else None
    return None


def _length(unit: str) -> float:
    unit = unit.lower()
    return 0.001 if unit.startswith(("ms", "milli")) else _LENGTHS[unit[0]]


def _offset(text: str | None) -> str:
    if not text:
        return ""
    return "+00:00" if text.upper() in ("Z", "UTC") else text


def _seconds(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if type(value) in (int, float) and 0 <= value <= LONGEST_WAIT:
        return float(value)
    return None
