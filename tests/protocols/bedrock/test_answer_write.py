"""Whole answers as clients of Converse get them: its own again, and those of other wires."""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ChatResponse, Msg
from dragoman.losses import Report
from dragoman.message import (
    AudioBlock,
    Base64Source,
    Candidate,
    Citation,
    DocumentBlock,
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
    VideoBlock,
    dump,
    load,
)
from dragoman.message.answer import FinishReason
from dragoman.message.blocks import ContentBlock
from tests.each_case import each_case

WIRE = dragoman.wire("bedrock-converse", policy="ignore")
PNG = b64encode(b"\x89PNG\r\n\x1a\n").decode()
FIGURES = {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}
WEB = {"location": {"web": {"url": "https://a.example/", "domain": "a.example"}}}


@cache
def _shape() -> Any:
    loaders = pytest.importorskip("botocore.loaders", reason="the extra `bedrock` is missing")
    model = pytest.importorskip("botocore.model")
    loaded = loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    return model.ServiceModel(loaded, "bedrock-runtime").operation_model("Converse").output_shape


def parsed(body: dict[str, Any]) -> Any:
    """What AWS's own SDK reads of the body, which has all that one must have and no more."""
    parsers = pytest.importorskip("botocore.parsers")
    validate = pytest.importorskip("botocore.validate")
    sent = {"status_code": 200, "headers": {}, "body": json.dumps(body).encode()}
    told = parsers.create_parser("rest-json").parse(sent, _shape())
    told.pop("ResponseMetadata")
    found = validate.ParamValidator().validate(told, _shape())
    assert not found.has_errors(), found.generate_report()
    assert told.keys() == body.keys()
    return told


def own(*content: Any, **more: Any) -> dict[str, Any]:
    return {"output": {"message": {"role": "assistant", "content": [*content]}},
            "stopReason": "end_turn", "usage": dict(FIGURES), **more}  # fmt: skip


def wrote(resp: ChatResponse) -> tuple[dict[str, Any], list[str]]:
    report = Report((), resp)
    body = WIRE.room.write_response(resp, report)
    return body, [f"{loss.kind} {loss.code} {loss.field}".strip() for loss in report.losses]


def foreign(*blocks: ContentBlock, **more: Any) -> ChatResponse:
    """An answer of another wire with these blocks."""
    msg = Msg.create_unchecked("", [*blocks], "assistant")
    msg.origin = Origin("openai-chat", "m")
    finish = more.pop("finish", Finish("stop", "stop"))
    usage = more.pop("usage", Usage(input=5, output=7))
    return ChatResponse([Candidate(msg, finish)], usage, **more)


ADDED = "added answer.field metrics"


def content(*blocks: ContentBlock) -> tuple[Any, list[str]]:
    """(the content that the blocks become, losses but for what every answer gets)."""
    body, losses = wrote(foreign(*blocks))
    parsed(body)
    assert losses.pop() == ADDED
    return body["output"]["message"]["content"], losses


