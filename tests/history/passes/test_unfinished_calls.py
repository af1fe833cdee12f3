"""Calls that an answer broke off in stay in the message that was read, and are not sent."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import TextBlock, ToolResultBlock, ToolUseBlock
from tests.cases.writing import written

WIRES = [name for name in dragoman.wires() if "/" not in name][:8]
HI = Msg.user("Hi")
CUT = ToolUseBlock("call_2", "look", '{"a": "b', '{"a": "b', unfinished=True)
DONE = ToolUseBlock("call_1", "look", {})


@pytest.mark.parametrize("wire", WIRES)
def test_an_unfinished_call_is_left_out_and_named(wire: str) -> None:
    msgs = [HI, Msg("", [TextBlock("I will."), CUT], "assistant"), HI]
    body, losses = written(wire, msgs)
    assert "look" not in str(body.get("messages") or body.get("input") or body.get("contents"))
    assert ("call.unfinished", "$.messages[1].content[1]") in losses
    plain, _ = written(wire, [HI, Msg("", [TextBlock("I will.")], "assistant"), HI])
    assert body == plain


def test_a_turn_of_nothing_else_goes_with_it() -> None:
    body, losses = written("openai-chat", [HI, Msg("", [CUT], "assistant"), HI])
    assert [m["role"] for m in body["messages"]] == ["user", "user"]
    assert losses == [("call.unfinished", "$.messages[1].content[0]")]


def test_the_finished_calls_beside_it_stay_with_their_results() -> None:
    result = Msg("", [ToolResultBlock("call_1", "look", "seen")], "tool")
    body, losses = written("openai-chat", [HI, Msg("", [DONE, CUT], "assistant"), result])
    assert [call["id"] for call in body["messages"][1]["tool_calls"]] == ["call_1"]
    assert [code for code, _ in losses] == ["call.unfinished"]


def test_what_was_run_all_the_same_stays() -> None:
    result = Msg("", [ToolResultBlock("call_2", "look", "seen")], "tool")
    body, losses = written("anthropic", [HI, Msg("", [CUT], "assistant"), result])
    assert body["messages"][1]["content"][0]["input"] == {"_raw": '{"a": "b'}
    assert [code for code, _ in losses] == ["call.unparsed"]


def test_it_is_stored_and_is_not_offered() -> None:
    msg = Msg("", [DONE, CUT], "assistant")
    assert Msg.from_dict(msg.to_dict()) == msg
    assert Msg.from_dict(msg.to_dict()).blocks[1] == CUT
    message = {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_2", "type": "function", "function": {"name": "look", "arguments": '{"a": "b'}}
    ]}  # fmt: skip
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    resp = dragoman.wire("openai-chat").read_response(body)
    assert resp.msg.blocks == [CUT]
    assert (resp.calls, resp.status) == ([], "truncated")
    assert resp.finish.raw == "tool_calls"


def test_the_history_is_not_touched() -> None:
    msgs = [HI, Msg("", [TextBlock("I will."), CUT], "assistant"), HI]
    before = [msg.to_dict() for msg in msgs]
    dragoman.wire("anthropic", policy="ignore").write_request(ChatRequest(msgs))
    assert [msg.to_dict() for msg in msgs] == before
