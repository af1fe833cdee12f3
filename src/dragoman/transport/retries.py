"""Repeats failed calls, with pauses. Only this module retries: those of SDKs are turned off.

A call is repeated as long as no byte of its answer was passed on; a StreamError is final unless
`begun` allows it. tenacity would need a loop of its own for both threads and event loops, and only
the one formula in `pause` is needed. How long a server asks to wait is read from its headers in
`retry_after/headers.py`, and from its words in `retry_after/words.py`.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from ..error_kinds import ErrorKind
from ..errors import ConfigError, ProviderError, StreamError
from ..observe.channel import CHANNEL, ObservedOperation
from ..text.redaction import show
from .timeouts import Timeouts

T = TypeVar("T")
_log = logging.getLogger("dragoman.llm")


# failures of one model that another may not have; errors in the request itself are not among them
PASSING = frozenset(
    {
        "rate_limit",
        "overloaded",
        "server",
        "timeout",
        "connection",
        "no_answer",
        "billing",
        "authentication",
        "permission",
        "not_found",
        "model_not_found",
        "context_overflow",
        "content_filter",
        "other",
    }
)


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is attempted, for which failures, and with what pauses.

    Args:
        attempts: The largest number of attempts.
        backoff: The longest pause before the second attempt, in seconds; it doubles with each one.
        longest: The longest pause of all, in seconds.
        patience: The longest pause that a provider may ask for, in seconds; if it asks for more,
            the error is raised at once.
        kinds: The kinds of errors after which to try again.
        begun: Whether to repeat an answer that broke off after it had begun.

    Raises:
        ConfigError: One of them has no such value.
    """

    attempts: int = 3
    backoff: float = 1.0
    longest: float = 16.0
    patience: float = 60.0
    kinds: frozenset[ErrorKind] = frozenset(
        {"rate_limit", "overloaded", "server", "timeout", "connection", "no_answer"}
    )
    begun: bool = False

    def __post_init__(self) -> None:
        if type(self.attempts) is not int or self.attempts < 1:
            text = f"attempts must be 1 or more, not {show(self.attempts)}"
            raise ConfigError(text, path="$.attempts", hint="1: no retries", code="retries.value")
        for name in ("backoff", "longest", "patience"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
                text = f"must be a number of seconds, not {show(value)}"
                raise ConfigError(text, path=f"$.{name}", code="retries.value")

    def pause(self, error: ProviderError, attempt: int) -> float | None:
        """How long to wait before the next attempt.

        A provider's statement about retries (`should_retry`) counts more than the kind of error.

        Args:
            error: Why the attempt failed.
            attempt: Its number; 1 is the first.

        Returns:
            Seconds; None if there is no next attempt.
        """
        if attempt >= self.attempts or (isinstance(error, StreamError) and not self.begun):
            return None
        wanted = error.kind in self.kinds if error.should_retry is None else error.should_retry
        if not wanted or error.type == "total_timeout":
            return None
        longest = min(self.backoff * 2.0 ** min(attempt - 1, 60), self.longest)
        pause = longest * (0.5 + random.random() / 2)  # noqa: S311 - no secret
        if error.retry_after is None:
            return pause
        # clients that got the same pause must not all come back in the same second
        return None if error.retry_after > self.patience else error.retry_after + pause / 10


def calling(
    retries: Retries,
    timeouts: Timeouts,
    attempt: Callable[[Timeouts], T],
    sleep: Callable[[float], object] = time.sleep,
) -> T:
    """Call `attempt` until it returns, as long as its ProviderErrors are worth another attempt.

    `attempt` gets the timeouts that are left. The last error and any other exception are raised.
    """
    begun = time.monotonic()
    operation = CHANNEL.current("request") if CHANNEL.on else None
    number = 0
    while True:
        left = timeouts.remaining(begun)
        number += 1
        if operation is not None:
            _emit_attempt(operation, number)
        try:
            return attempt(left)
        except ProviderError as error:
            pause = _pause(retries, timeouts, error, number, begun, operation)
            if pause is None:
                raise
        sleep(pause)


async def acalling(
    retries: Retries,
    timeouts: Timeouts,
    attempt: Callable[[Timeouts], Awaitable[T]],
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> T:
    """`calling` for a coroutine function."""
    begun = time.monotonic()
    operation = CHANNEL.current("request") if CHANNEL.on else None
    number = 0
    while True:
        left = timeouts.remaining(begun)
        number += 1
        if operation is not None:
            _emit_attempt(operation, number)
        try:
            return await attempt(left)
        except ProviderError as error:
            pause = _pause(retries, timeouts, error, number, begun, operation)
            if pause is None:
                raise
        await sleep(pause)


def _pause(
    retries: Retries,
    timeouts: Timeouts,
    error: ProviderError,
    number: int,
    begun: float,
    operation: ObservedOperation | None,
) -> float | None:
    pause = retries.pause(error, number)
    if pause is None:
        if number > 1:
            error.add_note(f"after {number} attempts")
        return None
    if timeouts.total is not None and time.monotonic() + pause - begun >= timeouts.total:
        error.add_note("the total timeout leaves no time for another attempt")
        return None
    # the kind of error and the host only: no address, no key, no words of a message
    host = error.host or "the provider"
    _log.info(
        "%s failed (%s, attempt %d of %d), trying again in %.2f s",
        host,
        error.kind,
        number,
        retries.attempts,
        pause,
    )
    if operation is not None:
        from ..observe.events import Retry

        operation.emit(Retry(operation, number, pause, error))
    return pause


def _emit_attempt(operation: ObservedOperation, number: int) -> None:
    from ..observe.events import AttemptBegin  # only a program that listens loads the events

    operation.emit(AttemptBegin(operation, number))
