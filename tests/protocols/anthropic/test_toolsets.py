"""The name of a toolset on a call is said again on its result, whoever wrote that."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman import ChatRequest, Msg

CALL = {"type": "tool_use", "id": "t1", "name": "computer", "input": {"action": "x"},
        "toolset_name": "computer"}  # fmt: skip
OTHER = {"type": "tool_use", "id": "t2", "name": "look", "input": {}}
HI = {"role": "user", "content": "Hi"}


def answered(*calls: dict[str, Any]) -> Msg:
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
              "content": list(calls), "stop_reason": "tool_use", "usage": {}}  # fmt: skip
    return dragoman.wire("anthropic").read_response(answer).msg


def results(body: dict[str, Any]) -> list[Any]:
    parts = [part for m in body["messages"] if isinstance(m["content"], list)
             for part in m["content"]]  # fmt: skip
    found = [part for part in parts if part["type"] == "tool_result"]
    return [(part["tool_use_id"], part.get("toolset_name")) for part in found]


def test_a_result_says_the_toolset_of_its_call() -> None:
    msgs = [Msg("", "Hi", "user"), answered(CALL, OTHER), Msg.tool("t1", "a"), Msg.tool("t2", "b")]
    body = dragoman.wire("anthropic", policy="ignore").write_request(ChatRequest(msgs)).body
    assert results(body) == [("t1", "computer"), ("t2", None)]


def test_behind_a_call_that_nobody_edited() -> None:
    wire = dragoman.wire("anthropic", policy="ignore")
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [
        HI, {"role": "assistant", "content": [CALL]}]}  # fmt: skip
    req = wire.read_request(body)
    req.messages = [*req.messages, Msg.tool("t1", "a")]
    out = wire.write_request(req).body
    assert out["messages"][1]["content"] == [CALL]
    assert results(out) == [("t1", "computer")]


def test_a_body_goes_back_as_it_came() -> None:
    wire = dragoman.wire("anthropic", policy="ignore")
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "a"}
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": [
        HI, {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [result]}]}  # fmt: skip
    assert wire.write_request(wire.read_request(body)).body == body
