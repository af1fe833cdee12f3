"""The messages of a request that this wire has read: what nobody edited goes back as it came.

The rest is composed, in the runs in which it stands. Edits are found by identity (`AsRead`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from ...capabilities import Capabilities
from ...losses import Report
from ...message import (
    AsRead,
    ChatRequest,
    Msg,
    Options,
    RawBlock,
    ServerTool,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
)
from ...message.blocks import noted
from ...message.request import ASKS
from ...protocols.base import HttpRequest, PreparedRequest, Room
from ...protocols.chat_shape import filled
from ..jsontext import Json, JsonObject
from ..passes.repair import repair
from ..passes.roles import ASSISTANT, SYSTEM, TOOL, USER, RoledHistory, survey
from .pipeline import FormatStyle, HistoryContext, PreparedHistory, bind_thinking, prepare_part

_SEATS = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}


_HEAD = ("system", "developer")


@dataclass(slots=True)
class VerbatimHistory:
    """What the passes made of the messages, and how they are said."""

    made: PreparedHistory
    elements: list[Json]
    prompt: RoledHistory  # what is composed of system messages that stand apart
    kept: bool  # the prompt that stands apart is as it was read


def prepare_verbatim(
    msgs: list[Msg],
    read: AsRead,
    tools: Sequence[Tool | ServerTool],
    caps: Capabilities,
    style: FormatStyle,
    report: Report,
    room: Room,
) -> VerbatimHistory:
    """The messages, of which those that nobody edited are said as they were read."""
    if not read.grown(msgs):
        msgs = _paired(msgs, read, caps, style, report)
    elif len(msgs) == len(read.messages):
        whole = RoledHistory(msgs, [_seat(m) for m in msgs], unusual=_long(msgs))
        made = bind_thinking(PreparedHistory(whole, tools), caps, style, report, whole=True)
        if made.history is whole:
            said = room.messages_as_read([m for m in msgs if not _apart(m)])
            return VerbatimHistory(made, said, RoledHistory([], []), kept=True)
    held = [read.holds(m) for m in msgs]
    head = next((i for i, m in enumerate(msgs) if m.role not in _HEAD), len(msgs))
    kept = all(held[:head])  # of system messages side by side some cannot be said in another way
    if not kept:
        held[:head] = [False] * head
    for i in range(head, len(msgs)):
        held[i] = held[i] and not _apart(msgs[i])
    made = bind_thinking(
        _joined(msgs, held, tools, caps, style, report), caps, style, report, whole=True
    )
    kept_ids = {id(m) for m, one in zip(msgs, held, strict=True) if one}
    history = made.history
    start = 0
    if not kept and caps.system_place == "top":
        start = next((i for i, s in enumerate(history.roles) if s != SYSTEM), len(history.roles))
    elements: list[Json] = []
    pairs = zip(history.msgs[start:], history.roles[start:], strict=True)
    for again, run in groupby(pairs, lambda pair: id(pair[0]) in kept_ids):
        listed = list(run)
        if again:
            elements += room.messages_as_read([m for m, _ in listed if not _apart(m)])
        else:
            composed = RoledHistory([m for m, _ in listed], [s for _, s in listed])
            composed.unusual = list(range(len(listed)))
            elements += room.messages(composed, caps, report)
    return VerbatimHistory(
        made, elements, RoledHistory(history.msgs[:start], history.roles[:start]), kept
    )


def _apart(m: Msg) -> bool:
    """Whether the message was read from a place of its own, apart from the others."""
    return m.spelling is not None and m.spelling.startswith("top")


def _paired(
    msgs: list[Msg], read: AsRead, caps: Capabilities, style: FormatStyle, report: Report
) -> list[Msg]:
    """The messages, repaired if an edit took a call or a result from the other."""
    if _alone(msgs) == _alone(read.messages):
        return msgs
    made = repair(survey(msgs, report), caps, report, style.told).msgs
    whole: list[Msg] = []
    for _, run in groupby(made, lambda m: id(report.source(m))):
        pieces = list(run)
        source = report.source(pieces[0])
        blocks = [id(block) for m in pieces for block in m.blocks]
        if isinstance(source, Msg) and [*map(id, source.blocks)] == blocks:
            whole.append(source)  # it was cut for the repair, and all of it stands
        else:
            whole += pieces
    return whole


def _alone(msgs: Sequence[Msg]) -> tuple[Counter[str], Counter[str]]:
    """The ids of calls without a result, and of results without a call."""
    calls: Counter[str] = Counter()
    results: Counter[str] = Counter()
    for asks, id in _tooled(msgs):
        (calls if asks else results)[id] += 1
    return calls - results, results - calls


def _tooled(msgs: Sequence[Msg]) -> Iterator[tuple[bool, str]]:
    """Whether it is a call, and its id: of ours and of a provider's own."""
    for m in msgs:
        if not isinstance(m.content, str):
            for block in m.content:
                if type(block) is ToolUseBlock or type(block) is ToolResultBlock:
                    yield type(block) is ToolUseBlock, block.id
                elif type(block) is RawBlock and block.pair and block.role in ("call", "result"):
                    yield block.role == "call", block.pair


