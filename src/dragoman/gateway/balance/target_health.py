"""How a target fares: whether it may be asked, after the failures that it had.

A target that fails rests: for as long as its provider says, else for a second, and twice as long
after each further failure. Then one request tries it; the others wait for what comes of that. A
target whose key or account is refused is not asked again until the configuration is read anew, for
waiting mends neither.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Literal, TypeAlias

from ...error_kinds import ErrorKind
from ...errors import ProviderError

TargetState: TypeAlias = Literal["ready", "resting", "trial", "refused"]

_log = logging.getLogger("dragoman.gateway")

# what another request may meet as well; a fault of the request itself says nothing of the target
_PASSING: frozenset[ErrorKind] = frozenset(
    {"rate_limit", "overloaded", "server", "timeout", "connection", "no_answer"}
)
_REFUSALS: frozenset[ErrorKind] = frozenset({"authentication", "permission", "billing"})
KEY_REFUSED = "upstream.key"  # how clients hear of it, as a fault of the gateway's
FIRST_REST = 1.0  # seconds
LONGEST_REST = 300.0


class TargetHealth:
    """The failures of one target, and its requests under way.

    Args:
        name: The target, for the log.
        clock: Seconds that only grow.

    Attributes:
        under_way: How many requests it answers at the moment.
        rests_until: When it may be asked again, by the clock.
    """

    __slots__ = (
        "_clock",
        "_failures",
        "_has_trial",
        "_refused",
        "name",
        "rests_until",
        "under_way",
    )

    def __init__(self, name: str, clock: Callable[[], float] = monotonic) -> None:
        self.name = name
        self.under_way = 0
        self.rests_until = 0.0
        self._clock = clock
        self._failures = 0  # in a row
        self._has_trial = False
        self._refused = False

    @property
    def state(self) -> TargetState:
        """`ready`; `trial` if one request may try it; `resting`; or `refused`."""
        if self._refused:
            return "refused"
        if not self._failures:
            return "ready"
        return "resting" if self._has_trial or self._clock() < self.rests_until else "trial"

    def begin(self) -> bool:
        """Count a request that is sent. Returns whether it is the one that tries the target."""
        self.under_way += 1
        if self.state != "trial":
            return False
        self._has_trial = True
        return True

    def end(self, is_trial: bool) -> None:
        """Count a request as ended, whatever came of it.

        Args:
            is_trial: What `begin` returned for it.
        """
        self.under_way -= 1
        if is_trial:
            self._has_trial = False

    def note_answer(self) -> None:
        """Note that it has begun to answer."""
        if self._failures:
            _log.info("%s answers again", self.name)
        self._failures, self._has_trial, self._refused = 0, False, False

    def note_failure(self, error: ProviderError) -> None:
        """Note a failure.

        Args:
            error: The failure; one that the request itself has caused changes nothing.
        """
        is_resting = self.state == "resting" and not self._has_trial
        self._has_trial = False
        if error.kind in _REFUSALS or error.code == KEY_REFUSED:
            if not self._refused:
                text = "%s refuses the gateway's key or account (%s), and is not asked again until "
                _log.error(f"{text}the configuration is read anew", self.name, error.kind)
            self._refused = True
        elif error.kind in _PASSING:
            seconds = FIRST_REST * 2**self._failures
            if error.retry_after is not None:
                seconds = max(error.retry_after, 0.0)
            elif is_resting:  # another request that was sent before the rest
                return
            seconds = min(seconds, LONGEST_REST)
            self._failures = min(self._failures + (not is_resting), 30)
            self.rests_until = max(self.rests_until, self._clock() + seconds)
            if not is_resting:
                _log.warning("%s fails (%s) and rests for %.3g s", self.name, error.kind, seconds)
