"""Calls and results where all results of a turn stand at the head of the next user message.

Each wire names its blocks; this file sees calls, results and the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..judges.fault import Path, brief
from .flat import Open, Pairs, left
from .rule import Broken, Rule

__all__ = ["Block", "Turn", "turn_faults"]


@dataclass(frozen=True)
class Block:
    """A content block as far as pairs are concerned: `kind` is call, result or other."""

    path: Path
    kind: str
    id: str = ""


@dataclass(frozen=True)
class Turn:
    """A message with its blocks."""

    role: str
    blocks: list[Block]


def turn_faults(
    turns: list[Turn], demand: Pairs, first: Rule, *, open_end: bool
) -> Iterator[Broken]:
    """`first`: the results stand before anything else in their message; ids are never reused."""
    waiting: Open = {}
    used: set[str] = set()
    for turn in turns:
        if turn.role == "assistant":
            yield from left(waiting, demand.answered)
            waiting = {}
        else:
            yield from _answered(turn, waiting, demand, first)
            waiting = {}
        for block in turn.blocks:
            if block.kind != "call":
                continue
            if block.id in used:
                yield demand.unique.at(block.path, brief(block.id))
            used.add(block.id)
            waiting[block.id] = block.path
    if not open_end:
        yield from left(waiting, demand.answered)


def _answered(turn: Turn, waiting: Open, demand: Pairs, first: Rule) -> Iterator[Broken]:
    called = set(waiting)
    waiting = dict(waiting)
    others = False
    for block in turn.blocks:
        if block.kind != "result":
            others = True
        elif block.id not in called:
            yield demand.orphan.at(block.path, brief(block.id))
        elif waiting.pop(block.id, None) is None:
            yield demand.twice.at(block.path, brief(block.id))
        elif others:
            yield first.at(block.path, brief(block.id))
    yield from left(waiting, demand.answered)
