"""Answers for Cohere's clients: its own as it came, another wire's complete; its SDK reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse
from dragoman.errors import StreamError
from dragoman.message import (
    Base64Source,
    Candidate,
    Citation,
    Finish,
    ImageBlock,
    Msg,
    Origin,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    dump,
    load,
)
from tests.laws.streams.cohere import citation

from .sdk import heard

WIRE = dragoman.wire("cohere", policy="ignore")
TEXT = {"type": "text", "text": "Samarkand"}
CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"a":1}'}}
USAGE = {"billed_units": {"input_tokens": 4, "search_units": 1.0}, "cached_tokens": 0,
         "tokens": {"input_tokens": 9, "output_tokens": 5, "image_tokens": 7}}  # fmt: skip


def wrote(*blocks: Any, **given: Any) -> tuple[dict[str, Any], list[str]]:
    """(body, codes of losses) of somebody else's answer."""
    finish = given.pop("finish", Finish("stop", "end_turn"))
    msg = Msg("", list(blocks), "assistant", origin=Origin("anthropic", "claude"))
    given = {"id": "x1", "usage": Usage(4, output=2), **given}
    out = WIRE.write_response(ChatResponse([Candidate(msg, finish)], **given))
    read = heard(out.body)
    assert read.finish_reason == out.body["finish_reason"]
    assert read.message.role == "assistant"
    return out.body, [loss.code for loss in out.losses]


@pytest.mark.parametrize(
    "body",
    [
        {"message": {"role": "assistant", "content": [TEXT]}, "usage": USAGE},
        {"message": {"role": "assistant", "tool_plan": "So.", "tool_calls": [CALL]}},
        {"message": {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [],
                     "citations": []}, "usage": {}},
        {"message": {"role": "assistant", "content": "Hi", "tool_calls": [{**CALL, "id": None}]}},
        {"message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, TEXT],
                     "citations": [citation(), {"odd": 1}]}, "logprobs": [{"token_ids": [1]}]},
        {"message": {"role": "assistant", "content": [{"type": "new"}, None], "more": 1},
         "extra": [None]},
        {"message": {"content": None, "tool_calls": [{"function": 7}, {"id": "b", "index": 0,
                     "function": {"name": "look", "arguments": {"a": 1}, "x": 2}}]}},
        {"message": {"role": "model", "content": {"odd": 1}, "tool_plan": 7}, "id": None},
        {"message": {"role": "assistant", "content": [TEXT]}, "finish_reason": None, "usage": None},
    ],
)  # fmt: skip
def test_its_own_answer_comes_back(body: dict[str, Any]) -> None:
    told = {"id": "c1", "finish_reason": "COMPLETE", **body}
    resp = WIRE.read_response(told)
    stored = load(json.loads(json.dumps(dump(resp))))
    assert isinstance(stored, ChatResponse)
    for one in (resp, stored):
        out = WIRE.write_response(one)
        assert json.dumps(out.body, sort_keys=True) == json.dumps(told, sort_keys=True)
        assert out.losses == []


def test_an_answer_without_a_reason_comes_back() -> None:
    told = {"message": {"role": "assistant", "content": [TEXT]}}
    assert WIRE.write_response(WIRE.read_response(told)).body == told


def test_anothers_answer_is_complete() -> None:
    call = ToolUseBlock("t1", "look", {"at": "x"})
    body, losses = wrote(ThinkingBlock("hm"), TextBlock("Yes."), call,
                         finish=Finish("tool_calls", "tool_use"),
                         usage=Usage(4, 3, None, 2, 1))  # fmt: skip
    assert body == {
        "id": "x1", "finish_reason": "TOOL_CALL",
        "message": {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Yes."}],
            "tool_calls": [{"id": "t1", "type": "function",
                            "function": {"name": "look", "arguments": '{"at": "x"}'}}],
        },
        "usage": {"tokens": {"input_tokens": 7, "output_tokens": 2, "reasoning_tokens": 1},
                  "cached_tokens": 3},
    }  # fmt: skip
    assert losses == []


def test_what_is_missing_is_made_and_named() -> None:
    body, losses = wrote(TextBlock("Yes."), id=None, usage=Usage())
    again, _ = wrote(TextBlock("Yes."), id=None, usage=Usage())
    assert body == again
    assert body["usage"] == {"tokens": {"input_tokens": 0, "output_tokens": 0}}
    assert losses == ["answer.field"] * 3


@pytest.mark.parametrize(
    "block",
    [
        ThinkingBlock("hm", signature="s"),
        ThinkingBlock("", redacted="r"),
        ImageBlock(Base64Source("image/png", "iVBORw0KGgo=")),
        RawBlock("anthropic", {"type": "x"}),
        TextBlock("Yes.", [Citation(url="https://e.com")]),
        RefusalBlock("No."),
    ],
)
def test_what_cannot_be_said_is_named(block: Any) -> None:
    body, losses = wrote(TextBlock("Yes."), block)
    assert losses == ["answer.unsupported"]
    assert not any(word in str(body) for word in ("'s'", "'r'", "iVBOR"))


def test_sources_of_others_have_a_form() -> None:
    cited = TextBlock("Yes. No.", [Citation(0, 4, "https://e.com", "E", "It says yes.")])
    body, losses = wrote(ThinkingBlock("hm"), cited)
    data = {"title": "E", "url": "https://e.com", "snippet": "It says yes."}
    assert body["message"]["citations"] == [
        {"start": 0, "end": 4, "text": "Yes.", "type": "TEXT_CONTENT", "content_index": 1,
         "sources": [{"type": "document", "id": "https://e.com", "document": data}]}
    ]  # fmt: skip
    assert losses == []
    again = WIRE.read_response(body).msg.blocks[1]
    assert isinstance(again, TextBlock)
    assert again.citations == [Citation(0, 4, "https://e.com", "E")]


@pytest.mark.parametrize(
    ("reason", "word", "lost"),
    [("stop", "COMPLETE", 0), ("length", "MAX_TOKENS", 0), ("error", "ERROR", 0),
     ("context_overflow", "MAX_TOKENS", 1), ("content_filter", "MAX_TOKENS", 1)],
)  # fmt: skip
def test_reasons(reason: Any, word: str, lost: int) -> None:
    body, losses = wrote(TextBlock("Yes."), finish=Finish(reason))
    assert body["finish_reason"] == word
    assert losses == ["answer.finish"] * lost


def test_one_candidate_and_no_model() -> None:
    one = Candidate(Msg.assistant("a"))
    out = WIRE.write_response(ChatResponse([one, one], Usage(1, output=1), model="m", id="x"))
    assert [loss.code for loss in out.losses] == ["answer.candidates", "answer.unsupported"]


def test_an_error_alone_is_an_error() -> None:
    resp = ChatResponse([], status="error", error=StreamError("no", type="overloaded"))
    assert WIRE.write_response(resp).body == {"message": "no"}
