"""Which endpoint serves which model, and what the endpoint takes."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import ImageBlock, URLSource
from dragoman.protocols.dashscope import MULTIMODAL, TEXT
from tests.each_case import each_case

WIRE = dragoman.wire("dashscope", policy="ignore")
CAT = "https://example.com/pictures/cat.png"

ON_TEXT = [
    "qwen-max", "qwen-plus", "qwen-turbo", "qwen-flash", "qwen-long", "qwen3-max", "qwq-plus",
    "qwen3-coder-plus", "qwen3-32b", "qwen2.5-72b-instruct", "deepseek-v3", "deepseek-v4-pro",
    "glm-4.7", "qwen3.6-max-preview", "qwen3.7-max", "qwen3.7-max-2026-06-08",
    "qwen3-235b-a22b-thinking-2507",
]  # fmt: skip
ON_MULTIMODAL = [
    "qwen-vl-plus", "qwen3-vl-plus", "qwen2.5-vl-72b-instruct", "qvq-max", "qwen-vl-ocr",
    "qwen-audio-turbo", "qwen3-asr-flash", "qwen3-omni-30b-a3b-captioner", "qwen-image-plus",
    "qwen3.5-plus", "qwen3.5-flash-2026-02-23", "qwen3.6-plus", "qwen3.6-flash", "qwen3.7-plus",
    "qwen3.7-flash", "qwen3.8-max", "kimi-k2.5", "kimi-k2.6",
]  # fmt: skip


def looked(model: str | None = None) -> Any:
    image = ImageBlock(URLSource(CAT))
    msgs = [Msg.user([image]), Msg.user("What is it?")]
    return WIRE.write_request(ChatRequest(msgs, stream=True), model)


@each_case("model", ON_TEXT)
def test_text_models_take_strings_on_text_generation(model: str) -> None:
    out = looked(model)
    assert out.path == TEXT
    assert out.body["input"]["messages"] == [{"role": "user", "content": "What is it?"}]
    assert [loss.code for loss in out.losses] == ["block.unsupported"]
    assert out.losses[0].where == "$.messages[0].content[0]"


@each_case("model", ON_MULTIMODAL)
def test_models_that_see_or_hear_take_lists_on_multimodal_generation(model: str) -> None:
    out = WIRE.write_request(ChatRequest([Msg.user("Hello")], stream=True), model)
    assert out.path == MULTIMODAL
    assert out.body["input"]["messages"] == [{"role": "user", "content": [{"text": "Hello"}]}]


def test_the_name_may_have_a_namespace_and_capitals() -> None:
    assert WIRE.can("Qwen/Qwen3-VL-Plus").endpoint == MULTIMODAL


def test_where_no_model_is_named_one_that_sees_is() -> None:
    out = looked()
    assert out.path == MULTIMODAL
    assert out.body["input"]["messages"][0]["content"] == [{"image": CAT}]
    assert out.body["model"] == out.model == WIRE.room.model
    assert [loss.code for loss in out.losses] == ["model.default"]


def test_an_unknown_model_is_asked_where_its_messages_can_be_shown() -> None:
    assert looked("newcomer-1").path == MULTIMODAL
    text = WIRE.write_request(ChatRequest([Msg.user("Hello")]), "newcomer-1")
    assert (text.path, text.body["input"]["messages"][0]["content"]) == (TEXT, "Hello")


def test_what_hears_does_not_see() -> None:
    assert {"image", "audio", "video"} & WIRE.can("qwen-audio-turbo").user == {"audio"}
    assert {"image", "audio", "video"} & WIRE.can("qwen3-vl-plus").user == {"image", "video"}


def test_the_endpoint_can_be_overridden() -> None:
    formatter = dragoman.Formatter("dashscope", model="qwen-max", can={"endpoint": MULTIMODAL})
    assert formatter.format_sync([Msg.user("Hello")])[0]["content"] == [{"text": "Hello"}]
    out = formatter.format_request(ChatRequest([Msg.user("Hello")]))
    assert (out.path, out.body["input"]["messages"][0]["content"]) == (
        MULTIMODAL,
        [{"text": "Hello"}],
    )


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("qwen-vl-max", "/multimodal/chat/completions"),
        ("qvq-72b", "/multimodal/chat/completions"),
        ("qwen-max", "/chat/completions"),
        ("qwen3-vl-plus", "/chat/completions"),  # the rule of 2025 looks at the beginning alone
    ],
)
def test_s60_s61_the_rule_of_the_documents_is_a_profile(model: str, path: str) -> None:
    wire = dragoman.wire("dashscope", facts="documents-2025", policy="ignore")
    assert wire.write_request(ChatRequest([Msg.user("Hello")], stream=True), model).path == path


def test_every_fact_has_a_date_and_a_source() -> None:
    from dragoman.vendors.dashscope import VENDOR

    for fact in VENDOR.facts["dashscope"].rows:
        assert len(fact.since) == len("2026-11-21"), fact.models
        assert fact.source, fact.models
