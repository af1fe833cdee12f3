"""Pieces as the events of a stream of DashScope; its reader and its SDK's classes take them."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest
from dragoman.codec.answering import StreamEncoder, StreamReport
from dragoman.errors import ProviderError
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
    ChatResponse,
    Finish,
    ImageBlock,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
    Usage,
    dump,
)
from dragoman.protocols.dashscope import DashScope, Dialect
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw
from tests.protocols.dashscope.answers import ERROR, frame

WIRE = dragoman.wire("dashscope")
LINK = "https://example.org/x.png"


def encoded(
    *pieces: Piece, request: ChatRequest | None = None, room: Any = WIRE.room
) -> tuple[list[tuple[str | None, Any]], list[str]]:
    report = StreamReport("")
    encoder = StreamEncoder(room.encoder(report, request), report)
    made = [one for piece in pieces for one in encoder.feed(piece)] + encoder.finish()
    return made, [loss.code for loss in report.losses]


def decoded(events: list[tuple[str | None, Any]]) -> ChatResponse:
    decoder = WIRE.stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def again(*events: Any) -> list[Any]:
    """The events of a stream that was read; both say the same, and nothing is lost."""
    decoder, report = WIRE.stream_decoder(), Report()
    encoder = WIRE.room.encoder(report)
    made: list[tuple[str | None, Any]] = []
    for one in events:
        for piece in decoder.feed(one, "error" if one is ERROR else "result"):
            made += encoder.feed(piece)
    for piece in decoder.rest():
        made += encoder.feed(piece)
    made += encoder.finish()
    assert dump(decoded(made)) == dump(decoder.builder.finish())
    assert report.losses == []
    return [payload for _, payload in made]


def call(text: str, id: str = "", name: str | None = None, index: int = 0) -> dict[str, Any]:
    function = {"arguments": text} | ({} if name is None else {"name": name})
    return {"index": index, "id": id, "type": "function", "function": function}


def texts(events: list[Any]) -> list[Any]:
    return [e["output"]["choices"][0]["message"]["content"] for e in events]


def test_a_stream_of_its_own() -> None:
    events = [frame({"content": "It"}, tokens=1), frame({"content": " is"}, tokens=2),
              frame({"content": ""}, "stop", 3)]  # fmt: skip
    out = again(*events)
    assert texts(out) == ["It", " is", ""]
    assert [e["output"]["choices"][0]["finish_reason"] for e in out] == ["null", "null", "stop"]
    assert out[-1]["usage"] == events[-1]["usage"]
    assert {e["request_id"] for e in out} == {"r-1"}


def test_thinking_and_calls_of_its_own() -> None:
    again(
        frame({"content": "", "reasoning_content": "h"}), frame({"reasoning_content": "m"}),
        frame({"content": "", "tool_calls": [call('{"a"', "c1", "f")]}),
        frame({"content": "", "tool_calls": [call(": 1}"), call("", "c2", "g", 1)]}),
        frame({"content": "", "tool_calls": [call("{}", index=1)]}, "tool_calls", 9),
    )  # fmt: skip


@pytest.mark.parametrize("content", [
    ["ha", "ha", "ha"], ["1", "10", "100"], [[{"text": "a"}], [{"text": "ab"}]],
    [[{"text": "See"}], [{"image": LINK}], [{"text": "so"}]], ["abcdefgh", "abcdefgh and more"],
    [[{"text": "x", "ocr_result": {"a": 1}}], [{"box": [1]}]],
])  # fmt: skip
def test_pieces_are_no_snapshots(content: list[Any]) -> None:
    begun: list[Any] = ["Now: ", "So"] if isinstance(content[0], str) else [[], [{"text": "So"}]]
    again(*(frame({"content": one}) for one in [*begun, *content]), frame({"content": ""}, "stop"))


def test_short_pieces_that_begin_alike() -> None:
    pieces = [Part((0, 0), TextBlock(text)) for text in ("1", "10", "10", "100")]
    events, _ = encoded(*pieces, End(Finish("stop")))
    assert decoded(events).text == "11010100"


def test_what_else_a_stream_of_its_own_has() -> None:
    found = {"search_results": [{"index": 1}]}
    first = frame({"content": "x"})
    first["output"]["search_info"] = found
    indexed = frame({"content": "y", "odd": "z"}, "stop", 4)
    indexed["output"]["choices"][0] |= {"index": 0, "logprobs": {"content": [1]}}
    again(first, {**indexed, "more": 1})
    again(frame({"content": "x"}, tokens=3))  # it broke off
    again(frame({"content": "x"}), ERROR)
    again({"output": {"text": "It", "finish_reason": "null"}, "request_id": "r-1"},
          {"output": {"text": "It is", "finish_reason": "stop"}, "request_id": "r-1"})  # fmt: skip
    sound = frame({"content": "x"})
    sound["output"]["audio"] = {"data": "AAAA", "id": "a"}
    again(sound, frame({"content": ""}, "stop"))


def another() -> list[Piece]:
    return [
        Meta(id="msg_1", model="claude"), Usage(input=4, cache_read=3),
        Part((0, 0), ThinkingBlock("h")), Part((0, 0), ThinkingBlock("m")),
        Part((0, 0), ThinkingBlock("", signature="s")),
        Part((0, 1), TextBlock("I ")), Part((0, 2), TextBlock("look.")),
        Part((0, 3), ToolUseBlock("c1", "look")), Part((0, 4), ToolUseBlock("", "")),
        Part((0, 3), ToolUseBlock("", "", raw_input='{"a"')),
        Part((0, 4), ToolUseBlock("c2", "see")),
        Part((0, 3), ToolUseBlock("", "", raw_input=": 1}")),
        Part((0, 5), TextBlock("So.")), Meta({"odd": 1}), Meta({"odd": 2}),
        End(Finish("stop", "end_turn")), Usage(output=6),
    ]  # fmt: skip


def test_an_answer_of_another() -> None:
    events, lost = encoded(*another())
    assert {name for name, _ in events} == {"result"}
    resp = decoded(events)
    assert (resp.text, resp.id, resp.model) == ("I look.So.", "msg_1", "claude")
    assert resp.msg.blocks[0] == ThinkingBlock("hm")
    made = [(one.id, one.name, one.input) for one in resp.calls]
    assert made == [("c1", "look", {"a": 1}), ("c2", "see", {})]
    assert resp.finish == Finish("tool_calls", "tool_calls")
    assert resp.usage == Usage(input=4, cache_read=3, output=6, total=13)
    fragments = [c for _, e in events
                 for c in e["output"]["choices"][0]["message"].get("tool_calls", ())]  # fmt: skip
    assert [one["id"] for one in fragments] == ["c1", "", "c2", "", ""]
    assert lost == ["answer.unsupported", "extras.other_provider"]


def test_the_classes_of_the_sdk_take_them() -> None:
    sdk = pytest.importorskip("dashscope.api_entities.dashscope_response")
    events = [sdk.DashScopeAPIResponse(200, **event) for _, event in encoded(*another())[0]]
    got = [sdk.GenerationResponse.from_api_response(one) for one in events]
    assert {one.output.choices[0].message.role for one in got} == {"assistant"}
    assert (got[-1].usage.input_tokens, got[-1].usage.output_tokens) == (7, 6)


@pytest.mark.parametrize("told", [{"incremental_output": False}, {}, None])
def test_snapshots_where_somebody_wants_them(told: dict[str, Any] | None) -> None:
    request, room = None, DashScope(Dialect(streams="snapshots"))
    if told is not None:
        message = {"role": "user", "content": "x"}
        body = {"input": {"messages": [message]}, "parameters": told}
        request, room = WIRE.read_request(body), DashScope()
    events, _ = encoded(*another(), request=request, room=room)
    last = events[-1][1]["output"]["choices"][0]["message"]
    assert (last["content"], last["reasoning_content"]) == ("I look.So.", "hm")
    assert [one["function"] for one in last["tool_calls"]] == [
        {"name": "look", "arguments": '{"a": 1}'}, {"name": "see", "arguments": "{}"}]  # fmt: skip
    assert texts([payload for _, payload in events])[2:4] == ["I ", "I look."]
    assert decoded(events).text == "I look.So."


def test_pieces_where_a_request_asks_for_them() -> None:
    message = {"role": "user", "content": "x"}
    body = {"input": {"messages": [message]}, "parameters": {"incremental_output": True}}
    for request in (WIRE.read_request(body), ChatRequest([])):
        assert encoded(*another(), request=request) == encoded(*another())


def test_several_candidates_are_billed_once() -> None:
    events, _ = encoded(
        Part((0, 0), TextBlock("a")), Part((1, 0), TextBlock("b")), End(Finish("stop"), 0),
        End(Finish("length"), 1), Usage(input=1, output=2), Meta(id="r"),
    )  # fmt: skip
    resp = decoded(events)
    assert [one.msg.text for one in resp.candidates] == ["a", "b"]
    assert [one.finish.reason for one in resp.candidates] == ["stop", "length"]
    assert resp.usage == Usage(input=1, output=2, total=3)


def test_media_wait_for_their_end() -> None:
    pieces = [Base64Source("image/png", "iVBO"), Base64Source("image/png", "Rw0K")]
    events, lost = encoded(
        *(Part((0, 0), ImageBlock(one)) for one in pieces), Part((0, 1), RawBlock("other", {})),
        Part((0, 2), ImageBlock(URLSource(LINK))), Raw("odd", {}), Meta(id="r"),
        End(Finish("stop")),
    )  # fmt: skip
    parts = [part for content in texts([payload for _, payload in events]) for part in content]
    assert parts == [{"image": "data:image/png;base64,iVBORw0K"}, {"image": LINK}]
    assert sorted(lost) == ["answer.unsupported", "answer.unsupported"]


def test_whole_pieces_go_on_from_what_was_said() -> None:
    events, lost = encoded(
        Part((0, 0), TextBlock("Sa")), Part((0, 0), TextBlock("Sama"), whole=True),
        Part((0, 0), TextBlock("other"), whole=True),
        Part((0, 1), ToolUseBlock("c", "f", raw_input='{"a"')),
        Part((0, 1), ToolUseBlock("c", "f", raw_input='{"a": 1}'), whole=True),
        Part((0, 1), ToolUseBlock("c", "f", raw_input="{}"), whole=True), End(Finish("stop")),
    )  # fmt: skip
    resp = decoded(events)
    assert (resp.text, [one.input for one in resp.calls]) == ("Sama", [{"a": 1}])
    assert lost == ["answer.unsupported", "answer.unsupported", "answer.field"]


def test_errors() -> None:
    error = ProviderError("too much", type="overloaded", body={"error": {"message": "too much"}})
    events, _ = encoded(Part((0, 0), TextBlock("x")), Failed(error), End(Finish("error", "error")))
    told = {"code": "ServiceUnavailable", "message": "too much", "request_id": "dragoman"}
    assert events[-1] == ("error", told)
    assert decoded(events).status == "error"
    ended = encoded(End(Finish("error", "abort")))[0][-1][1]
    assert (ended["code"], ended["message"]) == ("InternalError", "abort")


def test_nothing_ends_that_did_not_end() -> None:
    events, _ = encoded(Meta(id="r"), Part((0, 0), TextBlock("x")), Usage(output=1))
    assert decoded(events).status == "interrupted"
    assert decoded(events).usage.output == 1
