"""What readers make without constructors is what the constructors make, field by field."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from dragoman.message import ChatRequest, Msg, Origin, ToolResultBlock, ToolUseBlock
from dragoman.message.request import model_origin, new_call, new_message, new_request, new_result

HOME = Origin("openai-chat", "gpt-5.6")


@pytest.mark.parametrize(
    ("make", "args", "given"),
    [
        (new_call, ("c1", "walk", {"miles": 2}, '{"miles": 2}', {}),
         ToolUseBlock("c1", "walk", {"miles": 2}, '{"miles": 2}')),
        (new_result, ("c1", "walk", "far", None, {}), ToolResultBlock("c1", "walk", "far")),
        (new_result, ("c1", "", "far", "called", {}),
         ToolResultBlock("c1", "", "far", spelling="called")),
    ],
)  # fmt: skip
def test_blocks_are_those_of_their_constructors(make: Any, args: Any, given: Any) -> None:
    made = make(*args)
    assert type(made) is type(given)
    for field in fields(given):
        assert getattr(made, field.name) == getattr(given, field.name), field.name


def test_messages_are_those_of_their_constructor() -> None:
    made, given = new_message("Hi", "user", HOME, {}), Msg("", "Hi", "user", origin=HOME)
    given.read_from = {}
    assert {name: getattr(made, name, None) for name in Msg.__slots__} == {
        name: getattr(given, name, None) for name in Msg.__slots__
    }
    block = new_result("c1", "", "far", None, {})
    assert new_message([block], "tool", HOME, {}).content == [block]


def test_requests_are_those_of_their_constructor() -> None:
    messages = [new_message("Hi", "user", HOME, {})]
    made, given = new_request(messages), ChatRequest(messages)
    for field in fields(ChatRequest):
        assert getattr(made, field.name) == getattr(given, field.name), field.name
    assert made.messages is messages
    assert new_request([]).tools is not made.tools


def test_whom_a_model_is_known_by_is_made_once() -> None:
    assert model_origin("openai-chat", "gpt-5.6") == HOME
    assert model_origin("openai-chat", "gpt-5.6") is model_origin("openai-chat", "gpt-5.6")
    assert model_origin("openai-chat", None) != HOME
