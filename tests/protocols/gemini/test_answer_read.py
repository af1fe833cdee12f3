"""Answers of generateContent: parts, ends, figures, and bodies that are no answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.errors import ProviderError, ReadError
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    Usage,
    VideoBlock,
)
from dragoman.protocols.gemini.usage import figures
from tests.protocols.gemini.answers import body, called, chunk, read, replayed, streamed, text

ON = Msg.user("On")


def own(**fields: Any) -> dict[str, Any]:
    return {"gemini": fields}


def test_texts_of_one_kind_go_on_across_chunks() -> None:
    resp = streamed(
        chunk(text("Let", thought=True)),
        chunk(text(" me", thought=True)),
        chunk(text("Sa")),
        chunk(text("mar"), text("kand")),
        body(text("")),
    )
    assert resp.msg.blocks == [ThinkingBlock("Let me"), TextBlock("Samarkand")]
    assert (resp.status, resp.model, resp.id, resp.finish.raw) == (
        "complete", "gemini-x", "r1", "STOP",
    )  # fmt: skip


def test_a_signed_part_stands_alone_and_goes_back_so() -> None:
    parts = [text("a"), text("b", thoughtSignature="MQ=="), text("c"),
             text("", thoughtSignature="Mg==")]  # fmt: skip
    whole, stream = read(body(*parts)), streamed(*map(chunk, parts), body())
    assert whole.msg.blocks == stream.msg.blocks == [
        TextBlock("a"), TextBlock("b", extras=own(thoughtSignature="MQ==")), TextBlock("c"),
        TextBlock("", extras=own(thoughtSignature="Mg==")),
    ]  # fmt: skip
    assert replayed(stream, ON)[0] == parts
    assert stream.text == "abc"


def test_snake_case_says_the_same() -> None:
    resp = read({
        "candidates": [{
            "content": {"parts": [
                {"text": "hm", "thought": True, "inline_data": None},
                {"function_call": {"name": "look", "args": {"at_it": 1}},
                 "thought_signature": "MQ=="},
            ], "role": "model"},
            "finish_reason": "STOP", "finish_message": None,
        }],
        "usage_metadata": {"prompt_token_count": 3, "candidates_token_count": 2},
        "model_version": "m", "response_id": "r", "sdk_http_response": {"headers": {"a": "b"}},
    })  # fmt: skip
    thought, call = resp.msg.blocks
    assert thought == ThinkingBlock("hm")
    assert isinstance(call, ToolUseBlock)
    assert (call.name, call.input) == ("look", {"at_it": 1})
    assert call.extras == own(thoughtSignature="MQ==")
    assert (resp.usage.input, resp.usage.output, resp.model, resp.id) == (3, 2, "m", "r")
    assert "headers" not in str(resp.extras)


def test_a_call_without_an_id_gets_one_of_ours_that_no_request_says() -> None:
    resp = read(body(called(name="look", args={}), called(name="look", args={"a": 1})))
    first, second = resp.calls
    assert first.id
    assert second.id
    assert first.id != second.id
    results = [ToolResultBlock(call.id, "look", "ok") for call in (second, first)]
    parts, answers, *_ = replayed(resp, Msg("", results, "tool"), ON)
    assert [part["functionCall"] for part in parts] == [
        {"name": "look", "args": {}}, {"name": "look", "args": {"a": 1}},
    ]  # fmt: skip
    assert [part["functionResponse"].keys() for part in answers["parts"]] == [
        {"name", "response"}
    ] * 2


def test_an_id_that_was_given_goes_back_on_both_sides() -> None:
    resp = read(body(called(id="k3v9x1ab", name="look", args={})))
    parts, answers, *_ = replayed(
        resp, Msg("", [ToolResultBlock("k3v9x1ab", "look", "ok")], "tool")
    )
    assert parts[0]["functionCall"]["id"] == "k3v9x1ab"
    assert answers["parts"][0]["functionResponse"]["id"] == "k3v9x1ab"


def test_what_runs_at_the_provider_is_kept_as_it_came() -> None:
    parts = [
        {
            "executableCode": {"language": "PYTHON", "code": "1+1", "id": "e1"},
            "thoughtSignature": "MQ==",
        },
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "2", "id": "e1"}},
        {"toolCall": {"id": "t1", "toolType": "FILE_SEARCH", "args": {"q": None}}},
        {"toolResponse": {"id": "t1", "toolType": "FILE_SEARCH"}},
        {"tomorrow": {"x": 1}},
    ]
    resp = read(body(*parts))
    assert [(b.role, b.pair, b.data) for b in resp.msg.blocks if isinstance(b, RawBlock)] == [
        ("call", "e1", parts[0]), ("result", "e1", parts[1]), ("call", "t1", parts[2]),
        ("result", "t1", parts[3]), ("item", None, parts[4]),
    ]  # fmt: skip
    assert replayed(resp, ON)[0] == parts


def test_media_in_answers() -> None:
    stored = "https://generativelanguage.googleapis.com/v1beta/files/x"
    parts: list[dict[str, Any]] = [
        {
            "inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="},
            "thoughtSignature": "MQ==",
        },
        {"inlineData": {"mimeType": "audio/mpeg", "data": "-_8="}},
        {"inlineData": {"mimeType": "application/pdf", "data": "JVBE", "displayName": "a.pdf"}},
        {"fileData": {"mimeType": "video/mp4", "fileUri": "https://example.com/a"}},
        {"fileData": {"fileUri": stored}},
    ]
    resp = read(body(*parts))
    assert resp.msg.blocks == [
        ImageBlock(Base64Source("image/png", "iVBORw0KGgo="), extras=own(thoughtSignature="MQ==")),
        AudioBlock(Base64Source("audio/mpeg", "+/8=")),
        DocumentBlock(Base64Source("application/pdf", "JVBE"),
                      extras=own(inlineData={"displayName": "a.pdf"})),
        VideoBlock(URLSource("https://example.com/a", "video/mp4")),
        DocumentBlock(FileSource(stored, "gemini")),
    ]  # fmt: skip
    parts[1]["inlineData"]["data"] = "+/8="
    assert replayed(resp, ON)[0] == parts


def test_a_whole_answer_keeps_where_its_texts_were_cut_and_what_is_empty() -> None:
    resp = read(body(text("one "), text("two"), text("hm", thought=True), {}))
    assert resp.msg.blocks == [TextBlock("one two"), ThinkingBlock("hm"), TextBlock("")]
    assert [block.spelling for block in resp.msg.blocks] == ["4 3", None, "bare"]
    assert read(body(text(""))).msg.blocks == [TextBlock("")]
    assert streamed(chunk(text("")), body(text(""))).msg.blocks == []


@pytest.mark.parametrize("content", [None, {}, {"role": "model"}, {"role": "model", "parts": []}])
def test_a_candidate_may_have_no_parts(content: Any) -> None:
    told = {"candidates": [{"finishReason": "MAX_TOKENS", "index": 0}]}
    if content is not None:
        told["candidates"][0]["content"] = content
    resp = read(told)
    assert resp.msg.blocks == []
    assert (resp.finish.reason, resp.status) == ("length", "truncated")
    assert (resp.candidates[0].extras or {})["gemini"].get("content") == content


def test_the_end_may_come_before_the_last_chunk() -> None:
    resp = streamed(
        body({"executableCode": {"code": "1", "language": "PYTHON"}}),
        chunk({"codeExecutionResult": {"outcome": "OUTCOME_OK"}}),
        body(text("done")),
    )
    assert [block.type for block in resp.msg.blocks] == ["raw", "raw", "text"]
    assert (resp.status, resp.text) == ("complete", "done")
    assert streamed(chunk(text("Sama"))).status == "interrupted"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("STOP", "stop"), (1, "stop"), ("MAX_TOKENS", "length"), (2, "length"),
     ("SAFETY", "content_filter"), ("RECITATION", "content_filter"),
     ("IMAGE_SAFETY", "content_filter"), ("PROHIBITED_CONTENT", "content_filter"),
     ("MALFORMED_FUNCTION_CALL", "malformed_call"), ("UNEXPECTED_TOOL_CALL", "malformed_call"),
     ("CONTINUATION", "pause"), ("OTHER", "other"), ("TOMORROW", "other")],
)  # fmt: skip
def test_reasons(raw: Any, reason: str) -> None:
    resp = read(body(text("x"), reason=raw))
    assert (resp.finish.reason, resp.finish.raw) == (reason, str(raw))


def test_several_candidates_with_and_without_an_index() -> None:
    told = body(text("a"))
    told["candidates"].append({"content": {"parts": [text("b")]}, "finishReason": "STOP"})
    told["candidates"].append({"content": {"parts": [text("c")]}, "index": 7})
    resp = read(told)
    assert [one.msg.text for one in resp.candidates] == ["a", "b", "c"]
    assert [one.finish.reason for one in resp.candidates] == ["stop", "stop", "other"]


def test_what_nobody_models_stays() -> None:
    told = body(text("x"), finishMessage="Because.", avgLogprobs=-0.5, tomorrow=[1],
                safetyRatings=[{"category": "A", "probability": "LOW"}])  # fmt: skip
    told |= {"createTime": "2026-01-01T00:00:00Z", "modelStatus": {"stage": "PREVIEW"}}
    resp = read(told)
    kept = (resp.candidates[0].extras or {})["gemini"]
    assert kept == {"index": 0, "finishMessage": "Because.", "avgLogprobs": -0.5, "tomorrow": [1],
                    "safetyRatings": [{"category": "A", "probability": "LOW"}]}  # fmt: skip
    assert resp.extras == own(createTime="2026-01-01T00:00:00Z", modelStatus={"stage": "PREVIEW"})


def test_log_probabilities_grow() -> None:
    def chances(token: str) -> dict[str, Any]:
        return {"chosenCandidates": [{"token": token}]}

    resp = streamed(chunk(text("a"), logprobsResult=chances("a")),
                    body(text("b"), logprobsResult=chances("b")))  # fmt: skip
    kept = (resp.candidates[0].extras or {})["gemini"]["logprobsResult"]
    assert kept == {"chosenCandidates": [{"token": "a"}, {"token": "b"}]}


SPENT = {
    "promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 7,
    "thoughtsTokenCount": 20, "toolUsePromptTokenCount": 5, "totalTokenCount": 132,
    "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 90},
                            {"modality": "AUDIO", "tokenCount": 10}],
    "trafficType": "ON_DEMAND",
}  # fmt: skip


def test_figures_are_disjoint_and_can_be_given_back() -> None:
    usage = read(body(text("x")) | {"usageMetadata": SPENT}).usage
    kept = {
        key: SPENT[key] for key in ("toolUsePromptTokenCount", "promptTokensDetails", "trafficType")
    }
    assert usage == Usage(45, 60, None, 27, 20, 10, None, 132, own(**kept))
    assert (usage.input or 0) + (usage.cache_read or 0) + (usage.output or 0) == usage.total
    assert figures(usage, tools=5) | kept == SPENT


def test_figures_of_chunks_repeat_and_the_last_of_each_holds() -> None:
    resp = streamed(
        chunk(text("a")) | {"usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9}},
        chunk(text("b")) | {"usageMetadata": {"trafficType": "ON_DEMAND"}},
        body(text("c")) | {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3,
                                             "totalTokenCount": 12}},
    )  # fmt: skip
    assert resp.usage == Usage(9, output=3, total=12, extras=own(trafficType="ON_DEMAND"))
    cut = streamed(chunk(text("a")) | {"usageMetadata": {"promptTokenCount": 9}})
    assert cut.usage.input == 9


def test_only_thinking_leaves_no_candidates_count() -> None:
    told = {"promptTokenCount": 4, "thoughtsTokenCount": 6, "totalTokenCount": 10}
    usage = read(body(reason="MAX_TOKENS") | {"usageMetadata": told}).usage
    assert (usage.output, usage.reasoning, usage.extras) == (6, 6, None)
    assert figures(usage) == told


@pytest.mark.parametrize("wrap", [lambda told: told, lambda told: [told]])
def test_errors_of_requests(wrap: Any) -> None:
    told = wrap({"error": {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}})
    with pytest.raises(ProviderError, match="No") as caught:
        read(told)
    assert (caught.value.status, caught.value.type) == (400, "INVALID_ARGUMENT")


def test_an_error_inside_a_stream_keeps_what_came_before() -> None:
    broken = {"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}}
    for last in (broken, [broken]):
        resp = streamed(chunk(text("Sama")), last)
        assert (resp.status, resp.text) == ("error", "Sama")
        assert resp.error is not None
        assert resp.error.status == 503


@pytest.mark.parametrize(
    "told",
    [{}, {"name": "cachedContents/x", "usageMetadata": {}}, [], {"choices": []}, {"candidates": 5}],
)
def test_what_is_no_answer(told: Any) -> None:
    with pytest.raises(ReadError):
        read(told)


CHUNKS = [chunk(text("Grüße, ")), chunk(called(name="look", args={"a": '}]"'})), body(text("北]"))]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf\r\n"])
def test_a_stream_is_events_or_one_array(size: int, start: bytes) -> None:
    dumped = [json.dumps(one, indent=1, ensure_ascii=False) for one in CHUNKS]
    events = "".join(f"data: {json.dumps(one)}\r\n\r\n" for one in CHUNKS)
    for sent in (f"[{','.join(dumped)}\n]\n", events):
        data = start + sent.encode()
        decoder = dragoman.wire("gemini").stream_decoder()
        pieces = [decoder.feed_bytes(data[at : at + size]) for at in range(0, len(data), size)]
        assert decoder.finish() == streamed(*CHUNKS)
        assert size > 7 or len([made for made in pieces if made]) == len(CHUNKS)


def test_objects_of_the_sdk() -> None:
    types = pytest.importorskip("google.genai.types")
    told = body(
        text("hm", thought=True), called(name="look", args={"a": 1}) | {"thoughtSignature": "MQ=="}
    )
    given = types.GenerateContentResponse.model_validate(told)
    assert read(given).msg == read(told).msg
