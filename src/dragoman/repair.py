"""Seated -> Seated: every call one result, directly behind it; no orphans.

Each repair is a loss. A history that is right passes through untouched. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import replace
from operator import itemgetter
from typing import TypeAlias

from .capabilities import Capabilities
from .losses import Report
from .message import Msg, ToolResultBlock, ToolUseBlock
from .message.blocks import ContentBlock
from .seats import ASSISTANT, MISNAMED, PAIRS, PARALLEL, TOOL, UNNAMED, Seated, runs
from .told import Told

__all__ = ["repair"]


def repair(
    seated: Seated, can: Capabilities, report: Report, told: Told, open_start: bool = False
) -> Seated:
    """The history with its calls and results paired, and results named where they must be.

    `open_start`: it goes on from what the provider keeps, so that a result whose call is not here
    answers one of there and stands where it is.
    """
    if seated.flags & PAIRS:
        seated = _pairs(seated, report, told, open_start)
    if seated.flags & (PAIRS | UNNAMED) and can.result_names:
        seated = _named(seated, report)
    elif seated.flags & MISNAMED:
        _misnamed(seated, report)
    return seated


Found: TypeAlias = tuple[int, ToolResultBlock]
Row: TypeAlias = tuple[ToolUseBlock, Found | None]


def _pairs(seated: Seated, report: Report, told: Told, open_start: bool) -> Seated:
    answers, orphans = _answers(seated)
    kept, lost = _sorted_out(seated, orphans, open_start)
    msgs: list[Msg] = []
    seats: list[int] = []
    last = len(seated.msgs) - 1
    for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
        if seat == TOOL:
            if blocks := kept.get(i):
                msgs.append(_only(m, blocks, report))
                seats.append(TOOL)
            continue
        msgs.append(m)
        seats.append(seat)
        rows = answers.get(i, [])
        if not rows or (i == last and not any(found for _, found in rows)):
            continue  # a history that ends in calls: they are about to be carried out
        made = _behind(seated, i, rows, report, told)
        msgs.extend(made)
        seats.extend([TOOL] * len(made))
    for code, block in lost:
        report.lost(code, block, did="left out")
    return _resurveyed(seated, msgs, seats)


def _sorted_out(
    seated: Seated, orphans: list[Found], open_start: bool
) -> tuple[dict[int, list[ContentBlock]], list[tuple[str, ToolResultBlock]]]:
    """The orphans that answer what the provider keeps, by their messages; the others by code."""
    kept: dict[int, list[ContentBlock]] = defaultdict(list)
    lost: list[tuple[str, ToolResultBlock]] = []
    answered = set(seated.calls)
    for i, block in orphans:
        if block.id in answered:
            lost.append(("result.duplicate", block))
        elif open_start and block.id:
            kept[i].append(block)
            answered.add(block.id)
        else:
            lost.append(("result.orphan", block))
    return kept, lost


def _only(m: Msg, blocks: list[ContentBlock], report: Report) -> Msg:
    """The message with these of its blocks alone."""
    if len(blocks) == len(m.content):
        return m
    made = Msg.trusted(m.name, blocks, m.role, m)
    report.made(made, m)
    return made


def _answers(seated: Seated) -> tuple[dict[int, list[Row]], list[Found]]:
    """The calls of each message with their results, and the results that answer nobody.

    A result belongs to a call of the turn that it stands behind; what is left over, to the first
    call of its id that still waits.
    """
    rows: dict[int, list[Row]] = {}
    free: dict[str, deque[Found]] = defaultdict(deque)
    for seat, start, end in runs(seated):
        if seat != TOOL:
            rows.update((i, [(call, None) for call in seated.msgs[i].calls])
                        for i in range(start, end) if seat == ASSISTANT)  # fmt: skip
            continue
        here: dict[str, deque[Found]] = defaultdict(deque)
        for i in range(start, end):
            for block in seated.msgs[i].blocks:
                if type(block) is ToolResultBlock:
                    here[block.id].append((i, block))
        if start - 1 in rows:
            rows[start - 1] = [(call, _first(here[call.id])) for call, _ in rows[start - 1]]
        for id, queue in here.items():
            free[id].extend(queue)
    if any(free.values()):
        _late(rows, free)
    return rows, sorted((one for queue in free.values() for one in queue), key=itemgetter(0))


def _first(queue: deque[Found]) -> Found | None:
    return queue.popleft() if queue else None


def _late(rows: dict[int, list[Row]], free: dict[str, deque[Found]]) -> None:
    """Give the calls that still wait what is left: a result behind them, or else before them."""
    early: dict[str, deque[Found]] = defaultdict(deque)
    for i, row in rows.items():
        for n, (call, found) in enumerate(row):
            if found is not None:
                continue
            queue, before = free[call.id], early[call.id]
            while queue and queue[0][0] < i:
                before.append(queue.popleft())
            row[n] = (call, _first(queue or before))
    for id, queue in early.items():
        free[id].extend(queue)


def _behind(seated: Seated, i: int, rows: list[Row], report: Report, told: Told) -> list[Msg]:
    """The messages with the results of message `i`: those that stand there if they are right."""
    end = i + 1
    while end < len(seated.seats) and seated.seats[end] == TOOL:
        end += 1
    there = seated.msgs[i + 1 : end]
    results = [id(b) for m in there for b in m.blocks if type(b) is ToolResultBlock]
    right = sorted(id(found[1]) for _, found in rows if found)
    if len(results) == len(rows) and sorted(results) == right:
        return there
    return [
        _answer(call, found, seated, i, found is not None and i < found[0] < end, report, told)
        for call, found in rows
    ]


def _answer(
    call: ToolUseBlock,
    found: Found | None,
    seated: Seated,
    at: int,
    near: bool,
    report: Report,
    told: Told,
) -> Msg:
    if found is None:
        block = ToolResultBlock(call.id, call.name, told.missing, is_error=True)
        made = Msg.trusted("", [block], "tool")
        report.made(made, call)
        report.made(block, call)
        report.lost("result.missing", call, did="an error result was added")
        return made
    index, block = found
    source = seated.msgs[index]
    made = _only(source, [block], report)
    if not near:
        report.lost("result.moved", block, did="moved behind its call")
        if index > at:  # who spoke in between has not seen it there
            behind = (i for i in range(index + 1, len(seated.msgs)) if seated.seats[i] != TOOL)
            then = next(behind, None)
            report.touched("the repair of a late result", made,
                           None if then is None else seated.msgs[then])  # fmt: skip
    return made


def _resurveyed(seated: Seated, msgs: list[Msg], seats: list[int]) -> Seated:
    old = {id(seated.msgs[i]) for i in seated.dirty}
    known = {id(m) for m in seated.msgs}
    dirty = [i for i, m in enumerate(msgs) if id(m) in old or id(m) not in known]
    return Seated(msgs, seats, seated.flags | PARALLEL, dirty, *_ids(msgs))


def _ids(msgs: list[Msg]) -> tuple[list[str], list[str], list[str]]:
    calls: list[str] = []
    results: list[str] = []
    names: list[str] = []
    for m in msgs:
        for block in [] if isinstance(m.content, str) else m.content:
            if type(block) is ToolUseBlock:
                calls.append(block.id)
                names.append(block.name)
            elif type(block) is ToolResultBlock:
                results.append(block.id)
    return calls, results, names


def _named(seated: Seated, report: Report) -> Seated:
    """Results without a name, or with another one, get the name of the call they answer."""
    names: dict[str, deque[str]] = {}
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
        if isinstance(m.content, str):
            continue
        if seat == ASSISTANT:
            names = defaultdict(deque)
            for call in m.calls:
                names[call.id].append(call.name)
        elif seat == TOOL:
            blocks: list[ContentBlock] = [_with_name(b, names, report) for b in m.content]
            if any(new is not old for new, old in zip(blocks, m.content, strict=True)):
                made = Msg.trusted(m.name, blocks, m.role, m)
                report.made(made, m)
                changes[i] = [(made, seat)]
    return seated.spliced(changes) if changes else seated


def _misnamed(seated: Seated, report: Report) -> None:
    """Name the results that call their tool otherwise than its call does, which alone is said."""
    names: dict[str, str] = {}
    for m, seat in zip(seated.msgs, seated.seats, strict=True):
        if seat == ASSISTANT:
            names = {call.id: call.name for call in m.calls}
        elif seat == TOOL:
            for result in (block for block in m.blocks if type(block) is ToolResultBlock):
                name = names.get(result.id)
                if name and result.name not in ("", name):
                    report.lost("result.name", result, "name", did=f"its call says {name}")


def _with_name(block: object, names: dict[str, deque[str]], report: Report) -> ToolResultBlock:
    assert type(block) is ToolResultBlock  # a message at the tools' seat holds nothing else
    queue = names.get(block.id)
    name = queue.popleft() if queue else block.name
    if name == block.name:
        return block
    made = replace(block, name=name)
    report.made(made, block)
    report.lost("result.name", block, "name", did=f"named {made.name}")
    return made
