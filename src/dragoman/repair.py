"""Seated -> Seated: every call one result, directly behind it; no orphans; no blank text.

Each repair is a loss. A history that is right passes through untouched. Knows no wire; what a
wire refuses comes in as Capabilities.
"""

from __future__ import annotations

from collections import defaultdict, deque

from .capabilities import Capabilities
from .losses import Report
from .message import Msg, TextBlock, ToolResultBlock, ToolUseBlock
from .message.blocks import ContentBlock
from .seats import ASSISTANT, PAIRS, PARALLEL, TOOL, UNNAMED, Seated
from .told import Told

__all__ = ["blanks", "repair"]


def repair(seated: Seated, can: Capabilities, report: Report, told: Told) -> Seated:
    """The history with its calls and results paired, and results named where they must be."""
    if seated.flags & PAIRS:
        seated = _pairs(seated, report, told)
    if seated.flags & UNNAMED and can.result_names:
        seated = _named(seated, report)
    return seated


def blanks(seated: Seated, can: Capabilities, report: Report) -> Seated:
    """The history without the blank text and the empty messages that the wire refuses.

    Comes after the speakers: a blank line of one speaker may stand in a merged history.
    """
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in seated.dirty:
        m = seated.msgs[i]
        kept = _kept(m, can)
        if kept is None:
            continue
        for block in [] if isinstance(m.content, str) else m.content:
            if not any(block is other for other in kept):
                report.lost("text.blank", block, "" if block.extras else "text")
        if kept:
            made = Msg.trusted(m.name, kept, m.role, m)
            report.made(made, m)
            changes[i] = [(made, seated.seats[i])]
        else:
            if isinstance(m.content, str) or not m.content:
                report.lost("message.empty", m, "content")
            changes[i] = []
    return seated.spliced(changes) if changes else seated


def _kept(m: Msg, can: Capabilities) -> list[ContentBlock] | None:
    """The blocks that stay; None if all do."""
    content = m.content
    if isinstance(content, str):
        blank = not content or (not can.blank_text and content.isspace())
        return [] if blank and not (can.blank_text and can.empty_messages) else None
    kept = content if can.blank_text else [block for block in content if not _is_blank(block, can)]
    if not can.empty_messages and len(kept) == 1 and _is_empty(kept[0]):
        kept = []
    return None if content and len(kept) == len(content) else kept


def _is_empty(block: ContentBlock) -> bool:
    return type(block) is TextBlock and not block.text


def _is_blank(block: ContentBlock, can: Capabilities) -> bool:
    if type(block) is not TextBlock or block.text.strip():
        return False
    # a blank text that carries the wire's own state (a signature) must stand
    return not any(
        issuer in can.reads or (not issuer and can.claims.intersection(own))
        for issuer, own in (block.extras or {}).items()
    )


def _pairs(seated: Seated, report: Report, told: Told) -> Seated:
    waiting = _results(seated)
    taken: set[int] = set()
    msgs: list[Msg] = []
    seats: list[int] = []
    last = _last_said(seated)
    for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
        if seat == TOOL:
            continue
        msgs.append(m)
        seats.append(seat)
        if seat != ASSISTANT or isinstance(m.content, str):
            continue
        calls = [block for block in m.content if type(block) is ToolUseBlock]
        found = [_take(waiting, call.id, i, taken) for call in calls]
        if i == last and not any(found):
            continue  # the history ends in these calls: they are about to be carried out
        pairs = list(zip(calls, found, strict=True))
        if found and all(found) and _stands_behind(seated, i, found):
            behind = seated.msgs[i + 1 : i + 1 + _length(seated, i)]
            msgs.extend(behind)
            seats.extend([TOOL] * len(behind))
            continue
        for call, result in pairs:
            msgs.append(_answer(call, result, i, seated, report, told))
            seats.append(TOOL)
    _orphans(seated, taken, report)
    return _resurveyed(seated, msgs, seats)


Found = tuple[int, ToolResultBlock]


def _results(seated: Seated) -> dict[str, deque[Found]]:
    waiting: dict[str, deque[Found]] = defaultdict(deque)
    for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
        if seat == TOOL:
            for block in m.blocks:
                if type(block) is ToolResultBlock:
                    waiting[block.id].append((i, block))
    return waiting


def _take(waiting: dict[str, deque[Found]], id: str, after: int, taken: set[int]) -> Found | None:
    """The first free result for the id behind its call, or else one that stands before it."""
    queue = waiting.get(id)
    if not queue:
        return None
    found = next((item for item in queue if item[0] > after), queue[0])
    queue.remove(found)
    taken.add(id_of(found))
    return found


def id_of(found: Found) -> int:
    """Identity of one standing of a result: its block may stand more than once."""
    return hash((found[0], id(found[1])))


def _last_said(seated: Seated) -> int:
    return len(seated.msgs) - 1 if seated.seats and seated.seats[-1] == ASSISTANT else -1


def _length(seated: Seated, i: int) -> int:
    """How many messages of results stand directly behind message `i`."""
    end = i + 1
    while end < len(seated.seats) and seated.seats[end] == TOOL:
        end += 1
    return end - i - 1


def _stands_behind(seated: Seated, i: int, found: list[Found | None]) -> bool:
    behind = [
        block
        for m in seated.msgs[i + 1 : i + 1 + _length(seated, i)]
        for block in m.blocks
        if type(block) is ToolResultBlock
    ]
    return {id(item[1]) for item in found if item} == {id(block) for block in behind} and len(
        behind
    ) == len(found)


def _answer(
    call: ToolUseBlock,
    found: Found | None,
    i: int,
    seated: Seated,
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
    if not i < index <= i + _length(seated, i):
        report.lost("result.moved", block, did="moved behind its call")
    if len(source.content) == 1:
        return source
    made = Msg.trusted(source.name, [block], source.role, source)
    report.made(made, source)
    return made


def _orphans(seated: Seated, taken: set[int], report: Report) -> None:
    called = set(seated.calls)
    for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
        if seat != TOOL:
            continue
        for block in m.blocks:
            if type(block) is ToolResultBlock and id_of((i, block)) not in taken:
                code = "result.duplicate" if block.id in called else "result.orphan"
                report.lost(code, block, did="left out")


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
    """Results without a name get the name of the call they answer."""
    names: dict[str, str] = {}
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i, (m, seat) in enumerate(zip(seated.msgs, seated.seats, strict=True)):
        if isinstance(m.content, str):
            continue
        if seat == ASSISTANT:
            names.update((b.id, b.name) for b in m.content if type(b) is ToolUseBlock)
        elif seat == TOOL and any(not getattr(b, "name", "-") for b in m.content):
            blocks: list[ContentBlock] = [_with_name(b, names, report) for b in m.content]
            made = Msg.trusted(m.name, blocks, m.role, m)
            report.made(made, m)
            changes[i] = [(made, seat)]
    return seated.spliced(changes)


def _with_name(block: object, names: dict[str, str], report: Report) -> ToolResultBlock:
    assert type(block) is ToolResultBlock  # a message at the tools' seat holds nothing else
    if block.name:
        return block
    made = ToolResultBlock(
        block.id, names.get(block.id, "unknown"), block.output, block.is_error, block.cache,
        extras=block.extras, spelling=block.spelling, origin=block.origin,
    )  # fmt: skip
    report.made(made, block)
    report.lost("result.name", block, "name", did=f"named {made.name}")
    return made