@each_case(
    "body",
    [
        own({"text": "Blue."}),
        own({"text": "a"}, {"text": ""}, {"text": "b", "type": "text"}),
        own({"toolUse": {"toolUseId": "t", "name": "f", "input": {"x": 1.0}, "type": "tool_use"}},
            stopReason="tool_use"),
        own({"toolUse": {"toolUseId": "t", "name": "f", "input": "{}"}}),
        own({"toolUse": {"toolUseId": "s", "name": "g", "input": {}, "type": "server_tool_use"}},
            {"toolResult": {"toolUseId": "s", "content": [{"text": "x"}], "odd": 1}}),
        own({"reasoningContent": {"reasoningText": {"text": "", "signature": "c2ln"}}}),
        own({"reasoningContent": {"reasoningText": {"text": "t", "more": {"a": None}}}}),
        own({"reasoningContent": {"redactedContent": PNG}}),
        own({"citationsContent": {"content": [{"text": "a"}, {"text": "b"}], "citations": [WEB]}}),
        own({"citationsContent": {"citations": [WEB]}}),
        own({"image": {"format": "png", "source": {"bytes": PNG}}}),
        own(stopReason="guardrail_intervened", trace={"guardrail": {"x": []}}),
        own(metrics={"latencyMs": 3}, performanceConfig={"latency": "optimized"}),
        own(usage={**FIGURES, "cacheReadInputTokens": 0, "cacheReadInputTokenCount": 0, "x": {}}),
        own(usage={}, stopReason=None),
        own(usage=None, **{"$metadata": {"requestId": "r", "attempts": 1}}),
        own(stopReason="a word of tomorrow", additionalModelResponseFields={"a": None}),
        {"output": {"message": {"role": "assistant", "content": None}}, "stopReason": "end_turn"},
    ],
)  # fmt: skip
def test_an_answer_of_its_own_is_the_same_again(body: dict[str, Any]) -> None:
    resp = WIRE.read_response(body)
    stored = load(json.loads(json.dumps(dump(resp))))
    assert isinstance(stored, ChatResponse)
    for one in (resp, stored):
        made, losses = wrote(one)
        assert json.dumps(made, sort_keys=True) == json.dumps(body, sort_keys=True)
        assert losses == []


def test_an_edited_reason_is_said_in_its_word() -> None:
    resp = WIRE.read_response(own({"text": "Blue."}))
    resp.candidates[0].finish = Finish("length", "end_turn")
    assert wrote(resp)[0]["stopReason"] == "max_tokens"


def test_an_answer_of_another_wire_is_complete() -> None:
    resp = foreign(TextBlock("Hello"), ToolUseBlock("call_1", "look", {"x": 1}), id="c1", model="m",
                   finish=Finish("tool_calls", "tool_calls"),
                   usage=Usage(5, 2, 3, 7, reasoning=4))  # fmt: skip
    body, losses = wrote(resp)
    assert parsed(body)["stopReason"] == "tool_use"
    assert body["output"]["message"]["content"] == [
        {"text": "Hello"},
        {"toolUse": {"toolUseId": "call_1", "name": "look", "input": {"x": 1}}},
    ]
    assert body["usage"] == {
        "inputTokens": 5, "cacheReadInputTokens": 2, "cacheWriteInputTokens": 3,
        "outputTokens": 7, "totalTokens": 17,
    }  # fmt: skip
    assert losses == [
        "dropped answer.usage reasoning",
        "dropped answer.unsupported id",
        "dropped answer.unsupported model",
        ADDED,
    ]


def test_figures_that_nobody_told_are_zero_and_named() -> None:
    body, losses = wrote(foreign(TextBlock("Hello"), usage=Usage()))
    assert body["usage"] == {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}
    assert losses == ["added answer.field input", "added answer.field output", ADDED]
    parsed(body)


@pytest.mark.parametrize(
    ("finish", "word", "lost"),
    [
        (Finish("stop", "stop"), "end_turn", False),
        (Finish("stop", "stop_sequence"), "stop_sequence", False),
        (Finish("tool_calls", "end_turn"), "tool_use", False),
        (Finish("context_overflow"), "model_context_window_exceeded", False),
        (Finish("content_filter", "SAFETY"), "content_filtered", False),
        (Finish("malformed_call"), "malformed_tool_use", False),
        (Finish("refusal", "refusal"), "content_filtered", True),
        (Finish("pause", "pause_turn"), "max_tokens", True),
        (Finish("error"), "malformed_model_output", True),
        (Finish("other", "odd"), "end_turn", True),
    ],
)
def test_every_reason_has_a_word(finish: Finish, word: FinishReason, lost: bool) -> None:
    body, losses = wrote(foreign(TextBlock("x"), finish=finish))
    assert body["stopReason"] == word
    assert ("degraded answer.finish finish" in losses) is lost