def _joined(
    msgs: list[Msg],
    held: list[bool],
    tools: Sequence[Tool | ServerTool],
    caps: Capabilities,
    style: FormatStyle,
    report: Report,
) -> PreparedHistory:
    """Those that are held as they are, the runs between them arranged; one history."""
    mine = [m for m, one in zip(msgs, held, strict=True) if one]
    ids = frozenset(id for _, id in _tooled(mine))
    marks = sum(_marks(m) for m in mine)
    all_ = PreparedHistory(RoledHistory([], []), tools)
    behind: int | None = None
    at = 0
    for again, run in groupby(zip(msgs, held, strict=True), lambda pair: pair[1]):
        part = [m for m, _ in run]
        at += len(part)
        if again:
            history = RoledHistory(part, [_seat(m) for m in part])
        else:
            between = HistoryContext(behind, at == len(msgs), behind is not None, ids, marks)
            made = prepare_part(part, tools, caps, style, report, True, between)
            history = made.history
            all_.tools = made.tools
            all_.names.update(made.names)
            all_.ids.update(made.ids)
        all_.history.msgs += history.msgs
        all_.history.roles += history.roles
        behind = history.roles[-1] if history.roles else behind
    whole = all_.history
    whole.unusual = _long(whole.msgs)
    return all_


def _long(msgs: Sequence[Msg]) -> list[int]:
    """The messages that are more than a text."""
    return [i for i, m in enumerate(msgs) if not isinstance(m.content, str)]


def _seat(m: Msg) -> int:
    if not isinstance(m.content, str) and any(type(b) is ToolResultBlock for b in m.content):
        return TOOL
    return _SEATS[m.role]


def _marks(m: Msg) -> int:
    """How many cache hints the message holds."""
    blocks = () if isinstance(m.content, str) else m.content
    hints = sum(getattr(block, "cache", None) is not None for block in blocks)
    return hints + (m.cache is not None)


def write_verbatim(
    req: ChatRequest,
    read: AsRead,
    said: VerbatimHistory,
    model: str,
    caps: Capabilities,
    room: Room,
    report: Report,
) -> HttpRequest:
    """The whole request, of which that is composed which is no more as it was read."""
    kept = read.kept(req.asks())
    if "tools" not in kept and "tool_choice" in kept:
        kept.remove("tool_choice")  # it speaks of them
    changed = len(kept) < len(ASKS)
    bare = _reduced(req, ASKS, read)
    bare = replace(bare, stream=read.fields.get("stream", req.stream))
    rest = _reduced(req, kept, read)
    if said.kept:
        kept.append("system")
    body = room.body_as_read(req, kept, said.elements)
    made, none = said.made, report.trial()

    def say(asked: ChatRequest, tools: Any) -> PreparedRequest:
        return PreparedRequest(
            said.prompt, tools, asked, model, caps, made.names, made.unbound is not None,
            said.elements,
        )  # fmt: skip

    tools = made.tools if "tools" in kept else ()
    plain = say(bare, tools)
    plain.history = replace(said.prompt, msgs=[], roles=[])
    out = room.write(plain, none)
    if changed or said.prompt.msgs or plain.switch or rest.extras:
        told = report.trial()
        whole = room.write(say(rest, made.tools), told)
        told.made(rest, req)
        told.made(rest.options, req.options)
        report.take(told, none)
        filled(body, _beyond(whole.body, out.body))
        room.respell(body, req)
        out.path, out.headers = whole.path, whole.headers
    return HttpRequest(out.path, room.headers_as_read(req, out.headers), body)


def _reduced(req: ChatRequest, kept: Collection[str], read: AsRead) -> ChatRequest:
    """The request without what is said as it was read."""
    given = {name: value for name, value in req.options.given() if name not in kept}
    aside = (read.issuer, noted(read.issuer))
    extras = {issuer: own for issuer, own in (req.extras or {}).items() if issuer not in aside}
    return replace(
        req,
        messages=[],
        tools=() if "tools" in kept else req.tools,
        tool_choice=None if "tool_choice" in kept else req.tool_choice,
        response_format=None if "response_format" in kept else req.response_format,
        options=Options(**given),
        extras=extras or None,
        read=None,
    )


def _beyond(whole: JsonObject, bare: JsonObject) -> JsonObject:
    """What a body says that another one does not."""
    made: JsonObject = {}
    for key, value in whole.items():
        if key not in bare:
            made[key] = value
        elif isinstance(value, dict) and isinstance(bare[key], dict):
            if inner := _beyond(value, bare[key]):
                made[key] = inner
        elif value != bare[key]:
            made[key] = value
    return made
