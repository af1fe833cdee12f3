"""Calls whose host gives them a second id, or a new one in each chunk: each is one call, whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse
from tests.each_case import each_case

Ids = Callable[[int, int], str | None]  # (which call, which chunk) -> the id that stands there
PIECES = ['{"ci', 'ty": ', '"Paris"}']


def chunk(call: int, number: int, ids: Ids, named: bool) -> dict[str, Any]:
    function: dict[str, Any] = {"arguments": PIECES[number - 1] if number else ""}
    function["name"] = "warmth" if number == 0 or named else None
    entry: dict[str, Any] = {"index": call, "type": "function", "function": function}
    if (id := ids(call, number)) is not None:
        entry["id"] = id
    return entry


def entries(ids: Ids, named: bool, together: bool) -> list[list[dict[str, Any]]]:
    """Of each event the calls in it, two calls behind each other or both at once."""
    steps = [[chunk(call, number, ids, named) for number in range(4)] for call in (0, 1)]
    if together:
        return [list(pair) for pair in zip(*steps, strict=True)]
    return [[one] for step in steps for one in step]


def chat(calls: list[dict[str, Any]], end: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"tool_calls": calls}, "finish_reason": end}
    return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def dashscope(calls: list[dict[str, Any]], end: str | None) -> dict[str, Any]:
    message = {"role": "assistant", "content": "", "tool_calls": calls}
    choice = {"message": message, "finish_reason": end or "null"}
    return {"request_id": "r", "output": {"choices": [choice]}}


def read(vendor: str, steps: list[list[dict[str, Any]]]) -> ChatResponse:
    decoder = dragoman.wire(vendor).stream_decoder()
    event = dashscope if vendor == "dashscope" else chat
    for step in steps:
        decoder.feed(event(step, None))
    decoder.feed(event([], "tool_calls"))
    return decoder.finish()


IDS: dict[str, Ids] = {
    "a second id": lambda call, number: f"{call}-{'a' if number == 0 else 'b'}",
    "a second id for one chunk": lambda call, number: f"{call}{'b' if number == 2 else 'a'}",
    "a new id in each chunk": lambda call, number: f"{call}-{number}",
    "one id for both": lambda call, number: "a",
    "no id": lambda call, number: None,
    "an empty id": lambda call, number: "",
    "an id in the first chunk": lambda call, number: f"{call}" if number == 0 else None,
}  # fmt: skip


@each_case("together", [False, True])
@each_case("named", [False, True])
@each_case("ids", IDS)
@each_case("vendor", ["openai", "deepseek", "mistral", "dashscope"])
def test_each_call_is_one_call(vendor: str, ids: str, named: bool, together: bool) -> None:
    calls = read(vendor, entries(IDS[ids], named, together)).calls
    assert [call.name for call in calls] == ["warmth", "warmth"]
    assert [call.input for call in calls] == [{"city": "Paris"}, {"city": "Paris"}]
    assert not any(call.unfinished for call in calls)


def snapshots(ids: Ids) -> list[list[dict[str, Any]]]:
    found = []
    for number in range(4):
        step = [chunk(call, number, ids, True) for call in (0, 1)]
        for one in step:
            one["function"]["arguments"] = "".join(PIECES[:number])
        found.append(step)
    return found


@pytest.mark.parametrize("ids", IDS)
def test_snapshots_of_calls_are_one_call_each(ids: str) -> None:
    calls = read("dashscope", snapshots(IDS[ids])).calls
    assert [call.input for call in calls] == [{"city": "Paris"}, {"city": "Paris"}]


@pytest.mark.parametrize("place", ["index", "none"])
def test_items_of_responses_whose_id_changes_are_one_call_each(place: str) -> None:
    decoder = dragoman.wire("openai/openai-responses").stream_decoder()
    events: list[dict[str, Any]] = []
    for call in (0, 1):
        where = {"output_index": call} if place == "index" else {}
        item = {"type": "function_call", "call_id": f"c{call}", "name": "warmth"}
        events.append({"type": "response.output_item.added", **where,
                       "item": {**item, "id": f"{call}", "arguments": ""}})  # fmt: skip
        events += [{"type": "response.function_call_arguments.delta", "item_id": f"{call}-{number}",
                    "delta": piece, **where} for number, piece in enumerate(PIECES)]  # fmt: skip
        events.append({"type": "response.function_call_arguments.done", "item_id": f"{call}-x",
                       "arguments": "".join(PIECES), **where})  # fmt: skip
    for event in events:
        decoder.feed(event)
    decoder.feed({"type": "response.completed", "response": {"id": "r", "output": [
        {"type": "function_call", "call_id": f"c{call}", "name": "warmth", "id": f"{call}-end",
         "arguments": "".join(PIECES), "status": "completed"} for call in (0, 1)
    ], "status": "completed"}})  # fmt: skip
    calls = decoder.finish().calls
    assert [call.input for call in calls] == [{"city": "Paris"}, {"city": "Paris"}]
    assert [call.id for call in calls] == ["c0", "c1"]
