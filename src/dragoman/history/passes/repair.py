"""Pair calls and results: what a wire refuses is moved, completed, written as text or left out.

`repair` pairs the calls of a history with their results and names the results where the wire
wants that; `pair_server_calls` does the same for a provider's own calls. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from operator import itemgetter
from typing import TypeAlias

from ...capabilities import Capabilities
from ...losses import Report
from ...losses.codes.code import Kind
from ...message import Msg, RawBlock, TextBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import MEDIA_KINDS, ContentBlock
from ..wording import Wording
from .lower.blocks import output_text
from .survey import (
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
    block_of_others,
    role_runs,
    same_items,
    survey,
    with_content,
    with_fields,
)


def repair(
    history: RoledHistory,
    caps: Capabilities,
    report: Report,
    wording: Wording,
    open_start: bool = False,
) -> RoledHistory:
    """The history with its calls and results paired, and results named where they must be.

    `open_start`: the history goes on from one that the provider keeps, so that a result whose call
    is not here answers a call there and stays in its place.
    """
    server_ids: frozenset[str] = frozenset()
    if history.flags & ODD:
        history, server_ids = pair_server_calls(history, caps, report, open_start)
    if history.flags & PAIRS or server_ids:
        history = Pairing(history, caps, report, wording, server_ids).pair_calls(open_start)
    unpaired = history.flags & PAIRS
    if unpaired or history.flags & (UNNAMED if caps.result_names else MISNAMED):
        return _with_names(history, caps.result_names, report)
    return history


def _with_names(history: RoledHistory, written: bool, report: Report) -> RoledHistory:
    """The history with each result under the name of the call that it answers.

    Where names of results are not written, the call's is, and a result of another one is a loss.
    """
    names: dict[str, deque[str]] = {}
    changes: dict[int, Msg | None] = {}
    for i, (m, role) in enumerate(zip(history.msgs, history.roles, strict=True)):
        if role == ASSISTANT:
            names = defaultdict(deque)  # that each id of the calls has, in their order
            for call in m.calls:
                names[call.id].append(call.name)
        elif role == TOOL:
            blocks = [_with_name(block, names, written, report) for block in m.blocks]
            if not same_items(blocks, m.blocks):
                changes[i] = with_content(m, blocks, report)
    return history.with_contents(changes)


def _with_name(
    block: ContentBlock, names: dict[str, deque[str]], written: bool, report: Report
) -> ContentBlock:
    assert type(block) is ToolResultBlock  # a message of the tools holds nothing else
    queue = names.get(block.id)
    name = queue.popleft() if queue else block.name
    if name == block.name:
        return block
    if not written:
        if name and block.name:
            report.add_loss("result.name", block, "name", did=f"its call says {name}")
        return block
    kind: Kind = "repaired" if block.name else "expected"  # a name is left out more often than not
    report.add_loss("result.name", block, "name", did=f"named {name}", kind=kind)
    return with_fields(block, report, name=name)


Place: TypeAlias = tuple[int, int]  # message, block


def pair_server_calls(
    history: RoledHistory, caps: Capabilities, report: Report, open_start: bool = False
) -> tuple[RoledHistory, frozenset[str]]:
    """The history without what lacks its other half; and the ids that plain results answer.

    A server's result is in the turn of its call, in which clients may answer calls of their own;
    one for a client may come at any time. The last calls of the history may wait for a result.
    `open_start`: the call of a result may be in the history that the provider keeps.
    """
    blocks = [item for i in history.unusual for item in _server_blocks(history, i, caps)]
    if not blocks:
        return history, frozenset()
    # how many messages of others come before each
    turns = [0, *accumulate(role not in (ASSISTANT, TOOL) for role in history.roles)]
    waiting: dict[str, tuple[Place, RawBlock]] = {}
    paired: set[str] = set()
    answered: set[int] = set()  # messages of which a client's call is answered
    unpaired: dict[Place, RawBlock] = {}
    for place, block in blocks:
        key = block.pair or ""
        call = waiting.get(key)
        if block.role == "call" and call is None and key not in paired:
            waiting[key] = (place, block)
        elif (
            block.role == "result"
            and call is not None
            and (call[1].by == "client" or turns[call[0][0]] == turns[place[0]])
        ):
            del waiting[key]
            paired.add(key)
            if call[1].by == "client":
                answered.add(call[0][0])
        elif block.role == "call" or call is not None or key in paired or not open_start:
            unpaired[place] = block
    results = set(history.results).difference(history.calls)  # of two calls of one id ours has it
    ids = {key for key, (_, call) in waiting.items() if call.by == "client" and key in results}
    answered.update(waiting[key][0][0] for key in ids)
    for key in waiting.keys() - ids:
        place, block = waiting[key]
        if not _may_wait(turns, answered, place, block):
            unpaired[place] = block
    return _without(history, unpaired, report), frozenset(ids)


def ends_in_server_block(m: Msg) -> bool:
    """Whether a turn ends in what the provider itself goes on from: its own call or result."""
    last = m.content[-1] if m.content and not isinstance(m.content, str) else None
    return type(last) is RawBlock and last.role in ("call", "result")


def _server_blocks(
    history: RoledHistory, i: int, caps: Capabilities
) -> Iterator[tuple[Place, RawBlock]]:
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


def _may_wait(turns: list[int], answered: set[int], place: Place, call: RawBlock) -> bool:
    """Whether the history ends before an answer was due: of the client's with the call itself."""
    behind = place[0] + 1
    if call.by == "client":
        return len(turns) == behind + 1 and place[0] not in answered
    return turns[behind] == turns[-1]


