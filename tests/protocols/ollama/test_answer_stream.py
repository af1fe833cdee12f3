"""Pieces as the lines of a stream of /api/chat; the official client reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import ProviderError
from dragoman.losses import Report
from dragoman.message import (
    ChatResponse,
    Citation,
    Finish,
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
    dump,
)
from dragoman.stream.builder import build
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw

WIRE = dragoman.wire("ollama")
AT, THEN = "2026-11-21T08:00:00.1Z", "2026-11-21T08:00:01.2Z"
END = {"done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 5,
       "total_duration": 70}  # fmt: skip


def line(at: str = AT, ended: dict[str, Any] | None = None, **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": "", **message}
    return {"model": "qwen3:4b", "created_at": at, "message": said, **(ended or {"done": False})}


def encoded(*pieces: Piece, request: ChatRequest | None = None) -> tuple[list[Any], list[str]]:
    report = Report()
    encoder = WIRE.room.encoder(report, request)
    made = [one for piece in pieces for one in encoder.feed(piece)] + encoder.finish()
    assert {name for name, _ in made} <= {None}
    return [payload for _, payload in made], [loss.code for loss in report.losses]


def decoded(lines: list[Any]) -> ChatResponse:
    decoder = WIRE.stream_decoder()
    for one in lines:
        decoder.feed(one)
    return decoder.finish()


def again(*lines: Any) -> list[Any]:
    """The lines of a stream that was read; both say the same, and nothing is lost."""
    decoder, report = WIRE.stream_decoder(), Report()
    encoder = WIRE.room.encoder(report)
    made = []
    for one in lines:
        for piece in decoder.feed(one):
            made += encoder.feed(piece)
    for piece in decoder.rest():
        made += encoder.feed(piece)
    made += encoder.finish()
    out = [payload for _, payload in made]
    assert dump(decoded(out)) == dump(decoder.builder.finish())
    assert report.losses == []
    return out


def call(name: str, **beside: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": {"a": 1}}, **beside}


def test_a_stream_of_its_own() -> None:
    lines = [line(thinking="h"), line(thinking="m"), line(content="It"), line(content=" is"),
             line(THEN, END)]  # fmt: skip
    out = again(*lines)
    assert [one["message"] for one in out] == [one["message"] for one in lines]
    assert out[-1] == lines[-1]


@pytest.mark.parametrize("calls", [
    [call("a", id="x"), call("b", id="y")], [call("a"), call("b")], [call("a", id="x", other=1)],
])  # fmt: skip
@pytest.mark.parametrize("last", [False, True])
def test_calls_of_its_own(calls: list[Any], last: bool) -> None:
    lines = [line(content="x")] + ([] if last else [line(tool_calls=calls)])
    out = again(*lines, line(THEN, END, **({"tool_calls": calls} if last else {})))
    assert [one["message"].get("tool_calls") for one in out] == [
        None, *([one] for one in calls), None]  # fmt: skip


def test_thoughts_and_media_of_its_own() -> None:
    said: list[dict[str, Any]] = [
        {"content": "x", "mood": "calm"}, {"thinking": "a"}, {"content": "z"}, {"thinking": "b"},
        {"images": ["iVBORw0KGgo="]}]  # fmt: skip
    out = again(*(line(**one) for one in said), line(THEN, END))
    found = [{k: v for k, v in one["message"].items() if k != "role" and v} for one in out]
    made = [{"content": "x"}, {"mood": "calm"}, *said[1:], {}]
    assert found == made


def test_a_line_may_name_another_model() -> None:
    out = again(*({**line(content=text), "model": model} for text, model in (
        ("x", "qwen3:4b"), ("y", "qwen3:8b"), ("z", "qwen3:8b"))))  # fmt: skip
    assert [one["model"] for one in out] == ["qwen3:4b", "qwen3:4b", "qwen3:8b"]


def test_what_it_costs_is_told_once_where_an_error_ends_it() -> None:
    out = again({**line(content="x"), "remote_model": "m"}, {"error": "boom", "code": 3})
    assert [one.get("error") for one in out] == [None, "boom", None]
    assert [one.get("remote_model") for one in out][-1] == "m"


@pytest.mark.parametrize("texts", [
    ["<think>", "\nhm", "</thi", "nk>\n\nHi", " you"], ["<think>\n", "\n</think>\n\nHi"],
    ["<think>it broke"], ["<think></think>"],
])  # fmt: skip
def test_thinking_in_tags_of_its_own(texts: list[str]) -> None:
    out = again(*(line(content=text) for text in texts), line(THEN, END))
    assert "".join(one["message"]["content"] for one in out) == "".join(texts)


def test_a_closed_connection_of_its_own() -> None:
    lines = [line(content="Hal"), line(ended={**END, "done_reason": ""})]
    assert again(*lines) == lines


def test_what_else_a_stream_of_its_own_has() -> None:
    chances = [{"token": "x", "logprob": -1.0}]
    again({**line(content="x"), "logprobs": chances, "remote_model": "m"},
          {**line(content="y"), "logprobs": chances}, line(THEN, END, odd="z"))  # fmt: skip
    again(line(content="x"))  # it broke off
    again({**line(content="x"), "remote_model": "m"})
    again(line(content="x"), {"error": "out of memory"})


def test_an_answer_of_another() -> None:
    out, lost = encoded(
        Meta(id="msg_1", model="claude"), Usage(input=4, cache_read=3),
        Part((0, 0), ThinkingBlock("h")), Part((0, 0), ThinkingBlock("m")),
        Part((0, 0), ThinkingBlock("", signature="s")),
        Part((0, 1), TextBlock("I ")), Part((0, 2), TextBlock("look.")),
        Part((0, 3), ToolUseBlock("c1", "look", raw_input='{"a"')),
        Part((0, 3), ToolUseBlock("", "", raw_input=": 1}")),
        Part((0, 4), TextBlock("So.")), Meta({"odd": 1}), Meta({"odd": 2}),
        End(Finish("tool_calls", "tool_use")), Usage(output=6),
    )  # fmt: skip
    made = [one["message"] for one in out]
    assert [one.get("thinking") for one in made][:2] == ["h", "m"]
    assert "".join(one["content"] for one in made) == "I look.So."
    function = {"name": "look", "arguments": {"a": 1}, "index": 0}
    assert made[-2]["tool_calls"] == [{"function": function, "id": "c1"}]
    assert [one["done"] for one in out] == [False] * (len(out) - 1) + [True]
    assert {one["model"] for one in out} == {"claude"}
    assert (out[-1]["done_reason"], out[-1]["prompt_eval_count"], out[-1]["eval_count"]) == (
        "stop", 7, 6)  # fmt: skip
    codes = [
        "answer.unsupported",
        "answer.unsupported",
        "extras.other_provider",
        "answer.field",
        "answer.usage",
    ]
    assert lost == codes


def test_what_has_no_place_is_named() -> None:
    out, lost = encoded(
        Part((0, 0), TextBlock("x", [Citation(0, 1)])), Part((1, 0), TextBlock("other")),
        Part((1, 0), TextBlock("one")), Part((0, 1), ImageBlock(URLSource("https://h/x"))),
        Raw("odd", {}), Part((0, 0), TextBlock("another"), whole=True), End(Finish("stop")),
        request=ChatRequest([Msg.user("x")], model="asked"),
    )  # fmt: skip
    assert [one["message"]["content"] for one in out] == ["x", ""]
    assert out[0]["model"] == "asked"
    codes = ["answer.unsupported", "answer.candidates", "answer.unsupported", "answer.unsupported",
             "answer.unsupported", "answer.field"]  # fmt: skip
    assert sorted(lost) == sorted(codes)


def test_a_call_that_breaks_off_is_read_as_one_to_run() -> None:
    begun, rest = ToolUseBlock("c1", "look", raw_input=""), ToolUseBlock("", "", raw_input='{"a')
    model = Meta(model="m")
    out, lost = encoded(model, Part((0, 0), begun), Part((0, 0), rest), End(Finish("stop")))
    assert out[0]["message"]["tool_calls"][0]["function"]["name"] == "look"
    assert decoded(out).finish.reason == "tool_calls"
    assert lost == ["answer.unsupported", "answer.field", "answer.finish"]


def test_a_whole_text_goes_on_from_what_was_said() -> None:
    whole = Part((0, 0), TextBlock("Samara"), whole=True)
    out, _ = encoded(Part((0, 0), TextBlock("Sa")), Part((0, 0), TextBlock("ma")), whole)
    assert [one["message"]["content"] for one in out] == ["Sa", "ma", "ra"]
    out, _ = encoded(Part((0, 0), TextBlock("Sa")), Part((0, 1), RefusalBlock("No.")), whole)
    assert [one["message"]["content"] for one in out] == ["Sa", "No.", "mara"]


def test_a_whole_call_takes_the_place_of_its_pieces() -> None:
    begun = Part((0, 0), ToolUseBlock("c", "f", raw_input='{"a"'))
    whole = Part((0, 0), ToolUseBlock("c", "f", raw_input='{"b": 1}'), whole=True)
    other = Part((0, 1), ToolUseBlock("d", "f", raw_input="{}"), whole=True)
    out, _ = encoded(other, begun, whole, End(Finish("tool_calls")))
    made = [call for one in out for call in one["message"].get("tool_calls", ())]
    assert [(one["id"], one["function"]["arguments"]) for one in made] == [
        ("c", {"b": 1}), ("d", {})]  # fmt: skip


def test_errors() -> None:
    error = ProviderError("too much", status=529, body={"error": {"message": "too much"}})
    out, _ = encoded(Part((0, 0), TextBlock("x")), Failed(error), End(Finish("error", "error")))
    assert [one.get("error") for one in out] == [None, "too much"]
    assert encoded(End(Finish("error", "abort")))[0] == [{"error": "abort"}]


def test_nothing_ends_that_did_not_end() -> None:
    out, _ = encoded(Meta(model="m"), Part((0, 0), TextBlock("x")))
    assert [one["done"] for one in out] == [False]


def test_the_official_client_reads_it() -> None:
    ollama, httpx = pytest.importorskip("ollama"), pytest.importorskip("httpx")
    pieces: list[Piece] = [
        Meta(model="m"), Part((0, 0), ThinkingBlock("hm")), Part((0, 1), TextBlock("Hi")),
        Part((0, 2), ToolUseBlock("c", "look", raw_input='{"a": 1}')), Usage(input=1, output=2),
        End(Finish("tool_calls")),
    ]  # fmt: skip
    lines, _ = encoded(*pieces)
    text = "".join(json.dumps(one) + "\n" for one in lines)
    transport = httpx.MockTransport(lambda _: httpx.Response(200, text=text))
    client = ollama.Client(host="http://h", transport=transport)
    got = list(client.chat("m", [{"role": "user", "content": "x"}], stream=True))
    assert "".join(one.message.content or "" for one in got) == "Hi"
    assert [one.message.thinking for one in got if one.message.thinking] == ["hm"]
    [[made]] = [one.message.tool_calls for one in got if one.message.tool_calls]
    assert (made.function.name, made.function.arguments) == ("look", {"a": 1})
    assert (got[-1].done, got[-1].prompt_eval_count, got[-1].eval_count) == (True, 1, 2)
    assert build(pieces).text == "Hi"
