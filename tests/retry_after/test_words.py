"""How long to wait, where only the body of an error says it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from dragoman import wire
from dragoman.retry_after.words import delay_in_words, find_delay
from tests.each_case import each_case
from tests.growth import grows_in_proportion

NOW = datetime(2026, 8, 1, 2, 0, 0, tzinfo=UTC)


@each_case(
    ("message", "seconds"),
    [
        (
            "Rate limit reached for o4-mini: Limit 200, Used 200. Please try again in 7m12s. Visit",
            432,
        ),
        ("on tokens per min (TPM): Limit 30000. Please try again in 4ms.", 0.004),
        ("Please try again in 1.898s.", 1.898),
        ("have exceeded token rate limit. Please retry after 26 seconds.", 26),
        ("* Quota exceeded for metric. Please retry in 58.934310785s.", 58.934310785),
        ("No deployments available, Try again in 5 seconds. Passed model=x", 5),
        ("You've hit your usage limit, or try again in 5 days 22 hours 9 minutes.", 511_740),
        ("Weekly usage limit reached. Resets in 6hr 29min.", 23_340),
        ("max RPM: 3, please try again after 1 seconds", 1),
        (
            "[1310][Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-08-01 10:03:40]",
            220,
        ),
        ("已达到 5 小时的使用上限。您的限额将在 2026-08-01 10:00:12 重置。", 12),
        ("5-hour usage quota. It will reset at 2026-08-01 10:01:00 +0800 CST. We", 60),
        ("usage limit exceeded, resets at 2026-08-01T02:00:30Z (2056)", 30),
        ("You will regain access on 2026-08-02 at 00:00 UTC.", 79_200),
        ("It has reset at 2026-07-01 10:01:00 +0800", None),
        ("resets at 2026-99-01 10:01:00", None),
        ("Please try again later.", None),
        ("Limit 500 requests, wait for it", None),
        ("try again in 5 models", None),
    ],
)
def test_words(message: str, seconds: float | None) -> None:
    delay = delay_in_words(message, NOW)
    assert delay == (seconds if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({"details": [{"retryDelay": "31s"}]}, 31),
        ({"resets_in_seconds": 13872, "resets_at": 1777936568}, 13872),
        ({"retry_after": "2.5"}, 2.5),
        ({"metadata": {"retry_after_seconds": 7}}, 7),
        ({"metadata": {"headers": {"X-RateLimit-Remaining": "0",
                                   "X-RateLimit-Reset": "1785549610000"}}}, 10),
        ({"metadata": {"headers": {"X-RateLimit-Remaining": "3",
                                   "X-RateLimit-Reset": "1785549610000"}}}, None),
        ({"retry_after": True, "metadata": [1], "details": "x"}, None),
        ({"retry_after": "soon"}, None),
        ({"retry_after": -1}, None),
    ],
)  # fmt: skip
def test_fields(error: dict[str, Any], seconds: float | None) -> None:
    delay = find_delay(error, "", NOW)
    assert delay == (seconds if seconds is None else pytest.approx(seconds))


def test_an_error_in_a_stream_says_how_long_to_wait() -> None:
    decoder = wire("openai-responses").stream_decoder()
    text = "Rate limit reached for gpt-6. Please try again in 11.054s."
    error = {"code": "rate_limit_exceeded", "message": text}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-6",
                "output": [], "status": "failed", "error": error}  # fmt: skip
    decoder.feed({"type": "response.failed", "response": response})
    found = decoder.finish().error
    assert found is not None
    assert found.retry_after == 11.054


def test_headers_say_more_than_words() -> None:
    body = {"error": {"message": "Please try again in 20s."}}
    assert wire("openai").error(429, body, headers={"retry-after": "3"}).retry_after == 3
    assert wire("openai").error(429, body).retry_after == 20


@pytest.mark.parametrize(
    ("start", "piece"), [("", "try again in 1"), ("", "retry "), ("try again in ", "1s ")]
)
def test_hostile_text_takes_no_time(start: str, piece: str) -> None:
    text = start + piece * 40_000

    def search(size: int) -> None:
        delay_in_words(text[:size], NOW)

    assert grows_in_proportion(search, 20_000)
