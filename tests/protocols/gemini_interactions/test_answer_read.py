"""Answers of Interactions, whole and in events: the same answer either way."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse
from dragoman.errors import ProviderError, StreamBroken
from dragoman.message import (
    Base64Source,
    Citation,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from dragoman.message.ending import find_failure
from tests.laws.streams.gemini_interactions import USAGE, called, created, ended, event, step

WIRE = dragoman.wire("gemini-interactions")
SAID = {"type": "model_output"}


def streamed(*events: Any) -> ChatResponse:
    decoder = WIRE.stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def whole(*steps: Any, **fields: Any) -> ChatResponse:
    body = {"id": "v1_a", "status": "completed", "object": "interaction", "model": "gemini-x",
            "steps": list(steps), "usage": USAGE, **fields}  # fmt: skip
    resp = WIRE.read_response(body)
    assert WIRE.write_response(resp).body == body
    assert not WIRE.write_response(resp).losses
    return resp


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def test_a_thought_a_text_and_a_call() -> None:
    thought = {"type": "thought", "summary": [text("Hm.")], "signature": "c2ln"}
    call = {"type": "function_call", "id": "look_2", "name": "look", "arguments": {"a": 1}}
    summary: list[Any] = [{"type": "thought_summary", "content": text("H")},
               {"type": "thought_summary", "content": text("m.")},
               {"type": "thought_signature", "signature": ""},
               {"type": "thought_signature", "signature": "c2ln"}]  # fmt: skip
    arguments: list[Any] = [
        {"type": "arguments_delta", "arguments": part} for part in ('{"a"', ":1}")
    ]
    one = whole(thought, {**SAID, "content": [text("There.")]}, call, status="requires_action")
    two = streamed(
        *created(), *step(0, {"type": "thought"}, summary),
        *step(1, SAID, [text("The"), text("re.")]), *step(2, {**call, "arguments": {}}, arguments),
        ended("requires_action"), ("done", "[DONE]"),
    )  # fmt: skip
    for resp in (one, two):
        first, said, called_ = resp.msg.blocks
        assert isinstance(first, ThinkingBlock)
        assert (first.thinking, first.signature) == ("Hm.", "c2ln")
        assert said == TextBlock("There.")
        assert isinstance(called_, ToolUseBlock)
        assert (called_.id, called_.name, called_.input) == ("look_2", "look", {"a": 1})
        assert (resp.finish.reason, resp.finish.raw) == ("tool_calls", "requires_action")
        assert (resp.id, resp.model, resp.status) == ("v1_a", "gemini-x", "complete")
        assert resp.usage == Usage(6, 3, None, 12, 7, total=21)


def test_tokens_of_tools_are_part_of_the_input() -> None:
    usage = {**USAGE, "total_tool_use_tokens": 4, "total_tokens": 25,
             "input_tokens_by_modality": [{"modality": "text", "tokens": 9}]}  # fmt: skip
    assert whole(usage=usage).usage.input == 10


@pytest.mark.parametrize(
    ("status", "reason", "ended_as"),
    [
        ("completed", "stop", "complete"),
        ("incomplete", "length", "truncated"),
        ("budget_exceeded", "length", "truncated"),
        ("requires_continuation", "pause", "complete"),
        ("cancelled", "other", "interrupted"),
        ("a word of tomorrow", "other", "complete"),
        ("in_progress", "other", "interrupted"),
        ("queued", "other", "interrupted"),
    ],
)
def test_why_it_ended(status: str, reason: str, ended_as: str) -> None:
    resp = whole({**SAID, "content": [text("There.")]}, status=status)
    assert (resp.finish.reason, resp.status) == (reason, ended_as)
    resp = streamed(*created(), *step(0, SAID, [text("There.")]), ended(status))
    assert (resp.finish.reason, resp.status) == (reason, ended_as)


def test_an_interaction_that_was_cancelled_is_no_whole_answer() -> None:
    resp = whole({**SAID, "content": [text("There.")]}, status="cancelled")
    failure = find_failure(resp)
    assert isinstance(failure, StreamBroken)
    assert failure.response is resp
    written = dragoman.wire("openai-responses").write_response(resp)
    assert written.body["status"] == "incomplete"


def test_an_interaction_that_failed() -> None:
    errors = [{"code": "internal", "message": "it went wrong"}]
    resp = whole({**SAID, "content": [text("There.")]}, status="failed", errors=errors)
    assert resp.status == "error"
    assert resp.error is not None
    assert (resp.error.message, resp.error.code) == ("it went wrong", "internal")
    with pytest.raises(ProviderError, match="it went wrong"):
        whole(status="failed", errors=errors)
    body = {"error": {"message": "no", "code": "invalid_request"}}
    with pytest.raises(ProviderError, match="no"):
        WIRE.read_response(body)
    said = step(0, SAID, [text("There.")])
    resp = streamed(*created(), *said, event("error", **body))
    assert (resp.status, resp.text) == ("error", "There.")
    assert resp.error is not None
    assert (resp.error.message, resp.error.code) == ("no", "invalid_request")


def test_citations_wait_for_their_text_for_they_count_bytes() -> None:
    cited = {"type": "url_citation", "url": "https://example.com", "title": "t",
             "start_index": 0, "end_index": 3}  # fmt: skip
    deltas = [text("Ü"), {"type": "text_annotation_delta", "annotations": [cited]}, text("b.")]
    one = streamed(*created(), *step(0, SAID, deltas), ended("completed"))
    two = whole({**SAID, "content": [{**text("Üb."), "annotations": [cited]}]})
    for resp in (one, two):
        assert resp.msg.blocks == [TextBlock("Üb.", [Citation(0, 2, "https://example.com", "t")])]


def test_media_among_texts() -> None:
    image = {"type": "image", "data": "iVBORw0KGgo=", "mime_type": "image/png"}
    one = streamed(*created(), *step(0, SAID, [text("a"), image, text("b")]), ended("completed"))
    two = whole({**SAID, "content": [text("a"), image, text("b")]})
    block = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    for resp in (one, two):
        assert resp.msg.blocks == [TextBlock("a"), block, TextBlock("b")]


def test_sound_comes_in_pieces() -> None:
    pieces = [
        {"type": "audio", "data": data, "mime_type": "audio/l16"} for data in ("AAAA", "BBBB")
    ]
    resp = streamed(*created(), *step(0, SAID, pieces), ended("completed"))
    assert resp.msg.blocks[0]["source"] == Base64Source("audio/l16", "AAAABBBB")


def test_steps_of_server_tools_are_kept() -> None:
    call = {"type": "google_search_call", "id": "s", "arguments": {"queries": ["a"]}}
    result = {"type": "google_search_result", "call_id": "s", "result": [{}], "signature": "c2ln"}
    mcp = {"type": "mcp_server_tool_call", "id": "m", "name": "n", "server_name": "s",
           "arguments": {"a": 1}}  # fmt: skip
    delta = {"type": "google_search_result", "result": [{}], "signature": "c2ln"}
    one = streamed(
        *created(), *step(0, call), *step(1, {**result, "result": []}, [delta]),
        *step(2, {**mcp, "arguments": {}}, [{"type": "arguments_delta", "arguments": '{"a":1}'}]),
        *step(3, {"type": "dream", "x": 1}), ended("completed"),
    )  # fmt: skip
    two = whole(call, result, mcp, {"type": "dream", "x": 1})
    for resp in (one, two):
        blocks = resp.msg.blocks
        assert [block["data"] for block in blocks] == [call, result, mcp, {"type": "dream", "x": 1}]
        assert [(b.role, b.pair) for b in blocks if isinstance(b, RawBlock)] == [
            ("call", "s"), ("result", "s"), ("call", "m"), ("item", None),
        ]  # fmt: skip


def test_what_breaks_off_is_interrupted() -> None:
    resp = streamed(*created(), *called(0)[:3])
    assert resp.status == "interrupted"
    call = resp.msg.blocks[0]
    assert isinstance(call, ToolUseBlock)
    assert call.unfinished


def test_figures_of_an_event_in_the_middle() -> None:
    metadata = {"total_usage": {"total_input_tokens": 4}}
    started = event("step.start", index=0, step=SAID, metadata=metadata, event_id="e1")
    resp = streamed(*created(), started)
    assert resp.usage.input == 4
    assert resp.extras == {"gemini-interactions": {"event_id": "e1"}}


def test_odd_answers_are_kept() -> None:
    body: dict[str, Any] = {"id": "v1_a", "status": "in_progress", "x": {"y": None}}
    for odd in ({**body, "object": "interaction"}, {**body, "steps": []},
                {"object": "interaction", "steps": [None, "a", {"type": "thought"}], "usage": {}},
                {"steps": [{**SAID, "content": []}], "status": 7}):  # fmt: skip
        assert WIRE.write_response(WIRE.read_response(odd)).body == odd


def test_an_event_that_nobody_knows_is_kept() -> None:
    resp = streamed(*created(), event("step.dream", index=0), ended("completed"))
    assert resp.extras is not None
    [kept] = resp.extras["gemini-interactions"]["events"]
    assert kept["event"] == "step.dream"


ODD_THOUGHT: list[dict[str, Any]] = [
    {"type": "text", "text": "Plain. "},
    {"type": "text", "text": "Marked. ", "annotations": [{"type": "x"}]},
    {"type": "image", "data": "aaaa", "mime_type": "image/png"},
    {"type": "text", "text": "Plain again."},
]


def thought(*contents: Any) -> list[Any]:
    deltas = [{"type": "thought_summary", "content": content} for content in contents]
    return [*created(), event("step.start", index=0, step={"type": "thought"}),
            *(event("step.delta", index=0, delta=delta) for delta in deltas),
            event("step.stop", index=0), ended("completed")]  # fmt: skip


@pytest.mark.parametrize("length", range(1, len(ODD_THOUGHT) + 1))
def test_the_text_of_a_thought_that_holds_more_than_text(length: int) -> None:
    """Of every length, for what comes first decides how the rest is held."""
    contents = ODD_THOUGHT[:length]
    (block,) = streamed(*thought(*contents)).msg.blocks
    assert isinstance(block, ThinkingBlock)
    assert block.thinking == "".join(content.get("text", "") for content in contents)
    (read,) = whole({"type": "thought", "summary": contents}).msg.blocks
    assert WIRE.write_response(streamed(*thought(*contents))).body["steps"] == [
        {"type": "thought", "summary": contents}
    ]
    assert isinstance(read, ThinkingBlock)
    assert read.thinking == block.thinking


def test_the_contents_of_a_thought_go_on_as_they_came() -> None:
    events = [{"event": name, **payload} for name, payload in thought(*ODD_THOUGHT)]
    out = [json.loads(one.data) for one in dragoman.convert_stream(
        events, source="gemini-interactions", target="gemini-interactions")
        if one.data.startswith("{")]  # fmt: skip
    assert [one["delta"]["content"] for one in out if one["event_type"] == "step.delta"] == (
        ODD_THOUGHT
    )


def test_a_field_beside_the_content_of_a_delta_is_kept() -> None:
    delta = {"type": "thought_signature", "signature": "c2ln", "kind": "v2"}
    resp = streamed(*created(), event("step.start", index=0, step={"type": "thought"}),
                    event("step.delta", index=0, delta=delta), ended("completed"))  # fmt: skip
    assert resp.extras is not None
    assert resp.extras["gemini-interactions"]["delta"] == {"kind": "v2"}
