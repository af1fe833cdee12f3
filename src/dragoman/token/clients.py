"""The SDK clients of the counters that ask a provider: given by the user, or made when needed.

A client of one's own making belongs to the event loop that used it first, since its connections
do; so one is made for each loop, and forgotten with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ..errors import ProviderError
from ..shown import clipped

__all__ = ["Clients", "refused"]

_MOST = 500  # characters of what the provider says; it may quote the prompt


class Clients:
    """One client for plain code and one for each event loop, made by `make(is_async)` on use."""

    def __init__(self, make: Callable[[bool], Any]) -> None:
        self._make = make
        self._plain: Any = None
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    def plain(self) -> Any:
        """The client of plain code."""
        if self._plain is None:
            self._plain = self._make(False)
        return self._plain

    def here(self) -> Any:
        """The client of the running event loop."""
        loop = asyncio.get_running_loop()
        client = self._by_loop.get(loop)
        if client is None:
            client = self._by_loop[loop] = self._make(True)
        return client


def refused(error: Exception, status: Any, kind: Any, body: Any) -> ProviderError:
    """What the provider answered instead of a count."""
    return ProviderError(
        f"the provider did not count: {clipped(str(error), _MOST)}",
        status=status if isinstance(status, int) else None,
        type=kind if isinstance(kind, str) else "",
        body=body,
        hint="the count endpoint checks messages and tools as the model's own endpoint does",
        code="token.refused",
    )
