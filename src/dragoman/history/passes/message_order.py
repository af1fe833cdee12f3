"""The order of messages that a wire wants: results, roles that alternate, first and last turn.

`order` runs after all passes that move messages. System messages in the middle of a history are in
`late_system.py`. Knows no wire.
"""

from __future__ import annotations

from collections import defaultdict, deque

from ...capabilities import Capabilities
from ...losses import Report
from ...message import DocumentBlock, Msg, Role, TextBlock, ThinkingBlock, ToolResultBlock
from ...message.blocks import ContentBlock, Extras
from ..wording import Wording
from . import survey
from .late_system import move_late_system
from .repair import ends_in_server_block, missing_result
from .survey import (
    RoledHistory,
    Runs,
    prompt_length,
    role_runs,
    same_items,
    with_content,
    with_fields,
)

# On a wire of two roles results are the user's.
_TWO_ROLES = bytes.maketrans(bytes((survey.TOOL,)), bytes((survey.USER,)))
_NEIGHBOURS = (bytes((survey.USER, survey.USER)), bytes((survey.ASSISTANT, survey.ASSISTANT)))


def order(
    history: RoledHistory,
    caps: Capabilities,
    report: Report,
    wording: Wording,
    whole: bool = True,
    insert: bool = True,
    behind: int | None = None,
    last: bool = True,
) -> RoledHistory:
    """The history in an order that the wire takes.

    `whole`: it is a request, not a plain list; `insert`: turns that the wire demands are added.
    `behind` is the role of the message before these, if they are not the first; `last`: no message
    follows them.
    """
    if caps.gather_results and history.flags & survey.PARALLEL:
        history = _gather_results(history, report)
    changed = bool(history.unusual or history.flags & survey.GONE)
    if caps.join_calls and (history.flags & survey.FOLLOWING or (history.calls and changed)):
        history = join_calls(history, report)
    if not caps.thinking_last and changed:
        history = end_without_thinking(history, report)
    if caps.late_system == "placed" and changed:
        # other turns may be the neighbours of a system message now
        history = move_late_system(history, caps, report, wording, behind)
    if insert and history.msgs:
        history = _with_ends(history, caps, report, wording, whole, behind is None, last)
    if caps.alternation != "free":
        history = alternate_roles(history, caps, report, wording, insert)
    if not caps.lone_documents and history.flags & survey.MEDIA:
        history = add_document_texts(history, report, wording)
    if last and not caps.trailing_space and history.roles[-1:] == [survey.ASSISTANT]:
        history = trim_last_text(history, report)
    return history


def alternate_roles(
    history: RoledHistory, caps: Capabilities, report: Report, wording: Wording, insert: bool
) -> RoledHistory:
    """The history with neighbours of one role joined, results first.

    Where calls and results may not share a turn with text (`bridged`), or results not with the
    blocks beside them, a turn of the other role comes between if turns may be inserted. Where
    results are messages of their own, they are not joined with other messages.
    """
    bridged = caps.alternation == "bridged"
    speakers = bytes(history.roles)
    if bridged or caps.gather_results:
        speakers = speakers.translate(_TWO_ROLES)
    if not any(pair in speakers for pair in _NEIGHBOURS):
        return history
    runs: Runs = {}
    for role, start, end in role_runs(speakers):
        if end - start > 1 and role not in (survey.SYSTEM, survey.TOOL):
            turns = _turns(history, range(start, end), caps)
            runs[start, end] = _joined_turns(history, turns, caps, report, wording, insert)
    return history.with_runs(runs)


def _turns(history: RoledHistory, run: range, caps: Capabilities) -> list[list[int]]:
    """The messages of a run in turns: those of tools apart from messages they may not join.

    A message is compared with the kinds in its turn, not with every message: a run may be long.
    """
    turns: list[list[int]] = []
    kinds: set[tuple[bool, bool]] = set()  # of the last turn
    for i in run:
        tools, shares = kind = _shares_turn(history, i, caps)
        if turns and all(tools == other or (shares and so) for other, so in kinds):
            turns[-1].append(i)
        else:
            turns.append([i])
            kinds = set()
        kinds.add(kind)
    return turns


