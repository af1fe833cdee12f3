"""Calls and results where every result is a message of its own, right behind the turn of calls.

The walk is the same on every wire that copies Chat Completions; what is demanded, and in which
words it is refused, each wire says itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..judges.fault import Json, Path, brief, label, objects
from .rule import Broken, Rule

__all__ = ["Pairs", "pair_faults"]

Open = dict[str, Path]  # calls that wait, by id, with their places


@dataclass(frozen=True)
class Pairs:
    """The four demands on pairs."""

    answered: Rule
    orphan: Rule
    twice: Rule
    unique: Rule


def pair_faults(messages: Json, at: Path, demand: Pairs, *, open_end: bool) -> Iterator[Broken]:
    """`tool_calls[].id` is answered by `tool_call_id` of the messages right behind."""
    waiting: Open = {}
    done: set[str] = set()
    for index, message in objects(messages):
        if message.get("role") == "tool":
            yield from _answer(message, (*at, index), waiting, done, demand)
            continue
        yield from left(waiting, demand.answered)
        waiting, done = {}, set()
        for number, call in objects(message.get("tool_calls")):
            place, id = (*at, index, "tool_calls", number), label(call.get("id"))
            if id in waiting:
                yield demand.unique.at((*place, "id"), brief(id))
            waiting[id] = place
    if done or not open_end:
        yield from left(waiting, demand.answered)


def _answer(
    message: dict[str, Json], at: Path, waiting: Open, done: set[str], demand: Pairs
) -> Iterator[Broken]:
    id = label(message.get("tool_call_id"))
    if waiting.pop(id, None) is not None:
        done.add(id)
    elif id in done:
        yield demand.twice.at(at, brief(id))
    else:
        yield demand.orphan.at(at, brief(id))


def left(waiting: Open, answered: Rule) -> Iterator[Broken]:
    """A fault for each call that nobody answered."""
    for id, place in waiting.items():
        yield answered.at(place, brief(id))
