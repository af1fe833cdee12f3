"""RoledHistory -> RoledHistory: results under the names of the tools that were called.

A part of `repair`, behind the pairing. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import itemgetter
from typing import TypeAlias

from ...capabilities import Capabilities
from ...losses import Report
from ...losses.codes.code import Kind
from ...message import Msg, RawBlock, TextBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock
from ..wording import Told
from .fit.blocks import flat
from .roles import (
    ASSISTANT,
    FOLLOWING,
    MISNAMED,
    ODD,
    PAIRS,
    PARALLEL,
    TOOL,
    UNNAMED,
    USER,
    RoledHistory,
    runs,
    survey,
)


def named(history: RoledHistory, report: Report) -> RoledHistory:
    """Results without a name, or with another one, get the name of the call they answer."""
    names: dict[str, deque[str]] = {}
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i, (m, seat) in enumerate(zip(history.msgs, history.seats, strict=True)):
        if seat == ASSISTANT:
            names = _called(m)
        elif seat == TOOL:
            blocks = [_with_name(block, names, report) for block in m.blocks]
            if any(new is not old for new, old in zip(blocks, m.blocks, strict=True)):
                made = Msg.trusted(m.name, blocks, m.role, m)
                report.made(made, m)
                changes[i] = [(made, seat)]
    return history.spliced(changes) if changes else history


def misnamed(history: RoledHistory, report: Report) -> None:
    """Name the results that call their tool otherwise than its call does, which alone is said."""
    names: dict[str, deque[str]] = {}
    for m, seat in zip(history.msgs, history.seats, strict=True):
        if seat == ASSISTANT:
            names = _called(m)
        elif seat == TOOL:
            for result in (block for block in m.blocks if type(block) is ToolResultBlock):
                queue = names.get(result.id)
                name = queue.popleft() if queue else ""
                if name and result.name not in ("", name):
                    report.lost("result.name", result, "name", did=f"its call says {name}")


def _called(m: Msg) -> dict[str, deque[str]]:
    """The names that each id of the calls in a message has, in their order."""
    names: dict[str, deque[str]] = defaultdict(deque)
    for call in m.calls:
        names[call.id].append(call.name)
    return names


def _with_name(block: ContentBlock, names: dict[str, deque[str]], report: Report) -> ContentBlock:
    assert type(block) is ToolResultBlock  # a message at the tools' seat holds nothing else
    queue = names.get(block.id)
    name = queue.popleft() if queue else block.name
    if name == block.name:
        return block
    made = replace(block, name=name)
    report.made(made, block)
    kind: Kind = "repaired" if block.name else "expected"  # a name is left out more often than not
    report.lost("result.name", block, "name", did=f"named {made.name}", kind=kind)
    return made


Place: TypeAlias = tuple[int, int]  # message, block


def matched(
    history: RoledHistory, caps: Capabilities, report: Report, open_start: bool = False
) -> tuple[RoledHistory, frozenset[str]]:
    """The history without what lacks its other half; and the ids that plain results answer.

    A server's result stands in the turn of its call, in which clients may answer calls of their
    own; one for a client may come at any time. What the history ends in may wait. `open_start`:
    the call of a result may stand in what the provider keeps.
    """
    listed = [(place, block) for i in history.dirty for place, block in _paired(history, i, caps)]
    if not listed:
        return history, frozenset()
    turns = [0, *accumulate(seat not in (ASSISTANT, TOOL) for seat in history.seats)]
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
    plain = set(history.results).difference(history.calls)  # of two calls of one id ours has it
    asked = {key for key, (_, call) in waiting.items() if call.by == "client" and key in plain}
    begun.update(waiting[key][0][0] for key in asked)
    for key in waiting.keys() - asked:
        place, block = waiting[key]
        if not _may_wait(turns, begun, place, block):
            gone[place] = block
    return (_without(history, gone, report) if gone else history), frozenset(asked)


def paused(m: Msg) -> bool:
    """Whether a turn ends in what the provider itself goes on from: its own call or result."""
    last = m.content[-1] if m.content and not isinstance(m.content, str) else None
    return type(last) is RawBlock and last.role in ("call", "result")


def _paired(history: RoledHistory, i: int, caps: Capabilities) -> Iterator[tuple[Place, RawBlock]]:
    """The calls and results of a message that this wire reads, and that name each other."""
    content = history.msgs[i].content
    for n, block in enumerate([] if isinstance(content, str) else content):
        if (
            type(block) is RawBlock
            and block.pair
            and block.role in ("call", "result")
            and block.issuer in caps.reads
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


def _without(history: RoledHistory, gone: dict[Place, RawBlock], report: Report) -> RoledHistory:
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in dict.fromkeys(i for i, _ in gone):
        m = history.msgs[i]
        kept = [block for n, block in enumerate(m.blocks) if (i, n) not in gone]
        made = Msg.trusted(m.name, kept, m.role, m)
        report.made(made, m)
        changes[i] = [(made, history.seats[i])] if kept else []
        touched = [made] if kept else history.msgs[i + 1 : i + 2]
        for one in touched:
            report.touched("the removal of a call without its result", one)
    for place in sorted(gone):
        block = gone[place]
        report.lost("raw.unpaired", block, what=f"{block.role} {block.pair}", did="left out")
    return history.spliced(changes)


Found: TypeAlias = tuple[int, ToolResultBlock]  # a result, and which message holds it


Stays: TypeAlias = dict[int, list[tuple[Msg, int]]]


@dataclass(slots=True)
class Orphans:
    """What becomes of the results of one history that answer nobody in it."""

    history: RoledHistory
    caps: Capabilities
    report: Report
    told: Told

    def sorted_out(
        self, found: list[Found], answered: set[str], open_start: bool
    ) -> tuple[Stays, list[tuple[str, ToolResultBlock, str]]]:
        """What stays of them, by the messages that held them, and what is lost.

        `answered`: the ids of calls that have a result; those of what is kept join them.
        """
        lost: list[tuple[str, ToolResultBlock, str]] = []
        kept: dict[int, list[ContentBlock]] = defaultdict(list)
        told: dict[int, list[ContentBlock]] = defaultdict(list)
        for i, block in found:
            if block.id in answered:
                lost.append(("result.duplicate", block, "left out"))
            elif open_start and block.id:
                kept[i].append(block)
                answered.add(block.id)
            elif self.caps.orphans == "tell":
                lost.append(("result.orphan", block, "told as text"))
                told[i] += self._as_text(block)
            else:
                lost.append(("result.orphan", block, "left out"))
        stays: Stays = defaultdict(list)
        for i, blocks in kept.items():
            stays[i].append((only(self.history.msgs[i], blocks, self.report), TOOL))
        for i, blocks in told.items():
            made = Msg.trusted("", blocks, "user")
            self.report.made(made, self.history.msgs[i])
            stays[i].append((made, USER))
        return stays, lost

    def _as_text(self, block: ToolResultBlock) -> list[ContentBlock]:
        """A result in words, with its media behind them."""
        said = flat(block.output)
        said = self.told.error + said if block.is_error else said
        text = TextBlock(self.told.result.format(name=block.name or block.id, output=said))
        self.report.made(text, block)
        inner = block.output if isinstance(block.output, list) else []
        return [text, *(one for one in inner if one.type in MEDIA_KINDS)]


def only(m: Msg, blocks: list[ContentBlock], report: Report) -> Msg:
    """The message with these of its blocks alone."""
    if len(blocks) == len(m.content):
        return m
    made = Msg.trusted(m.name, blocks, m.role, m)
    report.made(made, m)
    return made


def finished(history: RoledHistory, report: Report) -> RoledHistory:
    """The history without the unfinished calls that have no result; what has one stays."""
    answered = set(history.results)
    msgs: list[Msg] = []
    changed = False
    for m in history.msgs:
        gone = [call for call in m.calls if call.unfinished and call.id not in answered]
        kept = m if not gone else _unfinished_without(m, gone, report)
        if kept is not None:
            msgs.append(kept)
        changed = changed or kept is not m
    return survey(msgs, report) if changed else history


def _unfinished_without(m: Msg, gone: Iterable[ToolUseBlock], report: Report) -> Msg | None:
    left_out = set(map(id, gone))
    for call in gone:
        report.lost("call.unfinished", call, did="left out")
    kept = [block for block in m.blocks if id(block) not in left_out]
    made = Msg.trusted(m.name, kept, m.role, m) if kept else None
    report.touched("the removal of an unfinished call", made or m)
    if made is not None:
        report.made(made, m)
    return made


def repair(
    history: RoledHistory, caps: Capabilities, report: Report, told: Told, open_start: bool = False
) -> RoledHistory:
    """The history with its calls and results paired, and results named where they must be.

    `open_start`: it goes on from what the provider keeps, so that a result whose call is not here
    answers one of there and stands where it is.
    """
    asked: frozenset[str] = frozenset()
    if history.flags & ODD:
        history, asked = matched(history, caps, report, open_start)
    if history.flags & PAIRS or asked:
        history = _Pairing(history, caps, report, told, asked).paired(open_start)
    if history.flags & (PAIRS | UNNAMED) and caps.result_names:
        history = named(history, report)
    elif history.flags & (PAIRS | MISNAMED):
        misnamed(history, report)
    return history


Call: TypeAlias = ToolUseBlock | RawBlock  # the latter a provider's own, which names its pair


Row: TypeAlias = tuple[Call, Found | None]


@dataclass(slots=True)
class _Pairing:
    """One history whose calls and results do not stand in pairs; `asked`: own calls among them."""

    history: RoledHistory
    caps: Capabilities
    report: Report
    told: Told
    asked: frozenset[str]
    others: list[Msg | None] = field(default_factory=list)

    def paired(self, open_start: bool) -> RoledHistory:
        """The calls of each message with their results behind them, and nothing else there."""
        history = self.history
        answers, orphans = self._answers()
        rest = Orphans(history, self.caps, self.report, self.told)
        stays, lost = rest.sorted_out(orphans, {*self.asked, *history.calls}, open_start)
        made: list[tuple[Msg, int]] = []
        last = len(history.msgs) - 1
        for i, (m, seat) in enumerate(zip(history.msgs, history.seats, strict=True)):
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
        history = self.history
        rows: dict[int, list[Row]] = {}
        free: dict[str, deque[Found]] = defaultdict(deque)
        for seat, start, end in runs(history):
            if seat != TOOL:
                rows.update((i, [(call, None) for call in self._calls(history.msgs[i])])
                            for i in range(start, end) if seat == ASSISTANT)  # fmt: skip
                continue
            here: dict[str, deque[Found]] = defaultdict(deque)
            for i in range(start, end):
                for block in _results(history.msgs[i]):
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
        while end < len(self.history.seats) and self.history.seats[end] == TOOL:
            end += 1
        there = self.history.msgs[i + 1 : end]
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
        made = only(self.history.msgs[index], [block], self.report)
        if not at < index < end:
            self.report.lost("result.moved", block, did="moved behind its call")
        if index >= end:  # who spoke in between has not seen it there
            self.report.touched("the repair of a late result", made, self._others()[index])
        return made

    def _others(self) -> list[Msg | None]:
        """For each message the next one behind it that holds no results."""
        if not self.others:
            then: Msg | None = None
            for i in reversed(range(len(self.history.msgs))):
                self.others.append(then)
                then = then if self.history.seats[i] == TOOL else self.history.msgs[i]
            self.others.reverse()
        return self.others

    def _resurveyed(self, made: list[tuple[Msg, int]]) -> RoledHistory:
        history = self.history
        old = {id(history.msgs[i]) for i in history.dirty}
        known = {id(m) for m in history.msgs}
        msgs = [m for m, _ in made]
        dirty = [i for i, m in enumerate(msgs) if id(m) in old or id(m) not in known]
        flags = history.flags | PARALLEL | FOLLOWING
        return RoledHistory(msgs, [seat for _, seat in made], flags, dirty, *_ids(msgs))


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
