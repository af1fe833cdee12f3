"""Writes again the messages of a request that this wire has read: unedited ones as they came.

The others are composed, in their runs. Edits are found by object identity (`AsRead`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from .. import message as tree
from ..capabilities import Capabilities
from ..history.passes.client_items import split_joint_calls
from ..history.passes.repair import repair
from ..history.passes.survey import ASSISTANT, FOLLOWED, SYSTEM, TOOL, USER, RoledHistory, survey
from ..history.pipeline import (
    FormatStyle,
    HistoryContext,
    PreparedHistory,
    bind_thinking,
    prepare_part,
)
from ..losses import Report
from ..message import AsRead, ChatRequest, Msg, ServerTool, Tool, ToolResultBlock, ToolUseBlock
from ..message.blocks import JOINT, name_notes
from ..message.client_tools import call_within
from ..message.request import ASKS
from ..protocols.base import HttpRequest, PreparedRequest, Room
from ..protocols.chat_like.messages import fill_fields
from ..text.json_text import Json, JsonObject

_ROLES = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}
_HEAD = ("system", "developer")


@dataclass(slots=True)
class VerbatimHistory:
    """The prepared messages, and the elements of the body that they become."""

    made: PreparedHistory
    elements: list[Json]
    prompt: RoledHistory  # system messages to be composed into the separate prompt
    kept: bool  # whether the separate prompt is as it was read


def prepare_verbatim(
    msgs: list[Msg],
    read: AsRead,
    tools: Sequence[Tool | ServerTool],
    caps: Capabilities,
    style: FormatStyle,
    report: Report,
    room: Room,
) -> VerbatimHistory:
    """Prepare the messages; those that were not edited become the elements they were read from."""
    more = len(msgs) != len(read.messages)
    if more and any(call.name in JOINT for m in msgs for call in m.calls):
        msgs = split_joint_calls(survey(msgs, report), report).msgs
    if not read.has_grown(msgs):
        msgs = _repair_pairs(msgs, read, caps, style, report)
    elif len(msgs) == len(read.messages):
        whole = RoledHistory(msgs, [_role(m) for m in msgs], unusual=_with_blocks(msgs))
        prepared = bind_thinking(PreparedHistory(whole, tools), caps, style, report, whole=True)
        if prepared.history is whole:
            entries = room.messages_as_read([m for m in msgs if not _is_separate_prompt(m)])
            return VerbatimHistory(prepared, entries, RoledHistory([], []), kept=True)
    unedited = [read.holds(m) for m in msgs]
    head = next((i for i, m in enumerate(msgs) if m.role not in _HEAD), len(msgs))
    # a prompt is written again as a whole if one of its messages was edited
    prompt_kept = all(unedited[:head])
    if not prompt_kept:
        unedited[:head] = [False] * head
    for i in range(head, len(msgs)):
        unedited[i] = unedited[i] and not _is_separate_prompt(msgs[i])
    joined = _join(msgs, unedited, tools, caps, style, report)
    prepared = bind_thinking(joined, caps, style, report, whole=True)
    as_read_ids = {id(m) for m, keep in zip(msgs, unedited, strict=True) if keep}
    history = prepared.history
    first = 0
    if not prompt_kept and caps.system_place == "top":
        while first < len(history.roles) and history.roles[first] == SYSTEM:
            first += 1
    elements: list[Json] = []
    blocks = (block for m in history.msgs for block in m.blocks)
    calls = (b if type(b) is ToolUseBlock else call_within(b) for b in blocks)
    called = {call.id: call for call in calls if call is not None}
    start = first
    for as_read, run in groupby(history.msgs[first:], lambda m: id(m) in as_read_ids):
        part = list(run)
        end = start + len(part)
        if as_read:
            elements += room.messages_as_read([m for m in part if not _is_separate_prompt(m)])
        else:
            composed = RoledHistory(part, history.roles[start:end], unusual=[*range(len(part))])
            composed.flags = FOLLOWED if end < len(history.msgs) else 0
            composed.called = called
            elements += room.messages(composed, caps, report)
        start = end
    prompt = RoledHistory(history.msgs[:first], history.roles[:first])
    return VerbatimHistory(prepared, elements, prompt, prompt_kept)


def _is_separate_prompt(m: Msg) -> bool:
    """Whether the message was read from a place outside the list of messages."""
    return m.spelling is not None and m.spelling.startswith("top")


def _repair_pairs(
    msgs: list[Msg], read: AsRead, caps: Capabilities, style: FormatStyle, report: Report
) -> list[Msg]:
    """The messages, repaired if an edit removed a call or a result but not the other."""
    if _count_unpaired(msgs) == _count_unpaired(read.messages):
        return msgs
    repaired = repair(survey(msgs, report), caps, report, style.wording).msgs
    messages: list[Msg] = []
    for _, run in groupby(repaired, lambda m: id(report.source(m))):
        parts = list(run)
        source = report.source(parts[0])
        blocks = [id(block) for m in parts for block in m.blocks]
        if isinstance(source, Msg) and [*map(id, source.blocks)] == blocks:
            messages.append(source)  # only the copy for the repair was cut
        else:
            messages += parts
    return messages


def _count_unpaired(msgs: Sequence[Msg]) -> tuple[Counter[str], Counter[str]]:
    """Count the ids of calls without a result, and of results without a call."""
    calls: Counter[str] = Counter()
    results: Counter[str] = Counter()
    for is_call, id in _tool_ids(msgs):
        (calls if is_call else results)[id] += 1
    return calls - results, results - calls


def _tool_ids(msgs: Sequence[Msg]) -> Iterator[tuple[bool, str]]:
    """(whether it is a call, its id) for our calls and results and for a provider's own."""
    for m in msgs:
        if not isinstance(m.content, str):
            for block in m.content:
                if type(block) is ToolUseBlock or type(block) is ToolResultBlock:
                    yield type(block) is ToolUseBlock, block.id
                elif (
                    type(block) is tree.RawBlock and block.pair and block.role in ("call", "result")
                ):
                    yield block.role == "call", block.pair


