"""Answers of Cohere's chat, whole and in events: the same answer either way."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatResponse
from dragoman.errors import ProviderError, ReadError
from dragoman.message import (
    Citation,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from tests.laws.streams.cohere import called, citation, ended, event, item

WIRE = dragoman.wire("cohere")
USAGE = {"billed_units": {"input_tokens": 4, "output_tokens": 5},
         "tokens": {"input_tokens": 9, "output_tokens": 5, "reasoning_tokens": 2},
         "cached_tokens": 3}  # fmt: skip
START = event("message-start", None, id="c1", role="assistant", content=[], tool_plan="",
              tool_calls=[], citations=[])  # fmt: skip


def streamed(*events: Any) -> ChatResponse:
    decoder = WIRE.stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def whole(message: dict[str, Any], reason: str = "COMPLETE", **more: Any) -> ChatResponse:
    body = {"id": "c1", "message": {"role": "assistant", **message}, "finish_reason": reason,
            "usage": USAGE, **more}  # fmt: skip
    return WIRE.read_response(body)


def test_a_plan_and_calls() -> None:
    one = streamed(START, event("tool-plan-delta", None, tool_plan="I "),
                   event("tool-plan-delta", None, tool_plan="look."), *called(0), *called(1),
                   ended("TOOL_CALL"))  # fmt: skip
    assert one.msg.blocks[0] == TextBlock("I look.")
    assert [call.id for call in one.calls] == ["look_0abcdefghijk", "look_1abcdefghijk"]
    assert one.calls[0].input["city"] == "Samarkand"
    assert (one.finish.reason, one.finish.raw, one.status) == (
        "tool_calls",
        "TOOL_CALL",
        "complete",
    )
    told = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    two = whole({"tool_plan": "I look.", "tool_calls": [told]}, "TOOL_CALL")
    assert two.msg.blocks == [TextBlock("I look."), ToolUseBlock("a", "look", {}, "{}")]


def test_thinking_comes_first_and_citations_count_from_their_item() -> None:
    one = streamed(START, *item(0, "thinking", ("h", "m")), *item(1, "text", ("Sama", "rkand"))[:3],
                   event("citation-start", 0, citations=citation()), event("citation-end", 0),
                   event("content-end", 1), ended("COMPLETE"))  # fmt: skip
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Samarkand"}]
    for resp in (one, whole({"content": parts, "citations": [citation()]})):
        thought, text = resp.msg.blocks
        assert isinstance(thought, ThinkingBlock)
        assert thought.thinking == "hm"
        assert isinstance(text, TextBlock)
        assert text.citations == [Citation(0, 9, title="Samarkand")]
        assert text.extras == {"cohere": {"citations": [citation()]}}


def test_a_citation_of_thinking_or_of_nothing_is_kept() -> None:
    sources = citation()["sources"]
    of_thought = {"start": 0, "end": 2, "sources": sources, "type": "THINKING_CONTENT"}
    lost = {"start": 0, "end": 2, "content_index": 9}
    parts = [{"type": "thinking", "thinking": "hm"}]
    resp = whole({"content": parts, "citations": [of_thought, lost]})
    assert resp.msg.blocks[0].extras == {"cohere": {"citations": [of_thought]}}
    assert resp.candidates[0].extras == {"cohere": {"message": {"citations": [lost]}}}


def test_figures_are_disjoint() -> None:
    read = whole({"content": []}).usage
    billed = {"cohere": {"billed_units": USAGE["billed_units"]}}
    assert read == Usage(6, 3, None, 5, 2, extras=billed)
    seen = {"tokens": {"input_tokens": 9.0, "output_tokens": 5, "image_tokens": 20}}
    read = whole({"content": []}, usage=seen).usage
    assert (read.input, read.output, read.cache_read) == (29, 5, None)
    assert read.extras == {"cohere": {"tokens": {"image_tokens": 20}}}


@pytest.mark.parametrize(
    ("raw", "reason", "status"),
    [("COMPLETE", "stop", "complete"), ("STOP_SEQUENCE", "stop", "complete"),
     ("MAX_TOKENS", "length", "truncated"), ("ERROR", "error", "error"),
     ("TIMEOUT", "error", "error"), ("NEW", "other", "complete")],
)  # fmt: skip
def test_reasons(raw: str, reason: str, status: str) -> None:
    text = [{"type": "text", "text": "Hi"}]
    for resp in (whole({"content": text}, raw),
                 streamed(START, *item(0, "text", ("Hi",)), ended(raw))):  # fmt: skip
        assert (resp.finish.reason, resp.finish.raw, resp.status) == (reason, raw, status)


def test_an_error_inside_a_stream_that_went_well() -> None:
    wrong = ended("ERROR", usage={}, error="invalid tool generation", error_type="INVALID")
    resp = streamed(START, *called(0)[:3], wrong)
    assert resp.status == "error"
    assert resp.error is not None
    assert (resp.error.message, resp.error.type) == ("invalid tool generation", "INVALID")
    assert resp.calls == []


def test_errors_are_raised() -> None:
    told = {"id": "e1", "error_type": "TOO_MANY_TOKENS", "message": "too many tokens"}
    with pytest.raises(ProviderError, match="too many tokens") as caught:
        WIRE.read_response(told, status=400)
    assert (caught.value.status, caught.value.type) == (400, "TOO_MANY_TOKENS")


@pytest.mark.parametrize(
    "body",
    [
        {"generation_id": "g1", "text": "Hi", "finish_reason": "COMPLETE"},  # of /v1/chat
        {"model": "m", "done": True, "message": {"role": "assistant", "content": "Hi"}},
        {"choices": []},
    ],
)
def test_answers_of_others_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ReadError):
        WIRE.read_response(body)
    assert not WIRE.room.answers(body)


def test_a_stream_that_breaks_off() -> None:
    resp = streamed(START, *item(0, "text", ("Hi",))[:2])
    assert (resp.text, resp.status) == ("Hi", "interrupted")


def test_what_nobody_models_is_kept() -> None:
    new = {"type": "new", "x": 1}
    resp = whole({"content": [new], "more": [1]}, extra={"a": None})
    assert resp.msg.blocks == [RawBlock("cohere", new)]
    assert resp.extras == {"cohere": {"extra": {"a": None}}}
    assert resp.candidates[0].extras == {"cohere": {"message": {"more": [1]}}}
    events = ("debug", {"type": "debug", "prompt": "x"}), ("news", {"type": "news", "x": 1})
    odd = streamed(START, *events, ended("COMPLETE"))
    assert odd.extras is not None
    assert odd.extras["cohere"]["debug"] == {"prompt": "x"}
    assert odd.extras["cohere"]["events"][0]["event"] == "news"


def test_log_probabilities_grow() -> None:
    chances = [{"text": "Hi", "token_ids": [1], "logprobs": [-0.1]},
               {"text": "!", "token_ids": [2], "logprobs": [-0.2]}]  # fmt: skip
    deltas = [event("content-delta", 0, content={"text": one["text"]}) for one in chances]
    told = [(name, {**body, "logprobs": one})
            for (name, body), one in zip(deltas, chances, strict=True)]  # fmt: skip
    one = streamed(START, item(0, "text", ())[0], *told, ended("COMPLETE"))
    two = whole({"content": [{"type": "text", "text": "Hi!"}]}, logprobs=chances)
    assert one.text == two.text == "Hi!"
    assert one.extras == two.extras == {"cohere": {"logprobs": chances}}


def test_a_call_without_an_id_gets_one() -> None:
    told = {"id": None, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    assert whole({"tool_calls": [told]}).calls[0].id.startswith("call_")
