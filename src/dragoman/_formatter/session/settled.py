"""Settled: the messages of a session that no later turn changes, and what was written of them.

What the passes would know of them when they say the next messages, and nothing else. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, Literal, TypeAlias

from ...codes import Kind
from ...jsontext import JsonObject
from ...losses import Report
from ...message import Msg
from ...message.blocks import CacheHint, Extras

__all__ = ["Look", "Settled"]

Look: TypeAlias = Literal["equal", "same", "sealed"]


@dataclass(slots=True)
class Settled:
    """Messages that are written for good, and what those behind them must know of them."""

    given: list[Msg] = field(default_factory=list)
    contents: list[Any] = field(default_factory=list)  # texts, and copies of the lists of blocks
    marked: list[tuple[Msg, CacheHint | None, Extras | None]] = field(default_factory=list)
    elements: list[JsonObject] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)  # tokens of the first elements
    tokens: int = 0  # of those together
    reports: list[Report] = field(default_factory=list)  # those that name a loss
    kinds: set[Kind] = field(default_factory=set)
    behind: int | None = None  # the last seat, as it is written
    user: bool = False  # somebody speaks who is the user there
    speakers: dict[str, None] = field(default_factory=dict)  # names, in the order of coming
    tools: dict[str, None] = field(default_factory=dict)  # names of tools that were called
    ids: dict[str, str] = field(default_factory=dict)  # of calls -> as they are spelled
    spellings: set[str] = field(default_factory=set)
    odd: set[str] = field(default_factory=set)  # ids of calls and results that do not pair
    once: set[str] = field(default_factory=set)  # what the room says may not come again
    hints: int = 0  # cache hints
    told: bool = False  # a run of conversation was told as one message
    edited: bool = False  # a pass touched what stands before an answer
    flags: int = 0  # of the survey

    def take(self, msgs: Sequence[Msg]) -> None:
        """Remember these messages as they are now."""
        self.given += msgs
        self.contents += [m.content if type(m.content) is str else [*m.content] for m in msgs]
        self.marked += [
            (m, m.cache, m.extras) for m in msgs if m.cache is not None or m.extras is not None
        ]

    def differs(self, msgs: list[Msg], start: int = 0, look: Look = "equal") -> str:
        """What tells the messages from `start` on from these; empty if they go on from them.

        Two looks that C takes: the same messages, and in each the same blocks or text; equal ones
        do as well, except for `same`. `sealed` leaves out the second look. Cache hints and fields
        of providers are looked at where there were some.
        """
        head = msgs[start : start + len(self.given)]
        if head == self.given and (look == "sealed" or [m.content for m in head] == self.contents):
            if any(m.cache is not hint or m.extras is not own for m, hint, own in self.marked):
                return "a field of a message is another one"
            if look != "same" or all(map(is_, head, self.given)):
                return ""
        rows = zip(head, self.given, self.contents, strict=False)
        for i, (m, old, said) in enumerate(rows, start):
            if m is not old:
                return f"message {i} is another one"
            if m.content != said:
                return f"message {i} says something else"
        return f"the history ends behind message {start + len(head) - 1}"
