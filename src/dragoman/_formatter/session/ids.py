"""Ids and names of calls and results in a part: what those behind it must not take for theirs.

Knows no wire.
"""

from __future__ import annotations

from collections import Counter

from ..._wire.passes import Seating
from ...capabilities import Capabilities
from ...message import ToolResultBlock, ToolUseBlock
from ...seats import CUT, MISNAMED, PAIRS, Seated
from .settled import Settled

__all__ = ["apart", "hidden", "odd", "spelled"]


def odd(surveyed: Seated) -> set[str]:
    """The ids of calls without a result of their own, and of results without a call."""
    if not surveyed.flags & (PAIRS | CUT) and len(surveyed.calls) == len(surveyed.results):
        return set()
    calls, results = Counter(surveyed.calls), Counter(surveyed.results)
    return {*(calls - results), *(results - calls)}


def hidden(surveyed: Seated) -> bool:
    """Whether a result has another name than its call, which the survey may find later on.

    Where calls and results do not pair, it may take the one for another.
    """
    if not surveyed.flags & PAIRS or surveyed.flags & MISNAMED:
        return False
    blocks = [b for m in surveyed.msgs if type(m.content) is not str for b in m.content]
    calls = {(b.id, b.name) for b in blocks if type(b) is ToolUseBlock}
    names = dict(calls)
    results = (b for b in blocks if type(b) is ToolResultBlock)
    return len(names) < len(calls) or any(
        b.name not in ("", names.get(b.id, b.name)) for b in results
    )


def spelled(made: Seating) -> dict[str, str]:
    """The ids of the calls -> as they are spelled."""
    ids = dict(zip(made.seated.calls, made.seated.calls, strict=True))
    for spelling, given in made.ids.items():
        if given in ids:
            ids[given] = spelling
    return ids


def apart(ids: dict[str, str], held: Settled, can: Capabilities) -> bool:
    """Whether the ids would be spelled so behind those that are settled."""
    firm = can.ids.unique or can.ids.form or "" in held.tools
    for given, spelling in ids.items():
        if given in held.odd:
            return False
        if given in held.ids:
            if firm or held.ids[given] != spelling:
                return False
        elif spelling in held.spellings:
            return False
    return True
