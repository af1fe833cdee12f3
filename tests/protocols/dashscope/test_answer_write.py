"""Answers of DashScope, whole: its own go back as they came, those of others are valid."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
    Candidate,
    ChatResponse,
    Citation,
    ContentBlock,
    DocumentBlock,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
    dump,
    load,
)
from tests.each_case import each_case

WIRE = dragoman.wire("dashscope")
LINK = "https://example.org/x.png"
USAGE = {"input_tokens": 9, "output_tokens": 5, "total_tokens": 14,
         "prompt_tokens_details": {"cached_tokens": 4},
         "output_tokens_details": {"reasoning_tokens": 2, "text_tokens": 3}}  # fmt: skip


def call(**beside: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'},
            **beside}  # fmt: skip


def body(
    message: dict[str, Any] | None = None, choice: dict[str, Any] | None = None,
    output: dict[str, Any] | None = None, **rest: Any,
) -> dict[str, Any]:  # fmt: skip
    said = {"role": "assistant", "content": "", **(message or {})}
    told = {"message": said, "finish_reason": "stop", **(choice or {})}
    return {"output": {"choices": [told], **(output or {})}, "usage": USAGE, "request_id": "r-1",
            **rest}  # fmt: skip


def bare(**output: Any) -> dict[str, Any]:
    return {"output": {"text": "Hi", "finish_reason": "stop", **output}, "usage": USAGE,
            "request_id": "r-1"}  # fmt: skip


@each_case("told", [
    body({"content": "Hi"}),
    body({"content": "Hi", "reasoning_content": "hm"}, {"index": 0}),
    body({"content": "Hi", "reasoning_content": "", "x": None}, {"logprobs": None, "y": 1}),
    body({"tool_calls": [call(index=0), call(index=1, id="c2")]}, {"finish_reason": "tool_calls"}),
    body({"content": [], "tool_calls": [call(), call(id="", x=1)]}),
    body({"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": ""}}]}),
    body({"content": [{"text": "Hi"}]}),
    body({"content": [{"text": "Hi"}, {"image": LINK}, {"text": ""}, {"box": [1]}, {"text": "x"}]}),
    body({"content": [{"text": "Hi", "ocr_result": {"words": []}}]}),
    body({"content": [{"text": None, "ocr_result": {}}]}),
    body({"content": [{"text": "", "ocr_result": {}}, {"text": "", "image": LINK}]}),
    body({"content": [{"text": ""}]}), body({"content": [{"text": None}]}), body({"content": []}),
    body({"content": [{"image": "data:IMAGE/PNG;base64,iVBORw0KGgo="}]}),
    body({"content": None}),
    body({"content": "<think>\nhm\n</think>\n\nHi"}),
    body({"content": [{"text": "<think>hm</think>Hi"}]}),
    body({"content": "<think>\n\n</think>\n\nHi"}),
    body({"content": "x"}, {"finish_reason": "length"}),
    body({"content": "x"}, {"finish_reason": "odd"}),
    body({"content": "x"}, None, {"search_info": {"search_results": [{"index": 1}]}}),
    body({"content": "x"}, None, {"model_name": "qwen", "text": None, "audio": {"id": "a"}}),
    body({"content": "x"}, None, {"audio": {"data": "AAAA", "url": "", "id": "a"}}),
    body({"content": "x"}, None, {"audio": {"data": "", "url": LINK, "expires_at": 1}}),
    body({"content": "x"}, other={"a": [None]}),
    body({"content": "x"}, usage={}), body({"content": "x"}, usage=None),
    body({"content": "x"}, usage={"prompt_tokens_details": {}, "image_tokens": 3}),
    body({"content": "x"}, usage={"input_tokens": 1, "output_tokens": None}),
    body({"content": "x"}, request_id=None), body({"content": "x"}, request_id=7),
    {"output": {"choices": [
        {"index": n, "finish_reason": "stop", "message": {"role": "assistant", "content": str(n)}}
        for n in range(2)]}, "usage": USAGE, "request_id": "r"},
    {**body({"content": "x"}), "status_code": 200, "code": "", "message": ""},  # dumped by its SDK
    bare(), bare(text=""), bare(choices=None), bare(finish_reason="length", x=1),
    {"output": {"text": "x", "finish_reason": "stop"}},
])  # fmt: skip
def test_what_was_read_goes_back_as_it_came(told: dict[str, Any]) -> None:
    resp = WIRE.read_response(told)
    stored = load(json.loads(json.dumps(dump(resp))))
    assert isinstance(stored, ChatResponse)
    for one in (resp, stored):
        report = Report()
        made = WIRE.room.write_response(one, report)
        assert json.dumps(made, sort_keys=True) == json.dumps(told, sort_keys=True)
        assert report.losses == []


def written(
    *blocks: ContentBlock, request: ChatRequest | None = None, **rest: Any
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """(the body, codes and fields of the losses) of an answer of nobody."""
    finish = rest.pop("finish", Finish("stop", "end_turn"))
    candidate = Candidate(Msg.create_unchecked("", [*blocks], "assistant"), finish)
    report = Report()
    made = WIRE.room.write_response(ChatResponse([candidate], **rest), report, request)
    sdk = pytest.importorskip("dashscope.api_entities.dashscope_response")
    got = sdk.GenerationResponse.from_api_response(sdk.DashScopeAPIResponse(200, **made))
    assert got.output.choices[0].message.role == "assistant"
    return made, [(loss.code, loss.field) for loss in report.losses]


def test_an_answer_of_another() -> None:
    made, lost = written(
        ThinkingBlock("one", signature="s"), ThinkingBlock("two"), TextBlock("It"),
        TextBlock(" is"), ToolUseBlock("c1", "look", {"a": 1}, '{"a":1}'), TextBlock("so."),
        ToolUseBlock("c2", "bare"), finish=Finish("tool_calls", "tool_use"), model="claude",
        id="msg_1", usage=Usage(input=2, cache_read=3, cache_write=4, output=5, reasoning=1),
    )  # fmt: skip
    calls = [
        {"index": 0, "id": "c1", "type": "function",
         "function": {"name": "look", "arguments": '{"a":1}'}},
        {"index": 1, "id": "c2", "type": "function",
         "function": {"name": "bare", "arguments": "{}"}},
    ]  # fmt: skip
    message = {"role": "assistant", "content": "It isso.", "reasoning_content": "one\ntwo",
               "tool_calls": calls}  # fmt: skip
    assert made == {
        "output": {"choices": [{"message": message, "finish_reason": "tool_calls", "index": 0}],
                   "model_name": "claude"},
        "usage": {
            "input_tokens": 9, "output_tokens": 5, "total_tokens": 14,
            "prompt_tokens_details": {"cached_tokens": 3, "cache_creation_input_tokens": 4},
            "output_tokens_details": {"reasoning_tokens": 1},
        },
        "request_id": "msg_1",
    }  # fmt: skip
    assert lost == [("answer.unsupported", "signature")]


def test_what_has_no_place_is_named() -> None:
    made, lost = written(
        TextBlock("x", [Citation(0, 1)], extras={"other": {"a": 1}}), RawBlock("other", {}),
        ThinkingBlock("", redacted="sealed"), RefusalBlock("I won't."),
        DocumentBlock(URLSource(LINK)), id="r", usage=Usage(output=1),
    )  # fmt: skip
    [choice] = made["output"]["choices"]
    assert choice["message"]["content"] == [{"text": "x"}, {"text": "I won't."}]
    codes = [code for code, _ in lost]
    assert sorted(codes) == ["answer.field", *["answer.unsupported"] * 5, "extras.other_provider"]
    assert ("answer.field", "input") in lost


def test_media_are_parts() -> None:
    image = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    made, lost = written(TextBlock("See"), image, ImageBlock(URLSource(LINK)), id="r")
    shown = [{"image": "data:image/png;base64,iVBORw0KGgo="}, {"image": LINK}]
    assert made["output"]["choices"][0]["message"]["content"] == [{"text": "See"}, *shown]
    assert lost == []


def test_the_multimodal_endpoint_answers_in_parts() -> None:
    told = {"model": "m", "input": {"messages": [{"role": "user", "content": [{"text": "x"}]}]}}
    request = WIRE.read_request(told)
    made, _ = written(TextBlock("Hi"), request=request, id="r")
    assert made["output"]["choices"][0]["message"]["content"] == [{"text": "Hi"}]


def test_several_candidates() -> None:
    candidates = [Candidate(Msg.assistant("a")), Candidate(Msg.assistant("b"))]
    report = Report()
    made = WIRE.room.write_response(ChatResponse(candidates), report)
    assert [(one["index"], one["message"]["content"]) for one in made["output"]["choices"]] == [
        (0, "a"), (1, "b")]  # fmt: skip
    assert [(loss.code, loss.field) for loss in report.losses] == [("answer.field", "id")]


@pytest.mark.parametrize(("reason", "word", "lost"), [
    ("stop", "stop", False), ("length", "length", False), ("tool_calls", "tool_calls", False),
    ("context_overflow", "length", True), ("content_filter", "length", True),
    ("other", "stop", True),
])  # fmt: skip
def test_reasons(reason: Any, word: str, lost: bool) -> None:
    made, losses = written(TextBlock("x"), finish=Finish(reason, "raw"), id="r")
    assert made["output"]["choices"][0]["finish_reason"] == word
    assert (("answer.finish", "finish") in losses) is lost
