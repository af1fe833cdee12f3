"""Calls and results of Chat's shape, read by four rooms alike: and said again by them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman.message import Msg, RawBlock, ToolResultBlock, ToolUseBlock
from dragoman.protocols.chat_like.messages import call_as_read, read_call, read_calls, read_messages
from tests.each_case import each_case

LOOK = {"name": "look", "arguments": '{"at":  1}'}


def called(**beside: Any) -> dict[str, Any]:
    return {"id": "a", "type": "function", "function": LOOK, **beside}


def spelled(value: Any) -> str:
    """As text, for to Python 1, 1.0 and true are equal."""
    return json.dumps(value, sort_keys=True)


@each_case("nth", [0, 1])
@each_case(
    "function",
    [
        LOOK, {"name": "look", "arguments": {"at": 1}}, {"name": "look"}, {"arguments": "{}"},
        {"name": "look", "arguments": None}, {"name": "look", "arguments": [1]}, None, "look",
        {"name": "look", "arguments": "no JSON", "more": {"x": [1, 1.0, True]}},
    ],
)  # fmt: skip
@each_case(
    "beside",
    [{}, {"id": None}, {"id": ""}, {"id": 7}, {"type": None}, {"type": "custom"}, {"index": 1},
     {"index": True}, {"index": None, "odd": []}],
)  # fmt: skip
def test_every_call_comes_back(function: Any, beside: dict[str, Any], nth: int) -> None:
    for told in (called(function=function, **beside), {"function": function, **beside}):
        block = read_call(told, "it", nth, "made")
        assert spelled(call_as_read(block, "it", nth)) == spelled(told)


def test_what_goes_without_saying_is_no_field_of_its_own() -> None:
    block = read_call(called(index=2), "it", 2, "made")
    assert block == ToolUseBlock("a", "look", {"at": 1}, '{"at":  1}')
    assert block.extras is None
    moved = read_call(called(index=2), "it", 0, "made")
    assert moved.extras == {"it": {"index": 2}}


def test_a_call_without_an_id_gets_one_by_its_place() -> None:
    rest = {"tool_calls": [{"function": LOOK}, called()], "more": 1}
    made = read_calls(rest, "it", 3)
    assert [getattr(block, "id", None) for block in made] == ["call_3_0", "a"]
    assert rest == {"more": 1}


def test_what_is_no_call_keeps_the_id_that_its_result_names() -> None:
    told = {"id": "a", "type": "custom", "custom": {"name": "sing", "input": "la"}}
    assert read_call(told, "it", 0, "made") == RawBlock("it", told, "call", "a", "client")


def test_a_result_belongs_to_the_first_call_that_waits_for_one() -> None:
    calls = [ToolUseBlock("1", "a"), ToolUseBlock("2", "b"), ToolUseBlock("3", "a")]
    told = ["calls", ToolResultBlock("", "a"), ToolResultBlock("", "a"), ToolResultBlock("2")]

    def read(one: Any, place: int) -> Msg:
        assert told[place] is one
        listed: Any = calls if one == "calls" else [one]
        return Msg.create_unchecked("", listed, "assistant" if one == "calls" else "tool")

    _, *results = read_messages(told, read)
    assert [m.blocks[0].id for m in results] == ["1", "3", "2"]  # type: ignore[union-attr]


@pytest.mark.parametrize("wire", ["mistral", "cohere", "ollama", "dashscope"])
def test_calls_and_results_without_ids_reach_another_wire_as_a_pair(wire: str) -> None:
    listed: list[Any] = [
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"type": "function", "function": LOOK}],
        },
        {"role": "tool", "content": "A cat.", "tool_call_id": None},
    ]
    body = {"model": "m", "input": {"messages": listed}, "messages": listed}
    del body["messages" if wire == "dashscope" else "input"]
    out = dragoman.convert(body, wire, "openai-chat").body["messages"]
    assert out[1]["tool_calls"][0]["function"] == LOOK
    assert out[2] == {"role": "tool", "tool_call_id": out[1]["tool_calls"][0]["id"],
                      "content": "A cat."}  # fmt: skip
    assert dragoman.convert(body, wire, wire).body["model"] == "m"
