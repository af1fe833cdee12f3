"""Whole answers of the Messages API: what becomes a block, what stays in extras, what goes back."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ChatResponse, Msg, Options
from dragoman.errors import ProviderError, ReadError
from dragoman.message import (
    Citation,
    Finish,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)

WIRE = dragoman.wire("anthropic", policy="ignore")


def answer(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A whole answer with these blocks."""
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-5",
            "content": [*content], "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 5, "output_tokens": 7}, **more}  # fmt: skip


def read(*content: dict[str, Any], **more: Any) -> ChatResponse:
    """What is read of it."""
    return WIRE.read_response(answer(*content, **more))


def sent_back(resp: ChatResponse, **options: Any) -> list[dict[str, Any]]:
    """The content that the answer becomes as a turn of the next request."""
    results = [ToolResultBlock(call.id, call.name, "seen") for call in resp.msg.calls]
    last = Msg("", [*results], "tool") if results else Msg.user("go on")
    request = ChatRequest([Msg.user("Hi"), resp.msg, last], options=Options(**options))
    body = WIRE.write_request(request, "claude-opus-5").body
    content: list[dict[str, Any]] = body["messages"][1]["content"]
    return content


TEXT = {"type": "text", "text": "Blue."}
CITED = {"type": "text", "text": "It is blue.", "citations": [
    {"type": "web_search_result_location", "cited_text": "blue", "title": "Skies",
     "url": "https://a.example/sky", "encrypted_index": "RW5j"},
    {"type": "char_location", "cited_text": "sky", "document_index": 0, "document_title": "Book",
     "start_char_index": 3, "end_char_index": 6, "file_id": None},
    {"type": "search_result_location", "cited_text": "air", "source": "https://a.example/air",
     "title": None, "search_result_index": 0, "start_block_index": 0, "end_block_index": 1},
]}  # fmt: skip
THOUGHT = {"type": "thinking", "thinking": "Sky?", "signature": "c2ln"}
SEALED = {"type": "redacted_thinking", "data": "c2VhbGVk"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "sky"},
        "caller": {"type": "direct"}}  # fmt: skip
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
          "input": {"query": "sky"}}  # fmt: skip
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [
    {"type": "web_search_result", "title": "Skies", "url": "https://a.example/sky",
     "encrypted_content": "RW5j", "page_age": None}]}  # fmt: skip
LISTED = {"type": "container_upload", "file_id": "file_1"}


def test_each_block_stands_in_its_place() -> None:
    resp = read(THOUGHT, SEALED, TEXT, SEARCH, FOUND, LISTED, CALL, stop_reason="tool_use")
    assert resp.msg.blocks == [
        ThinkingBlock("Sky?", "c2ln"),
        ThinkingBlock("", redacted="c2VhbGVk"),
        TextBlock("Blue."),
        RawBlock("anthropic", SEARCH, "call", "srvtoolu_1"),
        RawBlock("anthropic", FOUND, "result", "srvtoolu_1"),
        RawBlock("anthropic", LISTED),
        ToolUseBlock("toolu_1", "look", {"at": "sky"},
                     extras={"anthropic": {"caller": {"type": "direct"}}}),
    ]  # fmt: skip
    assert (resp.id, resp.model, resp.status) == ("msg_1", "claude-opus-5", "complete")
    assert resp.finish == Finish("tool_calls", "tool_use")
    assert [call.id for call in resp.calls] == ["toolu_1"]


def test_all_of_it_goes_back_as_it_came() -> None:
    content: list[dict[str, Any]] = [THOUGHT, SEALED, CITED, SEARCH, FOUND, CALL]
    resp = read(*content, stop_reason="tool_use")
    assert sent_back(resp, reasoning="high") == content


def test_what_goes_back_is_no_loss() -> None:
    resp = read(CITED, SEARCH, FOUND)
    out = WIRE.write_request(ChatRequest([Msg.user("Hi"), resp.msg, Msg.user("go on")]))
    assert [loss.code for loss in out.losses if not loss.code.endswith(".default")] == []


def test_citations_can_be_read_without_knowing_the_wire() -> None:
    (block,) = read(CITED).msg.blocks
    assert isinstance(block, TextBlock)
    assert block.citations == [
        Citation(url="https://a.example/sky", title="Skies", quote="blue"),
        Citation(title="Book", quote="sky"),
        Citation(url="https://a.example/air", quote="air"),
    ]