def _shares_turn(history: RoledHistory, i: int, caps: Capabilities) -> tuple[bool, bool]:
    """Whether the message has calls or results, and whether it may share a turn across that."""
    role, m = history.roles[i], history.msgs[i]
    tools = role == survey.TOOL or bool(role == survey.ASSISTANT and m.calls)
    if caps.alternation == "bridged":
        return tools, False
    if tools or not caps.beside_results or role == survey.ASSISTANT:
        return tools, True
    return tools, all(_stands_beside(block, caps.beside_results) for block in m.blocks)


def _stands_beside(block: ContentBlock, kinds: frozenset[str]) -> bool:
    """Whether the block is of one of the kinds, or of the media types among them."""
    media_type = getattr(getattr(block, "source", None), "media_type", None)
    return block.type in kinds or media_type in kinds


def _joined_turns(
    history: RoledHistory,
    turns: list[list[int]],
    caps: Capabilities,
    report: Report,
    wording: Wording,
    insert: bool,
) -> list[tuple[Msg, int]]:
    """One message for each turn, with a bridge between two of them if it may be inserted."""
    joined: list[tuple[Msg, int]] = []
    for turn in turns:
        group = [history.msgs[i] for i in turn]
        if joined and insert:  # a turn of the other role
            is_user = joined[-1][1] == survey.ASSISTANT
            text = wording.last_turn if is_user else wording.bridge
            report.add_loss("turn.bridged", group[0], did=text)
            bridge = _turn(text, "user" if is_user else "assistant", group[0], report)
            joined.append((bridge, survey.USER if is_user else survey.ASSISTANT))
        if not caps.gather_results and history.roles[turn[0]] == survey.TOOL:
            joined += [(m, survey.TOOL) for m in group]  # one by one, as the wire has them
            continue
        role = max(history.roles[i] for i in turn)  # a turn with results in it is the tools'
        joined.append((_joined_message(group, report) if len(group) > 1 else group[0], role))
    return joined


def _joined_message(group: list[Msg], report: Report) -> Msg:
    for m in group[1:]:
        report.add_loss("turn.merged", m, did="joined with the turn before it")
    blocks = [block for m in group for block in m.blocks]
    if any(type(block) is ToolResultBlock for block in blocks):
        blocks.sort(key=lambda block: type(block) is not ToolResultBlock)
    return merged_message(group, blocks, report)


def merged_message(group: list[Msg], blocks: list[ContentBlock], report: Report) -> Msg:
    """One message of several, with the fields of all of them."""
    merged = Msg.create_unchecked(group[0].name, blocks, group[0].role, group[0])
    if any(m.extras for m in group[1:]):
        merged.extras = _merged_extras(group, report)
    return report.record_copy(merged, group)


def _merged_extras(group: list[Msg], report: Report) -> Extras:
    """The extras of all of them; of two different values of a field the later one stays."""
    extras: Extras = {}
    sources: dict[tuple[str, str], Msg] = {}
    for m in group:
        for issuer, issuer_fields in (m.extras or {}).items():
            merged = extras.setdefault(issuer, {})
            for name, value in issuer_fields.items():
                if name in merged and merged[name] != value:
                    field = f"extras.{issuer}.{name}"
                    report.add_loss("extras.unsupported", sources[issuer, name], field, what=name)
                merged[name], sources[issuer, name] = value, m
    return extras


def add_document_texts(history: RoledHistory, report: Report, wording: Wording) -> RoledHistory:
    """The history with a text before the documents of each turn that holds no text."""
    changes: dict[int, Msg | None] = {}
    for i in history.unusual:
        m = history.msgs[i]
        if isinstance(m.content, str) or any(type(block) is TextBlock for block in m.content):
            continue
        first = next((j for j, b in enumerate(m.content) if type(b) is DocumentBlock), None)
        if first is None:
            continue
        document = m.content[first]
        report.add_loss("document.text", document, did=wording.document)
        text = report.record_copy(TextBlock(wording.document), document)
        changes[i] = with_content(m, [*m.content[:first], text, *m.content[first:]], report)
    return history.with_contents(changes)


