"""What may be formatted without a look at what stands before it, and where that begins.

A part is calm if every pass does the same to it alone, given the little that `Settled` knows, as it
does to it at the end of the whole history. What is not calm is formatted with the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..._wire import Manner
from ..._wire.passes import LOOKBACK
from ...capabilities import Capabilities
from ...message import Msg, ToolResultBlock, ToolUseBlock
from ...rewrite.speakers import ByName, ByRole, NameField, Tagged
from ...seats import ASSISTANT, CUT, IDS, MISNAMED, PAIRS, SYSTEM, TOOL, USER, Seated
from .settled import Settled

__all__ = [
    "Unsettled",
    "begins",
    "boundary",
    "calm",
    "ends",
    "hints",
    "lookback",
    "neighbours",
    "speaking",
]

_SEATS = {"system": SYSTEM, "developer": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": USER}


class Unsettled(Exception):
    """A part says something that depends on more than is known of what stands before it."""


def lookback(manner: Manner, room: int) -> int:
    """How many of the last turns may still change, by what each pass declares."""
    speakers = getattr(manner.speakers, "lookback", 0)
    return max(*LOOKBACK.values(), speakers, room)


def boundary(msgs: list[Msg], start: int, manner: Manner, turns: int) -> int:
    """The last place behind `start` with so many turns behind it; `start` if there is none."""
    for i in range(len(msgs) - 1, max(start, 1), -1):
        if begins(msgs, i, manner):
            turns -= 1
            if turns <= 0:
                return i
    return start


def begins(msgs: list[Msg], i: int, manner: Manner) -> bool:
    """Whether a turn of the model's begins at this place, behind one of somebody else.

    No pass reaches over it, but for what is asked of `calm`.
    """
    if i >= len(msgs) or _seat(msgs[i]) != ASSISTANT:
        return False
    behind = _seat(msgs[i - 1])
    if isinstance(manner.speakers, ByName):  # a run of conversation is one turn
        return behind == TOOL or (behind == USER and _calls(msgs[i]))
    return behind in (USER, TOOL)


def ends(m: Msg) -> bool:
    """Whether the model's turn may begin behind the message."""
    return _seat(m) in (USER, TOOL)


def _seat(m: Msg) -> int | None:
    """Who says the message; None where that must be cut, or is odd in another way."""
    content = m.content
    seat = _SEATS[m.role]
    if type(content) is str:
        return seat if content and not content.isspace() else None
    kinds = set(map(type, content))
    if ToolResultBlock in kinds:
        return TOOL if len(kinds) == 1 else None
    if ToolUseBlock in kinds:
        return ASSISTANT if seat == ASSISTANT else None
    return seat if kinds else None


def _calls(m: Msg) -> bool:
    return type(m.content) is not str and any(type(b) is ToolUseBlock for b in m.content)


def calm(seated: Seated, can: Capabilities) -> None:
    """Raise Unsettled unless calls, results and their ids are right by themselves."""
    flags = seated.flags
    if flags & (PAIRS | CUT | MISNAMED):
        raise Unsettled("a call or a result stands alone")
    if not can.ids.formed(seated.calls):
        raise Unsettled("the ids of calls count them")
    if flags & IDS and (
        can.ids.unique or can.ids.form or "" in seated.calls or _twice(seated.msgs)
    ):
        raise Unsettled("the id of a call comes again")


def _twice(msgs: Iterable[Msg]) -> bool:
    """Whether two calls of one message have one id."""
    for m in msgs:
        ids = [call.id for call in m.calls]
        if len(set(ids)) < len(ids):
            return True
    return False


def speaking(msgs: Sequence[Msg], held: Settled, can: Capabilities, manner: Manner) -> bool:
    """Whether the wire's names of who spoke before must be known to say these messages.

    Raises Unsettled for a new name that may change what was said before.
    """
    speakers = manner.speakers
    if type(speakers) is ByRole and can.name_field == "never":
        return False
    new = {m.name for m in msgs} - held.speakers.keys()
    told = isinstance(speakers, (ByName, Tagged))
    if told and new:
        raise Unsettled("somebody speaks for the first time")
    rule = speakers.rule if isinstance(speakers, NameField) else can.speakers
    if (told and can.name_field == "never") or rule.fits([*filter(None, (*held.speakers, *new))]):
        return False
    if new or type(speakers) is not ByRole:
        raise Unsettled("a name is respelled")
    return True


def neighbours(behind: int | None, first: int, can: Capabilities, manner: Manner) -> bool:
    """Whether these two seats stay apart: nothing joins them, or stands between them."""
    if ASSISTANT in (behind, first):
        return behind != first
    if isinstance(manner.speakers, ByName) and behind != TOOL:
        return False  # what stood between two runs of conversation was left out
    return can.alternation == "free" and (behind, first) != (TOOL, TOOL)


def hints(msgs: Iterable[Msg]) -> list[str | None]:
    """How long each cache hint of these messages shall hold."""
    found = []
    for m in msgs:
        found.append(m.cache)
        if type(m.content) is not str:
            for block in m.content:
                found.append(getattr(block, "cache", None))
                inner = getattr(block, "output", None)
                if type(inner) is list:
                    found += [getattr(one, "cache", None) for one in inner]
    return [hint.ttl for hint in found if hint is not None]
