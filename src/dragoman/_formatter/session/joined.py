"""The report of a history that was written in parts, each of which has its own."""

from __future__ import annotations

from collections.abc import Sequence

from ...losses import Loss, Report
from ...message import ChatRequest, Msg, places
from .settled import Settled

__all__ = ["Joined"]


class Joined(Report):
    """Names its own losses, then those of its parts: they join it when somebody asks.

    `prompt` is the path of what the first message was made of, if a request made it.
    """

    __slots__ = ("_given", "_parts", "_settled", "prompt")

    def __init__(self, messages: Sequence[Msg], request: ChatRequest | None, target: str) -> None:
        super().__init__(messages, request, places, target)
        self._parts: Sequence[Report] = ()
        self._given: Sequence[Msg] = ()
        self._settled = 0
        self.prompt = ""

    def join(self, parts: Sequence[Report], held: Settled, whole: bool) -> None:
        """Take what these parts lose, without a look at it.

        `whole`: all messages stand where they stand in the parts; else some were cut out.
        """
        self._parts = parts
        for part in parts:
            self.kinds |= part.kinds
        if not parts:
            return
        # what is settled only grows at its end, so that a number of messages is as good as a copy
        settled = len(held.given) - bool(self.prompt) if whole else 0
        if settled <= 0:
            self._messages = tuple(self._messages)
            return
        self._given, self._settled = held.given, len(held.given)
        self._messages = self._messages[settled:]

    @property
    def losses(self) -> list[Loss]:
        """All losses: of the whole, then of its parts in their order."""
        parts, self._parts = self._parts, ()
        given, self._given = self._given[: self._settled], ()
        if self.prompt and given:
            self.placed(given[0], self.prompt)
            given = given[1:]
        if given:  # equal messages may stand there by now: these were written
            self._messages = (*given, *self._messages)
        for part in parts:
            self.include(part)
        return super().losses
