"""A history with the role of each message, and what one survey of it found. Knows no wire.

The survey decides the role by what a message holds: calls are the assistant's, results the tools'.
It notes which messages are unusual, so that later passes look at no others, and sets a flag for
each thing that concerns the whole history.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, TypeAlias, TypeVar

from ...losses import Report
from ...message import (
    Msg,
    ServerTool,
    TextBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    check_messages,
)
from ...message.blocks import MEDIA_KINDS, Content, ContentBlock
from ...message.check import clone
from ...message.known_steps import find_table
from ...message.media_urls import of_others
from ..transcript import has_tools

SYSTEM, USER, ASSISTANT, TOOL = range(4)
BLANK = 1  # blank text or an empty message
MIXED = 2  # a message with content of more than one role
PAIRS = 4  # a call that its result does not follow, or a result without a call before it
MEDIA = 8
ODD = 16  # anything but text, calls and textual results
NAMED = 32  # a speaker's name that says more than the role
LATE = 64  # a system message after another role
UNNAMED = 128  # a result without the name of its tool, or with another name
IDS = 256  # an id that is empty or used twice
PARALLEL = 512  # results of one turn in several messages
FOLLOWING = 1024  # a call in a message right after another one of the assistant
CUT = 2048  # a call that the answer broke off in
MISNAMED = 4096  # a result with another name than its tool's
GONE = 8192  # a message was removed since the survey: others may be neighbours now
FOLLOWED = 16384  # it is a part of a history, and other messages follow it

# message index -> its replacement: none, one or several messages with their roles
Changes: TypeAlias = Mapping[int, Sequence[tuple[Msg, int]]]
# (start, end) of a run of messages -> its replacement
Runs: TypeAlias = dict[tuple[int, int], list[tuple[Msg, int]]]
Tools: TypeAlias = Sequence[Tool | ServerTool]
_Node = TypeVar("_Node")


@dataclass(slots=True)
class RoledHistory:
    """Messages with their roles, and what the survey found.

    `unusual` holds the indexes of messages that passes have to look at, `flags` what concerns the
    whole. `calls` and `results` are the ids in order, `names` the names of the called tools.
    """

    msgs: list[Msg]
    roles: list[int]
    flags: int = 0
    unusual: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    called: Mapping[str, ToolUseBlock] = field(default_factory=dict)  # of a part: calls elsewhere

    def marks(self) -> bytearray:
        """1 for every unusual message, 0 for the others, which writers may take as they are."""
        marks = bytearray(len(self.msgs))
        for i in self.unusual:
            marks[i] = 1
        return marks

    def with_messages(self, messages: Mapping[int, Msg]) -> RoledHistory:
        """A copy with some messages replaced by others that are as usual as they are."""
        msgs = list(self.msgs)
        for i, m in messages.items():
            msgs[i] = m
        return replace(self, msgs=msgs)

    def with_changes(self, changes: Changes) -> RoledHistory:
        """A copy with some messages replaced, each by none, one or several unusual ones."""
        if not changes:
            return self
        if {*map(len, changes.values())} == {1}:
            return self._with_replaced(changes)
        flags = self.flags if all(changes.values()) else self.flags | GONE
        changed = RoledHistory([], [], flags, [], self.calls, self.results, self.names)
        start = 0
        for i in sorted(changes):
            changed._extend(self, start, i)
            for m, role in changes[i]:
                changed.unusual.append(len(changed.msgs))
                changed.msgs.append(m)
                changed.roles.append(role)
            start = i + 1
        changed._extend(self, start, len(self.msgs))
        return changed

    def _with_replaced(self, changes: Changes) -> RoledHistory:
        """A copy with some messages replaced, each by an unusual one."""
        msgs, roles, unusual = list(self.msgs), list(self.roles), self.unusual
        for i, replaced in changes.items():
            msgs[i], roles[i] = replaced[0]
        if not changes.keys() <= {*unusual}:
            unusual = [*{*unusual, *changes}]
        return RoledHistory(
            msgs, roles, self.flags, sorted(unusual), self.calls, self.results, self.names
        )

    def _extend(self, source: RoledHistory, start: int, end: int) -> None:
        """Append the messages of another history from `start` to `end`."""
        shift = len(self.msgs) - start
        first, last = bisect_left(source.unusual, start), bisect_left(source.unusual, end)
        self.unusual += [i + shift for i in source.unusual[first:last]]
        self.msgs += source.msgs[start:end]
        self.roles += source.roles[start:end]

    def with_runs(self, runs: Runs) -> RoledHistory:
        """A copy with some runs of messages replaced, each by none, one or several messages."""
        changes: dict[int, Sequence[tuple[Msg, int]]] = {}
        for (start, end), messages in runs.items():
            changes |= {i: [] for i in range(start, end)}
            changes[start] = messages
        return self.with_changes(changes)

    def with_contents(self, messages: Mapping[int, Msg | None]) -> RoledHistory:
        """A copy with some messages replaced in their roles, or removed where there is None."""
        return self.with_changes(
            {i: [] if m is None else [(m, self.roles[i])] for i, m in messages.items()}
        )


def with_content(m: Msg, content: Content, report: Report, role: Any = None) -> Msg:
    """The message with other content (and role), whose losses are found at `m`."""
    return report.record_copy(Msg.create_unchecked(m.name, content, role or m.role, m), m)


def with_fields(node: _Node, report: Report, **fields: Any) -> _Node:
    """A copy of a block or a tool with other fields, whose losses are found at `node`."""
    return report.record_copy(clone(node, **fields), node)


def block_of_others(block: ContentBlock, report: Report) -> ContentBlock:
    """Mark the block of a tool that moves to another speaker: nothing that it names is opened."""
    marked = of_others(block)
    if marked is block:
        return block
    report.record_copy(getattr(marked, "source", None), getattr(block, "source", None))
    return report.record_copy(marked, block)


def same_items(first: Sequence[object], second: Sequence[object]) -> bool:
    """Whether two lists hold the very same objects."""
    return len(first) == len(second) and all(map(is_, first, second))


def role_runs(roles: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(role, start, end) of each run of neighbours of one role."""
    start = 0
    for i in range(1, len(roles) + 1):
        if i == len(roles) or roles[i] != roles[start]:
            yield roles[start], start, i
            start = i


