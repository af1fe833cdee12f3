"""RoledHistory -> RoledHistory: neighbours of one role, where a wire wants the roles to alternate.

Also what may not stand alone in a turn. A part of `order`, behind all that moves messages. Knows
no wire.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from ...capabilities import Capabilities
from ...losses import Report
from ...message import DocumentBlock, Msg, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock, Extras
from ..wording import Told
from .repair import paused
from .roles import (
    ASSISTANT,
    FOLLOWING,
    GONE,
    LATE,
    MEDIA,
    PARALLEL,
    SYSTEM,
    TOOL,
    USER,
    RoledHistory,
    runs,
)

# who says it on a wire of two roles: results are the user's
_SIDES = bytes.maketrans(bytes((TOOL,)), bytes((USER,)))


_PAIRS = (bytes((USER, USER)), bytes((ASSISTANT, ASSISTANT)))


def alternated(
    history: RoledHistory, caps: Capabilities, report: Report, told: Told, insert: bool
) -> RoledHistory:
    """The history with neighbours of one role joined, results first.

    Where results may not share a turn with words (`bridged`), and calls neither, a turn of the
    other role stands between them if turns may be inserted. Where results are messages of their
    own, they are nobody's neighbours otherwise.
    """
    apart = caps.alternation == "bridged"
    sides = bytes(history.seats)
    if apart or caps.gather_results:
        sides = sides.translate(_SIDES)
    if not any(pair in sides for pair in _PAIRS):
        return history
    changes: dict[int, list[tuple[Msg, int]]] = {}
    start = 0
    for i in range(1, len(sides) + 1):
        if i < len(sides) and sides[i] == sides[start]:
            continue
        if i - start > 1 and sides[start] not in (SYSTEM, TOOL):
            turns = _turns(history, range(start, i), apart)
            changes[start] = _said(history, turns, caps, report, told, insert)
            changes.update((j, []) for j in range(start + 1, i))
        start = i
    return history.spliced(changes)


def _turns(history: RoledHistory, run: range, apart: bool) -> list[list[int]]:
    """The messages of a run in the turns that they make."""
    turns: list[list[int]] = []
    for i in run:
        if turns and not (apart and _used(history, i) != _used(history, turns[-1][0])):
            turns[-1].append(i)
        else:
            turns.append([i])
    return turns


def _used(history: RoledHistory, i: int) -> bool:
    """Whether the message is one of tools: calls or results."""
    return history.seats[i] == TOOL or bool(history.seats[i] == ASSISTANT and history.msgs[i].calls)


def _said(
    history: RoledHistory,
    turns: list[list[int]],
    caps: Capabilities,
    report: Report,
    told: Told,
    insert: bool,
) -> list[tuple[Msg, int]]:
    said: list[tuple[Msg, int]] = []
    for turn in turns:
        group = [history.msgs[i] for i in turn]
        if said and insert:
            said.append(_bridge(group[0], said[-1][1], report, told))
        if not caps.gather_results and history.seats[turn[0]] == TOOL:
            said += [(m, TOOL) for m in group]  # one by one, as the wire has them
            continue
        seat = max(history.seats[i] for i in turn)  # a turn with results in it is the tools'
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


def accompanied(history: RoledHistory, report: Report, told: Told) -> RoledHistory:
    """The history with a text before the documents of each turn that says nothing else."""
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in history.dirty:
        m = history.msgs[i]
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
        changes[i] = [(made, history.seats[i])]
    return history.spliced(changes) if changes else history


def unended(history: RoledHistory, report: Report) -> RoledHistory:
    """The history in which no turn of the assistant ends in thinking.

    What came of it may stand in the message behind, and joins it; else it goes.
    """
    if not any(_ends_in_thought(history.msgs[i], history.seats[i]) for i in history.dirty):
        return history
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for seat, start, end in runs(history):
        group = history.msgs[start:end]
        if not any(_ends_in_thought(m, seat) for m in group):
            continue
        changes[start] = [(m, ASSISTANT) for m in _followed(_cut(group, report), report)]
        changes.update((i, []) for i in range(start + 1, end))
    return history.spliced(changes)


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


def trimmed(history: RoledHistory, report: Report) -> RoledHistory:
    """The history without white space behind the assistant's last words."""
    m = history.msgs[-1]
    blocks = list(m.blocks)
    last = blocks[-1] if blocks else None
    if type(last) is not TextBlock or last.text == last.text.rstrip():
        return history
    text = last.text.rstrip()
    blocks[-1] = replace(last, text=text)
    report.made(blocks[-1], last)
    plain = isinstance(m.content, str)
    report.lost("text.trailing", m if plain else last, "content" if plain else "text")
    made = Msg.trusted(m.name, text if plain else blocks, m.role, m)
    report.made(made, m)
    return history.spliced({len(history.msgs) - 1: [(made, ASSISTANT)]})


