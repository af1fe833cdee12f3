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
from .seats import ASSISTANT, FOLLOWING, LATE, MEDIA, PARALLEL, SYSTEM, TOOL, USER, Seated, runs
from .told import Told
from .turns import accompanied, alternated, one, unended

__all__ = ["late_system", "order"]


def late_system(seated: Seated, can: Capabilities, report: Report, told: Told) -> Seated:
    """Later system messages as the wire takes them; before `fit`, for the seat changes."""
    late = seated.flags & LATE or (can.system_head == "first" and seated.seats[1:2] == [SYSTEM])
    return _late(seated, can, report, told) if late and can.late_system != "keep" else seated


def order(
    seated: Seated,
    can: Capabilities,
    report: Report,
    told: Told,
    whole: bool = True,
    insert: bool = True,
) -> Seated:
    """The history in an order that the wire takes.

    `whole`: it is a request, not a plain list; `insert`: turns that the wire demands are added.
    """
    if can.gather_results and seated.flags & PARALLEL:
        seated = _gathered(seated, report)
    if can.join_calls and (seated.flags & FOLLOWING or (seated.calls and seated.dirty)):
        seated = _joined(seated, report)
    dirty = bool(seated.dirty)
    if not can.thinking_last and dirty:
        seated = unended(seated, report)
    if can.late_system == "placed" and seated.flags & LATE and dirty:
        seated = _late(seated, can, report, told)  # other turns may stand beside it now
    if insert and seated.msgs:
        seated = _ends(seated, can, report, told, whole)
    if can.alternation != "free":
        seated = alternated(seated, can, report, told, insert)
    if not can.lone_documents and seated.flags & MEDIA:
        seated = accompanied(seated, report, told)
    if not can.trailing_space and seated.seats[-1:] == [ASSISTANT]:
        seated = _trimmed(seated, report)
    return seated


def _late(seated: Seated, can: Capabilities, report: Report, told: Told) -> Seated:
    head = 1 if can.system_head == "first" else _head(seated)
    changes: dict[int, list[tuple[Msg, int]]] = {}
    placed = _places(seated.seats) if can.late_system == "placed" else set()
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


def _places(seats: list[int]) -> set[int]:
    """Where a system message may stand: behind a user's turn, and before an assistant's or last."""
    found: set[int] = set()
    before = SYSTEM
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
    seats = seated.seats
    return next((i for i, seat in enumerate(seats) if seat != SYSTEM), len(seats))


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


def _trimmed(seated: Seated, report: Report) -> Seated:
    """The history without white space behind the assistant's last words."""
    m = seated.msgs[-1]
    blocks = list(m.blocks)
    last = blocks[-1] if blocks else None
    if type(last) is not TextBlock or last.text == last.text.rstrip():
        return seated
    text = last.text.rstrip()
    blocks[-1] = replace(last, text=text)
    report.made(blocks[-1], last)
    plain = isinstance(m.content, str)
    report.lost("text.trailing", m if plain else last, "content" if plain else "text")
    made = Msg.trusted(m.name, text if plain else blocks, m.role, m)
    report.made(made, m)
    return seated.spliced({len(seated.msgs) - 1: [(made, ASSISTANT)]})


def _ends(seated: Seated, can: Capabilities, report: Report, told: Told, whole: bool) -> Seated:
    head = _head(seated)
    spoken = can.system_place == "top" or (head > 1 and not can.last_system)
    if whole and spoken and head and head == len(seated.msgs):
        m = seated.msgs[-1]
        report.lost("system.alone", m, did="the last system message is said by the user")
        made = Msg.trusted(m.name, m.content, "user", m)
        report.made(made, m)
        return seated.spliced({head - 1: [(made, USER)]})
    seats = seated.seats
    first_user = can.first_user or (len(seats) == 1 and not can.lone_assistant)
    if first_user and seats[head : head + 1] == [ASSISTANT]:
        first = seated.msgs[head]
        report.lost("turn.first", first, did=told.first_turn)
        turn = _turn(told.first_turn, first, report)
        seated = seated.spliced({head: [(turn, USER), (first, ASSISTANT)]})
    last, seat = seated.msgs[-1], seated.seats[-1]
    if can.needs_user and USER not in seated.seats and seat == ASSISTANT and last.calls:
        # behind calls that wait for their results nothing may stand
        first = seated.msgs[head]
        report.lost("turn.first", first, did=told.first_turn)
        turn = _turn(told.first_turn, first, report)
        return seated.spliced({head: [(turn, USER), (first, seated.seats[head])]})
    if (can.needs_user and USER not in seated.seats) or (
        not can.prefill and seat == ASSISTANT and not last.calls
    ):
        report.lost("turn.last", last, did=told.last_turn)
        turn = _turn(told.last_turn, last, report)
        seated = seated.spliced({len(seated.msgs) - 1: [(last, seat), (turn, USER)]})
    return seated


def _turn(text: str, of: Msg, report: Report) -> Msg:
    made = Msg.trusted("", text, "user")
    report.made(made, of)
    return made
