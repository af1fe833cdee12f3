"""Converse by maker: what stands beside a result, who leads, and which ids and fields pass."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import wire
from dragoman.message import (
    Base64Source,
    CacheHint,
    ChatRequest,
    DocumentBlock,
    ImageBlock,
    Msg,
    TextBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    Written,
)

from ..contract.judges.cases import PDF, PNG
from ..contract.strict import validate

CLAUDE, NOVA = "us.anthropic.claude-opus-4-6-v1", "us.amazon.nova-pro-v1:0"
MISTRAL, PALMYRA = "mistral.mistral-large-2407-v1:0", "writer.palmyra-x5-v1:0"
LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0"
CALLED = [Msg.user("Look."), Msg("", [ToolUseBlock("a", "look", {})], "assistant")]
NOTES = DocumentBlock(Base64Source("text/markdown", "SGku"), title="notes")
PAPER = DocumentBlock(Base64Source("application/pdf", PDF), title="paper")
IMAGE = ImageBlock(Base64Source("image/png", PNG))


def written(model: str, *msgs: Msg) -> Written:
    request = ChatRequest([*msgs], tools=[Tool("look")], model=model)
    sent = wire("bedrock", policy="ignore").write_request(request)
    assert validate("bedrock-converse", sent.body, model=model) == []
    return sent


def kinds(sent: Written) -> list[list[str]]:
    return [[next(iter(block)) for block in m["content"]] for m in sent.body["messages"]]


def codes(sent: Written) -> list[str]:
    return [loss.code for loss in sent.losses]


@pytest.mark.parametrize(("model", "blocks", "together"), [
    (CLAUDE, [], True), (CLAUDE, [IMAGE], True), (CLAUDE, [PAPER], True), (CLAUDE, [NOTES], False),
    (NOVA, [NOTES], True), (NOVA, [], True),
    (MISTRAL, [], False), (MISTRAL, [PAPER], False),
    (PALMYRA, [], False), (LLAMA, [], False),
])  # fmt: skip
def test_what_stands_beside_a_result(model: str, blocks: list[Any], together: bool) -> None:
    sent = written(model, *CALLED, Msg.tool("a", "seen"), Msg.user([TextBlock("And?"), *blocks]))
    asked = ["text", *(block.type for block in blocks)]
    if together:
        assert kinds(sent)[2:] == [["toolResult", *asked]]
        assert "turn.bridged" not in codes(sent)
    else:
        assert kinds(sent)[2:] == [["toolResult"], ["text"], asked]
        assert "turn.bridged" in codes(sent)


def test_ids_of_mistral_are_no_shorter_than_nine_signs() -> None:
    sent = written(MISTRAL, *CALLED, Msg.tool("a", "seen"))
    call, result = (m["content"][0] for m in sent.body["messages"][1:])
    assert call["toolUse"]["toolUseId"] == result["toolResult"]["toolUseId"]
    assert sent.ids == {call["toolUse"]["toolUseId"]: "a"}
    empty = [CALLED[0], *(m for _ in range(2) for m in (
        Msg("", [ToolUseBlock("", "look", {})], "assistant"), Msg.tool("", "seen")))]  # fmt: skip
    assert len(written(MISTRAL, *empty).ids) == 2, "repeated and empty ids end, too"
    nine = [Msg("", [ToolUseBlock("aB3dE6gH9", "look", {})], "assistant"),
            Msg.tool("aB3dE6gH9", "seen")]  # fmt: skip
    assert written(MISTRAL, CALLED[0], *nine).ids == {}


def test_writer_hears_of_a_failure_in_words() -> None:
    failed = Msg("", [ToolResultBlock("a", "look", "No.", is_error=True)], "user")
    sent = written(PALMYRA, *CALLED, failed)
    assert sent.body["messages"][2]["content"][0]["toolResult"] == {
        "toolUseId": "a", "content": [{"text": "Error: No."}],
    }  # fmt: skip
    assert "result.error_as_text" in codes(sent)
    assert written(CLAUDE, *CALLED, failed).body["messages"][2]["content"][0]["toolResult"][
        "status"
    ] == "error"  # fmt: skip


@pytest.mark.parametrize(("model", "leads"), [
    (CLAUDE, True), ("qwen.qwen3-32b-v1:0", True), ("zai.glm-4.7", True),
    ("moonshotai.kimi-k2.5", True), (NOVA, False), (MISTRAL, False), (LLAMA, False),
])  # fmt: skip
def test_who_may_lead(model: str, leads: bool) -> None:
    sent = written(model, Msg.assistant("Hello."), Msg.user("Look."))
    assert (sent.body["messages"][0]["role"] == "assistant") is leads
    assert ("turn.first" in codes(sent)) is not leads


@pytest.mark.parametrize(("model", "image", "document"), [
    (CLAUDE, True, True), (LLAMA, True, True), (NOVA, True, False),
    ("us.mistral.pixtral-large-2502-v1:0", False, True), ("moonshotai.kimi-k2.5", False, False),
    ("qwen.qwen3-vl-235b-a22b", False, False),
])  # fmt: skip
def test_which_media_a_result_takes(model: str, image: bool, document: bool) -> None:
    result = wire("bedrock").can(model).result
    assert ("image" in result, "document" in result) == (image, document)


def test_a_cache_point_stands_before_documents_that_it_may_not_follow() -> None:
    hinted = DocumentBlock(NOTES.source, title="notes", cache=CacheHint())
    sent = written(CLAUDE, Msg.user([TextBlock("Sum up."), hinted]))
    assert kinds(sent) == [["text", "cachePoint", "document"]]
    alone = written(CLAUDE, Msg.user([hinted, TextBlock("Sum up.")]))
    assert "cachePoint" not in str(alone.body)
    assert "cache.unsupported" in codes(alone)
    whole = Msg.user([TextBlock("Sum up."), NOTES])
    whole.cache = CacheHint()
    assert kinds(written(CLAUDE, whole)) == [["text", "cachePoint", "document"]]
    paper = DocumentBlock(PAPER.source, title="paper", cache=CacheHint())
    assert kinds(written(CLAUDE, Msg.user([TextBlock("Sum up."), paper]))) == [
        ["text", "document", "cachePoint"]
    ]
    assert kinds(written(NOVA, Msg.user([TextBlock("Sum up."), hinted]))) == [
        ["text", "document", "cachePoint"]
    ]