def end_without_thinking(history: RoledHistory, report: Report) -> RoledHistory:
    """The history in which no turn of the assistant ends in thinking.

    The message after it, if it is the assistant's too, joins the turn; else the thinking goes.
    """
    if not any(_ends_in_thinking(history.msgs[i], history.roles[i]) for i in history.unusual):
        return history
    runs: Runs = {}
    for role, start, end in role_runs(history.roles):
        group = history.msgs[start:end]
        if any(_ends_in_thinking(m, role) for m in group):
            group = _join_thinking(_without_last_thinking(group, report), report)
            runs[start, end] = [(m, survey.ASSISTANT) for m in group]
    return history.with_runs(runs)


def _ends_in_thinking(m: Msg, role: int = survey.ASSISTANT) -> bool:
    if role != survey.ASSISTANT or isinstance(m.content, str):
        return False
    return bool(m.content) and type(m.content[-1]) is ThinkingBlock


def _without_last_thinking(group: list[Msg], report: Report) -> list[Msg]:
    """The run of the assistant without the thinking that it ends in."""
    group = list(group)
    removed: list[ContentBlock] = []
    while group and _ends_in_thinking(group[-1]):
        m = group.pop()
        blocks = list(m.blocks)
        while blocks and type(blocks[-1]) is ThinkingBlock:
            removed.append(blocks.pop())
        if blocks:
            group.append(with_content(m, blocks, report))
    for block in reversed(removed):
        report.add_loss("thinking.alone", block)
    return group


def _join_thinking(group: list[Msg], report: Report) -> list[Msg]:
    """The run with each message that ends in thinking joined to the next one."""
    joined: list[Msg] = []
    for m in group:
        if joined and _ends_in_thinking(joined[-1]):
            first = joined.pop()
            report.add_loss("turn.joined", first, did="joined with what came of the thinking")
            joined.append(merged_message([first, m], [*first.blocks, *m.blocks], report))
        else:
            joined.append(m)
    return joined


def trim_last_text(history: RoledHistory, report: Report) -> RoledHistory:
    """The history without white space at the end of the assistant's last text."""
    m = history.msgs[-1]
    blocks = m.blocks
    last = blocks[-1] if blocks else None
    if type(last) is not TextBlock or last.text == last.text.rstrip():
        return history
    text = last.text.rstrip()
    content: str | list[ContentBlock] = text
    if isinstance(m.content, str):
        report.add_loss("text.trailing", m, "content")
    else:
        report.add_loss("text.trailing", last, "text")
        content = [*blocks[:-1], with_fields(last, report, text=text)]
    return history.with_contents({len(history.msgs) - 1: with_content(m, content, report)})


def _gather_results(history: RoledHistory, report: Report) -> RoledHistory:
    """Neighbouring results in one message, in the order of their calls."""
    runs: Runs = {}
    for role, start, end in role_runs(history.roles):
        if role != survey.TOOL:
            continue
        group = history.msgs[start:end]
        results = [block for m in group for block in m.blocks]
        calls = history.msgs[start - 1].calls if start else []
        blocks = _in_call_order(results, [call.id for call in calls])
        if end - start > 1 or not same_items(results, blocks):
            runs[start, end] = [(merged_message(group, blocks, report), survey.TOOL)]
    return history.with_runs(runs)


def _in_call_order(results: list[ContentBlock], ids: list[str]) -> list[ContentBlock]:
    """The results in the order of their calls; those of equal ids stay in their order."""
    indexes: dict[str, deque[int]] = defaultdict(deque)
    for i, id in enumerate(ids):
        indexes[id].append(i)

    def rank(block: ContentBlock) -> int:
        queue = indexes.get(getattr(block, "id", ""))
        return queue.popleft() if queue else len(ids)

    return sorted(results, key=rank)  # which asks for each of them once, in their order


