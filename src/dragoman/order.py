"""Seated -> Seated: which seats may follow each other, who speaks first and last.

Later system messages, results gathered into one turn, turns that a wire demands. Comes after
`fit`, which moves media and empties messages. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from .capabilities import Capabilities
from .losses import Report
from .message import Msg, TextBlock, ToolUseBlock
from .message.blocks import ContentBlock
from .opaque import paused
from .seats import (
    ASSISTANT,
    FOLLOWING,
    GONE,
    LATE,
    MEDIA,
    PARALLEL,
    SYSTEM,
    TOOL,
    USER,
    Seated,
    runs,
)
from .told import Told
from .turns import accompanied, alternated, one, trimmed, unended

__all__ = ["late_system", "order"]


def late_system(
    seated: Seated, can: Capabilities, report: Report, told: Told, behind: int | None = None
) -> Seated:
    """Later system messages as the wire takes them; before `fit`, for the seat changes.

    `behind`: the seat of what stands before these messages, if they are not the first.
    """
    if can.late_system == "keep" or not _any_late(seated, can, behind):
        return seated
    return _late(seated, can, report, told, behind)


def order(
    seated: Seated,
    can: Capabilities,
    report: Report,
    told: Told,
    whole: bool = True,
    insert: bool = True,
    behind: int | None = None,
    last: bool = True,
) -> Seated:
    """The history in an order that the wire takes.

    `whole`: it is a request, not a plain list; `insert`: turns that the wire demands are added.
    `behind`: the seat of what stands before these messages, if they are not the first; `last`:
    nothing stands behind them.
    """
    if can.gather_results and seated.flags & PARALLEL:
        seated = _gathered(seated, report)
    dirty = bool(seated.dirty or seated.flags & GONE)
    if can.join_calls and (seated.flags & FOLLOWING or (seated.calls and dirty)):
        seated = _joined(seated, report)
    if not can.thinking_last and dirty:
        seated = unended(seated, report)
    if can.late_system == "placed" and dirty and _any_late(seated, can, behind):
        seated = _late(seated, can, report, told, behind)  # other turns may stand beside it now
    if insert and seated.msgs:
        seated = _ends(seated, can, report, told, whole, behind is None, last)
    if can.alternation != "free":
        seated = alternated(seated, can, report, told, insert)
    if not can.lone_documents and seated.flags & MEDIA:
        seated = accompanied(seated, report, told)
    if last and not can.trailing_space and seated.seats[-1:] == [ASSISTANT]:
        seated = trimmed(seated, report)
    return seated


def _any_late(seated: Seated, can: Capabilities, behind: int | None) -> bool:
    """Whether a system message stands behind the prompt."""
    if seated.flags & LATE or (can.system_head == "first" and seated.seats[1:2] == [SYSTEM]):
        return True
    return behind is not None and seated.seats[:1] == [SYSTEM]


def _late(
    seated: Seated, can: Capabilities, report: Report, told: Told, behind: int | None
) -> Seated:
    head = 1 if can.system_head == "first" else _head(seated)
    if behind is not None:
        head = 0
    changes: dict[int, list[tuple[Msg, int]]] = {}
    placed = _places(seated.seats, behind) if can.late_system == "placed" else set()
    for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
        if seat != SYSTEM or i < head or i in placed:
            continue
        report.lost("system.late", m, did="told by the user")
        content = m.content
        if can.late_system != "user":
            report.lost("system.reminder", m)
            content = [_reminder(block, report, told) for block in m.blocks]
        made = Msg.trusted(m.name, content, "user", m)
        report.made(made, m)
        changes[i] = [(made, USER)]
    return seated.spliced(changes) if changes else seated


def _reminder(block: ContentBlock, report: Report, told: Told) -> ContentBlock:
    if type(block) is not TextBlock:
        return block
    made = replace(block, text=told.reminder.format(text=block.text))
    report.made(made, block)
    return made


def _places(seats: list[int], behind: int | None = None) -> set[int]:
    """Where a system message may stand: behind a user's turn, and before an assistant's or last."""
    found: set[int] = set()
    before = SYSTEM if behind is None else behind
    waiting: list[int] = []
    for i, seat in enumerate([*seats, ASSISTANT]):
        if seat == SYSTEM:
            waiting.append(i)
            continue
        if seat == ASSISTANT and before in (USER, TOOL):
            found.update(waiting)
        waiting.clear()
        before = seat
    return found


def _head(seated: Seated) -> int:
    """How many system messages stand before everything else."""
    count = 0
    for seat in seated.seats:
        if seat != SYSTEM:
            break
        count += 1
    return count


def _gathered(seated: Seated, report: Report) -> Seated:
    """Neighbouring results in one message, in the order of their calls."""
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for seat, start, end in runs(seated):
        if seat != TOOL:
            continue
        group = seated.msgs[start:end]
        given = [block for m in group for block in m.blocks]
        blocks = _as_called(given, seated.msgs[start - 1].calls if start else [])
        if end - start == 1 and all(a is b for a, b in zip(given, blocks, strict=True)):
            continue
        changes[start] = [(one(group, blocks, report), TOOL)]
        changes.update((i, []) for i in range(start + 1, end))
    return seated.spliced(changes) if changes else seated


def _as_called(results: list[ContentBlock], calls: list[ToolUseBlock]) -> list[ContentBlock]:
    """The results in the order of their calls; equal ids in the order in which they stand."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, call in enumerate(calls):
        places[call.id].append(i)
    ranked = []
    for block in results:
        open_ = places.get(getattr(block, "id", ""))
        ranked.append((open_.pop(0) if open_ else len(calls), block))
    return [block for _, block in sorted(ranked, key=lambda pair: pair[0])]