def test_thinking_of_another_issuer_is_readable_and_unsigned() -> None:
    thought = ThinkingBlock("Hm.", "c2ln", origin=Origin("anthropic"))
    mine = ThinkingBlock("Ha.", "c2ln", origin=Origin("bedrock-converse"))
    sealed = ThinkingBlock("", redacted="x")
    made, losses = content(thought, mine, sealed)
    assert made == [
        {"reasoningContent": {"reasoningText": {"text": "Hm."}}},
        {"reasoningContent": {"reasoningText": {"text": "Ha.", "signature": "c2ln"}}},
    ]
    assert losses == ["dropped answer.unsupported signature", "dropped answer.unsupported redacted"]


def test_sources_of_a_text_are_citations_of_its_block() -> None:
    cited = Citation(0, 3, "https://a.example/b", "Skies", "blue")
    made, losses = content(TextBlock("Sky", [cited, Citation(url="file", quote="x")]))
    assert made == [{"citationsContent": {"content": [{"text": "Sky"}], "citations": [
        {"title": "Skies", "sourceContent": [{"text": "blue"}],
         "location": {"web": {"url": "https://a.example/b", "domain": "a.example"}}},
        {"sourceContent": [{"text": "x"}], "location": {"web": {"url": "file"}}},
    ]}}]  # fmt: skip
    assert losses == ["degraded answer.unsupported start", "degraded answer.unsupported end"]


def test_media_that_have_a_block() -> None:
    made, losses = content(
        ImageBlock(Base64Source("image/png", PNG), "Sky", spelling="string data:image/PNG;base64,"),
        DocumentBlock(Base64Source("application/pdf", "JVBERi0=")),
        VideoBlock(URLSource("s3://b/v.mp4", "video/mp4")),
        ImageBlock(URLSource("https://a.example/b.png")),
        AudioBlock(Base64Source("audio/odd", "AAAA")),
    )
    assert made == [
        {"image": {"format": "png", "source": {"bytes": PNG}}},
        {"document": {"format": "pdf", "name": "Document", "source": {"bytes": "JVBERi0="}}},
        {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://b/v.mp4"}}}},
    ]
    assert losses == [
        "dropped answer.unsupported title", "added answer.field title",
         "dropped answer.unsupported",
        "dropped answer.unsupported",
    ]  # fmt: skip


def test_what_has_no_block_is_named() -> None:
    made, losses = content(
        RefusalBlock("No."),
        RawBlock("openai-responses", {"type": "x"}),
        TextBlock("", extras={"openai-chat": {"annotations": []}}),
        ToolUseBlock("1", "f", '{"x": [1', '{"x": [1', unfinished=True),
        TextBlock("Hi", extras={"openai-chat": {"annotations": ["b"]}}),
    )
    call = {"toolUse": {"toolUseId": "1", "name": "f", "input": {"x": [1]}}}
    assert made == [{"text": "No."}, call, {"text": "Hi"}]
    assert losses == [
        "expected extras.empty extras.openai-chat.annotations",
        "degraded answer.unsupported", "dropped answer.unsupported",
         "degraded answer.unsupported input",
        "expected extras.other_provider extras.openai-chat.annotations",
    ]  # fmt: skip


def test_one_candidate_is_written() -> None:
    resp = foreign(TextBlock("a"), extras={"openai-chat": {"created": 7}})
    resp.candidates += foreign(TextBlock("b")).candidates
    body, losses = wrote(resp)
    assert body["output"]["message"]["content"] == [{"text": "a"}]
    assert losses == [
        "dropped answer.candidates", "dropped extras.other_provider extras.openai-chat.created",
         ADDED,
    ]  # fmt: skip


def test_an_error_without_words_is_an_error() -> None:
    error = dragoman.errors.ProviderError("slow down", status=429)
    resp = ChatResponse([], status="error", error=error)
    assert wrote(resp) == ({"message": "slow down"}, [])
    resp = foreign(TextBlock("Half"), status="error", error=error)
    assert "dropped answer.unsupported error" in wrote(resp)[1]


def test_the_wire_writes_answers_to_requests() -> None:
    out = WIRE.write_response(foreign(TextBlock("Hi")), ChatRequest([Msg.user("Hi")]))
    assert WIRE.read_response(out.body).text == "Hi"