def _without(history: RoledHistory, blocks: dict[Place, RawBlock], report: Report) -> RoledHistory:
    changes: dict[int, Msg | None] = {}
    for i in dict.fromkeys(i for i, _ in blocks):
        m = history.msgs[i]
        remaining = [block for n, block in enumerate(m.blocks) if (i, n) not in blocks]
        changes[i] = changed = with_content(m, remaining, report) if remaining else None
        for node in [changed] if changed is not None else history.msgs[i + 1 : i + 2]:
            report.note_edit("the removal of a call without its result", node)
    for _, block in sorted(blocks.items(), key=itemgetter(0)):
        report.add_loss("raw.unpaired", block, what=f"{block.role} {block.pair}", did="left out")
    return history.with_contents(changes)


Result: TypeAlias = tuple[int, ToolResultBlock]  # the index of its message, the result
Stays: TypeAlias = dict[int, list[tuple[Msg, int]]]


def with_only(m: Msg, blocks: list[ContentBlock], report: Report) -> Msg:
    """The message with these of its blocks alone."""
    return m if len(blocks) == len(m.content) else with_content(m, blocks, report)


def drop_unfinished_calls(history: RoledHistory, report: Report) -> RoledHistory:
    """The history without the unfinished calls that have no result; what has one stays."""
    answered = set(history.results)
    msgs: list[Msg] = []
    changed = False
    for m in history.msgs:
        calls = [call for call in m.calls if call.unfinished and call.id not in answered]
        remaining = _without_calls(m, calls, report) if calls else m
        if remaining is not None:
            msgs.append(remaining)
        changed = changed or bool(calls)
    return survey(msgs, report) if changed else history


def _without_calls(m: Msg, calls: list[ToolUseBlock], report: Report) -> Msg | None:
    ids = set(map(id, calls))
    for call in calls:
        report.add_loss("call.unfinished", call, did="left out")
    blocks = [block for block in m.blocks if id(block) not in ids]
    remaining = with_content(m, blocks, report) if blocks else None
    report.note_edit("the removal of an unfinished call", remaining or m)
    return remaining


Call: TypeAlias = ToolUseBlock | RawBlock  # the latter a provider's own, which names its pair
Row: TypeAlias = tuple[Call, Result | None]


