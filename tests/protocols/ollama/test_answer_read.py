"""Answers of Ollama: whole, line by line, and errors at any place."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import ProviderError
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ChatResponse,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)

OWN = "ollama"
AT = "2026-11-21T08:00:00.123456789Z"
END = {"done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 5,
       "total_duration": 70, "load_duration": 20, "prompt_eval_duration": 30,
       "eval_duration": 20}  # fmt: skip


def line(done: dict[str, Any] | None = None, **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": "", **message}
    return {"model": "qwen3:4b", "created_at": AT, "message": said, **(done or {"done": False})}


def call(name: str, index: int | None = None, id: str | None = None, **given: Any) -> Any:
    function = {"name": name, "arguments": given} | ({} if index is None else {"index": index})
    return {"function": function} | ({} if id is None else {"id": id})


def whole(body: dict[str, Any]) -> ChatResponse:
    return dragoman.wire("ollama").read_response(body)


def streamed(*lines: Any) -> ChatResponse:
    decoder = dragoman.wire("ollama").stream_decoder()
    for one in lines:
        decoder.feed(one)
    return decoder.finish()


def test_a_whole_answer() -> None:
    said = call("look", 0, "call_abcdefgh", city="Oslo")
    resp = whole(line(END, content="I look.", thinking="hm", tool_calls=[said]))
    thought, text, read = resp.msg.blocks
    assert (thought, text) == (ThinkingBlock("hm"), TextBlock("I look."))
    assert isinstance(read, ToolUseBlock)
    assert (read.id, read.name, read.input) == ("call_abcdefgh", "look", {"city": "Oslo"})
    assert read.raw_input is None
    assert read.extras == {"ollama (answer)": {"function": {"index": 0}}}
    assert (resp.finish.reason, resp.finish.raw) == ("tool_calls", "stop")
    assert resp.usage == Usage(input=9, output=5)
    assert (resp.model, resp.status) == ("qwen3:4b", "complete")
    assert resp.candidates[0].extras is None
    times = {key: value for key, value in END.items() if key.endswith("duration")}
    assert resp.extras == {OWN: {"created_at": AT, **times}}


def test_what_is_empty_stood_there() -> None:
    resp = whole(line(END, thinking="", tool_calls=[], images=None))
    assert resp.msg.blocks == []
    empty: dict[str, Any] = {"content": "", "thinking": "", "tool_calls": [], "images": None}
    assert resp.candidates[0].extras == {OWN: {"message": empty}}


def test_media_line_by_line() -> None:
    each = ("iVBORw0KGgo=", "/9j/4AAQ", "R0lGODlh")
    resp = streamed(*(line(images=[one]) for one in each), line(END))
    assert [block.source.data for block in resp.msg.blocks] == [*each]  # type: ignore[union-attr]


@pytest.mark.parametrize(("end", "usage"), [
    ({"eval_count": 5}, Usage(output=5)), ({"prompt_eval_count": 9}, Usage(input=9)), ({}, Usage()),
    ({"eval_count": "5"}, Usage()),
])  # fmt: skip
def test_one_count_or_none(end: dict[str, Any], usage: Usage) -> None:
    assert streamed(line({"done": True, **end}, content="x")).usage == usage


def test_line_by_line() -> None:
    resp = streamed(
        line(thinking="Let"), line(thinking=" me"), line(content="It"), line(content=" is"),
        line({**END, "remote_model": "m", "remote_host": "h"}),
    )  # fmt: skip
    assert resp.msg.blocks == [ThinkingBlock("Let me"), TextBlock("It is")]
    assert (resp.usage, resp.status) == (Usage(input=9, output=5), "complete")
    assert (resp.extras or {})[OWN]["remote_host"] == "h"


def test_every_call_is_whole_in_whatever_line_it_comes() -> None:
    resp = streamed(
        line(tool_calls=[call("look", 0, city="Oslo")]),
        line(tool_calls=[call("look", 0, city="Oslo"), call("look", 0, city="Rome")]),
        line(END, tool_calls=[call("now")]),
    )
    assert [(c.name, c.input) for c in resp.calls] == [
        ("look", {"city": "Oslo"}), ("look", {"city": "Oslo"}), ("look", {"city": "Rome"}),
        ("now", {}),
    ]  # fmt: skip
    assert len({c.id for c in resp.calls}) == 4
    assert all(c.id for c in resp.calls)


def test_arguments_that_are_text() -> None:
    said = {"function": {"name": "look", "arguments": '{"city": "Oslo"}'}}
    read = whole(line(END, tool_calls=[said])).calls[0]
    assert (read.input, read.raw_input) == ({"city": "Oslo"}, '{"city": "Oslo"}')


def test_media_lie_beside_the_text() -> None:
    resp = whole(line(END, images=["iVBORw0KGgo=", "/9j/4AAQ", "SUQzBAA="]))
    assert resp.msg.blocks == [
        ImageBlock(Base64Source("image/png", "iVBORw0KGgo=")),
        ImageBlock(Base64Source("image/jpeg", "/9j/4AAQ")),
        AudioBlock(Base64Source("audio/mpeg", "SUQzBAA=")),
    ]


@pytest.mark.parametrize(
    ("end", "reason", "raw", "status"),
    [
        ({"done": True, "done_reason": "stop"}, "stop", "stop", "complete"),
        ({"done": True, "done_reason": "length"}, "length", "length", "truncated"),
        ({"done": True, "done_reason": "load"}, "stop", "load", "complete"),
        ({"done": True, "done_reason": "unload"}, "stop", "unload", "complete"),
        ({"done": True, "done_reason": ""}, "other", None, "interrupted"),
        ({"done": True}, "stop", None, "complete"),
        ({"done": True, "done_reason": 5}, "stop", None, "complete"),
        ({"done": False}, "other", None, "interrupted"),
    ],
)
def test_how_it_ended(end: dict[str, Any], reason: str, raw: str | None, status: str) -> None:
    resp = streamed(line(content="Hi"), line(end))
    assert (resp.finish.reason, resp.finish.raw, resp.status) == (reason, raw, status)


def test_log_probabilities_grow() -> None:
    one, two = ({"token": t, "logprob": -0.5, "bytes": [97]} for t in "ab")
    resp = streamed(
        {**line(content="a"), "logprobs": [one]}, {**line(content="b"), "logprobs": [two]},
        line(END),
    )  # fmt: skip
    assert (resp.extras or {})[OWN]["logprobs"] == [one, two]


def test_fields_that_nobody_models() -> None:
    told = {**line(END, content="Hi", mood="calm"), "context": [1, 2], "queue": None}
    told["message"]["tool_calls"] = [{**call("look"), "seal": "x"}]
    told["message"]["tool_calls"][0]["type"] = "function"
    resp = whole(told)
    assert (resp.calls[0].spelling or "").split() == ["made"]
    assert (resp.extras or {})[OWN]["context"] == [1, 2]
    assert (resp.extras or {})[OWN]["queue"] is None
    assert resp.candidates[0].extras == {OWN: {"message": {"mood": "calm"}}}
    assert resp.calls[0].extras == {OWN: {"seal": "x"}, "ollama (answer)": {"type": "function"}}
    resp = streamed(line(mood="calm", weather=None), line(END))
    assert resp.candidates[0].extras == {OWN: {"message": {"mood": "calm"}}}


def test_errors() -> None:
    with pytest.raises(ProviderError) as caught:
        dragoman.wire("ollama").read_response({"error": "model 'm' not found"}, status=404)
    assert (caught.value.status, caught.value.message) == (404, "model 'm' not found")


def test_an_error_beside_words() -> None:
    told = {**line(content="Hi"), "error": "out of memory"}
    for resp in (whole({**told, "done": True}), streamed(line(content="Hi"), told)):
        assert resp.error is not None
        assert (resp.status, resp.error.message) == ("error", "out of memory")
        assert resp.text.startswith("Hi")


def test_bytes_of_a_stream_and_an_error_in_it() -> None:
    lines = [line(content="Zür"), line(content="ich"), {"error": "out of memory"}]
    body = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines).encode()
    wire = dragoman.wire("ollama")
    for size in (1, 7, len(body)):
        stream = wire.read_stream(body[n : n + size] for n in range(0, len(body), size))
        deltas = [event.text for event in stream if event.type == "text-delta"]
        assert "".join(deltas) == "Zürich"
        resp = stream.response
        assert (resp.status, resp.text) == ("error", "Zürich")
        assert resp.error is not None
        assert resp.error.message == "out of memory"


@pytest.mark.parametrize(
    "body",
    [
        {"message": "Hi", "done": True},
        {"message": {"content": ["Hi"]}, "done": True},
        {"message": {"tool_calls": [{"name": "look"}]}, "done": True},
        {"embedding": [0.5]},
    ],
)
def test_a_shape_that_nobody_knows_is_kept(body: dict[str, Any]) -> None:
    resp = streamed(body)
    kept = (resp.extras or {})[OWN]["events"][0]
    place: Any = body
    for key in kept.get("at", "$").replace("[0]", ".0").split(".")[1:]:
        place = place[int(key) if key == "0" else key]
    assert kept["payload"] == place


def test_objects_of_the_sdk() -> None:
    sdk = pytest.importorskip("ollama")
    raw = sdk.ChatResponse(**line(END, content="Hi", tool_calls=[call("look", city="Oslo")]))
    resp = dragoman.wire("ollama").read_response(raw)
    assert (resp.text, resp.calls[0].input, resp.usage.output) == ("Hi", {"city": "Oslo"}, 5)


def test_an_answer_goes_back_as_history() -> None:
    target = dragoman.wire("ollama", policy="ignore")
    said = call("look", 0, "call_abcdefgh", city="Oslo")
    resp = target.read_response(line(END, thinking="hm", tool_calls=[said]))
    body = target.write_request(ChatRequest([Msg.user("Weather?"), resp.msg]), "qwen3").body
    function = {"name": "look", "arguments": {"city": "Oslo"}}
    assert body["messages"][1] == {
        "role": "assistant", "content": "", "thinking": "hm",
        "tool_calls": [{"id": "call_abcdefgh", "function": function}],
    }  # fmt: skip


@pytest.mark.parametrize("fields", [{}, {"content": ""}, {"thinking": "Hm."}])
def test_a_line_of_few_fields_keeps_its_call(fields: dict[str, Any]) -> None:
    """A server may leave empty fields out: a line is no text for want of a third field."""
    message = {"role": "assistant", **fields, "tool_calls": [call("warmth", city="Paris")]}
    first = {"model": "qwen3:4b", "created_at": AT, "message": message, "done": False}
    (found,) = streamed(first, line(END)).calls
    assert (found.name, found.input) == ("warmth", {"city": "Paris"})


def test_a_line_of_another_role_is_noticed() -> None:
    first = {"model": "m", "message": {"role": "tool", "content": "x"}, "done": False}
    resp = streamed(first, line(END))
    assert resp.candidates[0].extras == {OWN: {"message": {"role": "tool"}}}