def late_system(
    history: RoledHistory, caps: Capabilities, report: Report, told: Told, behind: int | None = None
) -> RoledHistory:
    """Later system messages as the wire takes them; before `fit`, for the seat changes.

    `behind`: the seat of what stands before these messages, if they are not the first.
    """
    if caps.late_system == "keep" or not _any_late(history, caps, behind):
        return history
    return _late(history, caps, report, told, behind)


def order(
    history: RoledHistory,
    caps: Capabilities,
    report: Report,
    told: Told,
    whole: bool = True,
    insert: bool = True,
    behind: int | None = None,
    last: bool = True,
) -> RoledHistory:
    """The history in an order that the wire takes.

    `whole`: it is a request, not a plain list; `insert`: turns that the wire demands are added.
    `behind`: the seat of what stands before these messages, if they are not the first; `last`:
    nothing stands behind them.
    """
    if caps.gather_results and history.flags & PARALLEL:
        history = _gathered(history, report)
    dirty = bool(history.dirty or history.flags & GONE)
    if caps.join_calls and (history.flags & FOLLOWING or (history.calls and dirty)):
        history = _joined(history, report)
    if not caps.thinking_last and dirty:
        history = unended(history, report)
    if caps.late_system == "placed" and dirty and _any_late(history, caps, behind):
        history = _late(history, caps, report, told, behind)  # other turns may stand beside it now
    if insert and history.msgs:
        history = _ends(history, caps, report, told, whole, behind is None, last)
    if caps.alternation != "free":
        history = alternated(history, caps, report, told, insert)
    if not caps.lone_documents and history.flags & MEDIA:
        history = accompanied(history, report, told)
    if last and not caps.trailing_space and history.seats[-1:] == [ASSISTANT]:
        history = trimmed(history, report)
    return history


def _any_late(history: RoledHistory, caps: Capabilities, behind: int | None) -> bool:
    """Whether a system message stands behind the prompt."""
    if history.flags & LATE or (caps.system_head == "first" and history.seats[1:2] == [SYSTEM]):
        return True
    return behind is not None and history.seats[:1] == [SYSTEM]


def _late(
    history: RoledHistory, caps: Capabilities, report: Report, told: Told, behind: int | None
) -> RoledHistory:
    head = 1 if caps.system_head == "first" else _head(history)
    if behind is not None:
        head = 0
    changes: dict[int, list[tuple[Msg, int]]] = {}
    placed = _places(history.seats, behind) if caps.late_system == "placed" else set()
    for i, (m, seat) in enumerate(zip(history.msgs, history.seats, strict=True)):
        if seat != SYSTEM or i < head or i in placed:
            continue
        report.lost("system.late", m, did="told by the user")
        content = m.content
        if caps.late_system != "user":
            report.lost("system.reminder", m)
            content = [_reminder(block, report, told) for block in m.blocks]
        made = Msg.trusted(m.name, content, "user", m)
        report.made(made, m)
        changes[i] = [(made, USER)]
    return history.spliced(changes) if changes else history


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


def _head(history: RoledHistory) -> int:
    """How many system messages stand before everything else."""
    count = 0
    for seat in history.seats:
        if seat != SYSTEM:
            break
        count += 1
    return count


