"""Whole answers as Mistral's clients get them: its own again, and those of other wires."""

from __future__ import annotations

import json
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
    VideoBlock,
    dump,
    load,
)
from dragoman.message.blocks import ContentBlock
from tests.each_case import each_case

WIRE = dragoman.wire("mistral", policy="ignore")
FIGURES = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def own(content: Any = "", reason: Any = "stop", calls: Any = None, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion", "created": 7, "model": "m",
            "choices": [choice], "usage": dict(FIGURES), **more}  # fmt: skip


def called(arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "a1B2c3D4e", "function": {"name": "look", "arguments": arguments}, **more}


def wrote(resp: ChatResponse, request: ChatRequest | None = None) -> tuple[Any, list[str]]:
    report = Report((), resp)
    body = WIRE.room.write_response(resp, report, request)
    return body, [f"{loss.kind} {loss.code} {loss.field}".strip() for loss in report.losses]


def foreign(*blocks: ContentBlock, **more: Any) -> ChatResponse:
    """An answer of another wire with these blocks."""
    msg = Msg.create_unchecked("", [*blocks], "assistant")
    msg.origin = Origin("anthropic", "m")
    finish = more.pop("finish", Finish("stop", "end_turn"))
    given: dict[str, Any] = {"id": "c1", "model": "m", "usage": Usage(5, output=7), **more}
    return ChatResponse([Candidate(msg, finish)], **given)


def parsed(body: dict[str, Any]) -> Any:
    """What Mistral's own SDK reads of the body."""
    models = pytest.importorskip("mistralai.client.models", reason="the extra `mistral` is missing")
    return models.ChatCompletionResponse.model_validate(body)


def message(*blocks: ContentBlock) -> tuple[Any, list[str]]:
    """(the message that the blocks become, losses but for the time, which nobody told)."""
    body, losses = wrote(foreign(*blocks))
    assert "UNKNOWN" not in parsed(body).model_dump_json(by_alias=True)
    losses.remove("added answer.field created")
    return body["choices"][0]["message"], losses


@each_case(
    "body",
    [
        own("Hello"),
        own("", "length"),
        own(None, "tool_calls", [called('{"x":  1}', index=0, type="function")]),
        own([], "tool_calls", [called({"x": 1.0}), called("{}", index=5, type="odd", more=1)]),
        own([{"type": "thinking", "thinking": [text("Hm")], "closed": True}, text("So")]),
        own([text("only one")]),
        own([text("a"), {"type": "reference", "reference_ids": [1]}, text("b")]),
        own([text("a"), {"type": "tool_reference", "tool": "web", "title": "T", "url": "u"}]),
        own([{"type": "image_url", "image_url": {"url": "https://a.example/"}}]),
        own("x", "a word of tomorrow", []),
        own("x", None),
        own("x", usage={**FIGURES, "prompt_tokens_details": {"cached_tokens": 2}}),
        own("x", usage={**FIGURES, "num_cached_tokens": 2, "service_tier": "standard"}),
        own("x", usage={**FIGURES, "prompt_tokens_details": None, "prompt_audio_seconds": None}),
        own("x", usage={"prompt_tokens": 11, "completion_tokens": 15, "total_tokens": 401,
                        "prompt_tokens_details": {"audio_tokens": 375}}),
        own("x", usage={}),
        own("x", usage=None, p="abc"),
        {**own("x"), "choices": []},
        {**own("x"), "choices": [
            {"index": 1, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop",
             "logprobs": None, "messages": [{"x": 1}]},
            {"index": 0, "message": {"role": "assistant", "content": "b", "prefix": False},
             "finish_reason": "length"}]},
    ],
)  # fmt: skip
def test_an_answer_of_its_own_is_the_same_again(body: dict[str, Any]) -> None:
    resp = WIRE.read_response(body)
    stored = load(json.loads(json.dumps(dump(resp))))
    assert isinstance(stored, ChatResponse)
    for one in (resp, stored):
        made, losses = wrote(one)
        made["choices"].sort(key=lambda choice: choice["index"])
        body["choices"].sort(key=lambda choice: choice["index"])
        assert json.dumps(made, sort_keys=True) == json.dumps(body, sort_keys=True)
        assert losses == []


def test_an_answer_of_another_wire_is_complete() -> None:
    resp = foreign(TextBlock("Hello"), ToolUseBlock("call_1", "look", {"x": 1}),
                   finish=Finish("tool_calls", "tool_use"), usage=Usage(5, 2, 3, 7, reasoning=4),
                   extras={"openai-chat": {"created": 9, "store": True}})  # fmt: skip
    body, losses = wrote(resp)
    assert parsed(body).choices[0].finish_reason == "tool_calls"
    call = {"id": "call_1", "type": "function", "index": 0,
            "function": {"name": "look", "arguments": '{"x": 1}'}}  # fmt: skip
    assert body == {
        "id": "c1", "object": "chat.completion", "created": 9, "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "Hello", "tool_calls": [call]}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 7, "total_tokens": 17,
                  "prompt_tokens_details": {"cached_tokens": 2}},
    }  # fmt: skip
    assert losses == [
        "dropped extras.other_provider extras.openai-chat.store",
        "dropped answer.usage cache_write",
        "dropped answer.usage reasoning",
    ]