def join_calls(history: RoledHistory, report: Report) -> RoledHistory:
    """Join the assistant's messages right before its calls with the message of the calls."""
    runs: Runs = {}
    for role, start, end in role_runs(history.roles):
        if role != survey.ASSISTANT or end - start == 1:
            continue
        last = next((i for i in range(end - 1, start, -1) if history.msgs[i].calls), start)
        if last == start:
            continue
        group = history.msgs[start : last + 1]
        for m in group[:-1]:
            report.add_loss("turn.joined", m, did="joined with the call after it")
        joined = merged_message(group, [block for m in group for block in m.blocks], report)
        runs[start, last + 1] = [(joined, survey.ASSISTANT)]
    return history.with_runs(runs)


def _with_ends(
    history: RoledHistory,
    caps: Capabilities,
    report: Report,
    wording: Wording,
    whole: bool,
    first: bool,
    last: bool,
) -> RoledHistory:
    """The history with the turns that a wire wants at the start (`first`) and the end (`last`)."""
    first_roles, last_role = history.roles[:2], history.roles[-1]
    begins = first_roles[1:] if first_roles[0] == survey.SYSTEM else first_roles[:1]
    if begins == [survey.USER] and last_role in (survey.USER, survey.TOOL):
        return history  # as most requests do
    if first:
        prompt = prompt_length(history)
        size = len(history.roles)
        # so many system messages and no other are no conversation for the wire
        alone = caps.system_place == "top" or (prompt > 1 and not caps.last_system)
        if whole and last and prompt == size and alone:
            m = history.msgs[-1]
            report.add_loss("system.alone", m, did="the last system message is said by the user")
            turn = with_content(m, m.content, report, "user")
            return history.with_changes({prompt - 1: [(turn, survey.USER)]})
        first_user = caps.first_user or (size == 1 and not caps.lone_assistant)
        if first_user and history.roles[prompt : prompt + 1] == [survey.ASSISTANT]:
            history = _with_first_turn(history, report, wording)
    if not last:
        return history
    if whole and not caps.open_calls and last_role == survey.ASSISTANT and history.msgs[-1].calls:
        return _with_missing_results(history, report, wording)
    return _with_last_turn(history, caps, report, wording, first)


def _with_first_turn(history: RoledHistory, report: Report, wording: Wording) -> RoledHistory:
    """The history with a user's turn after the system prompt."""
    prompt = prompt_length(history)
    first = history.msgs[prompt]
    report.add_loss("turn.first", first, did=wording.first_turn)
    turn = _turn(wording.first_turn, "user", first, report)
    return history.with_changes({prompt: [(turn, survey.USER), (first, history.roles[prompt])]})


def _with_last_turn(
    history: RoledHistory, caps: Capabilities, report: Report, wording: Wording, first: bool
) -> RoledHistory:
    """The history with a user's turn at its end, where the wire wants one."""
    m, role = history.msgs[-1], history.roles[-1]
    userless = first and caps.needs_user and survey.USER not in history.roles
    if userless and role == survey.ASSISTANT and m.calls:
        # nothing may follow calls that wait for their results
        return _with_first_turn(history, report, wording)
    waits = m.calls or ends_in_server_block(m)
    if userless or (not caps.prefill and role == survey.ASSISTANT and not waits):
        report.add_loss("turn.last", m, did=wording.last_turn)
        turn = _turn(wording.last_turn, "user", m, report)
        history = history.with_changes({len(history.msgs) - 1: [(m, role), (turn, survey.USER)]})
    return history


def _with_missing_results(history: RoledHistory, report: Report, wording: Wording) -> RoledHistory:
    """The history with error results for the calls that it ends in, for there are no others."""
    last = history.msgs[-1]
    results = [(missing_result(call, report, wording), survey.TOOL) for call in last.calls]
    return history.with_changes({len(history.msgs) - 1: [(last, survey.ASSISTANT), *results]})


def _turn(text: str, role: Role, source: Msg, report: Report) -> Msg:
    return report.record_copy(Msg.create_unchecked("", text, role), source)
