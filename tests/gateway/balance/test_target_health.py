"""A target that fails rests, is tried once, and comes back; one that refuses the key stays away."""

from __future__ import annotations

import logging

import pytest

from dragoman.errors import ProviderError
from dragoman.gateway.balance.target_health import LONGEST_REST, TargetHealth
from tests.each_case import each_case

BUSY = ProviderError("not now", status=529, type="overloaded_error")
WAIT = ProviderError("too many", status=429, type="rate_limit_error", retry_after=7.0)
REFUSED = ProviderError("no such key", status=401, type="authentication_error")
UNKNOWN = ProviderError("no such key", status=502, type="api_error", code="upstream.key")
BROKE = ProviderError("pay first", status=402, type="billing_error")


class Clock:
    """Seconds as a test wants them."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def health() -> tuple[TargetHealth, Clock]:
    clock = Clock()
    return TargetHealth("anthropic/claude-opus-5-5", clock), clock


@pytest.mark.parametrize(("error", "seconds"), [(BUSY, 1.0), (WAIT, 7.0)])
def test_it_rests_as_long_as_the_provider_says_or_a_second(
    error: ProviderError, seconds: float
) -> None:
    one, clock = health()
    one.begin()
    one.note_failure(error)
    one.end(False)
    assert one.state == "resting"
    states = []
    for more in (seconds - 0.01, 0.02):
        clock.now += more
        states.append(one.state)
    assert states == ["resting", "trial"]


def test_one_request_alone_tries_it() -> None:
    one, clock = health()
    one.note_failure(BUSY)
    clock.now += 2
    states = [one.state]
    assert one.begin()
    states.append(one.state)  # others wait for what comes of the trial
    one.end(True)  # the client left before anything came
    states.append(one.state)
    assert states == ["trial", "resting", "trial"]
    assert one.begin()
    one.note_answer()
    one.end(True)
    assert (one.state, one.under_way) == ("ready", 0)


def test_an_older_request_does_not_end_a_trial() -> None:
    one, clock = health()
    is_trial = one.begin()
    one.note_failure(BUSY)
    clock.now += 2
    assert one.begin()
    one.end(is_trial)
    assert one.state == "resting"


def test_the_rest_doubles_up_to_a_bound_and_begins_anew_after_an_answer() -> None:
    one, clock = health()
    rests = []
    for _ in range(12):
        one.note_failure(BUSY)
        rests.append(one.rests_until - clock.now)
        clock.now = one.rests_until
    assert rests[:5] == [1, 2, 4, 8, 16]
    assert rests[-1] == LONGEST_REST
    one.note_answer()
    one.note_failure(BUSY)
    assert one.rests_until - clock.now == 1


def test_requests_that_fail_together_are_one_failure() -> None:
    one, clock = health()
    for _ in range(8):
        one.note_failure(BUSY)
    assert one.rests_until - clock.now == 1
    one.note_failure(WAIT)
    assert one.rests_until - clock.now == 7, "the provider has said how long"
    clock.now += 8
    one.begin()
    one.note_failure(BUSY)
    assert one.rests_until - clock.now == 2


@pytest.mark.parametrize("error", [REFUSED, UNKNOWN, BROKE])
def test_a_refusal_holds_until_the_configuration_is_read_anew(
    error: ProviderError, caplog: pytest.LogCaptureFixture
) -> None:
    one, clock = health()
    for _ in range(3):
        one.note_failure(error)
    clock.now += 10 * LONGEST_REST
    assert one.state == "refused"
    said = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(said) == 1, "said once, and loudly"
    assert "anthropic/claude-opus-5-5" in said[0].getMessage()


@each_case(
    ("status", "kind"),
    [(400, "invalid_request_error"), (413, "request_too_large"), (404, "not_found_error")],
)
def test_a_fault_of_the_request_says_nothing_of_the_target(status: int, kind: str) -> None:
    one, _ = health()
    one.note_failure(ProviderError("no", status=status, type=kind))
    assert one.state == "ready"
