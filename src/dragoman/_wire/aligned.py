"""What was seated beside what is read back of it: the smallest runs of messages that agree.

A wire may say one message in several elements, or several in one.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..capabilities import Capabilities
from ..errors import WriteError
from ..losses import Report
from ..message import Msg
from ..room import Room
from ..seats import Seated

__all__ = ["aligned"]


def aligned(
    seated: Seated, back: list[Msg], can: Capabilities, room: Room, report: Report
) -> Iterator[tuple[list[Msg], list[Msg]]]:
    """(messages as they were seated, what is read back of them): the smallest runs that agree."""
    quiet = report.trial()
    ours = [_count(m, seat, can, room, quiet)
            for m, seat in zip(seated.msgs, seated.seats, strict=True)]  # fmt: skip
    apart = [m for m in back if (m.spelling or "").startswith("top")]
    inline = back[len(apart) :]
    theirs = [len(room.messages_as_read([m])) for m in inline]
    head = next((h for h in range(len(ours)) if sum(ours[h:]) == sum(theirs)), None)
    if head is None:
        return
    if head:
        yield seated.msgs[:head], apart
    i = j = 0
    starts, total, read = (head, 0), 0, 0
    i = head
    while i < len(ours) or j < len(theirs):
        if i < len(ours) and (total <= read or j == len(theirs)):
            total += ours[i]
            i += 1
        else:
            read += theirs[j]
            j += 1
        if total == read:
            yield seated.msgs[starts[0] : i], inline[starts[1] : j]
            starts = (i, j)


def _count(m: Msg, seat: int, can: Capabilities, room: Room, report: Report) -> int:
    """How many elements the message makes; one that is said as it was read may not be composed."""
    try:
        return len(room.messages(Seated([m], [seat], dirty=[0]), can, report))
    except (WriteError, AttributeError, TypeError, KeyError):
        return len(room.messages_as_read([m]))