def split_by_role(msgs: list[Msg], report: Report) -> list[Msg]:
    """The messages, those of several roles split into new ones in the order of their blocks."""
    parts: list[list[Msg]] = []
    if (table := find_table(report, _split_one)) is not None:
        split_one = lambda number, report: _split_one(msgs[number], report)  # noqa: E731
        parts = table.take(msgs, [None] * len(msgs), split_one, report, made=iter)
    parts += [_split_one(m, report) for m in msgs[len(parts) :]]
    return [part for some in parts for part in some]


def _split_one(m: Msg, report: Report) -> list[Msg]:
    """The parts of a message, each of one role; the very message if it has one role."""
    runs = _role_blocks(m) if has_tools(m) else []
    # results are the tools' by their type, whatever the role of their message
    if not runs or (len(runs) == 1 and runs[0][0] in (m.role, "tool")):
        return [m]
    parts: list[Msg] = []
    for role, run in runs:
        blocks = run
        if m.role == "tool" and role == "user":  # it shows them, and the program did not
            blocks = [block_of_others(block, report) for block in run]
        part = with_content(m, blocks, report, role)
        if run is not runs[-1][1]:
            part.cache = None  # the hint covers the whole message, so the last part has it
        if role == "assistant" and m.role != "assistant":
            report.add_loss("call.role", m, did="said by the assistant")
        parts.append(part)
    return parts


