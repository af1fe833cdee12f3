"""RoledHistory: messages, a seat beside each, and what a survey found. Knows no wire.

`dirty` holds the indexes of messages that somebody must look at; `flags` what concerns the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...losses import Report
from ...message import Msg, TextBlock, ToolResultBlock, ToolUseBlock, messages_of
from ...message.blocks import MEDIA_KINDS, ContentBlock

SYSTEM, USER, ASSISTANT, TOOL = range(4)


BLANK = 1  # blank text or an empty message


MIXED = 2  # a message that more than one seat says


PAIRS = 4  # a call without its result behind it, or the reverse


MEDIA = 8


ODD = 16  # anything but text, calls and textual results


NAMED = 32  # a speaker's name that says more than the role


LATE = 64  # a system message behind another seat


UNNAMED = 128  # a result without the name of its tool, or with another name


IDS = 256  # an id that is empty or used twice


PARALLEL = 512  # results of one turn in several messages


FOLLOWING = 1024  # a call right behind something else that the assistant says


CUT = 2048  # a call that the answer broke off in


MISNAMED = 4096  # a result with another name than its tool's


GONE = 8192  # a message went since the survey: others may be neighbours now


@dataclass(slots=True)
class RoledHistory:
    """Messages with their seats, and what the survey found.

    `calls` and `results` are the ids in order, `names` the names of the tools that are called.
    """

    msgs: list[Msg]
    seats: list[int]
    flags: int = 0
    dirty: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def marks(self) -> bytearray:
        """1 beside every dirty message, 0 beside the others, which writers may say as they are."""
        made = bytearray(len(self.msgs))
        for i in self.dirty:
            made[i] = 1
        return made

    def swapped(self, changes: Mapping[int, Msg]) -> RoledHistory:
        """The same with some messages in the place of others that are as plain as they are."""
        msgs = list(self.msgs)
        for i, m in changes.items():
            msgs[i] = m
        return replace(self, msgs=msgs)

    def _exchanged(self, changes: Mapping[int, Sequence[tuple[Msg, int]]]) -> RoledHistory:
        """The same with dirty messages in the place of others, one for one."""
        msgs, seats = [*self.msgs], [*self.seats]
        for i, [(msg, seat)] in changes.items():
            msgs[i], seats[i] = msg, seat
        return RoledHistory(
            msgs, seats, self.flags, [*self.dirty], self.calls, self.results, self.names
        )

    def spliced(self, changes: Mapping[int, Sequence[tuple[Msg, int]]]) -> RoledHistory:
        """The same with some messages replaced, each by none, one or several; those are dirty."""
        if changes.keys() <= {*self.dirty} and all(len(new) == 1 for new in changes.values()):
            return self._exchanged(changes)
        msgs: list[Msg] = []
        seats: list[int] = []
        dirty: list[int] = []
        old, at = self.dirty, 0  # in order, so that one look at each is enough
        last = 0
        for i in sorted(changes):
            shift = len(msgs) - last
            while at < len(old) and old[at] <= i:
                if old[at] < i:
                    dirty.append(old[at] + shift)
                at += 1
            msgs += self.msgs[last:i]
            seats += self.seats[last:i]
            for msg, seat in changes[i]:
                dirty.append(len(msgs))
                msgs.append(msg)
                seats.append(seat)
            last = i + 1
        shift = len(msgs) - last
        dirty += [one + shift for one in old[at:]]
        msgs += self.msgs[last:]
        seats += self.seats[last:]
        flags = self.flags if all(changes.values()) else self.flags | GONE
        return RoledHistory(msgs, seats, flags, dirty, self.calls, self.results, self.names)


def runs(history: RoledHistory) -> Iterator[tuple[int, int, int]]:
    """(seat, start, end) of each run of neighbours of one seat."""
    seats = history.seats
    start = 0
    for i in range(1, len(seats) + 1):
        if i == len(seats) or seats[i] != seats[start]:
            yield seats[start], start, i
            start = i


def has_tools(msg: Msg) -> bool:
    """Whether the message holds a tool call or a tool result."""
    content = msg.content
    return not isinstance(content, str) and any(
        type(block) is ToolUseBlock or type(block) is ToolResultBlock for block in content
    )


def parted(msgs: list[Msg], report: Report) -> list[Msg]:
    """The messages, those that mix seats cut into new ones in the order of their blocks."""
    out: list[Msg] = []
    for m in msgs:
        if isinstance(m.content, str) or not has_tools(m):
            out.append(m)
            continue
        pieces = _pieces(m)
        if len(pieces) == 1 and pieces[0][0] == m.role:
            out.append(m)
            continue
        for n, (role, blocks) in enumerate(pieces, 1):
            if len(pieces) == 1 and role == "tool":
                out.append(m)  # results are seated by their type, whatever the role
                break
            piece = Msg.trusted(m.name, blocks, role, m)  # type: ignore[arg-type]  # a Role
            if n < len(pieces):
                piece.cache = None  # the hint stands behind the whole message
            report.made(piece, m)
            if role == "assistant" and m.role != "assistant":
                report.lost("call.role", m, did="said by the assistant")
            out.append(piece)
    return out


def _pieces(m: Msg) -> list[tuple[str, list[ContentBlock]]]:
    pieces: list[tuple[str, list[ContentBlock]]] = []
    for block in m.blocks:
        if type(block) is ToolUseBlock:
            role = "assistant"
        elif type(block) is ToolResultBlock:
            role = "tool"
        else:
            role = "user" if m.role == "tool" else m.role
        if pieces and pieces[-1][0] == role:
            pieces[-1][1].append(block)
        else:
            pieces.append((role, [block]))
    return pieces


_SEAT = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": USER}


_HEAD = bytes((SYSTEM,))


def survey(msgs: list[Msg], report: Report) -> RoledHistory:
    """Seat every message; messages that several seats say are cut into new ones.

    Raises NotMessages or InvalidMessage, naming the path, for what is no list of right messages.
    """
    try:
        history = _survey(msgs)
    except (AttributeError, TypeError, KeyError):
        history = _survey(checked(msgs, report))
    return _survey(parted(history.msgs, report)) if history.flags & MIXED else history


def checked(msgs: object, report: Report) -> list[Msg]:
    """The messages checked one by one, plain dict blocks that were put in later made blocks.

    Raises NotMessages or InvalidMessage, naming the path.
    """
    made = []
    for i, msg in enumerate(messages_of(msgs)):
        new = Msg(
            msg.name, msg.content, msg.role, cache=msg.cache, extras=msg.extras, origin=msg.origin,
            path=f"$.messages[{i}]",
        )  # fmt: skip
        like = Msg.trusted(new.name, new.content, new.role, msg)
        report.made(like, msg)
        made.append(like)
    return made


# one loop by design: each question asked here costs 0.1 us a message less than a pass of its own
def _survey(msgs: list[Msg]) -> RoledHistory:  # noqa: C901, PLR0912, PLR0915
    seats: list[int] = []
    dirty: list[int] = []
    calls: list[str] = []
    results: list[str] = []
    names: list[str] = []
    said: list[str] = []  # the names of the tools that answered
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
            dirty.append(len(seats))
        if type(content) is str:
            if not content or content.isspace():
                flags |= BLANK
                dirty.append(len(seats))
            if waiting:
                flags |= PAIRS
            seats.append(_SEAT[role])
        else:
            if len(content) == 1:  # the usual step of an agent: one call, and its one result
                b = content[0]
                kind = type(b)
                if kind is ToolUseBlock:
                    if (
                        waiting <= 0
                        and role == "assistant"
                        and b.extras is None
                        and b.cache is None
                        and type(b.input) is dict
                        and not b.unfinished
                    ):
                        calls.append(b.id)
                        names.append(b.name)
                        if seats and seats[-1] == ASSISTANT:
                            flags |= FOLLOWING
                        waiting = 1
                        seats.append(ASSISTANT)
                        continue
                elif kind is ToolResultBlock and waiting == 1 and role in _SEAT:
                    out = b.output
                    if type(out) is list and len(out) == 1 and type(out[0]) is TextBlock:
                        one = out[0]
                        if one.extras is None and one.cache is None and one.citations is None:
                            out = one.text
                    if (
                        type(out) is str
                        and b.extras is None
                        and b.cache is None
                        and not (b.is_error or out.isspace())
                    ):
                        results.append(b.id)
                        said.append(b.name)
                        waiting = 0
                        seats.append(TOOL)
                        continue
            seat = _SEAT[role]
            seen = -1
            used = answered = 0
            look = not content
            for b in content:
                kind = type(b)
                if kind is TextBlock:
                    here = seat
                    text = b.text
                    if not text or text.isspace():
                        look = True
                        flags |= BLANK
                    if b.extras is not None or b.cache is not None or b.citations is not None:
                        look = True
                        flags |= ODD
                elif kind is ToolUseBlock:
                    here = ASSISTANT
                    calls.append(b.id)
                    names.append(b.name)
                    used += 1
                    if b.extras is not None or b.cache is not None or type(b.input) is not dict:
                        look = True
                        flags |= ODD
                    if b.unfinished:
                        flags |= CUT
                elif kind is ToolResultBlock:
                    here = TOOL
                    results.append(b.id)
                    answered += 1
                    said.append(b.name)
                    out = b.output
                    if type(out) is str:
                        plain = not out.isspace()
                    elif type(out) is list and len(out) == 1 and type(out[0]) is TextBlock:
                        one = out[0]  # the usual result, without a call of a function
                        text = one.text
                        plain = (
                            one.extras is None
                            and one.cache is None
                            and one.citations is None
                            and not (text and text.isspace())
                        )
                    else:
                        plain = _textual(out)
                    if b.is_error or b.extras is not None or b.cache is not None or not plain:
                        look = True
                        flags |= MEDIA | ODD
                else:
                    here = seat
                    look = True
                    flags |= (MEDIA | ODD) if b.type in MEDIA_KINDS else ODD
                if seen == -1:
                    seen = here
                elif here != seen:
                    flags |= MIXED
            if look:
                dirty.append(len(seats))
                if not content:
                    flags |= BLANK
            if answered:
                waiting -= answered
                if waiting > 0:
                    flags |= PARALLEL
                if waiting < 0 or (used and waiting):
                    flags |= PAIRS
            elif waiting:
                flags |= PAIRS
            if used:
                if role != "assistant":
                    flags |= MIXED
                if seats and seats[-1] == ASSISTANT:
                    flags |= FOLLOWING
                waiting = used if waiting <= 0 else waiting + used
            seats.append(seat if seen == -1 else seen)
    if not nameless:
        flags |= NAMED
    if len(dirty) > 1:
        dirty = sorted(set(dirty))
    history = RoledHistory(msgs, seats, flags, dirty, calls, results, names)
    return concluded(history, said, waiting)


def concluded(history: RoledHistory, said: list[str], waiting: int) -> RoledHistory:
    """The same, with what only the whole tells: late prompts, and how calls and results pair.

    `said` are the names of the tools that answered, `waiting` how many calls nobody has answered.
    """
    seats, calls, results = history.seats, history.calls, history.results
    if SYSTEM in bytes(seats).lstrip(_HEAD):
        history.flags |= LATE
    if not (calls or results):
        return history
    if calls[: len(results)] != results or (waiting > 0 and seats[-1] == TOOL):
        history.flags |= PAIRS
    if "" in calls or len(set(calls)) != len(calls):
        history.flags |= IDS
    if said != history.names[: len(said)]:
        history.flags |= MISNAMED | UNNAMED if any(said) else UNNAMED
    return history


def _textual(output: object) -> bool:
    if type(output) is not list:
        return False
    for b in output:  # a loop, not all(...): a generator costs more than the usual one block
        if type(b) is not TextBlock or b.extras is not None or b.cache is not None:
            return False
        if b.citations is not None or not b.text or b.text.isspace():
            return False
    return True