def _join(
    msgs: list[Msg],
    unedited: list[bool],
    tools: Sequence[Tool | ServerTool],
    caps: Capabilities,
    style: FormatStyle,
    report: Report,
) -> PreparedHistory:
    """Arrange the edited runs, leave the others as they are, and join all into one history."""
    as_read_messages = [m for m, keep in zip(msgs, unedited, strict=True) if keep]
    # of calls alone: an edited call keeps its id, because the result after it refers to it
    ids = frozenset(id for is_call, id in _tool_ids(as_read_messages) if is_call)
    hints = sum(_cache_hints(m) for m in as_read_messages)
    joined = PreparedHistory(RoledHistory([], []), tools)
    role_before: int | None = None
    position = 0
    for as_read, run in groupby(zip(msgs, unedited, strict=True), lambda pair: pair[1]):
        part = [m for m, _ in run]
        position += len(part)
        if as_read:
            history = RoledHistory(part, [_role(m) for m in part])
        else:
            context = HistoryContext(
                role_before, position == len(msgs), role_before is not None, ids, hints
            )
            prepared = prepare_part(part, tools, caps, style, report, True, context)
            history = prepared.history
            joined.tools = prepared.tools
            joined.names.update(prepared.names)
            joined.ids.update(prepared.ids)
        joined.history.msgs += history.msgs
        joined.history.roles += history.roles
        role_before = history.roles[-1] if history.roles else role_before
    history_of_all = joined.history
    history_of_all.unusual = _with_blocks(history_of_all.msgs)
    return joined


def _with_blocks(msgs: Sequence[Msg]) -> list[int]:
    """The indexes of messages with more than a text."""
    return [i for i, m in enumerate(msgs) if not isinstance(m.content, str)]


def _role(m: Msg) -> int:
    if not isinstance(m.content, str) and any(type(b) is ToolResultBlock for b in m.content):
        return TOOL
    return _ROLES[m.role]


def _cache_hints(m: Msg) -> int:
    """Count the cache hints in the message."""
    blocks = () if isinstance(m.content, str) else m.content
    hints = sum(getattr(block, "cache", None) is not None for block in blocks)
    return hints + (m.cache is not None)


def write_verbatim(
    req: ChatRequest,
    read: AsRead,
    verbatim: VerbatimHistory,
    model: str,
    caps: Capabilities,
    room: Room,
    report: Report,
) -> HttpRequest:
    """Write the whole request, composing only what is no longer as it was read."""
    unchanged = read.list_unchanged(req.asks())
    if "tools" not in unchanged and "tool_choice" in unchanged:
        unchanged.remove("tool_choice")  # it names tools
    changed = len(unchanged) < len(ASKS)
    without_fields = _request_without(req, ASKS, read)
    without_fields = replace(without_fields, stream=read.fields.get("stream", req.stream))
    changed_fields = _request_without(req, unchanged, read)
    if verbatim.kept:
        unchanged.append("system")
    body = room.body_as_read(req, unchanged, verbatim.elements)
    prepared, quiet = verbatim.made, report.trial()

    def say(request: ChatRequest, tools: Any) -> PreparedRequest:
        return PreparedRequest(
            verbatim.prompt,
            tools,
            request,
            model,
            caps,
            prepared.names,
            prepared.unbound is not None,
            verbatim.elements,
        )

    tools = prepared.tools if "tools" in unchanged else ()
    bare_request = say(without_fields, tools)
    bare_request.history = replace(verbatim.prompt, msgs=[], roles=[])
    http = room.write(bare_request, quiet)
    if changed or verbatim.prompt.msgs or bare_request.switch or changed_fields.extras:
        trial = report.trial()
        full = room.write(say(changed_fields, prepared.tools), trial)
        trial.record_copy(changed_fields, req)
        trial.record_copy(changed_fields.options, req.options)
        report.include_new(trial, quiet)
        fill_fields(body, _difference(full.body, http.body))
        room.respell(body, req)
        http.path, http.headers = full.path, full.headers
    return HttpRequest(http.path, room.headers_as_read(req, http.headers, report), body)


def _request_without(req: ChatRequest, unchanged: Collection[str], read: AsRead) -> ChatRequest:
    """The request without the parts that are written as they were read."""
    options = {name: value for name, value in req.options.list_values() if name not in unchanged}
    as_read = (read.issuer, name_notes(read.issuer))
    extras = {
        issuer: fields for issuer, fields in (req.extras or {}).items() if issuer not in as_read
    }
    return replace(
        req,
        messages=[],
        tools=() if "tools" in unchanged else req.tools,
        tool_choice=None if "tool_choice" in unchanged else req.tool_choice,
        response_format=None if "response_format" in unchanged else req.response_format,
        options=tree.Options(**options),
        extras=extras or None,
        read=None,
    )


def _difference(full: JsonObject, bare: JsonObject) -> JsonObject:
    """The parts of a body that another one does not have."""
    difference: JsonObject = {}
    for key, value in full.items():
        if key not in bare:
            difference[key] = value
        elif isinstance(value, dict) and isinstance(bare[key], dict):
            if nested := _difference(value, bare[key]):
                difference[key] = nested
        elif value != bare[key]:
            difference[key] = value
    return difference
