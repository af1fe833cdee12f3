"""Seated -> Seated: neighbours of one role, where a wire wants the roles to alternate.

Also what may not stand alone in a turn. A part of `order`, behind all that moves messages. Knows
no wire.
"""

from __future__ import annotations

from dataclasses import replace

from .capabilities import Capabilities
from .losses import Report
from .message import DocumentBlock, Msg, TextBlock, ThinkingBlock, ToolResultBlock
from .message.blocks import ContentBlock, Extras
from .seats import ASSISTANT, SYSTEM, TOOL, USER, Seated, runs
from .told import Told

__all__ = ["accompanied", "alternated", "one", "trimmed", "unended"]

# who says it on a wire of two roles: results are the user's
_SIDES = bytes.maketrans(bytes((TOOL,)), bytes((USER,)))
_PAIRS = (bytes((USER, USER)), bytes((ASSISTANT, ASSISTANT)))


def alternated(
    seated: Seated, can: Capabilities, report: Report, told: Told, insert: bool
) -> Seated:
    """The history with neighbours of one role joined, results first.

    Where results may not share a turn with words (`bridged`), and calls neither, a turn of the
    other role stands between them if turns may be inserted. Where results are messages of their
    own, they are nobody's neighbours otherwise.
    """
    apart = can.alternation == "bridged"
    sides = bytes(seated.seats)
    if apart or can.gather_results:
        sides = sides.translate(_SIDES)
    if not any(pair in sides for pair in _PAIRS):
        return seated
    changes: dict[int, list[tuple[Msg, int]]] = {}
    start = 0
    for i in range(1, len(sides) + 1):
        if i < len(sides) and sides[i] == sides[start]:
            continue
        if i - start > 1 and sides[start] not in (SYSTEM, TOOL):
            turns = _turns(seated, range(start, i), apart)
            changes[start] = _said(seated, turns, can, report, told, insert)
            changes.update((j, []) for j in range(start + 1, i))
        start = i
    return seated.spliced(changes)


def _turns(seated: Seated, run: range, apart: bool) -> list[list[int]]:
    """The messages of a run in the turns that they make."""
    turns: list[list[int]] = []
    for i in run:
        if turns and not (apart and _used(seated, i) != _used(seated, turns[-1][0])):
            turns[-1].append(i)
        else:
            turns.append([i])
    return turns


def _used(seated: Seated, i: int) -> bool:
    """Whether the message is one of tools: calls or results."""
    return seated.seats[i] == TOOL or bool(seated.seats[i] == ASSISTANT and seated.msgs[i].calls)


def _said(
    seated: Seated,
    turns: list[list[int]],
    can: Capabilities,
    report: Report,
    told: Told,
    insert: bool,
) -> list[tuple[Msg, int]]:
    said: list[tuple[Msg, int]] = []
    for turn in turns:
        group = [seated.msgs[i] for i in turn]
        if said and insert:
            said.append(_bridge(group[0], said[-1][1], report, told))
        if not can.gather_results and seated.seats[turn[0]] == TOOL:
            said += [(m, TOOL) for m in group]  # one by one, as the wire has them
            continue
        seat = max(seated.seats[i] for i in turn)  # a turn with results in it is the tools'
        said.append((_merged(group, report) if len(group) > 1 else group[0], seat))
    return said


def _bridge(behind: Msg, seat: int, report: Report, told: Told) -> tuple[Msg, int]:
    """A turn of the other role before `behind`."""
    text, between = (told.bridge, ASSISTANT) if seat != ASSISTANT else (told.last_turn, USER)
    report.lost("turn.bridged", behind, did=text)
    made = Msg.trusted("", text, "user" if between == USER else "assistant")
    report.made(made, behind)
    return made, between