@pytest.mark.parametrize("empty", [None, []])
def test_empty_citations_are_kept_as_they_stood(empty: Any) -> None:
    (block,) = read({**TEXT, "citations": empty}).msg.blocks
    assert block == TextBlock("Blue.", extras={"anthropic": {"citations": empty}})


def test_fields_that_nobody_models_stay_in_extras() -> None:
    more = {"container": {"id": "c1"}, "context_management": {"applied_edits": []},
            "stop_details": None, "base_resp": {"status_code": 0}}  # fmt: skip
    resp = read(TEXT, **more)
    assert resp.extras == {"anthropic": {"stop_sequence": None, **more}}


def test_usage_is_disjoint_and_complete() -> None:
    told = {"input_tokens": 7, "cache_read_input_tokens": 10_000, "output_tokens": 9,
            "cache_creation_input_tokens": None, "service_tier": "standard",
            "output_tokens_details": {"thinking_tokens": 4}}  # fmt: skip
    rest = {"cache_creation_input_tokens": None, "service_tier": "standard"}
    assert read(TEXT, usage=told).usage == Usage(7, 10_000, None, 9, 4, extras={"anthropic": rest})


@pytest.mark.parametrize(
    ("raw", "reason", "status"),
    [
        ("end_turn", "stop", "complete"),
        ("stop_sequence", "stop", "complete"),
        ("max_tokens", "length", "truncated"),
        ("model_context_window_exceeded", "context_overflow", "truncated"),
        ("pause_turn", "pause", "complete"),
        ("compaction", "pause", "complete"),
        ("refusal", "refusal", "complete"),
        ("something_new", "other", "complete"),
        (None, "other", "complete"),
    ],
)
def test_reasons_are_a_closed_set_beside_the_raw_word(raw: Any, reason: str, status: str) -> None:
    resp = read(TEXT, stop_reason=raw)
    assert (resp.finish.reason, resp.finish.raw, resp.status) == (reason, raw, status)


@pytest.mark.parametrize(
    ("told", "made"),
    [
        ({"input": '{"at": 1}'}, ToolUseBlock("t", "f", {"at": 1}, '{"at": 1}')),
        ({"input": [1]}, ToolUseBlock("t", "f", [1])),
        ({}, ToolUseBlock("t", "f")),
    ],
)
def test_input_that_is_no_object_is_kept(told: dict[str, Any], made: ToolUseBlock) -> None:
    resp = read({"type": "tool_use", "id": "t", "name": "f", **told}, stop_reason="tool_use")
    assert resp.msg.blocks == [made]


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "text", "text": None},
        {"type": "thinking", "thinking": 1},
        {"type": "tool_use", "id": 1, "name": "f", "input": {}},
        {"type": "something_new", "a": 1},
        {"no": "type"},
    ],
)
def test_a_block_of_unknown_shape_is_kept_whole(odd: dict[str, Any]) -> None:
    assert read(TEXT, odd).msg.blocks == [TextBlock("Blue."), RawBlock("anthropic", odd)]


def test_content_that_is_one_text_is_a_text() -> None:
    assert WIRE.read_response({**answer(), "content": "Blue."}).msg.blocks == [TextBlock("Blue.")]


def test_an_empty_answer_is_an_answer() -> None:
    resp = read()
    assert (resp.msg.blocks, resp.status) == ([], "complete")


@pytest.mark.parametrize(
    ("body", "type", "message"),
    [
        ({"type": "error", "request_id": "r",
          "error": {"type": "overloaded_error", "message": "Overloaded"}},
         "overloaded_error", "Overloaded"),
        ({"message": "The security token is invalid"}, "", "The security token is invalid"),
        ({"error": {"message": "no such model", "code": 404}}, "", "no such model"),
    ],
)  # fmt: skip
def test_the_body_of_an_error_is_an_error(body: dict[str, Any], type: str, message: str) -> None:
    with pytest.raises(ProviderError) as caught:
        WIRE.read_response(body, status=529)
    assert (caught.value.type, caught.value.message) == (type, message)
    assert caught.value.body == body


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"type": "message_start"}, [], "[]"])
def test_what_is_no_answer_is_refused(body: Any) -> None:
    with pytest.raises(ReadError):
        WIRE.read_response(body)


def test_an_object_of_the_sdk_reads_as_its_json_does() -> None:
    types = pytest.importorskip("anthropic.types", reason="the SDK anthropic is missing")
    body = answer(THOUGHT, TEXT, CALL, stop_reason="tool_use")
    assert WIRE.read_response(types.Message.model_validate(body)) == WIRE.read_response(body)