@dataclass(slots=True)
class Pairing:
    """One history whose calls and results are not in pairs.

    `server_ids`: those of the provider's own calls that plain results answer.
    """

    history: RoledHistory
    caps: Capabilities
    report: Report
    wording: Wording
    server_ids: frozenset[str] = frozenset()
    late: set[str] = field(default_factory=set)  # ids of calls whose results may come at any time
    next_speakers: list[Msg | None] = field(default_factory=list)

    def pair_calls(self, open_start: bool) -> RoledHistory:
        """The history with the results of each message's calls right after it."""
        history = self.history
        if self.caps.late_results:
            self.late = {
                call.id for m in history.msgs for call in m.calls if self._may_be_late(call)
            }
        rows_by_message, orphans = self._rows()
        answered = {*self.server_ids, *history.calls}
        stays, losses = self.orphans(orphans, answered, open_start)
        pairs: list[tuple[Msg, int]] = []
        last = len(history.msgs) - 1
        for i, (m, role) in enumerate(zip(history.msgs, history.roles, strict=True)):
            if role != TOOL:
                pairs.append((m, role))
            pairs += stays.get(i, ())
            rows = rows_by_message.get(i, [])
            # a history that ends in calls: they are about to be carried out
            if rows and (i != last or any(result for _, result in rows)):
                pairs += [(result, TOOL) for result in self._result_messages(i, rows)]
        for code, block, did in losses:
            self.report.add_loss(code, block, did=did)
        return self._survey_again(pairs)

    def _rows(self) -> tuple[dict[int, list[Row]], list[Result]]:
        """The calls of each message with their results, and the results that answer no call.

        A result belongs to a call of the turn that it follows; a result that finds none there, to
        the first call of its id that still waits.
        """
        history = self.history
        rows: dict[int, list[Row]] = {}
        free: dict[str, deque[Result]] = defaultdict(deque)
        for role, start, end in role_runs(history.roles):
            if role == ASSISTANT:
                for i in range(start, end):
                    rows[i] = [(call, None) for call in self._calls(history.msgs[i])]
            if role != TOOL:
                continue
            results: dict[str, deque[Result]] = defaultdict(deque)
            for i in range(start, end):
                for block in _results(history.msgs[i]):
                    results[block.id].append((i, block))
            if start - 1 in rows:
                calls = [call for call, _ in rows[start - 1]]
                rows[start - 1] = [(call, _first(results[_id(call)])) for call in calls]
            for id, queue in results.items():
                free[id].extend(queue)
        if any(free.values()):
            _pair_across_turns(rows, free)
        return rows, sorted((item for queue in free.values() for item in queue), key=itemgetter(0))

    def orphans(
        self, results: list[Result], answered: set[str], open_start: bool
    ) -> tuple[Stays, list[tuple[str, ToolResultBlock, str]]]:
        """What stays of results that answer no call, by the index of their messages; the losses.

        `answered`: the ids of calls that have a result; those of results that stay join them. No
        call that the provider keeps can have an id that the wire refuses.
        """
        losses: list[tuple[str, ToolResultBlock, str]] = []
        as_results: dict[int, list[ContentBlock]] = defaultdict(list)
        as_texts: dict[int, list[ContentBlock]] = defaultdict(list)
        for i, block in results:
            if block.id in self.late:
                as_results[i].append(block)
                self.late.discard(block.id)
            elif block.id in answered:
                losses.append(("result.duplicate", block, "left out"))
            elif open_start and self.caps.ids.takes(block.id):
                as_results[i].append(block)
                answered.add(block.id)
            elif self.caps.orphans == "tell":
                losses.append(("result.orphan", block, "told as text"))
                as_texts[i] += self._as_text(block)
            else:
                losses.append(("result.orphan", block, "left out"))
        stays: Stays = defaultdict(list)
        for i, blocks in as_results.items():
            stays[i].append((with_only(self.history.msgs[i], blocks, self.report), TOOL))
        for i, blocks in as_texts.items():
            m = self.report.record_copy(
                Msg.create_unchecked("", blocks, "user"), self.history.msgs[i]
            )
            stays[i].append((m, USER))
        return stays, losses

    def _as_text(self, block: ToolResultBlock) -> list[ContentBlock]:
        """A result as text, and its media after it."""
        output = output_text(block.output)
        output = self.wording.error + output if block.is_error else output
        text = TextBlock(self.wording.result.format(name=block.name or block.id, output=output))
        blocks = block.output if isinstance(block.output, list) else []
        media = [block_of_others(b, self.report) for b in blocks if b.type in MEDIA_KINDS]
        return [self.report.record_copy(text, block), *media]

    def _calls(self, m: Msg) -> list[Call]:
        if not self.server_ids:
            return [call for call in m.calls if call.id not in self.late]
        return [
            block
            for block in m.blocks
            if (type(block) is ToolUseBlock and block.id not in self.late)
            or (type(block) is RawBlock and block.role == "call" and block.pair in self.server_ids)
        ]

    def _may_be_late(self, call: ToolUseBlock) -> bool:
        """Whether the wire waits for the result of this call for as long as it takes."""
        name, extras = self.caps.late_results, call.extras or {}
        return any(extras.get(issuer, {}).get(name) is True for issuer in self.caps.reads)

    def _result_messages(self, i: int, rows: list[Row]) -> list[Msg]:
        """The messages with the results of message `i`: those that are there, if they are right."""
        end = i + 1
        while end < len(self.history.roles) and self.history.roles[end] == TOOL:
            end += 1
        present = self.history.msgs[i + 1 : end]
        results = sorted(id(block) for m in present for block in _results(m))
        expected = sorted(id(result[1]) for _, result in rows if result)
        if len(results) == len(rows) and results == expected:
            return present
        return [
            self._missing_result(call) if result is None else self._move_result(result, i, end)
            for call, result in rows
        ]

    def _missing_result(self, call: Call) -> Msg:
        assert type(call) is ToolUseBlock  # no provider's own is here without its result
        return missing_result(call, self.report, self.wording)

    def _move_result(self, result: Result, start: int, end: int) -> Msg:
        """The result alone; its call is at `start`, the results after that end at `end`."""
        index, block = result
        m = with_only(self.history.msgs[index], [block], self.report)
        if not start < index < end:
            self.report.add_loss("result.moved", block, did="moved after its call")
        if index >= end:  # who spoke in between has not seen it before
            until = self._next_speakers()[index]
            self.report.note_edit("the repair of a late result", m, until)
        return m

    def _next_speakers(self) -> list[Msg | None]:
        """For each message the next one after it that holds no results."""
        if not self.next_speakers:
            speaker: Msg | None = None
            for i in reversed(range(len(self.history.msgs))):
                self.next_speakers.append(speaker)
                speaker = speaker if self.history.roles[i] == TOOL else self.history.msgs[i]
            self.next_speakers.reverse()
        return self.next_speakers

    def _survey_again(self, pairs: list[tuple[Msg, int]]) -> RoledHistory:
        history = self.history
        usual = {id(m) for m in history.msgs} - {id(history.msgs[i]) for i in history.unusual}
        msgs = [m for m, _ in pairs]
        unusual = [i for i, m in enumerate(msgs) if id(m) not in usual]
        blocks = [b for m in msgs if not isinstance(m.content, str) for b in m.content]
        calls = [block for block in blocks if type(block) is ToolUseBlock]
        return RoledHistory(
            msgs,
            [role for _, role in pairs],
            history.flags | PARALLEL | FOLLOWING,
            unusual,
            [call.id for call in calls],
            [block.id for block in blocks if type(block) is ToolResultBlock],
            [call.name for call in calls],
        )


