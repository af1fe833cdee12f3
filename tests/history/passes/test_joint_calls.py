"""A call of `multi_tool_use.parallel`, which some models invent, is the calls that it holds."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.formatter import Formatter

USES = [
    {"recipient_name": "functions.look", "parameters": {"at": "desk"}},
    {"recipient_name": "ring", "parameters": {}},
]
WIRES = ["openai-chat", "openai-responses"]


def answer(wire: str, uses: Any = USES) -> dict[str, Any]:
    text = json.dumps({"tool_uses": uses})
    name = "multi_tool_use.parallel"
    if wire == "openai-responses":
        item = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": name,
                "arguments": text, "status": "completed"}  # fmt: skip
        return {"id": "r", "object": "response", "status": "completed", "model": "m",
                "output": [item]}  # fmt: skip
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": text}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"id": "r", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [choice]}  # fmt: skip


@pytest.mark.parametrize("name", WIRES)
def test_its_calls_are_those_to_run(name: str) -> None:
    wire = dragoman.wire(name)
    resp = wire.read_response(answer(name))
    told = [(call.id, call.name, call.input) for call in resp.calls]
    assert told == [("c1_0", "look", {"at": "desk"}), ("c1_1", "ring", {})]
    assert wire.write_response(resp).body == answer(name)


ODD: list[Any] = [[], None, ["x"], [{"recipient_name": "look"}], [{"parameters": {}}]]


@pytest.mark.parametrize("uses", ODD)
def test_one_that_holds_no_calls_is_itself(uses: Any) -> None:
    [call] = dragoman.wire("openai-chat").read_response(answer("openai-chat", uses)).calls
    assert (call.id, call.name) == ("c1", "multi_tool_use.parallel")


def after(name: str) -> list[Msg]:
    msgs = [Msg("", "Look.", "user"), dragoman.wire(name).read_response(answer(name)).msg]
    return [*msgs, Msg.tool("c1_0", "a lamp"), Msg.tool("c1_1", "done")]


@pytest.mark.parametrize("source", WIRES)
@pytest.mark.parametrize("target", [*WIRES, "anthropic", "gemini"])
def test_the_next_request_has_the_calls_with_their_results(source: str, target: str) -> None:
    wire = dragoman.wire(target)
    out = wire.write_request(ChatRequest(after(source)))
    blocks = [block for m in wire.read_request(out.body).messages for block in m.blocks]
    calls = [block for block in blocks if block.type == "tool_use"]
    assert [call.name for call in calls] == ["look", "ring"]
    assert [b.id for b in blocks if b.type == "tool_result"] == [call.id for call in calls]
    codes = {loss.code for loss in out.losses}
    assert "call.plain" in codes
    assert codes.isdisjoint({"result.missing", "result.orphan"})


@pytest.mark.parametrize("name", WIRES)
def test_a_history_that_was_read_and_goes_on(name: str) -> None:
    wire = dragoman.wire(name)
    body = wire.write_request(ChatRequest(after(name)[:2])).body
    read = wire.read_request(body)
    assert wire.write_request(read).body == body
    read.messages += after(name)[2:]
    again = wire.read_request(wire.write_request(read).body)
    results = [b.id for m in again.messages for b in m.get_content_blocks("tool_result")]
    assert [call.id for m in again.messages for call in m.calls] == results == ["c1_0", "c1_1"]


def test_a_session_says_it_likewise() -> None:
    msgs = after("openai-chat")
    formatter = Formatter("openai-chat")
    session = formatter.session()
    asyncio.run(session.format(msgs[:2]))
    assert asyncio.run(session.format(msgs)) == asyncio.run(formatter.format(msgs))


@pytest.mark.parametrize("name", WIRES)
def test_one_that_was_answered_as_it_stands_stays(name: str) -> None:
    msgs = [*after(name)[:2], Msg.tool("c1", "both"), Msg("", "Go on.", "user")]
    out = dragoman.wire(name).write_request(ChatRequest(msgs))
    assert "call.plain" not in {loss.code for loss in out.losses}
    assert len(out.body.get("messages") or out.body["input"]) == 4
