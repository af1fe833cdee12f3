"""Seated -> Seated: a provider's own calls and results go back in pairs, or not at all.

They are opaque: no result can be made up for such a call. Knows no wire; which of them one reads
comes in as Capabilities.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import TypeAlias

from .capabilities import Capabilities
from .losses import Report
from .message import Msg, RawBlock
from .seats import ASSISTANT, TOOL, Seated

__all__ = ["matched", "paused"]

Place: TypeAlias = tuple[int, int]  # message, block


def matched(
    seated: Seated, can: Capabilities, report: Report, open_start: bool = False
) -> tuple[Seated, frozenset[str]]:
    """The history without what lacks its other half; and the ids that plain results answer.

    A server's result stands in the turn of its call, in which clients may answer calls of their
    own; one for a client may come at any time. What the history ends in may wait. `open_start`:
    the call of a result may stand in what the provider keeps.
    """
    listed = [(place, block) for i in seated.dirty for place, block in _paired(seated, i, can)]
    if not listed:
        return seated, frozenset()
    turns = [0, *accumulate(seat not in (ASSISTANT, TOOL) for seat in seated.seats)]
    waiting: dict[str, tuple[Place, RawBlock]] = {}
    done: set[str] = set()
    begun: set[int] = set()  # messages of which a client's call is answered
    gone: dict[Place, RawBlock] = {}
    for place, block in listed:
        key = block.pair or ""
        call = waiting.get(key)
        if block.role == "call" and call is None and key not in done:
            waiting[key] = (place, block)
        elif block.role == "result" and call is not None and _in_time(turns, *call, place):
            del waiting[key]
            done.add(key)
            if call[1].by == "client":
                begun.add(call[0][0])
        elif block.role == "call" or call is not None or key in done or not open_start:
            gone[place] = block
    plain = set(seated.results).difference(seated.calls)  # of two calls of one id ours has it
    asked = {key for key, (_, call) in waiting.items() if call.by == "client" and key in plain}
    begun.update(waiting[key][0][0] for key in asked)
    for key in waiting.keys() - asked:
        place, block = waiting[key]
        if not _may_wait(turns, begun, place, block):
            gone[place] = block
    return (_without(seated, gone, report) if gone else seated), frozenset(asked)


def paused(m: Msg) -> bool:
    """Whether a turn ends in what the provider itself goes on from: its own call or result."""
    last = m.content[-1] if m.content and not isinstance(m.content, str) else None
    return type(last) is RawBlock and last.role in ("call", "result")


def _paired(seated: Seated, i: int, can: Capabilities) -> Iterator[tuple[Place, RawBlock]]:
    """The calls and results of a message that this wire reads, and that name each other."""
    content = seated.msgs[i].content
    for n, block in enumerate([] if isinstance(content, str) else content):
        if (
            type(block) is RawBlock
            and block.pair
            and block.role in ("call", "result")
            and block.issuer in can.reads
        ):
            yield (i, n), block


def _in_time(turns: list[int], start: Place, call: RawBlock, end: Place) -> bool:
    """`turns` counts those of others in front of each message."""
    return call.by == "client" or turns[start[0]] == turns[end[0]]


def _may_wait(turns: list[int], begun: set[int], place: Place, call: RawBlock) -> bool:
    """Whether the history ends before an answer was due: of the client's with the call itself."""
    behind = place[0] + 1
    if call.by == "client":
        return len(turns) == behind + 1 and place[0] not in begun
    return turns[behind] == turns[-1]


def _without(seated: Seated, gone: dict[Place, RawBlock], report: Report) -> Seated:
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in dict.fromkeys(i for i, _ in gone):
        m = seated.msgs[i]
        kept = [block for n, block in enumerate(m.blocks) if (i, n) not in gone]
        made = Msg.trusted(m.name, kept, m.role, m)
        report.made(made, m)
        changes[i] = [(made, seated.seats[i])] if kept else []
        touched = [made] if kept else seated.msgs[i + 1 : i + 2]
        for one in touched:
            report.touched("the removal of a call without its result", one)
    for place in sorted(gone):
        block = gone[place]
        report.lost("raw.unpaired", block, what=f"{block.role} {block.pair}", did="left out")
    return seated.spliced(changes)
