"""Cuts: where the last cut of a conversation stood, as long as that still tells where the next is.

Knows no wire.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Msg
from ...rewrite.truncate import Truncation
from ...rewrite.truncate.onward import Onward
from ...token.base import decomposes
from ..asking import Asking
from .settled import Look, Settled

__all__ = ["Cuts"]


class Cuts:
    """The strategy of a session that has a budget, which goes on from the last cut if it can."""

    def __init__(self, look: Look) -> None:
        self.look: Look = look
        self._onward: Onward | None = None
        self._asked: tuple[Any, ...] = ()  # what the tokens of a message depend on beside it
        self._seen = Settled()

    def strategy(
        self, formatter: Asking, msgs: list[Msg], schemas: list[JsonObject] | None
    ) -> Truncation:
        """The formatter's strategy, or one that says the same of these messages with less work."""
        strategy = formatter.truncate
        # thinking that a cut unbinds is left out, so that a longer history may take less
        falls = formatter.can.binding == "none" and decomposes(formatter.token_counter)
        if not (falls and Onward.knows(strategy)):
            return strategy
        asked = (strategy, formatter.token_counter, formatter.max_tokens, formatter.manner, schemas)
        seen = self._seen.given
        if self._onward is None or asked != self._asked or self._seen.differs(msgs, look=self.look):
            self._onward, self._asked, self._seen = Onward(strategy), asked, Settled()
            seen = self._seen.given
        self._seen.take(msgs[len(seen) :])
        return self._onward

    def forget(self) -> None:
        """Let go of everything."""
        self._onward = None