def _role_blocks(m: Msg) -> list[tuple[str, list[ContentBlock]]]:
    """The blocks of a message in runs of one role."""
    runs: list[tuple[str, list[ContentBlock]]] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock:
            role = "assistant"
        elif type(block) is ToolResultBlock:
            role = "tool"
        else:
            role = "user" if m.role == "tool" else m.role
        if runs and runs[-1][0] == role:
            runs[-1][1].append(block)
        else:
            runs.append((role, [block]))
    return runs


ROLES = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": USER}
_SYSTEM_PROMPT = bytes((SYSTEM,))


def survey(msgs: list[Msg], report: Report) -> RoledHistory:
    """The messages with their roles; a message of several roles is split into new ones.

    Raises NotMessages or InvalidMessage, naming the path, for what is no list of right messages.
    """
    try:
        history = _survey(msgs)
    except (AttributeError, TypeError, KeyError):
        history = _survey(checked_messages(msgs, report))
    return _survey(split_by_role(history.msgs, report)) if history.flags & MIXED else history


def checked_messages(msgs: object, report: Report) -> list[Msg]:
    """The messages checked one by one; plain dicts that were put in later become blocks.

    Raises NotMessages or InvalidMessage, naming the path.
    """
    checked = []
    for i, msg in enumerate(check_messages(msgs)):
        new = Msg(
            msg.name,
            msg.content,
            msg.role,
            cache=msg.cache,
            extras=msg.extras,
            origin=msg.origin,
            path=f"$.messages[{i}]",
        )
        checked.append(
            report.record_copy(Msg.create_unchecked(new.name, new.content, new.role, msg), msg)
        )
    return checked


# One loop, with no function call for a text or a usual call, which would double its time.
def _survey(msgs: list[Msg]) -> RoledHistory:  # noqa: C901, PLR0912, PLR0915
    roles: list[int] = []
    unusual: list[int] = []
    calls: list[str] = []
    results: list[str] = []
    names: list[str] = []
    answered: list[str] = []  # the names of the tools that answered
    flags = 0
    waiting = 0  # calls whose results have not come yet
    nameless = True  # so far
    for m in msgs:
        content: Any = m.content
        role = m.role
        if nameless and (name := m.name) and name != role:
            nameless = False
        if m.extras is not None or m.cache is not None:
            flags |= ODD
            unusual.append(len(roles))
        if type(content) is not str and len(content) == 1:
            block = content[0]
            kind = type(block)
            if kind is TextBlock:
                if block.extras is None and block.cache is None and block.citations is None:
                    content = block.text
            elif kind is ToolUseBlock:  # the usual step of an agent: one call, then its one result
                if (
                    waiting <= 0
                    and role == "assistant"
                    and block.extras is None
                    and block.cache is None
                    and type(block.input) is dict
                    and block.namespace is None
                    and not block.unfinished
                ):
                    calls.append(block.id)
                    names.append(block.name)
                    if roles and roles[-1] == ASSISTANT:
                        flags |= FOLLOWING
                    waiting = 1
                    roles.append(ASSISTANT)
                    continue
            elif kind is ToolResultBlock and waiting == 1 and _is_usual_result(block):
                results.append(block.id)
                answered.append(block.name)
                waiting = 0
                roles.append(TOOL)
                continue
        if type(content) is str:
            if not content or content.isspace():
                flags |= BLANK
                unusual.append(len(roles))
            if waiting:
                flags |= PAIRS
            roles.append(ROLES[role])
            continue
        called, returned, found = _survey_blocks(content, calls, names, results, answered)
        if found:
            flags |= found
            if found != CUT:
                unusual.append(len(roles))
        message_role = ROLES[role]
        if called:
            if returned or role != "assistant":
                flags |= MIXED
            if roles and roles[-1] == ASSISTANT:
                flags |= FOLLOWING
            if waiting:
                flags |= PAIRS
            waiting = called + waiting if waiting > 0 else called
            message_role = ASSISTANT
        elif returned:
            if returned < len(content):
                flags |= MIXED
            waiting -= returned
            if waiting:
                flags |= PARALLEL if waiting > 0 else PAIRS
            message_role = TOOL
        elif waiting:
            flags |= PAIRS
        roles.append(message_role)
    if not nameless:
        flags |= NAMED
    if len(unusual) > 1:
        unusual = sorted(set(unusual))
    history = RoledHistory(msgs, roles, flags, unusual, calls, results, names)
    return finish_survey(history, answered, waiting)


