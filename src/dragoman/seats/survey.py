"""The survey: one loop that seats every message and finds what the passes need. Knows no wire.

A message that several seats say is cut into new ones.
"""

from __future__ import annotations

from typing import Any

from ..losses import Report
from ..message import Msg, TextBlock, ToolResultBlock, ToolUseBlock, messages_of
from ..message.blocks import MEDIA_KINDS
from .mixed import parted
from .seated import (
    ASSISTANT,
    BLANK,
    CUT,
    FOLLOWING,
    IDS,
    LATE,
    MEDIA,
    MISNAMED,
    MIXED,
    NAMED,
    ODD,
    PAIRS,
    PARALLEL,
    SYSTEM,
    TOOL,
    UNNAMED,
    USER,
    Seated,
)

__all__ = ["checked", "concluded", "survey"]

_SEAT = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": USER}
_HEAD = bytes((SYSTEM,))


def survey(msgs: list[Msg], report: Report) -> Seated:
    """Seat every message; messages that several seats say are cut into new ones.

    Raises NotMessages or InvalidMessage, naming the path, for what is no list of right messages.
    """
    try:
        seated = _survey(msgs)
    except (AttributeError, TypeError, KeyError):
        seated = _survey(checked(msgs, report))
    return _survey(parted(seated.msgs, report)) if seated.flags & MIXED else seated


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
def _survey(msgs: list[Msg]) -> Seated:  # noqa: C901, PLR0912, PLR0915
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
    seated = Seated(msgs, seats, flags, dirty, calls, results, names)
    return concluded(seated, said, waiting)


def concluded(seated: Seated, said: list[str], waiting: int) -> Seated:
    """The same, with what only the whole tells: late prompts, and how calls and results pair.

    `said` are the names of the tools that answered, `waiting` how many calls nobody has answered.
    """
    seats, calls, results = seated.seats, seated.calls, seated.results
    if SYSTEM in bytes(seats).lstrip(_HEAD):
        seated.flags |= LATE
    if not (calls or results):
        return seated
    if calls[: len(results)] != results or (waiting > 0 and seats[-1] == TOOL):
        seated.flags |= PAIRS
    if "" in calls or len(set(calls)) != len(calls):
        seated.flags |= IDS
    if said != seated.names[: len(said)]:
        seated.flags |= MISNAMED | UNNAMED if any(said) else UNNAMED
    return seated


def _textual(output: object) -> bool:
    if type(output) is not list:
        return False
    for b in output:  # a loop, not all(...): a generator costs more than the usual one block
        if type(b) is not TextBlock or b.extras is not None or b.cache is not None:
            return False
        if b.citations is not None or not b.text or b.text.isspace():
            return False
    return True
