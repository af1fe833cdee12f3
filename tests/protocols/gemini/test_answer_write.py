"""Answers written for clients of generateContent: their own exactly, those of others in full."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import Msg, message
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
    Candidate,
    ChatResponse,
    Citation,
    Finish,
    ImageBlock,
    LocalSource,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from tests.each_case import each_case
from tests.protocols.gemini.answers import body, called, read, text

ROOM = dragoman.wire("gemini").room
SPENT = {"promptTokenCount": 9, "cachedContentTokenCount": 4, "candidatesTokenCount": 3,
         "thoughtsTokenCount": 2, "toolUsePromptTokenCount": 1, "totalTokenCount": 15}  # fmt: skip
PNG = "iVBORw0KGgo="


def wrote(resp: ChatResponse) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    report = Report((), resp, message.answer_places, "gemini")
    made = ROOM.write_response(resp, report)
    return made, [(loss.code, loss.field) for loss in report.losses]


def without(told: dict[str, Any], *keys: str) -> dict[str, Any]:
    [one] = told["candidates"]
    return {**told, "candidates": [{k: v for k, v in one.items() if k not in keys}]}


OWN: list[dict[str, Any]] = [
    body(text("Hi")),
    body(text("one "), text("two"), text("hm", thought=True), text(""), text("")),
    body(text("")),
    body(text(""), text("")),
    body(text("a"), text("", thoughtSignature="c2ln")),
    body({}, {"thoughtSignature": "c2ln"}),
    body(called(name="look", args={}), called(id="k1", name="look", args={"a": 1})),
    body(called(name="look")),
    body({"executableCode": {"code": "1"}}, {"codeExecutionResult": {"outcome": "OUTCOME_OK"}}),
    body({"inlineData": {"mimeType": "audio/mpeg", "data": "-_8="}, "tomorrow": 1}),
    body(text("x"), reason="MAX_TOKENS"),
    body(text("x"), reason=1),
    body(text("x"), reason="TOMORROW"),
    body(text("x"), reason="FINISH_REASON_UNSPECIFIED"),
    body(text("x"), reason=None),
    body(called(name="look", args={}), reason="UNEXPECTED_TOOL_CALL"),
    body(text("x"), finishMessage="Because.", avgLogprobs=-0.5, safetyRatings=[], index=0),
    body(text("x"), finishMessage=None, citationMetadata={"citationSources": [{"uri": "u"}]}),
    without(body(text("x")), "index"),
    without(body(), "content"),
    {"candidates": [{"content": {}, "finishReason": "SAFETY", "index": 0}]},
    {"candidates": [{"content": None, "finishReason": "SAFETY"}], "modelVersion": "m"},
    {"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]},
    {"candidates": [{"content": {"parts": [text("x")]}, "finishReason": "STOP"}]},
    {"candidates": [{"content": {"parts": [text("x")], "role": "user", "a": 1}}]},
    {"candidates": [{"content": {"parts": [], "role": "model"}, "finishReason": "STOP"}]},
    {"candidates": [{"content": {"parts": [text(one)], "role": "model"}, "finishReason": "STOP",
                     "index": at} for at, one in enumerate("ab")]},
    {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}},
    {"promptFeedback": {"blockReason": "A_NEW_REASON"}},
    {"promptFeedback": {"blockReason": "OTHER"}, "candidates": [], "modelVersion": "m"},
    {"promptFeedback": {"blockReason": "OTHER"}, "candidates": None},
    {"modelVersion": "m", "usageMetadata": {"promptTokenCount": 1}, "responseId": "r"},
    body(text("x")) | {"usageMetadata": SPENT, "createTime": "2026-01-01T00:00:00Z"},
    body(text("x")) | {"usageMetadata": {"cachedContentTokenCount": 5, "a": {"b": None}}},
    body(text("x")) | {"usageMetadata": {"thoughtsTokenCount": 5, "candidatesTokenCount": 0}},
    body(text("x")) | {"usageMetadata": {}, "modelStatus": None, "promptFeedback": {}},
]  # fmt: skip


@each_case("told", OWN, ids=lambda told: json.dumps(told)[:80])
def test_an_answer_of_this_wire_goes_out_as_it_came(told: dict[str, Any]) -> None:
    resp = read(told)
    stored = message.load(json.loads(json.dumps(message.dump(resp))))
    assert isinstance(stored, ChatResponse)
    for one in (resp, stored):
        made, lost = wrote(one)
        assert json.dumps(made, sort_keys=True) == json.dumps(told, sort_keys=True)
        assert lost == []


def foreign(*blocks: Any, finish: Finish | None = None, **fields: Any) -> ChatResponse:
    msg = Msg("", list(blocks), "assistant", origin=Origin("openai-chat", "m"))
    return ChatResponse([Candidate(msg, finish or Finish("stop", "stop"))], **fields)


def test_an_answer_of_another_wire_is_complete() -> None:
    resp = foreign(
        ThinkingBlock("hm"), TextBlock("Look.", spelling="2 3"),
        ToolUseBlock("c1", "look", {"at": 1}, '{"at": 1}'),
        ImageBlock(Base64Source("image/png", PNG)),
        finish=Finish("tool_calls", "tool_calls"), model="m", id="r1",
        usage=Usage(5, 4, 1, 7, 2, total=17),
    )  # fmt: skip
    made, lost = wrote(resp)
    parts = [text("hm", thought=True), text("Look."), called(id="c1", name="look", args={"at": 1}),
             {"inlineData": {"mimeType": "image/png", "data": PNG}}]  # fmt: skip
    assert made == {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP",
                        "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "cachedContentTokenCount": 4,
                          "candidatesTokenCount": 5, "thoughtsTokenCount": 2,
                          "totalTokenCount": 17},
        "modelVersion": "m", "responseId": "r1",
    }  # fmt: skip
    assert lost == [("answer.usage", "cache_write")]
    again = read(made)
    assert (again.msg.blocks[:2], again.finish.reason) == (resp.msg.blocks[:2], "tool_calls")


def test_what_has_no_place_is_named() -> None:
    resp = foreign(
        ThinkingBlock("hm", signature="s"), ThinkingBlock("", redacted="r"),
        RawBlock("anthropic", {"type": "server_tool_use"}), RefusalBlock("No."),
        ImageBlock(LocalSource("/a.png")), ToolUseBlock("c1", "look", '{"at": [1', '{"at": [1'),
        extras={"openai-chat": {"created": 5}, "openai-chat (notes)": {"x": 1}},
    )  # fmt: skip
    made, lost = wrote(resp)
    assert made["candidates"][0]["content"]["parts"] == [
        text("hm", thought=True), text("No."), called(id="c1", name="look", args={"at": [1]}),
    ]  # fmt: skip
    assert sorted(lost) == [
        ("answer.unsupported", ""), ("answer.unsupported", ""), ("answer.unsupported", ""),
        ("answer.unsupported", "input"), ("answer.unsupported", "redacted"), ("answer.unsupported",
         "signature"),
        ("extras.other_provider", "extras.openai-chat.created"),
    ]  # fmt: skip


def test_nothing_takes_the_place_of_what_is_left_out_between_texts() -> None:
    search = RawBlock("anthropic", {})
    resp = foreign(TextBlock("a"), TextBlock("b"), search, TextBlock("c", [Citation(0, 1, "u")]))
    made, _ = wrote(resp)
    assert [part["text"] for part in made["candidates"][0]["content"]["parts"]] == ["a", "b", "c"]
    [support] = made["candidates"][0]["groundingMetadata"]["groundingSupports"]
    assert support["segment"] == {"startIndex": 2, "endIndex": 3, "text": "c"}
    assert read(made).text == "abc"


def test_citations_come_back() -> None:
    cites = [Citation(0, 5, "https://a.example", "A"), Citation(0, 5, "https://b.example", "B"),
             Citation(7, 11, None, "C", "a quote")]  # fmt: skip
    whole = TextBlock("Grüße", [Citation(url="https://d.example")])
    made, lost = wrote(foreign(TextBlock("北京北京北, Rest", cites), whole))
    assert lost == []
    told = made["candidates"][0]["groundingMetadata"]
    assert told["groundingChunks"] == [
        {"web": {"uri": "https://a.example", "title": "A"}},
        {"web": {"uri": "https://b.example", "title": "B"}},
        {"retrievedContext": {"title": "C", "text": "a quote"}},
        {"web": {"uri": "https://d.example"}},
    ]
    assert told["groundingSupports"][0] == {
        "segment": {"endIndex": 15, "text": "北京北京北"}, "groundingChunkIndices": [0, 1],
    }  # fmt: skip
    [block] = read(made).msg.blocks
    assert isinstance(block, TextBlock)
    assert block.citations == [*cites, Citation(11, 16, "https://d.example")]


@pytest.mark.parametrize(
    ("finish", "word", "exact"),
    [
        (Finish("stop", "end_turn"), "STOP", True),
        (Finish("length", "max_tokens"), "MAX_TOKENS", True),
        (Finish("content_filter"), "SAFETY", True),
        (Finish("malformed_call"), "MALFORMED_FUNCTION_CALL", True),
        (Finish("other", "x"), "OTHER", True),
        (Finish("refusal"), "SAFETY", False),
        (Finish("pause", "pause_turn"), "MAX_TOKENS", False),
        (Finish("context_overflow"), "MAX_TOKENS", False),
        (Finish("error"), "MALFORMED_RESPONSE", False),
    ],
)
def test_reasons_of_others(finish: Finish, word: str, exact: bool) -> None:
    made, lost = wrote(foreign(TextBlock("x"), finish=finish))
    assert made["candidates"][0]["finishReason"] == word
    assert lost == ([] if exact else [("answer.finish", "finish")])


def test_nobody_takes_half_of_a_call_for_whole() -> None:
    half = ToolUseBlock("c1", "look", '{"at', '{"at', unfinished=True)
    made, lost = wrote(foreign(half, finish=Finish("tool_calls", "tool_calls"), status="truncated"))
    assert made["candidates"][0]["finishReason"] == "MAX_TOKENS"
    assert ("answer.finish", "finish") in lost
    assert read(made).calls == []


def test_an_answer_that_broke_off_says_no_end_and_stands_beside_an_error() -> None:
    resp = foreign(TextBlock("x"), finish=Finish("other"), status="interrupted")
    made = dragoman.wire("gemini", policy="ignore").write_response(resp).body
    assert "finishReason" not in made["candidates"][0]
    assert made["candidates"][0]["content"]["parts"] == [{"text": "x"}], "what came is kept"
    assert made["error"] == {"code": 502, "message": "the answer broke off before its end, "
                             "behind 'x'", "status": "INTERNAL"}  # fmt: skip


def test_an_error_beside_what_was_said() -> None:
    error = dragoman.wire("openai-chat").error(429, {"error": {"message": "Slow down."}})
    made, _ = wrote(foreign(TextBlock("x"), finish=Finish("other"), status="error", error=error))
    assert made["error"] == {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}


def test_sound_among_the_figures() -> None:
    made, lost = wrote(foreign(TextBlock("x"), usage=Usage(10, output=6, audio_in=4, audio_out=6)))
    assert made["usageMetadata"] == {
        "promptTokenCount": 10, "candidatesTokenCount": 6, "totalTokenCount": 16,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 6},
                                {"modality": "AUDIO", "tokenCount": 4}],
        "candidatesTokensDetails": [{"modality": "AUDIO", "tokenCount": 6}],
    }  # fmt: skip
    assert (read(made).usage.audio_in, lost) == (4, [])


def test_an_edited_answer_of_this_wire() -> None:
    resp = read(body(text("one "), text("two"), index=0))
    resp.candidates[0].msg = Msg(
        "", [TextBlock("other", spelling="4 3"), RefusalBlock("No.")], "assistant",
        origin=resp.msg.origin,
    )  # fmt: skip
    made, lost = wrote(resp)
    assert made["candidates"][0]["content"]["parts"] == [text("other"), text("No.")]
    assert lost == [("answer.unsupported", "")]


def test_the_sdk_takes_answers_of_others() -> None:
    types = pytest.importorskip("google.genai.types")
    cited = TextBlock("Look there.", [Citation(0, 4, "https://a.example", "A")])
    resp = foreign(
        ThinkingBlock("hm"), cited, ToolUseBlock("c1", "look", {"at": 1}),
        finish=Finish("tool_calls"), model="m", id="r1", usage=Usage(5, 4, None, 7, 2),
    )  # fmt: skip
    made = types.GenerateContentResponse.model_validate(wrote(resp)[0])
    [call] = made.function_calls
    assert (made.candidates[0].content.parts[1].text, call.id, call.args) == (
        "Look there.", "c1", {"at": 1},
    )  # fmt: skip
    spent = made.usage_metadata
    assert (spent.prompt_token_count, spent.candidates_token_count, spent.total_token_count) == (
        9, 5, 16,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("detail", "level", "losses"),
    [
        ("auto", None, []),
        ("high", "MEDIA_RESOLUTION_HIGH", []),
        ("original", None, [("answer.unsupported", "detail")]),
    ],
)
def test_the_detail_of_a_medium_that_another_wire_answered(
    detail: str, level: str | None, losses: list[tuple[str, str]]
) -> None:
    picture = ImageBlock(Base64Source("image/png", PNG), detail=detail)
    resp = ChatResponse([Candidate(Msg.assistant([picture]), Finish("stop"))])
    made, found = wrote(resp)
    part = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    resolution = {} if level is None else {"mediaResolution": {"level": level}}
    assert made["candidates"][0]["content"]["parts"] == [{**part, **resolution}]
    assert found == losses
