"""Calls and outputs of a Responses request, and a reasoning item's own follower.

An output stands anywhere behind its call, once; what an earlier response holds
(`previous_response_id`, `conversation`) is not looked for. Only calls at the very end may still
be unanswered. Reasoning that is sent with its id is followed by what it led to.
"""

from __future__ import annotations

from collections.abc import Iterator

from .fault import Fault, Json, Path, label, objects

# the kind of a call -> the kind of its output
ANSWERS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
}
CALLS = {answer: call for call, answer in ANSWERS.items()}
Items = list[tuple[int, dict[str, Json]]]


def pair_faults(items: Json, at: Path, *, known: bool) -> Iterator[Fault]:
    """`known`: earlier items stand on the server, so an output may lack its call here."""
    listed = list(objects(items))
    known = known or any(item.get("type") == "item_reference" for _, item in listed)
    yield from _answer_faults(listed, at, known=known)
    yield from _open_faults(listed, at)
    yield from follower_faults(listed, at)


def _answer_faults(listed: Items, at: Path, *, known: bool) -> Iterator[Fault]:
    calls: set[tuple[str, str]] = set()
    answered: set[tuple[str, str]] = set()
    for index, item in listed:
        kind, place, key = _kind(item), (*at, index), _key(item)
        if kind in ANSWERS:
            if key in calls:
                yield Fault("pairs.repeated_id", (*place, "call_id"), f"{key[1]!r} is used again")
            calls.add(key)
        elif kind in CALLS and item.get("call_id") is not None:
            if key in answered:
                yield Fault("pairs.twice", place, f"call {key[1]!r} is answered twice")
            elif key not in calls and not known:
                yield Fault("pairs.orphan", place, f"no call {key[1]!r} stands before")
            answered.add(key)
        elif kind in CALLS and not item.get("name"):
            yield Fault("pairs.orphan", place, "an output without call_id names its tool")


def _open_faults(listed: Items, at: Path) -> Iterator[Fault]:
    answered = {_key(item) for _, item in listed if _kind(item) in CALLS}
    end = len(listed)
    while end and _came_out(listed[end - 1][1]):  # the turn at the end may still be open
        end -= 1
    for index, item in listed[:end]:
        waits = _kind(item) in ANSWERS and item.get("async") is not True
        if waits and _key(item) not in answered:
            said = f"call {label(item.get('call_id'))!r} has no output"
            yield Fault("pairs.unanswered", (*at, index), said)


def _kind(item: dict[str, Json]) -> str:
    return label(item.get("type", "message" if "role" in item else None))


def _key(item: dict[str, Json]) -> tuple[str, str]:
    """What a call and its output share: the kind of the call, and the call id."""
    kind = _kind(item)
    return CALLS.get(kind, kind), label(item.get("call_id"))


def follower_faults(listed: Items, at: Path) -> Iterator[Fault]:
    for position, (index, item) in enumerate(listed):
        if item.get("type") != "reasoning" or not item.get("id"):
            continue
        behind = (later for _, later in listed[position + 1 :] if later.get("type") != "reasoning")
        follower = next(behind, {})
        if not _came_out(follower):
            yield Fault("pairs.follower", (*at, index), "its required following item is missing")


def _came_out(item: dict[str, Json]) -> bool:
    """Whether a model said it: not a user's message, nor an output of the user's tools."""
    kind = _kind(item)
    if kind == "message":
        return item.get("role") == "assistant"
    return bool(item) and kind not in CALLS
