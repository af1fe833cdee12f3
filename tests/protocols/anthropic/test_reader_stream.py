"""Streams of the Messages API: events to blocks, and what comes out of order."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse
from dragoman.message import RawBlock, TextBlock, ThinkingBlock, ToolUseBlock, Usage
from dragoman.message.blocks import name_answers
from dragoman.stream.pieces import Raw

START = {"type": "message_start", "message": {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5", "content": [],
    "stop_reason": None, "stop_sequence": None,
    "usage": {"input_tokens": 5, "cache_read_input_tokens": 3, "output_tokens": 1}}}  # fmt: skip
OVER = {"type": "message_stop"}


def begun(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **said: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **said}}


def text(index: int, said: str) -> dict[str, Any]:
    return delta(index, "text_delta", text=said)


def thought(index: int, said: str) -> dict[str, Any]:
    return delta(index, "thinking_delta", thinking=said)


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def ended(reason: str = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 9, **usage}}  # fmt: skip


def read(events: Iterable[Any], wire: str = "anthropic") -> ChatResponse:
    decoder = dragoman.wire(wire).stream_decoder()
    for event in events:
        decoder.feed(event, event.get("type"))
    return decoder.finish()


def test_blocks_come_in_the_order_of_their_indexes() -> None:
    resp = read([
        START, begun(0, type="thinking", thinking="", signature=""), thought(0, "Sky"),
        thought(0, "?"), delta(0, "signature_delta", signature="c2ln"), stop(0),
        {"type": "ping"}, begun(1, type="redacted_thinking", data="c2VhbGVk"), stop(1),
        begun(2, type="text", text=""), text(2, "It "), text(2, ""), text(2, "is."), stop(2),
        begun(3, type="tool_use", id="t1", name="look", input={}, caller={"type": "direct"}),
        delta(3, "input_json_delta", partial_json=""),
        delta(3, "input_json_delta", partial_json='{"at": '),
        delta(3, "input_json_delta", partial_json='"sky"}'), stop(3), ended("tool_use"), OVER,
    ])  # fmt: skip
    assert resp.msg.blocks == [
        ThinkingBlock("Sky?", "c2ln"), ThinkingBlock("", redacted="c2VhbGVk"), TextBlock("It is."),
        ToolUseBlock("t1", "look", {"at": "sky"}, '{"at": "sky"}',
                     extras={"anthropic": {"caller": {"type": "direct"}}}),
    ]  # fmt: skip
    assert (resp.id, resp.model, resp.status) == ("msg_1", "claude-opus-5", "complete")
    assert resp.extras == {"anthropic": {"stop_sequence": None}}


def test_figures_of_the_end_replace_those_of_the_beginning() -> None:
    resp = read([START, ended(input_tokens=None, output_tokens_details={"thinking_tokens": 4})])
    assert resp.usage == Usage(5, 3, None, 9, 4)
    resp = read([START, ended(input_tokens=6, cache_read_input_tokens=0, cost=0.5)])
    assert resp.usage == Usage(6, 0, None, 9, extras={"anthropic": {"cost": 0.5}})


def test_a_signature_replaces_the_one_before() -> None:
    resp = read([
        START, begun(0, type="thinking", thinking="", signature="b2xk"), thought(0, "Hm"),
        delta(0, "signature_delta", signature="bmV3"), stop(0), ended(), OVER,
    ])  # fmt: skip
    assert resp.msg.blocks == [ThinkingBlock("Hm", "bmV3")]


def test_thinking_without_text_keeps_its_signature() -> None:
    events = [START, begun(0, type="thinking", thinking=""),
              delta(0, "signature_delta", signature="c2ln"), stop(0), ended(), OVER]  # fmt: skip
    assert read(events).msg.blocks == [ThinkingBlock("", "c2ln")]


def test_counts_of_omitted_thinking_are_summed() -> None:
    told = [delta(0, "thinking_delta", thinking="", estimated_tokens=n) for n in (50, None, 30)]
    resp = read([START, begun(0, type="thinking", thinking=""), *told, stop(0), ended(), OVER])
    assert resp.msg.blocks[0].extras == {name_answers("anthropic"): {"estimated_tokens": 80}}


def test_citations_stand_on_their_text_and_go_back_whole() -> None:
    cited = [{"type": "char_location", "cited_text": quote, "document_index": 0,
              "document_title": "Book", "start_char_index": 0, "end_char_index": 3}
             for quote in ("sky", "air")]  # fmt: skip
    resp = read([
        START, begun(0, type="text", text="", citations=[]), text(0, "It "),
        delta(0, "citations_delta", citation=cited[0]), text(0, "is."),
        delta(0, "citations_delta", citation=cited[1]), stop(0), ended(), OVER,
    ])  # fmt: skip
    whole = {"type": "text", "text": "It is.", "citations": cited}
    body = {**START["message"], "content": [whole], "stop_reason": "end_turn"}  # type: ignore[dict-item]  # an object
    assert resp.msg.blocks == dragoman.wire("anthropic").read_response(body).msg.blocks


@pytest.mark.parametrize("kind", ["server_tool_use", "mcp_tool_use"])
def test_input_of_a_server_tool_is_put_together(kind: str) -> None:
    call = {"type": kind, "id": "s1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    pieces = [delta(0, "input_json_delta", partial_json=p) for p in ("", '{"query"', ': "sky"}')]
    resp = read([START, begun(0, **call), *pieces, stop(0), begun(1, **found), stop(1), ended(),
                 OVER])  # fmt: skip
    assert resp.msg.blocks == [
        RawBlock("anthropic", {**call, "input": {"query": "sky"}}, "call", "s1"),
        RawBlock("anthropic", found, "result", "s1"),
    ]


def test_input_of_a_server_tool_that_breaks_off_is_kept_as_text() -> None:
    call = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    resp = read([START, begun(0, **call), delta(0, "input_json_delta", partial_json='{"qu')])
    assert resp.status == "interrupted"
    (block,) = resp.msg.blocks
    assert block == RawBlock("anthropic", call, "call", "s1",
                             extras={name_answers("anthropic"): {"input": '{"qu'}})  # fmt: skip


def test_a_summary_may_come_in_pieces_and_null_is_a_failed_one() -> None:
    parts = [delta(0, "compaction_delta", content=piece) for piece in ("All ", ".")]
    parts += [delta(0, "compaction_delta", content=None, encrypted_content="RW5j")]
    began = begun(0, type="compaction", content=None)
    (block,) = read([START, began, *parts, stop(0), ended("compaction"), OVER]).msg.blocks
    whole = {"type": "compaction", "content": "All .", "encrypted_content": "RW5j"}
    assert block == RawBlock("anthropic", whole)
    (block,) = read([START, began, parts[2], stop(0), ended("compaction"), OVER]).msg.blocks
    assert block == RawBlock("anthropic", {**whole, "content": None})


def test_messages_behind_each_other_are_read_one_after_the_other() -> None:
    again = {"type": "message_start", "message": {
        **START["message"], "content": [  # type: ignore[dict-item]  # an object
            {"type": "tool_use", "id": "t1", "name": "roll", "input": {"dice": 2}}]}}  # fmt: skip
    resp = read([START, begun(0, type="text", text="A"), stop(0), again,
                 begun(0, type="text", text=""), text(0, "B"), stop(0), ended(), OVER])  # fmt: skip
    assert resp.msg.blocks == [
        TextBlock("A"), ToolUseBlock("t1", "roll", {"dice": 2}), TextBlock("B")
    ]  # fmt: skip


def test_the_model_is_the_one_that_served_the_answer() -> None:
    turn = {"type": "fallback", "from": {"model": "claude-opus-5"}, "to": {"model": "claude-old"}}
    events = [START, begun(0, type="text", text="A"), stop(0), begun(1, **turn), stop(1)]
    resp = read([*events, begun(2, type="text", text="B"), stop(2), ended(), OVER])
    assert resp.msg.blocks == [TextBlock("A"), RawBlock("anthropic", turn), TextBlock("B")]
    assert resp.msg.origin is not None
    assert (resp.model, resp.msg.origin.model) == ("claude-old", "claude-old")
    assert read(events[:2]).model == "claude-opus-5"


def test_an_index_that_begins_again_is_another_block() -> None:
    resp = read([START, begun(0, type="text", text=""), text(0, "A"), stop(0),
                 begun(0, type="text", text=""), text(0, "B"), stop(0), ended(), OVER])  # fmt: skip
    assert resp.msg.blocks == [TextBlock("A"), TextBlock("B")]


def test_text_without_a_beginning_is_text() -> None:
    assert read([text(0, "A"), text(0, "B"), ended()]).msg.blocks == [TextBlock("AB")]


def test_an_error_inside_a_stream_keeps_what_came_before() -> None:
    fault = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    resp = read([START, begun(0, type="text", text=""), text(0, "A"), fault])
    assert resp.status == "error"
    assert resp.error is not None
    assert (resp.error.type, resp.error.message) == ("overloaded_error", "Overloaded")
    assert resp.text == "A"


@pytest.mark.parametrize("odd", [
    {"type": "something_new", "a": 1}, delta(0, "something_delta", a=1),
    delta(7, "input_json_delta", partial_json="{"), {"type": "content_block_delta"},
])  # fmt: skip
def test_an_event_that_nobody_knows_is_kept(odd: dict[str, Any]) -> None:
    resp = read([START, begun(0, type="text", text="A"), odd, stop(0), ended(), OVER])
    assert resp.text == "A"
    assert resp.extras is not None
    assert resp.extras["anthropic"]["events"] == [{"event": odd["type"], "payload": odd}]


def test_what_the_sdk_derives_is_not_read_twice() -> None:
    resp = read([START, begun(0, type="text", text=""), text(0, "A"),
                 {"type": "text", "text": "A", "snapshot": "A"},
                 {**stop(0), "content_block": {"type": "text", "text": "A"}}, ended(),
                 {**OVER, "message": START["message"]}])  # fmt: skip
    assert resp.msg.blocks == [TextBlock("A")]
    assert resp.extras == {"anthropic": {"stop_sequence": None}}


def test_chunks_of_bedrock_are_the_same_events() -> None:
    events = [START, begun(0, type="text", text=""), text(0, "A"), stop(0), ended(),
              {**OVER, "amazon-bedrock-invocationMetrics": {"inputTokenCount": 5}}]  # fmt: skip
    said = [json.dumps(event).encode() for event in events]
    decoder = dragoman.wire("bedrock/anthropic").stream_decoder()
    assert decoder.framing == "aws-eventstream"
    for one in said:
        decoder.feed({"chunk": {"bytes": one}})
    resp = decoder.finish()
    metrics = {"amazon-bedrock-invocationMetrics": {"inputTokenCount": 5}}
    assert resp.extras == {"anthropic": {"stop_sequence": None, **metrics}}
    coded = dragoman.wire("anthropic").stream_decoder()
    for one in said:
        coded.feed({"bytes": base64.b64encode(one).decode()}, "chunk")
    assert coded.finish().msg == resp.msg == read(events).msg
    for odd in ({"bytes": "!"}, {"bytes": "e30="}, {"bytes": b"{"}):
        assert [type(piece) for piece in coded.feed(odd)] == [Raw]
    failed = read([START, {"throttlingException": {"message": "slow down"}}])
    assert failed.error is not None
    assert failed.error.type == "throttlingException"