def test_what_nobody_told_is_added() -> None:
    resp = foreign(TextBlock("Hi"), id=None, model=None, usage=Usage())
    body, losses = wrote(resp, ChatRequest([], model="asked"))
    parsed(body)
    assert (body["model"], body["created"], len(body["id"])) == ("asked", 0, 32)
    assert body["id"] == wrote(resp)[0]["id"]
    assert body["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    assert losses == [f"added answer.field {name}"
                      for name in ("id", "model", "created", "input", "output")]  # fmt: skip
    assert wrote(resp)[0]["model"] == "unknown"


@pytest.mark.parametrize(
    ("finish", "word", "lost"),
    [
        (Finish("stop", "end_turn"), "stop", False),
        (Finish("context_overflow"), "model_length", False),
        (Finish("length", "model_length"), "length", False),
        (Finish("error"), "error", False),
        (Finish("refusal", "refusal"), "length", True),
        (Finish("content_filter"), "length", True),
        (Finish("other", "odd"), "stop", True),
    ],
)
def test_every_reason_has_a_word(finish: Finish, word: str, lost: bool) -> None:
    body, losses = wrote(foreign(TextBlock("x"), finish=finish))
    assert body["choices"][0]["finish_reason"] == word
    assert ("degraded answer.finish finish" in losses) is lost


def test_all_texts_are_one_text() -> None:
    call = ToolUseBlock("1", "f", {})
    made, _ = message(TextBlock("a"), TextBlock("b"), call, TextBlock("c"))
    assert made["content"] == "abc"


def test_thinking_makes_the_content_a_list() -> None:
    thought = ThinkingBlock("Hm.", "c2ln", origin=Origin("anthropic"))
    made, losses = message(thought, ThinkingBlock("", redacted="x"), TextBlock("So."))
    chunk = {"type": "thinking", "thinking": [text("Hm.")], "closed": True}
    assert made["content"] == [chunk, text("So.")]
    assert losses == ["dropped answer.unsupported signature", "dropped answer.unsupported redacted"]


def test_media_and_what_has_no_chunk() -> None:
    made, losses = message(
        ImageBlock(Base64Source("image/png", "AAAA"), "T", "low", spelling="null data:x;base64,"),
        DocumentBlock(URLSource("https://a.example/"), "D", "high"),
        AudioBlock(Base64Source("audio/wav", "AAAA")),
        VideoBlock(URLSource("https://a.example/")),
        DocumentBlock(FileSource("f", "anthropic")),
        RawBlock("anthropic", {}),
    )
    image = {"url": "data:image/png;base64,AAAA", "detail": "low"}
    assert made["content"] == [
        {"type": "image_url", "image_url": image},
        {"type": "document_url", "document_url": "https://a.example/", "document_name": "D"},
        {"type": "input_audio", "input_audio": "AAAA"},
    ]
    assert losses == [
        "dropped answer.unsupported title", "dropped answer.unsupported detail",
         "dropped answer.unsupported",
        "dropped answer.unsupported", "dropped answer.unsupported",
    ]  # fmt: skip


def test_refusals_are_text_and_citations_are_losses() -> None:
    cited = TextBlock("Sky", [Citation(url="https://a.example/")])
    made, losses = message(cited, RefusalBlock("No."))
    assert made["content"] == "SkyNo."
    assert losses == ["dropped answer.unsupported", "degraded answer.unsupported"]


def test_a_call_that_broke_off_is_written_as_it_is() -> None:
    made, _ = message(ToolUseBlock("1", "f", '{"x": ', '{"x": ', unfinished=True))
    assert made["tool_calls"][0]["function"]["arguments"] == '{"x": '


def test_every_candidate_is_a_choice() -> None:
    resp = foreign(TextBlock("a"))
    resp.candidates += foreign(TextBlock("b")).candidates
    choices = wrote(resp)[0]["choices"]
    assert [(one["index"], one["message"]["content"]) for one in choices] == [(0, "a"), (1, "b")]


def test_an_error_without_words_is_an_error() -> None:
    error = dragoman.errors.ProviderError("slow down", status=429, type="rate", code="1300")
    resp = ChatResponse([], status="error", error=error)
    assert wrote(resp)[0] == {
        "object": "error", "message": "slow down", "type": "rate_limited", "param": None,
        "code": "1300",
    }  # fmt: skip
    assert "dropped answer.unsupported error" in wrote(foreign(TextBlock("x"), error=error))[1]
