"""RateLimits: how many requests, bytes and values each client key may still send.

The bounds are those of `ClientKey` in `config/config_values.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import Self

from ...errors import ProviderError, RateLimited
from ...text.redaction import show
from ..config.config_values import ClientKey


@dataclass(slots=True)
class _Bucket:
    """What a key may still use; full at first, with the amount of one minute."""

    left: float | None = None
    at: float = 0.0

    def fill(self, most: float, rate: float, now: float) -> float:
        """The amount now, with `rate` more for each minute that has passed."""
        if self.left is None:
            self.left = most
        else:
            self.left = min(most, self.left + max(0.0, now - self.at) * rate / 60)
        self.at = now
        return self.left


@dataclass(slots=True)
class _Use:
    """How a key is used: requests under way, and what it may still use."""

    under_way: int = 0
    requests: _Bucket = field(default_factory=_Bucket)
    bytes: _Bucket = field(default_factory=_Bucket)
    values: _Bucket = field(default_factory=_Bucket)


class RateLimits:
    """The rate, the concurrency and the budgets of each client key, in this worker alone.

    Workers share no memory: with `--workers 4` a key has four times its bounds at most. The rate is
    a bucket that contains the requests of one minute and is filled evenly.

    Args:
        clock: Gives the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._uses: dict[str, _Use] = {}

    def enter(self, key: ClientKey | None) -> Lease:
        """Take a place for one request of the key; the lease gives it back.

        Raises:
            RateLimited: With status 429 and the seconds to wait. A refused request counts nowhere.
        """
        if key is None or (key.rate is None and key.concurrent is None):
            return Lease(None)
        with self._lock:
            use = self._uses.setdefault(key.hash, _Use())
            if key.concurrent is not None and use.under_way >= key.concurrent:
                text = f"{use.under_way} requests of the client key {show(key.name)} are under way"
                raise _too_many(text, f"its bound is {key.concurrent} at a time", 1.0)
            if key.rate is not None:
                self._take(key.name, key.rate, use)
            use.under_way += 1
        return Lease(lambda: self._release_use(use))

    def spend(self, key: ClientKey | None, size: int, values: int) -> None:
        """Count the body of a request towards what its key may send in a minute.

        Args:
            key: The key of the client.
            size: The bytes of the body, decompressed.
            values: The values in it; need not be counted for a key without such a bound.

        Raises:
            RateLimited: With status 429 and the seconds to wait.
            ProviderError: With status 413: the body exceeds the budget of a whole minute.
        """
        if key is None or (key.bytes is None and key.values is None):
            return
        with self._lock:
            use, now = self._uses.setdefault(key.hash, _Use()), self._clock()
            spent = [
                (use.bytes, key.bytes, size, "bytes"),
                (use.values, key.values, values, "values"),
            ]
            bounds = [(bucket, most, amount, what) for bucket, most, amount, what in spent if most]
            for bucket, most, amount, what in bounds:
                text = f"the client key {show(key.name)} may send {most} {what} in a minute"
                if amount > most:
                    raise ProviderError(
                        text,
                        status=413,
                        type="request_too_large",
                        code="key.budget",
                        hint="send less",
                    )
                if (left := bucket.fill(most, most, now)) < amount:
                    wait = (amount - left) * 60 / most
                    raise _too_many(text, f"the next may come in {wait:.3g} seconds", wait)
            for bucket, _, amount, _ in bounds:
                bucket.left = (bucket.left or 0.0) - amount

    def _take(self, name: str, rate: float, use: _Use) -> None:
        """Take one request out of the bucket. Raises RateLimited if there is none."""
        left = use.requests.fill(max(rate, 1.0), rate, self._clock())
        if left < 1:
            text = f"the client key {show(name)} has sent its {rate:g} requests of this minute"
            wait = (1 - left) * 60 / rate
            raise _too_many(text, f"the next may come in {wait:.3g} seconds", wait)
        use.requests.left = left - 1

    def _release_use(self, use: _Use) -> None:
        with self._lock:
            use.under_way -= 1


class Lease:
    """The place of one request; `close`, or the end of its `with`, gives it back once.

    It may be held across `await` and closed in another task or thread.
    """

    __slots__ = ("_leave",)

    def __init__(self, leave: Callable[[], None] | None) -> None:
        self._leave = leave

    def close(self) -> None:
        """Give the place back; a second call does nothing."""
        leave, self._leave = self._leave, None
        if leave is not None:
            leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _too_many(text: str, hint: str, wait: float) -> RateLimited:
    return RateLimited(text, hint=hint, status=429, code="key.bound", retry_after=wait)
