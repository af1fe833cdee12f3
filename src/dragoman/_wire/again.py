"""The messages of a request that this wire has read: what nobody edited goes back as it came.

The rest is composed, in the runs in which it stands. Edits are found by identity (`AsRead`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..capabilities import Capabilities
from ..jsontext import Json
from ..losses import Report
from ..message import AsRead, Msg, RawBlock, ServerTool, Tool, ToolResultBlock, ToolUseBlock
from ..repair import repair
from ..room import Room
from ..seats import ASSISTANT, SYSTEM, TOOL, USER, Seated, survey
from .manner import Manner
from .passes import Between, Seating, arranged, bound

__all__ = ["SeatedAgain", "seat_again"]

_SEATS = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}
_HEAD = ("system", "developer")


@dataclass(slots=True)
class SeatedAgain:
    """What the passes made of the messages, and how they are said."""

    made: Seating
    elements: list[Json]
    prompt: Seated  # what is composed of system messages that stand apart
    kept: bool  # the prompt that stands apart is as it was read


def seat_again(
    msgs: list[Msg],
    read: AsRead,
    tools: Sequence[Tool | ServerTool],
    can: Capabilities,
    manner: Manner,
    report: Report,
    room: Room,
) -> SeatedAgain:
    """The messages, of which those that nobody edited are said as they were read."""
    if not read.grown(msgs):
        msgs = _paired(msgs, read, can, manner, report)
    elif len(msgs) == len(read.messages):
        whole = Seated(msgs, [_seat(m) for m in msgs], dirty=_long(msgs))
        made = bound(Seating(whole, tools), can, manner, report, whole=True)
        if made.seated is whole:
            said = room.messages_as_read([m for m in msgs if not _apart(m)])
            return SeatedAgain(made, said, Seated([], []), kept=True)
    held = [read.holds(m) for m in msgs]
    head = next((i for i, m in enumerate(msgs) if m.role not in _HEAD), len(msgs))
    kept = all(held[:head])  # of system messages side by side some cannot be said in another way
    if not kept:
        held[:head] = [False] * head
    for i in range(head, len(msgs)):
        held[i] = held[i] and not _apart(msgs[i])
    made = bound(_joined(msgs, held, tools, can, manner, report), can, manner, report, whole=True)
    kept_ids = {id(m) for m, one in zip(msgs, held, strict=True) if one}
    seated = made.seated
    start = 0
    if not kept and can.system_place == "top":
        start = next((i for i, s in enumerate(seated.seats) if s != SYSTEM), len(seated.seats))
    elements: list[Json] = []
    pairs = zip(seated.msgs[start:], seated.seats[start:], strict=True)
    for again, run in groupby(pairs, lambda pair: id(pair[0]) in kept_ids):
        listed = list(run)
        if again:
            elements += room.messages_as_read([m for m, _ in listed if not _apart(m)])
        else:
            composed = Seated([m for m, _ in listed], [s for _, s in listed])
            composed.dirty = list(range(len(listed)))
            elements += room.messages(composed, can, report)
    return SeatedAgain(made, elements, Seated(seated.msgs[:start], seated.seats[:start]), kept)


def _apart(m: Msg) -> bool:
    """Whether the message was read from a place of its own, apart from the others."""
    return m.spelling is not None and m.spelling.startswith("top")


def _paired(
    msgs: list[Msg], read: AsRead, can: Capabilities, manner: Manner, report: Report
) -> list[Msg]:
    """The messages, repaired if an edit took a call or a result from the other."""
    if _alone(msgs) == _alone(read.messages):
        return msgs
    made = repair(survey(msgs, report), can, report, manner.told).msgs
    whole: list[Msg] = []
    for _, run in groupby(made, lambda m: id(report.source(m))):
        pieces = list(run)
        source = report.source(pieces[0])
        blocks = [id(block) for m in pieces for block in m.blocks]
        if isinstance(source, Msg) and [*map(id, source.blocks)] == blocks:
            whole.append(source)  # it was cut for the repair, and all of it stands
        else:
            whole += pieces
    return whole


def _alone(msgs: Sequence[Msg]) -> tuple[Counter[str], Counter[str]]:
    """The ids of calls without a result, and of results without a call."""
    calls: Counter[str] = Counter()
    results: Counter[str] = Counter()
    for asks, id in _tooled(msgs):
        (calls if asks else results)[id] += 1
    return calls - results, results - calls


def _tooled(msgs: Sequence[Msg]) -> Iterator[tuple[bool, str]]:
    """Whether it is a call, and its id: of ours and of a provider's own."""
    for m in msgs:
        if not isinstance(m.content, str):
            for block in m.content:
                if type(block) is ToolUseBlock or type(block) is ToolResultBlock:
                    yield type(block) is ToolUseBlock, block.id
                elif type(block) is RawBlock and block.pair and block.role in ("call", "result"):
                    yield block.role == "call", block.pair


def _joined(
    msgs: list[Msg],
    held: list[bool],
    tools: Sequence[Tool | ServerTool],
    can: Capabilities,
    manner: Manner,
    report: Report,
) -> Seating:
    """Those that are held as they are, the runs between them arranged; one history."""
    mine = [m for m, one in zip(msgs, held, strict=True) if one]
    ids = frozenset(id for _, id in _tooled(mine))
    marks = sum(_marks(m) for m in mine)
    all_ = Seating(Seated([], []), tools)
    behind: int | None = None
    at = 0
    for again, run in groupby(zip(msgs, held, strict=True), lambda pair: pair[1]):
        part = [m for m, _ in run]
        at += len(part)
        if again:
            seated = Seated(part, [_seat(m) for m in part])
        else:
            between = Between(behind, at == len(msgs), behind is not None, ids, marks)
            made = arranged(part, tools, can, manner, report, True, between)
            seated = made.seated
            all_.tools = made.tools
            all_.names.update(made.names)
            all_.ids.update(made.ids)
        all_.seated.msgs += seated.msgs
        all_.seated.seats += seated.seats
        behind = seated.seats[-1] if seated.seats else behind
    whole = all_.seated
    whole.dirty = _long(whole.msgs)
    return all_


def _long(msgs: Sequence[Msg]) -> list[int]:
    """The messages that are more than a text."""
    return [i for i, m in enumerate(msgs) if not isinstance(m.content, str)]


def _seat(m: Msg) -> int:
    if not isinstance(m.content, str) and any(type(b) is ToolResultBlock for b in m.content):
        return TOOL
    return _SEATS[m.role]


def _marks(m: Msg) -> int:
    """How many cache hints the message holds."""
    blocks = () if isinstance(m.content, str) else m.content
    hints = sum(getattr(block, "cache", None) is not None for block in blocks)
    return hints + (m.cache is not None)