def _merged(group: list[Msg], report: Report) -> Msg:
    for m in group[1:]:
        report.lost("turn.merged", m, did="joined with the turn before it")
    blocks = [block for m in group for block in m.blocks]
    if any(type(block) is ToolResultBlock for block in blocks):
        blocks.sort(key=lambda block: type(block) is not ToolResultBlock)
    return one(group, blocks, report)


def one(group: list[Msg], blocks: list[ContentBlock], report: Report) -> Msg:
    """One message of several, with the fields of all of them."""
    made = Msg.trusted(group[0].name, blocks, group[0].role, group[0])
    if any(m.extras for m in group[1:]):
        made.extras = _together(group, report)
    report.made(made, group)
    return made


def _together(group: list[Msg], report: Report) -> Extras:
    """The own fields of all of them; of two that say different things the later one stays."""
    extras: Extras = {}
    says: dict[tuple[str, str], Msg] = {}
    for m in group:
        for issuer, own in (m.extras or {}).items():
            there = extras.setdefault(issuer, {})
            for name, value in own.items():
                if name in there and there[name] != value:
                    field = f"extras.{issuer}.{name}"
                    report.lost("extras.unsaid", says[issuer, name], field, what=name)
                there[name], says[issuer, name] = value, m
    return extras


def accompanied(seated: Seated, report: Report, told: Told) -> Seated:
    """The history with a text before the documents of each turn that says nothing else."""
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in seated.dirty:
        m = seated.msgs[i]
        if isinstance(m.content, str) or any(type(block) is TextBlock for block in m.content):
            continue
        first = next((j for j, b in enumerate(m.content) if type(b) is DocumentBlock), None)
        if first is None:
            continue
        document = m.content[first]
        report.lost("document.text", document, did=told.document)
        text = TextBlock(told.document)
        report.made(text, document)
        made = Msg.trusted(m.name, [*m.content[:first], text, *m.content[first:]], m.role, m)
        report.made(made, m)
        changes[i] = [(made, seated.seats[i])]
    return seated.spliced(changes) if changes else seated


def unended(seated: Seated, report: Report) -> Seated:
    """The history in which no turn of the assistant ends in thinking.

    What came of it may stand in the message behind, and joins it; else it goes.
    """
    if not any(_ends_in_thought(seated.msgs[i], seated.seats[i]) for i in seated.dirty):
        return seated
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for seat, start, end in runs(seated):
        group = seated.msgs[start:end]
        if not any(_ends_in_thought(m, seat) for m in group):
            continue
        changes[start] = [(m, ASSISTANT) for m in _followed(_cut(group, report), report)]
        changes.update((i, []) for i in range(start + 1, end))
    return seated.spliced(changes)


def _ends_in_thought(m: Msg, seat: int) -> bool:
    if seat != ASSISTANT or isinstance(m.content, str):
        return False
    return bool(m.content) and type(m.content[-1]) is ThinkingBlock


def _cut(group: list[Msg], report: Report) -> list[Msg]:
    """The run of the assistant without the thinking that it ends in."""
    kept = list(group)
    gone: list[ContentBlock] = []
    while kept and _ends_in_thought(kept[-1], ASSISTANT):
        m = kept.pop()
        blocks = list(m.blocks)
        while blocks and type(blocks[-1]) is ThinkingBlock:
            gone.append(blocks.pop())
        if blocks:
            made = Msg.trusted(m.name, blocks, m.role, m)
            report.made(made, m)
            kept.append(made)
    for block in reversed(gone):
        report.lost("thinking.alone", block)
    return kept


def _followed(group: list[Msg], report: Report) -> list[Msg]:
    """The run with each message that ends in thinking joined to the next one."""
    said: list[Msg] = []
    for m in group:
        if said and _ends_in_thought(said[-1], ASSISTANT):
            before = said.pop()
            report.lost("turn.joined", before, did="joined with what came of the thinking")
            said.append(one([before, m], [*before.blocks, *m.blocks], report))
        else:
            said.append(m)
    return said


def trimmed(seated: Seated, report: Report) -> Seated:
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
