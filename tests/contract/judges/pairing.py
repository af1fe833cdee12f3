"""Calls and results on wires that are a flat list of messages with a role "tool".

A turn of calls is answered by the tool messages right behind it: every call once, in any
order, nothing between. Only a turn at the very end may still be unanswered.
"""

from __future__ import annotations

from collections.abc import Iterator

from .fault import Fault, Json, Path, label, objects


def pair_faults(messages: Json, at: Path) -> Iterator[Fault]:
    """`at` is the path of the list; the calls are `tool_calls[].id`, answers `tool_call_id`."""
    turns = list(objects(messages))
    position = 0
    while position < len(turns):
        index, message = turns[position]
        position += 1
        calls = [(i, label(call.get("id"))) for i, call in objects(message.get("tool_calls"))]
        if message.get("role") == "tool":
            yield Fault("pairs.orphan", (*at, index), "a result without a call before it")
        elif message.get("role") == "assistant" and calls:
            answers = []
            while position < len(turns) and turns[position][1].get("role") == "tool":
                answers.append(turns[position])
                position += 1
            last = position == len(turns)
            yield from _turn_faults(at, index, calls, answers, open_end=last and not answers)


def _turn_faults(
    at: Path,
    index: int,
    calls: list[tuple[int, str]],
    answers: list[tuple[int, dict[str, Json]]],
    *,
    open_end: bool,
) -> Iterator[Fault]:
    ids: dict[str, int] = {}
    for number, call_id in calls:
        if call_id in ids:
            where = (*at, index, "tool_calls", number, "id")
            yield Fault("pairs.repeated_id", where, f"{call_id!r} names two calls of one turn")
        ids[call_id] = number
    answered: set[str] = set()
    for number, message in answers:
        place = (*at, number)
        call_id = label(message.get("tool_call_id"))
        if call_id in answered:
            yield Fault("pairs.twice", place, f"call {call_id!r} is answered twice")
        elif call_id not in ids:
            yield Fault("pairs.orphan", place, f"no call {call_id!r} in the turn before")
        answered.add(call_id)
    for call_id, number in ids.items():
        if call_id not in answered and not open_end:
            where = (*at, index, "tool_calls", number)
            yield Fault(
                "pairs.unanswered", where, f"call {call_id!r} is not answered directly after"
            )


def call_faults(message: dict[str, Json], at: Path) -> Iterator[Fault]:
    """An empty list of calls is no list of calls."""
    if message.get("tool_calls") == []:
        yield Fault("calls.none", (*at, "tool_calls"), "an empty list of calls")
    if message.get("role") != "assistant" and "tool_calls" in message:
        yield Fault("calls.role", (*at, "tool_calls"), "only an assistant calls tools")
