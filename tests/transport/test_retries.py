"""What is attempted again, and when: by one owner, and never once an answer has begun."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from dragoman import wire
from dragoman.errors import (
    ConfigError,
    ConnectionFailed,
    NoAnswer,
    Overloaded,
    ProviderError,
    RateLimited,
    StreamBroken,
    Timeout,
)
from dragoman.retry_after.headers import retry_delay, told_by_headers
from dragoman.transport.call import Reply, Timeouts, choose_transport
from dragoman.transport.retries import Retries, acalling, calling
from tests.each_case import each_case

from .servers import Peer, serving
from .ways import call, guarded


def failing(*errors: ProviderError) -> Any:
    """An attempt that fails so often, and then gives how often it was called."""
    left = list(errors)

    def attempt(_: Timeouts) -> int:
        if left:
            raise left.pop(0)
        return len(errors)

    return attempt


def waits(
    retries: Retries, errors: Iterable[ProviderError], limits: Timeouts | None = None
) -> tuple[Any, list[float]]:
    """What came out, and the pauses, which are not slept."""
    pauses: list[float] = []
    try:
        made: Any = calling(retries, limits or Timeouts(), failing(*errors), pauses.append)
    except ProviderError as error:
        made = error
    return made, pauses


RETRIED = [
    RateLimited("r", status=429),
    Overloaded("o", status=529),
    ProviderError("s", status=500),
    ProviderError("s", status=502),
    Timeout("t", type="read_timeout"),
    ConnectionFailed("c", type="connection"),
    NoAnswer("n", status=200),
]
FINAL = [
    ProviderError("b", status=400),
    ProviderError("k", status=401),
    ProviderError("m", status=402),
    ProviderError("n", status=404),
    ProviderError("q", status=429, code="insufficient_quota"),
    Timeout("t", type="total_timeout"),
    StreamBroken("s", type="connection"),
]


@pytest.mark.parametrize("error", RETRIED, ids=lambda error: f"{error.kind} {error.status}")
def test_what_passes_is_attempted_again(error: ProviderError) -> None:
    made, pauses = waits(Retries(), [error, error])
    assert made == 2
    assert len(pauses) == 2
    made, pauses = waits(Retries(attempts=2), [error, error])
    assert made is error
    assert len(pauses) == 1


@pytest.mark.parametrize("error", FINAL, ids=lambda error: f"{error.kind} {error.status}")
def test_what_does_not_pass_is_raised_at_once(error: ProviderError) -> None:
    assert waits(Retries(), [error]) == (error, [])


def test_an_answer_that_had_begun_is_attempted_again_only_if_asked() -> None:
    made, pauses = waits(Retries(begun=True), [StreamBroken("s", type="connection")])
    assert (made, len(pauses)) == (1, 1)


def test_pauses_grow_and_differ() -> None:
    random.seed(1)
    retries = Retries(attempts=9, backoff=1, longest=4)
    _, pauses = waits(retries, RETRIED[:1] * 8)
    for pause, most in zip(pauses, [1, 2, 4, 4, 4, 4, 4, 4], strict=True):
        assert most / 2 <= pause <= most
    assert len(set(pauses)) == 8


def test_what_the_provider_says_comes_first() -> None:
    told = RateLimited("r", status=429, retry_after=5.0)
    _, [pause] = waits(Retries(), [told])
    assert 5 <= pause <= 6
    patient = waits(Retries(patience=4), [told])
    assert patient == (told, [])
    told.retry_after, told.should_retry = None, False
    assert waits(Retries(), [told]) == (told, [])
    wrong = ProviderError("b", status=409)
    wrong.should_retry = True
    assert waits(Retries(), [wrong])[0] == 1


def test_a_pause_that_outlasts_the_total_timeout_is_not_made() -> None:
    told = RateLimited("r", status=429, retry_after=5.0)
    made, pauses = waits(Retries(), [told], Timeouts(total=3))
    assert (made, pauses) == (told, [])
    assert "leaves no time" in told.__notes__[0]


def test_each_attempt_gets_the_time_that_is_left() -> None:
    seen: list[Timeouts] = []

    def attempt(limits: Timeouts) -> None:
        seen.append(limits)
        if len(seen) < 3:
            raise ConnectionFailed("c", type="connection")

    calling(Retries(backoff=0.02), Timeouts(total=5), attempt)
    totals = [limits.total or 0 for limits in seen]
    assert 5 >= totals[0] > totals[1] > totals[2] > 0


def test_no_time_left() -> None:
    with pytest.raises(Timeout, match=r"no answer within 0\.001 seconds") as raised:
        Timeouts(total=0.001).remaining(0.0)
    assert raised.value.type == "total_timeout"


def test_the_same_for_a_coroutine() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    def attempts(*errors: ProviderError) -> Any:
        plain = failing(*errors)

        async def attempt(limits: Timeouts) -> Any:
            return plain(limits)

        return attempt

    made = asyncio.run(acalling(Retries(), Timeouts(), attempts(*RETRIED[:2]), sleep))
    assert (made, len(pauses)) == (2, 2)
    with pytest.raises(ProviderError) as raised:
        asyncio.run(acalling(Retries(), Timeouts(), attempts(FINAL[0]), sleep))
    assert raised.value is FINAL[0]


def test_twice_an_error_and_then_an_answer() -> None:
    statuses = iter([(500, {}), (429, {"retry_after": "0", "x_request_id": "req_2"}), (200, {})])
    errors: list[ProviderError] = []

    def answering(peer: Peer) -> bool:
        status, headers = next(statuses)
        peer.answer(status, b'{"error": {"message": "again"}}', **headers)
        return True

    def judged(reply: Reply) -> Reply:
        if reply.status < 400:
            return reply
        error = wire("openai-chat").error(reply.status, reply.body)
        errors.append(told_by_headers(error, reply.headers))
        raise errors[-1]

    with serving(answering) as server:
        transport = choose_transport(None, asynchronous=True)

        async def attempt(limits: Timeouts) -> Reply:
            return judged(await transport.asend(call(server.url), limits))

        async def all_of_them() -> Reply:
            reply = await acalling(Retries(backoff=0.01), Timeouts(), attempt)
            await transport.aclose()
            return reply

        assert guarded(all_of_them).status == 200
    assert [type(error) for error in errors] == [ProviderError, RateLimited]
    assert (errors[1].request_id, errors[1].retry_after) == ("req_2", 0.0)


@each_case(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 23 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Mon, 23 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e300"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2m59.56s"}, 179.56),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "20ms"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12"}, 12.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "x"}, None),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795435210000"}, 10.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795435210"}, 10.0),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "7"}, 7.0),
        (
            {"x-ratelimit-remaining-tokens-minute": "0", "x-ratelimit-reset-tokens-minute": "27.5"},
            27.5,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-11-23T12:00:20Z",
            },
            20.0,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "9",
                "anthropic-ratelimit-requests-reset": "2026-11-23T12:00:20Z",
            },
            None,
        ),
        ({"retry-after": "1795435205"}, 5.0),
        ({"retry-after": "1795430000"}, None),
        ({"retry-after": "2026-11-23T12:00:20Z"}, 20.0),
        ({"retry-after": "1m"}, 60.0),
        ({"retry-after": "7, 7"}, 7.0),
        ({"retry-after": ","}, None),
    ],
)
def test_how_long_a_server_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    now = datetime(2026, 11, 23, 12, 0, 0, tzinfo=UTC)
    assert retry_delay(headers, now) == pytest.approx(seconds)


@pytest.mark.parametrize(("said", "told"), [("true", True), ("false", False), ("", None)])
def test_whether_a_server_wants_another_attempt(said: str, told: bool | None) -> None:
    error = told_by_headers(ProviderError("x"), {"x-should-retry": said, "request-id": "r"})
    assert (error.should_retry, error.request_id) == (told, "r")


@pytest.mark.parametrize(
    "wrong", [{"attempts": 0}, {"attempts": 1.5}, {"backoff": -1}, {"patience": "9"}]
)
def test_what_retries_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as raised:
        Retries(**wrong)
    assert raised.value.path == f"$.{next(iter(wrong))}"
