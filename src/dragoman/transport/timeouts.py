"""How long a call may take: to connect, between two pieces of an answer, and in all.

The defaults are those of the class. How long to wait before a call is tried again is in
`retries.py`; the time-outs that the official SDKs' clients have are in
`gateway/in_process/sdk_timeouts.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import monotonic

from .._old_names import keeps_old_names
from ..errors import ConfigError, Timeout
from ..text.redaction import show


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds after which a call is given up; None: no limit.

    Args:
        connect: For the connection.
        read: Between two pieces of an answer.
        total: For the whole call, retries included.

    Raises:
        ConfigError: One of them is no positive number.
    """

    connect: float | None = 10.0
    read: float | None = 600.0
    total: float | None = None

    def __post_init__(self) -> None:
        for name in ("connect", "read", "total"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                text = f"a timeout must be a number of seconds above 0, not {show(value)}"
                raise ConfigError(text, path=f"$.{name}", code="timeout.value")

    def remaining(self, since: float) -> Timeouts:
        """What is left of the timeouts.

        Args:
            since: The second of `time.monotonic()` at which the call began.

        Raises:
            Timeout: The total time is over.
        """
        if self.total is None:
            return self
        rest = self.total - (monotonic() - since)
        if rest <= 0:
            text = f"no answer within {self.total:g} seconds"
            raise Timeout(text, type="total_timeout", hint="allow more time, or fewer retries")
        return replace(self, total=rest)
