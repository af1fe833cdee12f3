"""Answers of Chat Completions, whole: their own go back as they came, those of others are valid."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.chat import ChatCompletion

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.losses import Loss
from dragoman.message import (
    AudioBlock,
    Base64Source,
    Candidate,
    ChatResponse,
    Citation,
    DocumentBlock,
    FileSource,
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
from dragoman.message.blocks import ContentBlock
from tests.each_case import each_case

from .bodies import exact

WIRE = "openai-chat"
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}, "index": 0}
URL = {"type": "url_citation", "url_citation": {
    "start_index": 0, "end_index": 2, "url": "https://example.com", "title": "T"}}  # fmt: skip
FIGURES = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14}


def answer(message: Any, choice: Any = None, **fields: Any) -> dict[str, Any]:
    one = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return {"id": "a1", "object": "chat.completion", "created": 7, "model": "m",
            "choices": [one | (choice or {})], "usage": FIGURES, **fields}  # fmt: skip


def without(body: dict[str, Any], *path: Any) -> dict[str, Any]:
    made = json.loads(json.dumps(body))
    here: Any = made
    for key in path[:-1]:
        here = here[key]
    del here[path[-1]]
    return made  # type: ignore[no-any-return]


TEXT = answer({"content": "Hi"})
MESSAGES: dict[str, Any] = {
    "text": {"content": "Hi"},
    "empty": {"content": ""},
    "null": {"content": None},
    "nothing": {},
    "nulls": {"content": "Hi", "refusal": None, "tool_calls": None, "annotations": [],
              "audio": None, "function_call": None},
    "call": {"content": None, "tool_calls": [CALL]},
    "call beside text": {"content": "So", "tool_calls": [{**CALL, "index": 0}, CALL]},
    "call without type": {"tool_calls": [without(CALL, "type")]},
    "call without id": {"content": "", "tool_calls": [without(CALL, "id"), {**CALL, "id": ""}]},
    "call with a value": {"tool_calls": [
        {**CALL, "function": {"name": "look", "arguments": {"at": 1}}}]},
    "call without arguments": {"tool_calls": [{**CALL, "function": {"name": "look"}}]},
    "arguments of null": {"tool_calls": [{**CALL, "function": {"name": "a", "arguments": None}}]},
    "cut arguments": {"tool_calls": [{**CALL, "function": {"name": "a", "arguments": '{"b'}}]},
    "call with more": {"tool_calls": [{**CALL, "extra_content": {"k": 1}, "function": {
        "name": "look", "arguments": "", "strict": True}}]},
    "custom call": {"tool_calls": [
        {"id": "c2", "type": "custom", "custom": {"name": "grep", "input": "x"}}]},
    "function call": {"content": None, "function_call": {"name": "look", "arguments": "{}"}},
    "thought": {"content": "Hi", "reasoning_content": "Hm"},
    "other thoughts": {"content": "Hi", "reasoning": "Hm", "reasoning_content": "Hm!"},
    "no thought": {"content": "Hi", "reasoning": None, "reasoning_content": ""},
    "details": {"content": "Hi", "reasoning": "Hm", "reasoning_details": [
        {"type": "reasoning.text", "text": "Hm", "signature": "s", "index": 0, "format": None},
        {"type": "reasoning.text", "signature": "s", "index": 1},
        {"type": "reasoning.summary", "summary": "H"},
        {"type": "reasoning.encrypted", "data": "xyz", "id": "r1"}, {"type": "new", "k": 1}]},
    "refusal": {"content": None, "refusal": "No."},
    "citations": {"content": "Hi", "annotations": [
        URL, URL, {**URL, "k": 1}, {"type": "file_citation", "file": "f"},
        {"type": "url_citation", "url_citation": {"url": "https://example.com", "title": None}}]},
    "speech": {"content": None, "audio": {
        "id": "x", "data": "QUJD", "transcript": "Hi", "expires_at": 9}},
    "silence": {"content": None, "audio": {"id": "x", "data": "", "transcript": ""}},
    "images": {"content": "", "images": [IMAGE, {"type": "image_url", "image_url": "https://a.b"}]},
    "parts": {"content": [
        {"type": "text", "text": "H"}, {"type": "text", "text": "i", "k": 1}, IMAGE,
        {"type": "reasoning", "summary": [{"text": "Hm"}]}, {"type": "new"},
        {"type": "refusal", "refusal": "No."}]},
    "more fields": {"content": "Hi", "k": None, "provider_specific_fields": {}},
    "other role": {"content": "Hi", "role": "model"},
}  # fmt: skip
BODIES: dict[str, Any] = {
    **{f"message {name}": answer(told) for name, told in MESSAGES.items()},
    "no role": without(TEXT, "choices", 0, "message", "role"),
    "no index": without(TEXT, "choices", 0, "index"),
    "no reason": without(TEXT, "choices", 0, "finish_reason"),
    "reason of null": answer({"content": "Hi"}, {"finish_reason": None}),
    "own reason": answer({"content": "Hi"}, {"finish_reason": "eos", "native_finish_reason": "x"}),
    "odd reason": answer({"content": "Hi"}, {"finish_reason": 3}),
    "calls that are none": answer({"content": "Hi"}, {"finish_reason": "tool_calls"}),
    "probabilities": answer({"content": "Hi"}, {"logprobs": {"content": [{"token": "Hi"}]}}),
    "no probabilities": answer({"content": "Hi"}, {"logprobs": None}),
    "delta beside": answer({"content": "Hi"}, {"delta": {"role": "assistant", "content": ""}}),
    "two": {**TEXT, "choices": [
        {"index": at, "message": {"role": "assistant", "content": f"{at}"}, "finish_reason": "stop"}
        for at in (1, 0)]},
    "none": {**TEXT, "choices": []},
    "no usage": without(TEXT, "usage"),
    "usage of null": {**TEXT, "usage": None},
    "empty usage": {**TEXT, "usage": {}},
    "no object": without(TEXT, "object"),
    "no id": without(TEXT, "id"),
    "no time": without(TEXT, "created"),
    "odd names": {**TEXT, "id": "", "model": None, "object": "chat"},
    "more of the whole": {**TEXT, "system_fingerprint": None, "service_tier": "flex", "k": [1]},
}  # fmt: skip
USAGES: list[dict[str, Any]] = [
    {"prompt_tokens": 10, "completion_tokens": None},
    {**FIGURES, "prompt_tokens_details": {"cached_tokens": 0}, "completion_tokens_details": {}},
    {**FIGURES, "prompt_tokens_details": {"cached_tokens": 4, "audio_tokens": 0, "k": 1}},
    {**FIGURES, "prompt_tokens_details": None, "prompt_cache_hit_tokens": 3},
    {**FIGURES, "completion_tokens_details": {"reasoning_tokens": 9}},
    {**FIGURES, "prompt_tokens_details": {}, "cached_tokens": 3, "cost": 0.1},
    {**FIGURES, "total_tokens": 14.0, "prompt_tokens": "10"},
]
BODIES |= {f"usage {nth}": {**TEXT, "usage": told} for nth, told in enumerate(USAGES)}


def written(resp: ChatResponse, wire: str = WIRE, **given: Any) -> tuple[Any, list[Loss]]:
    out = dragoman.wire(wire, policy="ignore").write_response(resp, **given)
    return out.body, out.losses


@each_case("told", BODIES.values())
def test_an_answer_goes_back_as_it_came(told: dict[str, Any]) -> None:
    before = exact(told)
    resp = dragoman.wire(WIRE).read_response(told)
    body, losses = written(resp)
    assert exact(body) == before
    assert losses == []
    assert exact(told) == before
    stored = load(json.loads(json.dumps(dump(resp))))
    assert isinstance(stored, ChatResponse)
    assert exact(written(stored)[0]) == before


@pytest.mark.parametrize("wire", ["groq", "dashscope/openai-chat"])
def test_thinking_in_tags_goes_back_into_the_text(wire: str) -> None:
    for text in ("<think>\nHm\n</think>\n\nHi", "<think></think>Hi", "<think>Hm"):
        told = answer({"content": text})
        body, _ = written(dragoman.wire(wire).read_response(told), wire)
        assert exact(body) == exact(told)


def of(*blocks: ContentBlock, finish: Any = "stop", **fields: Any) -> ChatResponse:
    msg = Msg.create_unchecked("", [*blocks], "assistant")
    msg.origin = Origin("anthropic", "claude")
    given = {"id": "a1", "model": "m", **fields}
    return ChatResponse([Candidate(msg, Finish(finish))], **given)


def choice(resp: ChatResponse) -> tuple[Any, list[tuple[str, str]]]:
    body, losses = written(resp)
    ChatCompletion.model_validate(body)
    told = [(loss.code, loss.where) for loss in losses if loss.where != "$.created"]
    return body["choices"][0], told


def message(*blocks: ContentBlock) -> tuple[Any, list[tuple[str, str]]]:
    made, losses = choice(of(*blocks))
    return made["message"], losses


def test_an_answer_of_another_wire_has_everything() -> None:
    body, losses = written(of(TextBlock("Hi"), usage=Usage(5, 3, 2, 7, 4)))
    assert body == {
        "id": "a1", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"},
                     "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17,
                  "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 2},
                  "completion_tokens_details": {"reasoning_tokens": 4}},
    }  # fmt: skip
    assert [(loss.code, loss.where) for loss in losses] == [("answer.field", "$.created")]


def test_what_nobody_told_is_added() -> None:
    resp = of(TextBlock("Hi"), id=None, model=None, usage=Usage(output=3))
    body, losses = written(resp, request=ChatRequest([], model="asked"))
    assert (body["id"], body["model"]) == ("chatcmpl-dragoman", "asked")
    assert body["usage"] == {"completion_tokens": 3, "prompt_tokens": 0, "total_tokens": 3}
    assert {loss.where for loss in losses if loss.kind == "added"} == {
        "$.id", "$.created", "$.model", "$.usage.prompt_tokens",
    }  # fmt: skip
    ChatCompletion.model_validate(body)


def test_calls_have_text_for_arguments() -> None:
    made, losses = message(
        ToolUseBlock("a", "look", {"at": 1}), ToolUseBlock("b", "look", raw_input=""),
        ToolUseBlock("c", "look", '{"at', '{"at', unfinished=True),
    )  # fmt: skip
    told = [(one["id"], one["type"], one["function"]["arguments"]) for one in made["tool_calls"]]
    assert told == [("a", "function", '{"at": 1}'), ("b", "function", "{}"),
                    ("c", "function", '{"at')]  # fmt: skip
    assert made["content"] is None
    assert losses == [("answer.finish", "$.candidates[0].finish")]  # the last one breaks off


def test_all_texts_are_one() -> None:
    made, _ = message(TextBlock("a"), TextBlock("b"), ToolUseBlock("c", "look"), TextBlock("d"))
    assert made["content"] == "abd"


def test_citations_are_annotations() -> None:
    made, losses = message(
        TextBlock("ab"),
        TextBlock("cde", [Citation(1, 2, "https://a.b", "T"), Citation(url="https://a.c"),
                          Citation(quote="cd"), Citation(0, 1, "https://a.d", quote="c")]),
    )  # fmt: skip
    told = [one["url_citation"] for one in made["annotations"]]
    assert [(one["start_index"], one["end_index"], one["title"]) for one in told] == [
        (3, 4, "T"), (2, 5, ""), (2, 3, ""),
    ]  # fmt: skip
    assert losses == [("answer.unsupported", "$.candidates[0].msg.content[1].citations[2]"),
                      ("answer.unsupported",
                       "$.candidates[0].msg.content[1].citations[3].quote")]  # fmt: skip


def test_thinking_of_others_is_text_without_a_proof() -> None:
    elsewhere = Origin("anthropic")
    made, losses = message(
        ThinkingBlock("Hm", "sig", origin=elsewhere), ThinkingBlock("", redacted="xyz"),
        ThinkingBlock("So"), TextBlock("Hi"),
    )  # fmt: skip
    assert made == {"role": "assistant", "content": "Hi", "reasoning_content": "Hm\nSo"}
    where = "$.candidates[0].msg.content"
    assert losses == [("answer.unsupported", f"{where}[0].signature"),
                      ("answer.unsupported", f"{where}[1].redacted")]  # fmt: skip


def test_thinking_that_was_sealed_for_this_wire_goes_in_details() -> None:
    here = Origin(WIRE)
    made, losses = message(
        ThinkingBlock("Hm", "sig", origin=here), ThinkingBlock("", redacted="xyz", origin=here)
    )
    assert made["reasoning_details"] == [
        {"type": "reasoning.text", "text": "Hm", "signature": "sig"},
        {"type": "reasoning.encrypted", "data": "xyz"},
    ]
    assert losses == []


def test_media() -> None:
    data = Base64Source("image/png", "QUJD")
    made, losses = message(
        ImageBlock(data, detail="low"), ImageBlock(URLSource("https://a.b/c.png")),
        AudioBlock(Base64Source("audio/wav", "QUJD")), DocumentBlock(FileSource("f", "x")),
        RawBlock("anthropic", {"type": "server_tool_use"}),
    )  # fmt: skip
    urls = [one["image_url"]["url"] for one in made["images"]]
    assert urls == ["data:image/png;base64,QUJD", "https://a.b/c.png"]
    assert (made["audio"]["data"], made["audio"]["transcript"]) == ("QUJD", "")
    assert [where.removeprefix("$.candidates[0].msg.content") for _, where in losses] == [
        "[0].detail", "[3]", "[4]",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "blocks", "word", "lost"),
    [
        ("stop", [], "stop", False),
        ("length", [], "length", False),
        ("tool_calls", [ToolUseBlock("c", "look")], "tool_calls", False),
        ("tool_calls", [], "stop", True),
        ("content_filter", [], "content_filter", False),
        ("refusal", [RefusalBlock("No.")], "stop", False),
        ("refusal", [], "content_filter", True),
        ("context_overflow", [], "length", True),
        ("pause", [], "length", True),
    ],
)
def test_reasons(reason: str, blocks: list[Any], word: str, lost: bool) -> None:
    made, losses = choice(of(*blocks, finish=reason))
    assert made["finish_reason"] == word
    assert losses == ([("answer.finish", "$.candidates[0].finish")] if lost else [])


@pytest.mark.parametrize("reason", ["length", "other"])
def test_a_call_that_was_cut_stays_one_that_nobody_runs(reason: str) -> None:
    cut = ToolUseBlock("c", "look", {}, "", unfinished=True)
    body, _ = written(of(cut, finish=reason, status="truncated"))
    again = dragoman.wire(WIRE).read_response(body)
    assert (again.calls, again.status, len(again.msg.calls)) == ([], "truncated", 1)


CUT = ToolUseBlock("c", "look", "{", "{", unfinished=True)


@pytest.mark.parametrize(
    ("reason", "blocks", "status"),
    [
        ("other", [], "complete"),
        ("malformed_call", [CUT], "complete"),
        ("error", [TextBlock("Half")], "complete"),
        ("other", [CUT], "interrupted"),
        ("other", [TextBlock("Half")], "interrupted"),
    ],
)
def test_an_answer_that_did_not_end_well_is_an_error(
    reason: str, blocks: list[Any], status: str
) -> None:
    body, losses = written(of(*blocks, finish=reason, status=status))
    assert body.keys() == {"error"}
    assert body["error"]["message"]
    places = [(loss.code, loss.where) for loss in losses]
    beside = [
        ("answer.unsupported", "$.id"),
        ("answer.unsupported", "$.model"),
    ]  # an error has neither
    assert places == [*([("answer.unsupported", "$.candidates[0]")] if blocks else []), *beside]
    with pytest.raises(dragoman.DragomanError):
        dragoman.wire(WIRE).read_response(body)


def test_fields_of_others_are_named_one_by_one() -> None:
    resp = of(TextBlock("Hi", extras={"x": {"a": 1}}), extras={"x": {"b": 1, "c": {"d": 2}}})
    _, losses = choice(resp)
    assert {code for code, _ in losses} == {"extras.other_provider"}
    assert any(where.endswith("[0].extras.x.a") for _, where in losses)
    assert len(losses) == 3


def test_all_candidates_are_said() -> None:
    resp = of(TextBlock("a"))
    other = Msg.create_unchecked("", [TextBlock("b")], "assistant")
    resp.candidates.append(Candidate(other, Finish("length")))
    body, _ = written(resp)
    told = [(one["index"], one["message"]["content"], one["finish_reason"])
            for one in body["choices"]]  # fmt: skip
    assert told == [(0, "a", "stop"), (1, "b", "length")]


def test_an_error_stands_beside_what_was_said() -> None:
    resp = of(TextBlock("Ha"))
    resp.error = dragoman.ProviderError("over capacity", type="overloaded", status=529)
    body, _ = written(resp)
    assert body["error"] == {"message": "over capacity", "type": "overloaded", "param": None,
                             "code": 529}  # fmt: skip
