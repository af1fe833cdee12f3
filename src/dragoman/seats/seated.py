"""Seated: messages, a seat beside each, and what a survey found. Knows no wire.

`dirty` holds the indexes of messages that somebody must look at; `flags` what concerns the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..message import Msg, ToolResultBlock, ToolUseBlock

__all__ = [
    "ASSISTANT",
    "BLANK",
    "CUT",
    "FOLLOWING",
    "GONE",
    "IDS",
    "LATE",
    "MEDIA",
    "MISNAMED",
    "MIXED",
    "NAMED",
    "ODD",
    "PAIRS",
    "PARALLEL",
    "SYSTEM",
    "TOOL",
    "UNNAMED",
    "USER",
    "Seated",
    "has_tools",
    "runs",
]  # fmt: skip

SYSTEM, USER, ASSISTANT, TOOL = range(4)

BLANK = 1  # blank text or an empty message
MIXED = 2  # a message that more than one seat says
PAIRS = 4  # a call without its result behind it, or the reverse
MEDIA = 8
ODD = 16  # anything but text, calls and textual results
NAMED = 32  # a speaker's name that says more than the role
LATE = 64  # a system message behind another seat
UNNAMED = 128  # a result without the name of its tool, or with another name
IDS = 256  # an id that is empty or used twice
PARALLEL = 512  # results of one turn in several messages
FOLLOWING = 1024  # a call right behind something else that the assistant says
CUT = 2048  # a call that the answer broke off in
MISNAMED = 4096  # a result with another name than its tool's
GONE = 8192  # a message went since the survey: others may be neighbours now


@dataclass(slots=True)
class Seated:
    """Messages with their seats, and what the survey found.

    `calls` and `results` are the ids in order, `names` the names of the tools that are called.
    """

    msgs: list[Msg]
    seats: list[int]
    flags: int = 0
    dirty: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def marks(self) -> bytearray:
        """1 beside every dirty message, 0 beside the others, which writers may say as they are."""
        made = bytearray(len(self.msgs))
        for i in self.dirty:
            made[i] = 1
        return made

    def swapped(self, changes: Mapping[int, Msg]) -> Seated:
        """The same with some messages in the place of others that are as plain as they are."""
        msgs = list(self.msgs)
        for i, m in changes.items():
            msgs[i] = m
        return replace(self, msgs=msgs)

    def _exchanged(self, changes: Mapping[int, Sequence[tuple[Msg, int]]]) -> Seated:
        """The same with dirty messages in the place of others, one for one."""
        msgs, seats = [*self.msgs], [*self.seats]
        for i, [(msg, seat)] in changes.items():
            msgs[i], seats[i] = msg, seat
        return Seated(msgs, seats, self.flags, [*self.dirty], self.calls, self.results, self.names)

    def spliced(self, changes: Mapping[int, Sequence[tuple[Msg, int]]]) -> Seated:
        """The same with some messages replaced, each by none, one or several; those are dirty."""
        if changes.keys() <= {*self.dirty} and all(len(new) == 1 for new in changes.values()):
            return self._exchanged(changes)
        msgs: list[Msg] = []
        seats: list[int] = []
        dirty: list[int] = []
        old, at = self.dirty, 0  # in order, so that one look at each is enough
        last = 0
        for i in sorted(changes):
            shift = len(msgs) - last
            while at < len(old) and old[at] <= i:
                if old[at] < i:
                    dirty.append(old[at] + shift)
                at += 1
            msgs += self.msgs[last:i]
            seats += self.seats[last:i]
            for msg, seat in changes[i]:
                dirty.append(len(msgs))
                msgs.append(msg)
                seats.append(seat)
            last = i + 1
        shift = len(msgs) - last
        dirty += [one + shift for one in old[at:]]
        msgs += self.msgs[last:]
        seats += self.seats[last:]
        flags = self.flags if all(changes.values()) else self.flags | GONE
        return Seated(msgs, seats, flags, dirty, self.calls, self.results, self.names)


def runs(seated: Seated) -> Iterator[tuple[int, int, int]]:
    """(seat, start, end) of each run of neighbours of one seat."""
    seats = seated.seats
    start = 0
    for i in range(1, len(seats) + 1):
        if i == len(seats) or seats[i] != seats[start]:
            yield seats[start], start, i
            start = i


def has_tools(msg: Msg) -> bool:
    """Whether the message holds a tool call or a tool result."""
    content = msg.content
    return not isinstance(content, str) and any(
        type(block) is ToolUseBlock or type(block) is ToolResultBlock for block in content
    )