def missing_result(call: ToolUseBlock, report: Report, wording: Wording) -> Msg:
    """A message with an error result for a call that has none."""
    block = ToolResultBlock(call.id, call.name, wording.missing, is_error=True)
    report.add_loss("result.missing", call, did="an error result was added")
    return report.record_copy(
        Msg.create_unchecked("", [report.record_copy(block, call)], "tool"), call
    )


def _id(call: Call) -> str:
    return call.id if type(call) is ToolUseBlock else call.pair or ""


def _results(m: Msg) -> list[ToolResultBlock]:
    return [block for block in m.blocks if type(block) is ToolResultBlock]


def _first(queue: deque[Result]) -> Result | None:
    return queue.popleft() if queue else None


def _pair_across_turns(rows: dict[int, list[Row]], free: dict[str, deque[Result]]) -> None:
    """Pair the calls that still wait with the results left: a later one, or else an earlier."""
    early: dict[str, deque[Result]] = defaultdict(deque)
    for i, row in rows.items():
        for n, (call, result) in enumerate(row):
            if result is not None:
                continue
            queue, earlier = free[_id(call)], early[_id(call)]
            while queue and queue[0][0] < i:
                earlier.append(queue.popleft())
            row[n] = (call, _first(queue or earlier))
    for id, queue in early.items():
        free[id].extend(queue)
