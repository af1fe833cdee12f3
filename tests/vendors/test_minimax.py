"""MiniMax: one system message, no null, no tool choice; its thinking goes back in its details."""

from __future__ import annotations

import dragoman
from dragoman import Msg
from dragoman.message import Origin, ThinkingBlock
from tests.vendors.asking import LOOK, called, codes, losses, said, wrote

M3, M2 = "MiniMax-M3", "MiniMax-M2.7"


def test_thinking_is_split_off_and_goes_back_as_it_came() -> None:
    own = ThinkingBlock("hm", origin=Origin("minimax"),
                        extras={"minimax": {"id": "r1", "index": 0}})  # fmt: skip
    out = wrote("minimax", M2, *called(own))
    assert out.body["reasoning_split"] is True
    assert out.body["messages"][1]["reasoning_details"] == [
        {"type": "reasoning.text", "text": "hm", "id": "r1", "index": 0}
    ]
    assert codes(out) == []


def test_content_is_never_null() -> None:
    assert said("minimax", M3, *called())[1]["content"] == ""


def test_one_system_message_and_it_comes_first() -> None:
    history = [Msg.system("Be."), Msg.system("Quick."), Msg.user("?"), Msg.assistant("!"),
               Msg.system("Now stop."), Msg.user("Well?")]  # fmt: skip
    out = wrote("minimax", M3, *history)
    assert [m["role"] for m in out.body["messages"]].count("system") == 1
    assert {"system.late", "system.reminder"} >= set(codes(out)) > set()


def test_tool_choices_are_not_written() -> None:
    out = wrote("minimax", M3, tools=[LOOK], tool_choice="required")
    assert out.body["tools"]
    assert "tool_choice" not in out.body
    assert losses(out) == [("tool_choice.unsupported", "$.tool_choice")]
    none = wrote("minimax", M3, tools=[LOOK], tool_choice="none")
    assert "tools" not in none.body


def test_cold_answers_are_warmed() -> None:
    out = wrote("minimax", M3, options={"temperature": 0})
    assert (out.body["temperature"], codes(out)) == (0.01, ["option.range"])


def test_its_messages_wire_takes_signed_thinking_back() -> None:
    own = ThinkingBlock("hm", signature="9f2c", origin=Origin("minimax"))
    [block, _] = said("minimax/anthropic", M3, *called(own))[1]["content"]
    assert block == {"type": "thinking", "thinking": "hm", "signature": "9f2c"}
    unsigned = wrote("minimax/anthropic", M3, *called(ThinkingBlock("hm")))
    assert "thinking.unsigned" in codes(unsigned)


def test_on_responses_it_thinks_when_it_is_asked() -> None:
    wire = "minimax/openai-responses"
    assert "reasoning" not in wrote(wire, M3).body
    assert wrote(wire, M3, options={"reasoning": "high"}).body["reasoning"] == {"effort": "high"}
    assert wrote(wire, M3, options={"reasoning": "on"}).body["reasoning"]["effort"] == "medium"
    assert codes(wrote(wire, M2, options={"reasoning": "off"})) == ["reasoning.always"]


def test_calls_side_by_side_are_named_where_a_body_says_them_apart_from_the_choice() -> None:
    function = {"name": "look", "parameters": {"type": "object", "properties": {}}}
    body = {"model": "gpt-5.6", "messages": [{"role": "user", "content": "?"}],
            "tools": [{"type": "function", "function": function}], "tool_choice": "auto",
            "parallel_tool_calls": False}  # fmt: skip
    out = dragoman.convert(body, "openai-chat", "minimax", model=M3, policy="ignore")
    assert not {"tool_choice", "parallel_tool_calls"} & out.body.keys()
    assert {("tool_choice.unsupported", "$.tool_choice"),
            ("tool_choice.lowered", "$.parallel_tool_calls")} <= {*losses(out)}  # fmt: skip
