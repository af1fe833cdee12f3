"""Seated -> Seated, all of it sayable: the only place that compares a block with a capability.

Keeps, moves (a medium follows in a user turn behind all results), lowers, or drops; and says so.
Looks at dirty messages only. Knows no wire.
"""

from __future__ import annotations

from dataclasses import replace

from ..capabilities import Capabilities
from ..losses import Report
from ..message import AudioBlock, DocumentBlock, ImageBlock, Msg, Tool, ToolResultBlock, VideoBlock
from ..message.blocks import ContentBlock
from ..seats import TOOL, USER, Seated, has_tools
from ..told import Told
from .blocks import fitted, remade
from .media import medium
from .state import Saver, State

__all__ = ["Saver", "fit", "fit_media", "fit_tools"]


def fit(
    seated: Seated,
    can: Capabilities,
    report: Report,
    told: Told,
    saver: Saver | None = None,
    hints: int = 0,
) -> Seated:
    """The history in blocks that every seat may show.

    `told` words what is added; `saver` makes media of tool results real where they can't be shown;
    `hints`: how many cache hints the tools take up.
    """
    dirty = seated.dirty
    if not can.tool_messages or can.call_text == "drop":
        dirty = list(range(len(seated.msgs)))
    state = State(can, report, told, saver, _surplus(seated, can, hints))
    changes: dict[int, list[tuple[Msg, int]]] = {}
    ends: list[int] = []
    for i in dirty:
        m, seat = seated.msgs[i], seated.seats[i]
        made, moved = fitted(state, m, seat)
        if made is not m:
            # what moved behind message i from an earlier one stays behind it
            here = [] if made is None else [(made, _new_seat(made, seat))]
            changes[i] = [*here, *changes.get(i, [])[1:]]
        if moved:
            ends = ends or _ends(seated.seats)
            _place(changes, seated, i, ends[i], moved)
    return seated.spliced(changes) if changes else seated


def fit_media(seated: Seated, can: Capabilities, report: Report, told: Told) -> Seated:
    """The media of the conversation as a user may show them, before it is told as one turn."""
    state = State(can, report, told)
    changes: dict[int, list[tuple[Msg, int]]] = {}
    for i in seated.dirty:
        m = seated.msgs[i]
        if isinstance(m.content, str) or has_tools(m):
            continue
        blocks: list[ContentBlock] = []
        for block in m.content:
            if isinstance(block, (ImageBlock, AudioBlock, VideoBlock, DocumentBlock)):
                blocks.extend(medium(state, block, "user", can.user, []))
            else:
                blocks.append(block)
        made = remade(state, m, blocks)
        if made is not m:
            changes[i] = [] if made is None else [(made, seated.seats[i])]
    return seated.spliced(changes) if changes else seated


def fit_tools(tools: list[Tool], can: Capabilities, report: Report) -> list[Tool]:
    """The tools with no more cache hints than the wire takes; the last ones stay."""
    hinted = [i for i, tool in enumerate(tools) if tool.cache is not None]
    if not can.cached_tools or len(hinted) <= can.cache_hints:
        return tools
    made = list(tools)
    for i in hinted[: -can.cache_hints]:
        made[i] = replace(tools[i], cache=None)
        report.made(made[i], tools[i])
        report.lost("cache.limit", tools[i], "cache")
    return made


def _surplus(seated: Seated, can: Capabilities, hints: int) -> int:
    """How many cache hints exceed what the wire takes."""
    if not can.cache_hints:
        return 0
    for i in seated.dirty:
        m = seated.msgs[i]
        hints += m.cache is not None
        for block in [] if isinstance(m.content, str) else m.content:
            inner = getattr(block, "output", None)
            for one in (block, *inner) if isinstance(inner, list) else (block,):
                hints += getattr(one, "cache", None) is not None
    return max(0, hints - can.cache_hints)


def _new_seat(m: Msg, seat: int) -> int:
    # a result that is told as text is said by the user
    told = seat == TOOL and not any(type(block) is ToolResultBlock for block in m.blocks)
    return USER if told else seat


def _ends(seats: list[int]) -> list[int]:
    """For each message the last result that follows it, or itself."""
    ends = list(range(len(seats)))
    for i in range(len(seats) - 2, -1, -1):
        if seats[i + 1] == TOOL:
            ends[i] = ends[i + 1]
    return ends


def _place(
    changes: dict[int, list[tuple[Msg, int]]], seated: Seated, i: int, end: int, moved: list[Msg]
) -> None:
    """Moved media stand behind the last result that follows message `i`.

    Nothing may follow calls that still wait for their results: there they stand in front.
    """
    there = changes.setdefault(end, [(seated.msgs[end], seated.seats[end])])
    at = 0 if end == i and seated.msgs[i].calls else len(there)
    there[at:at] = [(m, USER) for m in moved]
