"""Thinking that was read from an answer holds behind the history that it answered, and no other."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import ThinkingBlock, ToolUseBlock

MODEL = "claude-opus-5-5"
ANSWER: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": MODEL,
    "content": [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
    ],
    "stop_reason": "tool_use", "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 9},
}  # fmt: skip


def asked() -> ChatRequest:
    """A request with a tool."""
    return ChatRequest([Msg.user("Hi"), Msg.user("Look around.")], tools=[Tool("look")])


def codes(req: ChatRequest) -> list[str]:
    """What is lost when the request is written again."""
    out = dragoman.wire("anthropic", policy="ignore").write_request(req, MODEL)
    return [loss.code for loss in out.losses if loss.code.startswith("thinking")]


def test_an_answer_goes_back_whole_where_nothing_moved() -> None:
    wire, req = dragoman.wire("anthropic", policy="ignore"), asked()
    out = wire.write_request(req, MODEL)
    resp = wire.read_response(ANSWER, request=out)
    assert resp.msg.origin is not None
    assert resp.msg.origin.prefix == out.prefix != ""
    req.messages += [resp.msg, Msg.tool("toolu_1", "a wall", "look")]
    assert codes(req) == []
    again = wire.write_request(req, MODEL)
    assert again.body["messages"][-2]["content"] == ANSWER["content"]


def test_an_edit_before_it_is_noticed() -> None:
    wire, req = dragoman.wire("anthropic", policy="ignore"), asked()
    resp = wire.read_response(ANSWER, request=wire.write_request(req, MODEL))
    req.messages += [resp.msg, Msg.tool("toolu_1", "a wall", "look")]
    req.messages[0] = Msg.user("Hello")
    assert "thinking.unbound" in codes(req)


def test_a_stream_is_bound_as_a_whole_answer_is() -> None:
    wire, req = dragoman.wire("anthropic", policy="ignore"), asked()
    out = wire.write_request(req, MODEL)
    decoder = wire.stream_decoder(request=out)
    decoder.feed({"type": "message_start", "message": {**ANSWER, "content": []}})
    for index, block in enumerate(ANSWER["content"]):
        decoder.feed({"type": "content_block_start", "index": index, "content_block": block})
        decoder.feed({"type": "content_block_stop", "index": index})
    decoder.feed({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}})
    decoder.feed({"type": "message_stop"})
    resp = decoder.finish()
    assert resp.msg.origin == wire.read_response(ANSWER, request=out).msg.origin
    assert resp.msg == wire.read_response(ANSWER).msg


def test_what_is_sealed_is_for_its_issuer_alone() -> None:
    resp = dragoman.wire("anthropic").read_response(ANSWER)
    thought, call = resp.msg.blocks
    assert isinstance(thought, ThinkingBlock)
    assert isinstance(call, ToolUseBlock)
    assert thought.origin is not None
    assert (thought.origin.issuer, thought.origin.model) == ("anthropic", MODEL)
    req = asked()
    req.messages += [resp.msg, Msg.tool("toolu_1", "a wall", "look")]
    for name in ("deepseek/anthropic", "minimax/anthropic", "bedrock-converse", "openrouter"):
        out = dragoman.wire(name, policy="ignore").write_request(req)
        sent = "c2lnbmVk" in str(out.body)
        assert sent == (name == "bedrock-converse" and "claude" in (out.model or "")), name
