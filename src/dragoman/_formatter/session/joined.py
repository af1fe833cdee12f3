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

    __slots__ = ("_given", "_parts", "prompt")

    def __init__(self, messages: Sequence[Msg], request: ChatRequest | None, target: str) -> None:
        super().__init__(messages, request, places, target)
        self._parts: Sequence[Report] = ()
        self._given: Sequence[Msg] = ()
        self.prompt = ""

    def join(self, parts: Sequence[Report], held: Settled, whole: bool) -> None:
        """Take what these parts lose, without a look at it.

        `whole`: all messages stand where they stand in the parts; else some were cut out.
        """
        self._parts = parts
        for part in parts:
            self.kinds |= part.kinds
        if parts:
            self._messages = tuple(self._messages)
        if parts and whole:  # equal messages may stand there by now: these were written
            self._given = held.given[: len(self._messages) + bool(self.prompt)]

    @property
    def losses(self) -> list[Loss]:
        """All losses: of the whole, then of its parts in their order."""
        parts, self._parts = self._parts, ()
        given = self._given
        if self.prompt and given:
            self.placed(given[0], self.prompt)
            given = given[1:]
        if given:
            self._messages = (*given, *self._messages[len(given) :])
            self._given = ()
        for part in parts:
            self.include(part)
        return super().losses