def _joined(seated: Seated, report: Report) -> Seated:
    """What the assistant says right before its calls stands in one turn with them."""
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for seat, start, end in runs(seated):
        if seat != ASSISTANT or end - start == 1:
            continue
        last = next((i for i in range(end - 1, start, -1) if seated.msgs[i].calls), start)
        if last == start:
            continue
        group = seated.msgs[start : last + 1]
        for m in group[:-1]:
            report.lost("turn.joined", m, did="joined with the call behind it")
        made = one(group, [block for m in group for block in m.blocks], report)
        changes[start] = [(made, ASSISTANT)]
        changes.update((i, []) for i in range(start + 1, last + 1))
    return seated.spliced(changes) if changes else seated


def _ends(
    seated: Seated, can: Capabilities, report: Report, told: Told, whole: bool, first: bool,
    last: bool,
) -> Seated:  # fmt: skip
    """With the turns that a wire wants at the start (`first`) and at the end (`last`)."""
    seats = seated.seats
    begins = seats[1:2] if seats[0] == SYSTEM else seats[:1]
    if begins == [USER] and seats[-1] in (USER, TOOL):
        return seated  # as most requests do
    if first:
        alone = _alone(seated, can, report) if whole and last else None
        if alone is not None:
            return alone
        seated = _first(seated, can, report, told)
    return _last(seated, can, report, told, first) if last else seated


def _alone(seated: Seated, can: Capabilities, report: Report) -> Seated | None:
    """System messages and no other: the user says the last one where that is no conversation."""
    head = _head(seated)
    spoken = can.system_place == "top" or (head > 1 and not can.last_system)
    if not (spoken and head and head == len(seated.msgs)):
        return None
    m = seated.msgs[-1]
    report.lost("system.alone", m, did="the last system message is said by the user")
    made = Msg.trusted(m.name, m.content, "user", m)
    report.made(made, m)
    return seated.spliced({head - 1: [(made, USER)]})


def _first(seated: Seated, can: Capabilities, report: Report, told: Told) -> Seated:
    head, seats = _head(seated), seated.seats
    first_user = can.first_user or (len(seats) == 1 and not can.lone_assistant)
    if not first_user or seats[head : head + 1] != [ASSISTANT]:
        return seated
    return _begun(seated, head, report, told)


def _begun(seated: Seated, head: int, report: Report, told: Told) -> Seated:
    first = seated.msgs[head]
    report.lost("turn.first", first, did=told.first_turn)
    turn = _turn(told.first_turn, first, report)
    return seated.spliced({head: [(turn, USER), (first, seated.seats[head])]})


def _last(seated: Seated, can: Capabilities, report: Report, told: Told, first: bool) -> Seated:
    m, seat = seated.msgs[-1], seated.seats[-1]
    userless = first and can.needs_user and USER not in seated.seats
    if userless and seat == ASSISTANT and m.calls:
        # behind calls that wait for their results nothing may stand
        return _begun(seated, _head(seated), report, told)
    if userless or (not can.prefill and seat == ASSISTANT and not (m.calls or paused(m))):
        report.lost("turn.last", m, did=told.last_turn)
        turn = _turn(told.last_turn, m, report)
        seated = seated.spliced({len(seated.msgs) - 1: [(m, seat), (turn, USER)]})
    return seated


def _turn(text: str, of: Msg, report: Report) -> Msg:
    made = Msg.trusted("", text, "user")
    report.made(made, of)
    return made
