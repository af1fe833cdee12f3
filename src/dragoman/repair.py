"""Seated -> Seated: every call one result, directly behind it; no orphans.

Each repair is a loss. A history that is right passes through untouched. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TypeAlias

from .called import misnamed, named
from .capabilities import Capabilities
from .losses import Report
from .message import Msg, RawBlock, ToolResultBlock, ToolUseBlock
from .opaque import matched
from .orphans import Found, Orphans, only
from .seats import (
    ASSISTANT,
    FOLLOWING,
    MISNAMED,
    ODD,
    PAIRS,
    PARALLEL,
    TOOL,
    UNNAMED,
    Seated,
    runs,
)
from .told import Told

__all__ = ["repair"]


def repair(
    seated: Seated, can: Capabilities, report: Report, told: Told, open_start: bool = False
) -> Seated:
    """The history with its calls and results paired, and results named where they must be.

    `open_start`: it goes on from what the provider keeps, so that a result whose call is not here
    answers one of there and stands where it is.
    """
    asked: frozenset[str] = frozenset()
    if seated.flags & ODD:
        seated, asked = matched(seated, can, report, open_start)
    if seated.flags & PAIRS or asked:
        seated = _Pairing(seated, can, report, told, asked).paired(open_start)
    if seated.flags & (PAIRS | UNNAMED) and can.result_names:
        seated = named(seated, report)
    elif seated.flags & (PAIRS | MISNAMED):
        misnamed(seated, report)
    return seated


Call: TypeAlias = ToolUseBlock | RawBlock  # the latter a provider's own, which names its pair
Row: TypeAlias = tuple[Call, Found | None]


@dataclass(slots=True)
class _Pairing:
    """One history whose calls and results do not stand in pairs; `asked`: own calls among them."""

    seated: Seated
    can: Capabilities
    report: Report
    told: Told
    asked: frozenset[str]
    others: list[Msg | None] = field(default_factory=list)

    def paired(self, open_start: bool) -> Seated:
        """The calls of each message with their results behind them, and nothing else there."""
        seated = self.seated
        answers, orphans = self._answers()
        rest = Orphans(seated, self.can, self.report, self.told)
        stays, lost = rest.sorted_out(orphans, {*self.asked, *seated.calls}, open_start)
        made: list[tuple[Msg, int]] = []
        last = len(seated.msgs) - 1
        for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
            if seat != TOOL:
                made.append((m, seat))
            made += stays.get(i, ())
            rows = answers.get(i, [])
            # a history that ends in calls: they are about to be carried out
            if rows and (i != last or any(found for _, found in rows)):
                made += [(one, TOOL) for one in self._behind(i, rows)]
        for code, block, did in lost:
            self.report.lost(code, block, did=did)
        return self._resurveyed(made)

    def _answers(self) -> tuple[dict[int, list[Row]], list[Found]]:
        """The calls of each message with their results, and the results that answer nobody.

        A result belongs to a call of the turn that it stands behind; what is left over, to the
        first call of its id that still waits.
        """
        seated = self.seated
        rows: dict[int, list[Row]] = {}
        free: dict[str, deque[Found]] = defaultdict(deque)
        for seat, start, end in runs(seated):
            if seat != TOOL:
                rows.update((i, [(call, None) for call in self._calls(seated.msgs[i])])
                            for i in range(start, end) if seat == ASSISTANT)  # fmt: skip
                continue
            here: dict[str, deque[Found]] = defaultdict(deque)
            for i in range(start, end):
                for block in _results(seated.msgs[i]):
                    here[block.id].append((i, block))
            if start - 1 in rows:
                rows[start - 1] = [(call, _first(here[_id(call)])) for call, _ in rows[start - 1]]
            for id, queue in here.items():
                free[id].extend(queue)
        if any(free.values()):
            _late(rows, free)
        return rows, sorted((one for queue in free.values() for one in queue), key=itemgetter(0))

    def _calls(self, m: Msg) -> list[Call]:
        if not self.asked:
            return list(m.calls)
        return [
            block for block in m.blocks if type(block) is ToolUseBlock
            or (type(block) is RawBlock and block.role == "call" and block.pair in self.asked)
        ]  # fmt: skip

    def _behind(self, i: int, rows: list[Row]) -> list[Msg]:
        """The messages with the results of message `i`: those that are there, if they are right."""
        end = i + 1
        while end < len(self.seated.seats) and self.seated.seats[end] == TOOL:
            end += 1
        there = self.seated.msgs[i + 1 : end]
        results = sorted(id(block) for m in there for block in _results(m))
        right = sorted(id(found[1]) for _, found in rows if found)
        if len(results) == len(rows) and results == right:
            return there
        return [
            self._missing(call) if found is None else self._found(found, i, end)
            for call, found in rows
        ]

    def _missing(self, call: Call) -> Msg:
        assert type(call) is ToolUseBlock  # no provider's own is here without its result
        block = ToolResultBlock(call.id, call.name, self.told.missing, is_error=True)
        made = Msg.trusted("", [block], "tool")
        self.report.made(made, call)
        self.report.made(block, call)
        self.report.lost("result.missing", call, did="an error result was added")
        return made

    def _found(self, found: Found, at: int, end: int) -> Msg:
        """The result alone; `at`: where its call stands, `end`: where results behind it end."""
        index, block = found
        made = only(self.seated.msgs[index], [block], self.report)
        if not at < index < end:
            self.report.lost("result.moved", block, did="moved behind its call")
        if index >= end:  # who spoke in between has not seen it there
            self.report.touched("the repair of a late result", made, self._others()[index])
        return made

    def _others(self) -> list[Msg | None]:
        """For each message the next one behind it that holds no results."""
        if not self.others:
            then: Msg | None = None
            for i in reversed(range(len(self.seated.msgs))):
                self.others.append(then)
                then = then if self.seated.seats[i] == TOOL else self.seated.msgs[i]
            self.others.reverse()
        return self.others

    def _resurveyed(self, made: list[tuple[Msg, int]]) -> Seated:
        seated = self.seated
        old = {id(seated.msgs[i]) for i in seated.dirty}
        known = {id(m) for m in seated.msgs}
        msgs = [m for m, _ in made]
        dirty = [i for i, m in enumerate(msgs) if id(m) in old or id(m) not in known]
        flags = seated.flags | PARALLEL | FOLLOWING
        return Seated(msgs, [seat for _, seat in made], flags, dirty, *_ids(msgs))


def _id(call: Call) -> str:
    return call.id if type(call) is ToolUseBlock else call.pair or ""


def _results(m: Msg) -> list[ToolResultBlock]:
    return [block for block in m.blocks if type(block) is ToolResultBlock]


def _first(queue: deque[Found]) -> Found | None:
    return queue.popleft() if queue else None


def _late(rows: dict[int, list[Row]], free: dict[str, deque[Found]]) -> None:
    """Give the calls that still wait what is left: a result behind them, or else before them."""
    early: dict[str, deque[Found]] = defaultdict(deque)
    for i, row in rows.items():
        for n, (call, found) in enumerate(row):
            if found is not None:
                continue
            queue, before = free[_id(call)], early[_id(call)]
            while queue and queue[0][0] < i:
                before.append(queue.popleft())
            row[n] = (call, _first(queue or before))
    for id, queue in early.items():
        free[id].extend(queue)


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
