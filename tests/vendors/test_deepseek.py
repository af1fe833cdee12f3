"""DeepSeek on its three wires: thinking that must come back, and what it forbids meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.message import Origin, ResponseFormat, TextBlock, ThinkingBlock
from tests.vendors.asking import IMAGE, LOOK, called, codes, losses, said, wrote

CHAT, CLAUDE, ITEMS = "deepseek", "deepseek/anthropic", "deepseek/openai-responses"
OFF = {"reasoning": "off"}
BACK = {"type": "thinking", "thinking": "hm", "signature": ""}


def test_chat_completions_is_the_first() -> None:
    assert wrote(CHAT, None).path == "/chat/completions"


def test_turns_that_call_bring_their_thinking_on_every_wire() -> None:
    """Cases 36 to 38."""
    turn = called(ThinkingBlock("hm"))
    assert said(CHAT, None, *turn)[1]["reasoning_content"] == "hm"
    assert said(CLAUDE, None, *turn)[1]["content"][0] == BACK
    reasoning = wrote(ITEMS, None, *turn).body["input"][1]
    assert reasoning["content"] == [{"type": "reasoning_text", "text": "hm"}]


def test_where_there_was_none_an_empty_one_stands() -> None:
    assert said(CHAT, None, *called())[1]["reasoning_content"] == ""
    assert said(CLAUDE, None, *called())[1]["content"][0] == {**BACK, "thinking": ""}
    talk = [Msg.user("Hi."), Msg.assistant("Hello."), Msg.user("Well?")]
    assert said(CLAUDE, None, *talk)[1]["content"] == "Hello."


def test_who_does_not_think_misses_nothing() -> None:
    turn = said(CLAUDE, None, *called(), options=OFF)[1]["content"]
    assert [block["type"] for block in turn] == ["tool_use"]


def test_thinking_that_another_signed_stays_away() -> None:
    claude = ThinkingBlock("hm", signature="c2ln", origin=Origin("anthropic"))
    own = ThinkingBlock("hm", signature="9f2c", origin=Origin("deepseek"))
    for wire in (CHAT, CLAUDE):
        out = wrote(wire, None, *called(claude))
        assert losses(out) == [("thinking.other_provider", "$.messages[1].content[0]")]
    assert said(CLAUDE, None, *called(own))[1]["content"][0] == {**BACK, "signature": "9f2c"}


@pytest.mark.parametrize("wire", [CHAT, CLAUDE, ITEMS])
@pytest.mark.parametrize("choice", ["required", "look"])
def test_no_tool_is_forced_while_it_thinks(wire: str, choice: str) -> None:
    """Case 40: "Thinking mode does not support this tool_choice"."""
    given: dict[str, Any] = {"tools": [LOOK], "tool_choice": choice}
    assert codes(wrote(wire, "deepseek-flash", **given)) == ["tool_choice.lowered"]
    assert codes(wrote(wire, "deepseek-v4-pro", options=OFF, **given)) == []


def test_sampling_is_sent_and_passed_over_while_it_thinks() -> None:
    out = wrote(CHAT, "deepseek-flash", options={"temperature": 0.5, "presence_penalty": 0.1})
    assert out.body["temperature"] == 0.5
    assert codes(out) == ["option.ignored", "option.ignored"]
    assert codes(wrote(CHAT, "deepseek-flash", options={**OFF, "temperature": 0.5})) == []


def test_who_sees() -> None:
    shown = Msg.user([TextBlock("What is it?"), IMAGE])
    for wire in (CHAT, CLAUDE, ITEMS):
        assert codes(wrote(wire, "deepseek-flash", shown)) == []
        assert codes(wrote(wire, "deepseek-v4-pro", shown)) == ["block.unsupported"]


def test_formats_users_and_text() -> None:
    schema = ResponseFormat("schema", {"type": "object"})
    out = wrote(CHAT, "deepseek-flash", response_format=schema, options={"user": "u1"})
    assert out.body["response_format"] == {"type": "json_object"}
    assert out.body["user_id"] == "u1"
    assert codes(out) == ["format.in_words", "format.lowered"]
    two = said(CHAT, "deepseek-flash", Msg.user([TextBlock("a"), TextBlock("b")]))
    assert two[0]["content"] == "a\nb"