def _gathered(history: RoledHistory, report: Report) -> RoledHistory:
    """Neighbouring results in one message, in the order of their calls."""
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for seat, start, end in runs(history):
        if seat != TOOL:
            continue
        group = history.msgs[start:end]
        given = [block for m in group for block in m.blocks]
        blocks = _as_called(given, history.msgs[start - 1].calls if start else [])
        if end - start == 1 and all(a is b for a, b in zip(given, blocks, strict=True)):
            continue
        changes[start] = [(one(group, blocks, report), TOOL)]
        changes.update((i, []) for i in range(start + 1, end))
    return history.spliced(changes) if changes else history


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


def _joined(history: RoledHistory, report: Report) -> RoledHistory:
    """What the assistant says right before its calls stands in one turn with them."""
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for seat, start, end in runs(history):
        if seat != ASSISTANT or end - start == 1:
            continue
        last = next((i for i in range(end - 1, start, -1) if history.msgs[i].calls), start)
        if last == start:
            continue
        group = history.msgs[start : last + 1]
        for m in group[:-1]:
            report.lost("turn.joined", m, did="joined with the call behind it")
        made = one(group, [block for m in group for block in m.blocks], report)
        changes[start] = [(made, ASSISTANT)]
        changes.update((i, []) for i in range(start + 1, last + 1))
    return history.spliced(changes) if changes else history


def _ends(
    history: RoledHistory, caps: Capabilities, report: Report, told: Told, whole: bool, first: bool,
    last: bool,
) -> RoledHistory:  # fmt: skip
    """With the turns that a wire wants at the start (`first`) and at the end (`last`)."""
    seats = history.seats
    begins = seats[1:2] if seats[0] == SYSTEM else seats[:1]
    if begins == [USER] and seats[-1] in (USER, TOOL):
        return history  # as most requests do
    if first:
        alone = _alone(history, caps, report) if whole and last else None
        if alone is not None:
            return alone
        history = _first(history, caps, report, told)
    return _last(history, caps, report, told, first) if last else history


def _alone(history: RoledHistory, caps: Capabilities, report: Report) -> RoledHistory | None:
    """System messages and no other: the user says the last one where that is no conversation."""
    head = _head(history)
    spoken = caps.system_place == "top" or (head > 1 and not caps.last_system)
    if not (spoken and head and head == len(history.msgs)):
        return None
    m = history.msgs[-1]
    report.lost("system.alone", m, did="the last system message is said by the user")
    made = Msg.trusted(m.name, m.content, "user", m)
    report.made(made, m)
    return history.spliced({head - 1: [(made, USER)]})


def _first(history: RoledHistory, caps: Capabilities, report: Report, told: Told) -> RoledHistory:
    head, seats = _head(history), history.seats
    first_user = caps.first_user or (len(seats) == 1 and not caps.lone_assistant)
    if not first_user or seats[head : head + 1] != [ASSISTANT]:
        return history
    return _begun(history, head, report, told)


def _begun(history: RoledHistory, head: int, report: Report, told: Told) -> RoledHistory:
    first = history.msgs[head]
    report.lost("turn.first", first, did=told.first_turn)
    turn = _turn(told.first_turn, first, report)
    return history.spliced({head: [(turn, USER), (first, history.seats[head])]})


def _last(
    history: RoledHistory, caps: Capabilities, report: Report, told: Told, first: bool
) -> RoledHistory:
    m, seat = history.msgs[-1], history.seats[-1]
    userless = first and caps.needs_user and USER not in history.seats
    if userless and seat == ASSISTANT and m.calls:
        # behind calls that wait for their results nothing may stand
        return _begun(history, _head(history), report, told)
    if userless or (not caps.prefill and seat == ASSISTANT and not (m.calls or paused(m))):
        report.lost("turn.last", m, did=told.last_turn)
        turn = _turn(told.last_turn, m, report)
        history = history.spliced({len(history.msgs) - 1: [(m, seat), (turn, USER)]})
    return history


def _turn(text: str, of: Msg, report: Report) -> Msg:
    made = Msg.trusted("", text, "user")
    report.made(made, of)
    return made
