"""Answers as /api/chat gives them whole: as they came, or made of others'."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import ProviderError
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
    Candidate,
    ChatResponse,
    Citation,
    ContentBlock,
    Finish,
    ImageBlock,
    Origin,
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

WIRE = dragoman.wire("ollama")
AT = "2026-11-21T08:00:00.12345Z"
ENDED = {"done": True, "done_reason": "stop", "total_duration": 7, "prompt_eval_count": 9,
         "eval_count": 5}  # fmt: skip


def body(ended: dict[str, Any] = ENDED, **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": "", **message}
    return {"model": "qwen3:4b", "created_at": AT, "message": said, **ended}


def call(**beside: Any) -> dict[str, Any]:
    return {"function": {"name": "look", "arguments": {"a": [1, None]}}, **beside}


@each_case("told", [
    body(content="Hi"),
    body(content="Hi", thinking="hm", images=["iVBORw0KGgo=", "SUQzBAAA"]),
    body(tool_calls=[call(id="call_1"), call()], thinking=""),
    body(tool_calls=[call(id=None, type="function", x=1), call(id="")]),
    body(tool_calls=[{"function": {"name": "f", "arguments": '{"a": 1}', "index": 2}}]),
    body(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": None}}]),
    body(content="<think>\nhm\n</think>\n\nHi"),
    body(content="<think>\n\n</think>\n\nHi"),
    body(content="<think></think>"),
    body(content="<think>hm</think>"),
    body(content=None, tool_calls=[], images=None, other={"a": None}),
    body({"done": True}, content="x"),
    body({"done": True, "done_reason": ""}, content="x"),
    body({"done": True, "done_reason": "load"}),
    body({"done": True, "done_reason": None, "eval_count": None, "prompt_eval_count": "9"}),
    body({**ENDED, "done_reason": "length", "remote_model": "m", "remote_host": None}, content="x"),
    body({**ENDED, "logprobs": [{"token": "x", "logprob": -1}]}, content="x"),
    body({**ENDED, "model": None, "created_at": None}, content="x"),
    body(role="tool", content="x"),
    body(content="x", mood=None),
    body({"done": True, "done_reason": 5, "model": 7}, content="x"),
    {"model": "qwen3:4b", "created_at": AT, "done": True, "done_reason": "load"},
    {"model": "qwen3:4b", "created_at": AT, "message": {"role": "assistant"}, "done": True},
    {**body(content="x"), "error": "too late"},
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


def written(*blocks: ContentBlock, **rest: Any) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """(the body, codes and fields of the losses) of an answer of nobody."""
    finish = rest.pop("finish", Finish("stop", "end_turn"))
    candidate = Candidate(Msg.create_unchecked("", [*blocks], "assistant"), finish)
    report = Report()
    made = WIRE.room.write_response(ChatResponse([candidate], **rest), report)
    checked = pytest.importorskip("ollama").ChatResponse.model_validate(made)
    assert checked.message.role == "assistant"
    return made, [(loss.code, loss.field) for loss in report.losses]


def test_an_answer_of_another() -> None:
    made, lost = written(
        ThinkingBlock("one", signature="s"), ThinkingBlock("two"), TextBlock("It"),
        TextBlock(" is"), ToolUseBlock("c1", "look", {"a": 1}, '{"a":1}'), TextBlock("so."),
        finish=Finish("tool_calls", "tool_use"), model="claude", id="msg_1",
        usage=Usage(input=2, cache_read=3, cache_write=4, output=5, reasoning=1, total=14),
    )  # fmt: skip
    assert made == {
        "model": "claude", "created_at": "1970-01-01T00:00:00Z",
        "message": {
            "role": "assistant", "content": "It isso.", "thinking": "one\ntwo",
            "tool_calls": [{"id": "c1",
                            "function": {"name": "look", "arguments": {"a": 1}, "index": 0}}],
        },
        "done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 5,
    }  # fmt: skip
    assert lost == [
        ("answer.unsupported", "signature"), ("answer.field", "created_at"), ("answer.unsupported",
         "id"),
        ("answer.usage", "cache_read"), ("answer.usage", "cache_write"),
        ("answer.usage", "reasoning"),
    ]  # fmt: skip


def test_what_has_no_place_is_named() -> None:
    link = ImageBlock(URLSource("https://example.org/x.png"))
    made, lost = written(
        TextBlock("x", [Citation(0, 1)], extras={"other": {"a": 1, "b": 2}}),
        ThinkingBlock("", redacted="sealed"), RefusalBlock("I won't."),
        ImageBlock(Base64Source("image/png", "iVBORw0KGgo=")), link, RawBlock("other", {}),
        model="m",
    )  # fmt: skip
    assert made["message"] == {
        "role": "assistant", "content": "xI won't."}  # fmt: skip
    assert lost == [
        ("extras.other_provider", "extras.other.a"), ("extras.other_provider", "extras.other.b"),
        ("answer.unsupported", "citations"), ("answer.unsupported", "redacted"),
         ("answer.unsupported", ""),
        ("answer.unsupported", ""), ("answer.unsupported", ""), ("answer.unsupported", ""),
        ("answer.field", "created_at"),
    ]  # fmt: skip


@pytest.mark.parametrize(("reason", "word", "lost"), [
    ("stop", "stop", False), ("length", "length", False), ("tool_calls", "stop", False),
    ("context_overflow", "length", True), ("content_filter", "length", True),
    ("other", "stop", True),
])  # fmt: skip
def test_reasons(reason: Any, word: str, lost: bool) -> None:
    made, losses = written(TextBlock("x"), finish=Finish(reason, "raw"), model="m")
    assert made["done_reason"] == word
    assert (("answer.finish", "finish") in losses) is lost


@pytest.mark.parametrize(("value", "text", "given"), [
    ("", '{"a": "x', {"a": "x"}), ('{"a": "x', None, {"a": "x"}), ("[1]", "[1]", {}),
    ("no", "no", {}),
])  # fmt: skip
def test_arguments_are_an_object_always(
    value: str, text: str | None, given: dict[str, Any]
) -> None:
    made, lost = written(ToolUseBlock("c", "f", value, text, unfinished=True), model="m")
    assert made["message"]["tool_calls"][0]["function"]["arguments"] == given
    assert ("answer.unsupported", "input") in lost


def test_one_candidate_and_a_model() -> None:
    candidates = [Candidate(Msg.assistant("a")), Candidate(Msg.assistant("b"))]
    report = Report()
    request = ChatRequest([Msg.user("x")], model="asked")
    made = WIRE.room.write_response(ChatResponse(candidates), report, request)
    assert (made["model"], made["message"]["content"]) == ("asked", "a")
    codes = [loss.code for loss in report.losses]
    assert codes == ["answer.candidates", "answer.field", "answer.field"]


@pytest.mark.parametrize(("raw", "reason"), [("stop", "length"), ("length", "stop")])
def test_an_edited_reason_is_written_anew(raw: str, reason: Any) -> None:
    resp = WIRE.read_response(body({**ENDED, "done_reason": raw}, content="x"))
    resp.candidates[0].finish = Finish(reason, raw)
    assert WIRE.room.write_response(resp, Report())["done_reason"] == reason


def test_an_error_that_somebody_found_stands_beside_the_answer() -> None:
    resp = WIRE.read_response(body(content="x"))
    resp.error = ProviderError("boom")
    assert WIRE.room.write_response(resp, Report())["error"] == "boom"


def test_events_that_nobody_knows_are_named() -> None:
    decoder = WIRE.stream_decoder()
    for line in ({"odd": 1}, body(content="x")):
        decoder.feed(line)
    out = WIRE.write_response(decoder.finish())
    assert "events" not in out.body
    assert [(loss.code, loss.where, loss.what) for loss in out.losses] == [
        ("answer.unsupported", "$.extras.events", "events that nobody knows")]  # fmt: skip


def test_thinking_that_stood_in_tags_of_another_wire() -> None:
    spelled = ThinkingBlock("hm", origin=Origin("vllm"))
    spelled.spelling = "<think>|</think>"
    made, _ = written(spelled, TextBlock("Hi"), model="m")
    assert made["message"] == {"role": "assistant", "content": "Hi", "thinking": "hm"}
