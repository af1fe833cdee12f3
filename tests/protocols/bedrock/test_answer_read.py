"""Whole answers of Converse: what becomes a block, what stays in extras, what goes back."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ChatResponse, Msg, Options, Tool
from dragoman.errors import ProviderError, ReadError
from dragoman.message import (
    Base64Source,
    Citation,
    DocumentBlock,
    Finish,
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
from dragoman.message.blocks import name_answers

WIRE = dragoman.wire("bedrock-converse", policy="ignore")
ISSUER = "bedrock-converse"
PNG = b"\x89PNG\r\n\x1a\n"


def answer(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A whole answer with these blocks."""
    return {"output": {"message": {"role": "assistant", "content": [*content]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}, **more}  # fmt: skip


def read(*content: dict[str, Any], **more: Any) -> ChatResponse:
    """What is read of it."""
    return WIRE.read_response(answer(*content, **more))


def sent_back(resp: ChatResponse, model: str = "us.anthropic.claude-sonnet-4-6") -> Any:
    """The content that the answer becomes as a turn of the next request, and the losses."""
    results = [ToolResultBlock(call.id, call.name, "seen") for call in resp.msg.calls]
    last = Msg("", [*results], "tool") if results else Msg.user("go on")
    options = Options(reasoning="low", max_tokens=9000)
    request = ChatRequest([Msg.user("Hi"), resp.msg, last], tools=[Tool("look")], options=options)
    out = WIRE.write_request(request, model)
    return out.body["messages"][1]["content"], [loss.code for loss in out.losses]


TEXT = {"text": "Blue."}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Sky?", "signature": "c2ln"}}}
SEALED = {"reasoningContent": {"redactedContent": base64.b64encode(b"c2VhbGVk").decode()}}
CALL = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"at": "sky"}}}
SEARCH = {"toolUse": {"toolUseId": "s1", "name": "nova_grounding", "input": {"query": "sky"},
                      "type": "server_tool_use"}}  # fmt: skip
FOUND = {"toolResult": {"toolUseId": "s1", "type": "nova_grounding_result", "status": "success",
                        "content": [{"text": "[HIDDEN]"}]}}  # fmt: skip
SOURCE = {
    "title": "Skies",
    "source": "https://a.example/sky",
    "sourceContent": [{"text": "The sky "}, {"text": "is blue."}],
    "location": {"searchResultLocation": {"searchResultIndex": 0, "start": 0, "end": 1}},
}
WEB = {"location": {"web": {"url": "https://a.example/", "domain": "a.example"}}}
CITED = {"citationsContent": {"content": [{"text": "It is blue."}], "citations": [SOURCE]}}
PARTED = {"citationsContent": {"content": [{"text": "It "}, {"text": "is."}], "citations": [WEB]}}
BARE = {"citationsContent": {"citations": [WEB]}}


def test_each_block_stands_in_its_place() -> None:
    resp = read(THOUGHT, SEALED, TEXT, SEARCH, FOUND, CALL, stopReason="tool_use")
    assert resp.msg.blocks == [
        ThinkingBlock("Sky?", "c2ln"),
        ThinkingBlock("", redacted="c2VhbGVk"),
        TextBlock("Blue."),
        RawBlock(ISSUER, SEARCH, "call", "s1"),
        RawBlock(ISSUER, FOUND, "result", "s1"),
        ToolUseBlock("t1", "look", {"at": "sky"}),
    ]
    assert (resp.finish, resp.status) == (Finish("tool_calls", "tool_use"), "complete")


def test_all_of_it_goes_back_as_it_came() -> None:
    content: list[dict[str, Any]] = [
        THOUGHT, SEALED, CITED, TEXT, PARTED, BARE, SEARCH, FOUND, CALL
    ]  # fmt: skip
    assert sent_back(read(*content, stopReason="tool_use")) == (content, [])


def test_the_type_of_a_call_stays_here() -> None:
    typed = {"toolUse": {**CALL["toolUse"], "type": "tool_use"}}
    assert sent_back(read(typed, stopReason="tool_use")) == ([CALL], [])


def test_citations_can_be_read_without_knowing_the_wire() -> None:
    blocks = [block for block in read(CITED, PARTED, BARE).msg.blocks if type(block) is TextBlock]
    assert [block.text for block in blocks] == ["It is blue.", "It is.", ""]
    assert [block.citations for block in blocks] == [
        [Citation(url="https://a.example/sky", title="Skies", quote="The sky is blue.")],
        [Citation(url="https://a.example/")],
        [Citation(url="https://a.example/")],
    ]


def test_a_text_that_was_edited_goes_back_edited() -> None:
    resp = read(PARTED)
    block = TextBlock("Is it?", extras=resp.msg.blocks[0].extras)
    edited = ChatRequest([Msg.user("Hi"), Msg("", [block], "assistant"), Msg.user("go on")])
    sent = WIRE.write_request(edited).body["messages"][1]["content"]
    assert sent == [{"citationsContent": {"content": [{"text": "Is it?"}], "citations": [WEB]}}]


