"""Calls of an answer: ids, names, and which of them nobody may run."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import Finish, TextBlock, ToolUseBlock
from dragoman.message.blocks import ContentBlock
from dragoman.stream.arguments import parse_calls

DONE = Finish("tool_calls", "tool_calls")


def call(raw: str | None = None, id: str = "a", name: str = "look", **given: Any) -> ToolUseBlock:
    return ToolUseBlock(id, name, given.pop("input", {}), raw, **given)


def made(*blocks: ContentBlock, end: Finish | None = DONE, names: Any = (), seed: str = "") -> Any:
    return parse_calls(blocks, dict(names), end, seed)


def test_arguments_are_parsed_once_and_kept_as_text() -> None:
    (one,) = made(call('{"a":1}'))
    assert (one.id, one.input, one.raw_input, one.unfinished) == ("a", {"a": 1}, '{"a":1}', False)
    (parsed,) = made(call(input={"a": 1}))
    assert (parsed.input, parsed.raw_input) == ({"a": 1}, None)


def test_names_are_mapped_back() -> None:
    (one,) = made(call("{}", name="weather_now"), names={"weather_now": "weather.now"})
    assert one.name == "weather.now"


def test_the_parts_are_left_as_they_were() -> None:
    part = call('{"a":1}', name="x")
    made(part, names={"x": "y"})
    assert (part.input, part.name) == ({}, "x")


def test_an_id_is_made_where_there_is_none() -> None:
    first, second = made(call("{}", id=""), call("{}", id=""), seed="r1")
    assert first.id.startswith("call_")
    assert first.id != second.id, "equal calls are two"
    assert first.spelling == second.spelling == "made"
    again = made(call("{}", id=""), call("{}", id=""), seed="r1")
    assert [one.id for one in again] == [first.id, second.id], "never random"
    assert made(call("{}", id=""), seed="r2")[0].id != first.id
    assert made(call("\ud83d", id=""))[0].id


def test_objects_run_together_are_calls_of_their_own() -> None:
    first, second = made(call('{"x":1}{"x":2}', extras={"p": {"signature": "s"}}))
    assert [first.input, second.input] == [{"x": 1}, {"x": 2}]
    assert (first.id, second.id != "a") == ("a", True)
    assert (first.extras, second.extras) == ({"p": {"signature": "s"}}, None)
    assert [one.raw_input for one in (first, second)] == ['{"x":1}', '{"x":2}']


def test_arguments_that_are_sent_again_are_one_call() -> None:
    (one,) = made(call('{"x":1}{"x":1}'))
    assert (one.id, one.input, one.spelling) == ("a", {"x": 1}, None)


@pytest.mark.parametrize(
    ("raw", "end", "unfinished"),
    [
        ('{"a": "x', DONE, True),
        ('{"a": "x', None, True),
        ('{"a": 1}', Finish("length", "length"), True),
        ('{"a": 1}', Finish("context_overflow"), True),
        ('{"a": 1}', None, False),
        ("", DONE, False),
        ("", None, True),  # the stream broke off before any of it came
        ("not JSON", DONE, False),
        ("", Finish("length"), True),
    ],
)
def test_what_nobody_may_run(raw: str, end: Finish | None, unfinished: bool) -> None:
    (one,) = made(call(raw), end=end)
    assert one.unfinished is unfinished


def test_a_call_with_a_value_is_whole_where_the_stream_broke_off() -> None:
    (one,) = made(call(input={"a": 1}), end=None)
    assert not one.unfinished
    (bare,) = made(call(), end=None)
    assert bare.unfinished


def test_other_blocks_pass() -> None:
    text = TextBlock("x")
    assert made(text, call("{}"))[0] is text


def test_made_ids_differ_from_answer_to_answer() -> None:
    body = {"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [
        {"function": {"name": "now", "arguments": {}}}]}, "done": True}  # fmt: skip
    wire = dragoman.wire("ollama")
    first = wire.read_response({**body, "created_at": "2026-11-21T20:00:00Z"})
    again = wire.read_response({**body, "created_at": "2026-11-21T20:00:09Z"})
    assert first.calls[0].id != again.calls[0].id
    assert first.calls[0].id == wire.read_response(
        {**body, "created_at": "2026-11-21T20:00:00Z"}
    ).calls[0].id  # fmt: skip


@pytest.mark.parametrize(
    "text", ['{"a":' * 900 + "1" + "}" * 900, '{"a":' + "[" * 400 + "]" * 400 + "}"]
)
def test_arguments_nested_too_deeply_stay_text_and_the_rest_is_read(text: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": text}}
    message = {"role": "assistant", "content": "Hm.", "tool_calls": [call]}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    resp = dragoman.wire("openai-chat").read_response(body)
    assert resp.text == "Hm."
    assert resp.calls[0].input == resp.calls[0].raw_input == text