# One loop too: to call a function for each block would cost as much as the tests of its fields.
def _survey_blocks(
    content: Any, calls: list[str], names: list[str], results: list[str], answered: list[str]
) -> tuple[int, int, int]:
    """(calls, results, flags) of a message's blocks; ids and names of tools go to the lists."""
    called = returned = 0
    flags = 0 if content else BLANK
    for block in content:
        kind = type(block)
        if kind is ToolUseBlock:
            called += 1
            calls.append(block.id)
            names.append(block.name)
            if (
                block.extras is not None
                or block.cache is not None
                or type(block.input) is not dict
                or block.namespace is not None
            ):
                flags |= ODD
            if block.unfinished:
                flags |= CUT
        elif kind is ToolResultBlock:
            returned += 1
            results.append(block.id)
            answered.append(block.name)
            output = block.output  # as in `_is_usual_result`
            if type(output) is list and len(output) == 1 and type(output[0]) is TextBlock:
                text = output[0]
                if text.extras is None and text.cache is None and text.citations is None:
                    output = text.text
            if (
                block.is_error
                or block.extras is not None
                or block.cache is not None
                or (output.isspace() if type(output) is str else not _are_texts(output))
            ):
                flags |= MEDIA | ODD
        elif kind is TextBlock:
            text = block.text
            if not text or text.isspace():
                flags |= BLANK
            if block.extras is not None or block.cache is not None or block.citations is not None:
                flags |= ODD
        else:
            flags |= MEDIA | ODD if block.type in MEDIA_KINDS else ODD
    return called, returned, flags


def _is_usual_result(block: ToolResultBlock) -> bool:
    """Whether a result succeeded and holds texts alone; an empty one has nothing to report."""
    if block.is_error or block.extras is not None or block.cache is not None:
        return False
    output = block.output
    if type(output) is list and len(output) == 1 and type(output[0]) is TextBlock:
        text = output[0]
        if text.extras is None and text.cache is None and text.citations is None:
            output = text.text
    return not output.isspace() if type(output) is str else _are_texts(output)


def _are_texts(output: object) -> bool:
    """Whether the output of a result is a list of texts, none blank, and nothing else."""
    if type(output) is not list:
        return False
    for block in output:
        if type(block) is not TextBlock or block.extras is not None or block.cache is not None:
            return False
        if block.citations is not None or not block.text or block.text.isspace():
            return False
    return True


def finish_survey(history: RoledHistory, answered: list[str], waiting: int) -> RoledHistory:
    """Set the flags that depend on the whole history: late prompts, how calls and results pair.

    `answered` are the names of the tools that answered, `waiting` how many calls have no result.
    """
    roles, calls, results = history.roles, history.calls, history.results
    if SYSTEM in bytes(roles).lstrip(_SYSTEM_PROMPT):
        history.flags |= LATE
    if not (calls or results):
        return history
    if calls[: len(results)] != results or (waiting > 0 and roles[-1] == TOOL):
        history.flags |= PAIRS
    if "" in calls or len(set(calls)) != len(calls):
        history.flags |= IDS
    if answered != history.names[: len(answered)]:
        history.flags |= MISNAMED | UNNAMED if any(answered) else UNNAMED
    return history


def prompt_length(history: RoledHistory) -> int:
    """How many system messages come before all others."""
    others = (i for i, role in enumerate(history.roles) if role != SYSTEM)
    return next(others, len(history.roles))