@pytest.mark.parametrize("raw", [PNG, base64.b64encode(PNG).decode()])
def test_media_are_base64_whether_decoded_already_or_not(raw: Any) -> None:
    image = {"image": {"format": "png", "source": {"bytes": raw}}}
    paper = {"document": {"format": "txt", "name": "Note", "source": {"bytes": raw}}}
    kept = {"document": {"format": "pdf", "name": "Far", "source": {
        "s3Location": {"uri": "s3://b/k.pdf"}}}}  # fmt: skip
    owned = {"s3Location": {"uri": "s3://b/v.mp4", "bucketOwner": "1"}}
    film = {"video": {"format": "mp4", "source": owned}}
    assert read(image, paper, kept, film).msg.blocks == [
        ImageBlock(Base64Source("image/png", base64.b64encode(PNG).decode())),
        DocumentBlock(Base64Source("text/plain", base64.b64encode(PNG).decode()), "Note"),
        DocumentBlock(URLSource("s3://b/k.pdf", "application/pdf"), "Far"),
        VideoBlock(
            URLSource("s3://b/v.mp4", "video/mp4"),
            extras={ISSUER: {"source": {"s3Location": {"bucketOwner": "1"}}}},
        ),
    ]


def test_sealed_thinking_is_the_same_from_boto3_and_from_http() -> None:
    decoded = {"reasoningContent": {"redactedContent": b"c2VhbGVk"}}
    assert read(decoded).msg == read(SEALED).msg
    odd = {"reasoningContent": {"redactedContent": base64.b64encode(b"\xff\x00").decode()}}
    assert sent_back(read(odd, TEXT)) == ([odd, TEXT], [])


def test_usage_is_disjoint_and_keeps_its_twins() -> None:
    told = {"inputTokens": 433, "outputTokens": 16, "totalTokens": 3201,
            "cacheReadInputTokens": 2752, "cacheWriteInputTokens": 0,
            "cacheReadInputTokenCount": 2752, "serverToolUsage": {}}  # fmt: skip
    assert read(TEXT, usage=told).usage == Usage(
        433, 2752, 0, 16, total=3201,
        extras={ISSUER: {"cacheReadInputTokenCount": 2752, "serverToolUsage": {}}},
    )  # fmt: skip


def test_fields_that_nobody_models_stay_in_extras() -> None:
    more = {"metrics": {"latencyMs": 9}, "trace": {"guardrail": {}}, "performanceConfig": {},
            "additionalModelResponseFields": {"a": None}}  # fmt: skip
    assert read(TEXT, **more).extras == {ISSUER: more}
    noted = read(TEXT, ResponseMetadata={"RequestId": "r1", "HTTPStatusCode": 200})
    assert noted.id == "r1"
    assert read(TEXT, **{"$metadata": {"requestId": "r2"}}).id == "r2"


@pytest.mark.parametrize(
    ("raw", "reason", "status"),
    [
        ("end_turn", "stop", "complete"),
        ("max_tokens", "length", "truncated"),
        ("model_context_window_exceeded", "context_overflow", "truncated"),
        ("guardrail_intervened", "content_filter", "complete"),
        ("content_filtered", "content_filter", "complete"),
        ("malformed_tool_use", "malformed_call", "complete"),
        ("malformed_model_output", "error", "complete"),
        ("something_new", "other", "complete"),
    ],
)
def test_reasons_are_a_closed_set_beside_the_raw_word(raw: str, reason: str, status: str) -> None:
    resp = read(TEXT, stopReason=raw)
    assert (resp.finish.reason, resp.finish.raw, resp.status) == (reason, raw, status)


@pytest.mark.parametrize(
    "odd", [{"reasoningContent": {}}, {"guardContent": {"text": {"text": "a"}}}, {"a": 1, "b": 2},
            {"citationsContent": {"content": [{}], "citations": []}},
            {"image": {"format": "tiff", "source": {"bytes": "AAAA"}}}],
)  # fmt: skip
def test_a_block_of_unknown_shape_is_kept_whole(odd: dict[str, Any]) -> None:
    assert read(TEXT, odd).msg.blocks == [TextBlock("Blue."), RawBlock(ISSUER, odd)]


def test_bytes_in_what_nobody_models_are_base64() -> None:
    result = {"toolResult": {"toolUseId": "s1", "content": [{"image": {"bytes": PNG}}]}}
    (block,) = read(result).msg.blocks
    assert isinstance(block, RawBlock)
    assert block.data["toolResult"]["content"] == [
        {"image": {"bytes": base64.b64encode(PNG).decode()}}
    ]


def test_a_text_beside_a_type_is_a_text() -> None:
    (block,) = read({"type": "text", "text": "A"}).msg.blocks
    assert block == TextBlock("A", extras={name_answers(ISSUER): {"type": "text"}})


@pytest.mark.parametrize(
    ("body", "status", "type", "message"),
    [
        ({"message": "blank text"}, None, "", "blank text"),
        ({"__type": "ThrottlingException", "message": "slow"}, None, "ThrottlingException", "slow"),
        ({"Error": {"Code": "ValidationException", "Message": "bad"},
          "ResponseMetadata": {"HTTPStatusCode": 400}}, 400, "", "bad"),
    ],
)  # fmt: skip
def test_the_body_of_an_error_is_an_error(
    body: dict[str, Any], status: int | None, type: str, message: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        WIRE.read_response(body)
    said = caught.value
    assert (said.status, said.type, said.message, said.body) == (status, type, message, body)


@pytest.mark.parametrize("body", [{}, {"choices": []}, []])
def test_what_is_no_answer_is_refused(body: Any) -> None:
    with pytest.raises(ReadError):
        WIRE.read_response(body)
