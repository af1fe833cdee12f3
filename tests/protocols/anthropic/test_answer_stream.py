"""Pieces as events of the Messages API: one block at a time, the end behind everything."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.codec.answering import StreamEncoder, StreamReport
from dragoman.errors import ProviderError
from dragoman.losses import Report
from dragoman.message import (
    ChatResponse,
    Citation,
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
    dump,
)
from dragoman.stream.builder import build
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw
from tests.each_case import each_case

WIRE = dragoman.wire("anthropic")
NAMED = Meta(id="chat-7", model="m-1")
STOP = End(Finish("stop", "stop"))
HEAD: dict[str, Any] = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [],
    "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 5, "output_tokens": 1},
}  # fmt: skip


def encoded(*pieces: Piece, request: ChatRequest | None = None) -> tuple[list[Any], list[Any]]:
    """(the payloads, the (code, field) of each loss)."""
    report = StreamReport("")
    encoder = StreamEncoder(WIRE.room.encoder(report, request), report)
    made = [one for piece in pieces for one in encoder.feed(piece)] + encoder.finish()
    for name, payload in made:
        assert name == payload["type"]
    return [payload for _, payload in made], [(loss.code, loss.field) for loss in report.losses]


def decoded(payloads: list[Any]) -> ChatResponse:
    """What this wire's own reader makes of them."""
    decoder = WIRE.stream_decoder()
    for payload in payloads:
        decoder.feed(payload)
    return decoder.finish()


def text(said: str, at: int = 0) -> Part:
    """A piece of text."""
    return Part((0, at), TextBlock(said))


def call(raw: str | None, at: int = 1, id: str = "", name: str = "", input: Any = None) -> Part:
    """A piece of a call."""
    return Part((0, at), ToolUseBlock(id, name, input or {}, raw))


def kinds(payloads: list[Any]) -> list[str]:
    """The types of the events, those of blocks with their index."""
    return [f"{p['type']} {p['index']}" if "index" in p else p["type"] for p in payloads]


def test_a_text_and_a_call_one_after_the_other() -> None:
    out, losses = encoded(
        NAMED, text("Lo"), text("ok."), call("", id="c", name="look"), call('{"at"'), call(": 1}"),
        End(Finish("tool_calls", "tool_calls")), Usage(3, 2, output=4, total=9),
    )  # fmt: skip
    assert out == [
        {"type": "message_start", "message": {
            "id": "msg_chat-7", "type": "message", "role": "assistant", "model": "m-1",
            "content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None,
            "usage": {"input_tokens": 0, "output_tokens": 0}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Lo"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {
            "type": "tool_use", "id": "c", "name": "look", "input": {}}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "input_json_delta", "partial_json": '{"at"'}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "input_json_delta", "partial_json": ": 1}"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None},
         "usage": {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 4}},
        {"type": "message_stop"},
    ]  # fmt: skip
    assert losses == []


def test_events_go_out_as_soon_as_they_can() -> None:
    encoder = WIRE.room.encoder(Report())
    assert encoder.feed(NAMED) == []
    assert kinds([p for _, p in encoder.feed(text("a"))]) == [
        "message_start", "content_block_start 0", "content_block_delta 0",
    ]  # fmt: skip
    assert kinds([p for _, p in encoder.feed(text("b"))]) == ["content_block_delta 0"]


def test_the_name_of_the_answer_may_come_behind_its_first_piece() -> None:
    out, losses = encoded(text("a"), NAMED, text("b"), STOP, Usage(1, output=1))
    assert out[0]["message"]["id"] == "msg_chat-7"
    assert decoded(out).text == "ab"
    assert losses == []
    out, losses = encoded(text("a"), text("b"), STOP, Usage(1, output=1))
    assert decoded(out).text == "ab"
    assert losses == [("answer.field", "id"), ("answer.field", "model")]
    asked = ChatRequest([Msg.user("Hi")], model="claude-x")
    assert encoded(text("a"), STOP, request=asked)[0][0]["message"]["model"] == "claude-x"


def test_calls_side_by_side_are_told_one_by_one() -> None:
    pieces: list[Piece] = [
        NAMED, call('{"a": ', 0, "c", "look"), call("{", 1, "d", "see"), call("1}", 0),
        call("}", 1), End(Finish("tool_calls")),
    ]  # fmt: skip
    out, _ = encoded(*pieces)
    assert [(c.id, c.name, c.input) for c in decoded(out).calls] == [
        ("c", "look", {"a": 1}), ("d", "see", {}),
    ]  # fmt: skip
    opened = [p["index"] for p in out if p["type"].startswith("content_block")]
    assert opened == sorted(opened)


def test_a_call_that_comes_whole_is_told_in_a_delta() -> None:
    out, _ = encoded(NAMED, call(None, name="look", input={"at": "sky"}), End(Finish("stop")))
    start, grown = out[1], out[2]
    assert start["content_block"]["input"] == {}
    assert start["content_block"]["id"], "a call needs an id here"
    assert grown["delta"]["partial_json"] == '{"at": "sky"}'


def test_a_call_that_broke_off_is_not_offered_as_one_to_run() -> None:
    out, losses = encoded(NAMED, call('{"at": "s', id="c", name="look"),
                          End(Finish("tool_calls", "tool_calls")), Usage(1, output=1))  # fmt: skip
    assert out[-2]["delta"]["stop_reason"] == "max_tokens"
    assert losses == [("answer.finish", "finish")]


def test_thinking_of_another_goes_out_unsigned() -> None:
    out, losses = encoded(
        NAMED, Part((0, 0), ThinkingBlock("hm")), Part((0, 0), ThinkingBlock("", "c2ln")),
        Part((0, 1), ThinkingBlock("", redacted="c2VhbA==")), text("a", 2), STOP,
        Usage(1, output=1),
    )  # fmt: skip
    assert out[1]["content_block"] == {"type": "thinking", "thinking": "", "signature": ""}
    assert [p["delta"]["type"] for p in out if "index" in p and "delta" in p] == [
        "thinking_delta", "text_delta",
    ]  # fmt: skip
    assert losses == [("answer.unsupported", "signature"), ("answer.unsupported", "redacted")]
    signed = ThinkingBlock("", "c2ln", origin=Origin("anthropic"))
    out, losses = encoded(NAMED, Part((0, 0), ThinkingBlock("hm")), Part((0, 0), signed), STOP,
                          Usage(1, output=1))  # fmt: skip
    assert out[3]["delta"] == {"type": "signature_delta", "signature": "c2ln"}
    assert losses == []


def test_what_has_no_place_is_named_once() -> None:
    picture = ImageBlock(URLSource("https://a.example"))
    out, losses = encoded(
        NAMED, Meta({"created": 1}), Meta({"created": 2}), text(""), Part((0, 1), picture),
        Part((0, 2), RawBlock("acme", {"type": "song"})), Part((1, 0), TextBlock("b")),
        Part((1, 0), TextBlock("c")), Raw("ping", {"x": 1}),
        Part((0, 3), TextBlock("Blue", [Citation(url="https://a.example", title="A")])), STOP,
        End(Finish("stop"), 1), Usage(1, output=1, audio_out=2), Usage(1, output=1, audio_out=3),
    )  # fmt: skip
    assert kinds(out) == ["message_start", "content_block_start 0", "content_block_delta 0",
                          "content_block_delta 0", "content_block_stop 0", "message_delta",
                          "message_stop"]  # fmt: skip
    assert out[3]["delta"]["citation"] == {
        "type": "web_search_result_location", "url": "https://a.example", "title": "A",
        "cited_text": "", "encrypted_index": "",
    }  # fmt: skip
    assert sorted(losses) == [
        ("answer.candidates", ""), ("answer.unsupported", ""), ("answer.unsupported", ""),
        ("answer.unsupported", ""), ("answer.usage", "audio_out"), ("extras.other_provider",
         "extras.created"),
    ]  # fmt: skip


def test_a_refusal_is_text_that_ended_so() -> None:
    out, losses = encoded(NAMED, Part((0, 0), RefusalBlock("I can")),
                          Part((0, 0), RefusalBlock("not.")), End(Finish("stop", "stop")),
                          Usage(1, output=1))  # fmt: skip
    assert out[-2]["delta"]["stop_reason"] == "refusal"
    assert out[-2]["delta"]["stop_details"]["explanation"] is None
    assert decoded(out).msg.blocks == [TextBlock("I cannot.")]
    assert losses == [("answer.unsupported", "")]


def test_an_answer_that_broke_off_has_no_end() -> None:
    out, _ = encoded(NAMED, text("Half"))
    assert kinds(out)[-1] == "content_block_stop 0"
    assert decoded(out).status == "interrupted"
    out, _ = encoded(NAMED, text("Half"), Usage(1, output=1))
    assert out[-1]["type"] == "message_delta"
    assert out[-1]["delta"]["stop_reason"] is None
    assert decoded(out).status == "interrupted"
    assert encoded()[0] == []


def test_an_error_is_an_event_and_the_end() -> None:
    wrong = Failed(ProviderError("Busy.", status=529))
    out, _ = encoded(NAMED, text("Half"), wrong, text("more"), STOP)
    assert kinds(out) == ["message_start", "content_block_start 0", "content_block_delta 0",
                          "content_block_stop 0", "error"]  # fmt: skip
    assert out[-1]["error"] == {"type": "overloaded_error", "message": "Busy."}
    assert decoded(out).status == "error"
    assert kinds(encoded(wrong)[0]) == ["error"]


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of one block."""
    return [{"type": "content_block_start", "index": index, "content_block": start},
            *({"type": "content_block_delta", "index": index, "delta": one} for one in deltas),
            {"type": "content_block_stop", "index": index}]  # fmt: skip


def stream(*blocks: list[dict[str, Any]], head: Any = None, delta: Any = None,
           **more: Any) -> list[dict[str, Any]]:  # fmt: skip
    """The events of one answer."""
    ended = {"stop_reason": "end_turn", "stop_sequence": None, **(delta or {})}
    return [{"type": "message_start", "message": {**HEAD, **(head or {})}}, {"type": "ping"},
            *(one for events in blocks for one in events),
            {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 9}, **more},
            {"type": "message_stop"}]  # fmt: skip


TEXT = {"type": "text", "text": ""}
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
CITED = {"type": "web_search_result_location", "url": "https://a.example", "title": "A",
         "cited_text": "sky", "encrypted_index": "RW5j"}  # fmt: skip
OWN = {
    "text": stream(block(0, TEXT, {"type": "text_delta", "text": "Bl"},
                         {"type": "text_delta", "text": "ue."})),
    "empty text": stream(block(0, TEXT)),
    "citations": stream(block(0, {**TEXT, "citations": []}, {"type": "text_delta", "text": "a"},
                              {"type": "citations_delta", "citation": CITED},
                              {"type": "citations_delta", "citation": {**CITED, "title": None}}),
                        block(1, {**TEXT, "citations": None}, {"type": "text_delta", "text": "b"})),
    "thinking": stream(
        block(0, {"type": "thinking", "thinking": "", "signature": ""},
              {"type": "thinking_delta", "thinking": "h", "estimated_tokens": 2},
              {"type": "thinking_delta", "thinking": "m", "estimated_tokens": 3},
              {"type": "signature_delta", "signature": "c2ln"}),
        block(1, {"type": "thinking", "thinking": ""},
              {"type": "signature_delta", "signature": "c2ln"}),
        block(2, {"type": "thinking", "thinking": "hm", "signature": None}),
        block(3, {"type": "redacted_thinking", "data": "c2VhbA=="})),
    "calls": stream(
        block(0, {"type": "tool_use", "id": "c", "name": "look", "input": {}},
              {"type": "input_json_delta", "partial_json": ""},
              {"type": "input_json_delta", "partial_json": '{"at": 1.0}'}),
        block(1, {"type": "tool_use", "id": "d", "name": "look", "input": {"at": 1},
                  "caller": {"type": "code_execution_20250825", "tool_id": "s"}}),
        block(2, {"type": "tool_use", "id": "e", "name": "look", "input": {}}),
        delta={"stop_reason": "tool_use"}),
    "of the provider": stream(
        block(0, SEARCH, {"type": "input_json_delta", "partial_json": '{"query": "x"}'}),
        block(1, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
        block(2, {"type": "compaction", "content": None},
              {"type": "compaction_delta", "content": "All."}),
        delta={"container": {"id": "k"}}, context_management={"applied_edits": []}),
    "broken input": stream(block(0, SEARCH, {"type": "input_json_delta", "partial_json": '{"q'})),
    "fallback": stream(block(0, {"type": "fallback", "from": {"model": "m"},
                                 "to": {"model": "n"}}), block(1, TEXT)),
    "refusal": stream(delta={"stop_reason": "refusal", "stop_details": {
        "type": "refusal", "category": "bio", "explanation": "No."}}),
    "stop sequence": stream(delta={"stop_reason": "stop_sequence", "stop_sequence": "END"}),
    "a new word": stream(delta={"stop_reason": "bored"}),
    "no word": stream(block(0, TEXT), delta={"stop_reason": None}),
    "filled at once": stream(head={"content": [{"type": "text", "text": "Blue."}]}),
    "figures": stream(head={"usage": {"input_tokens": 5, "output_tokens": 1, "service_tier": "x",
                                      "cache_creation": {"ephemeral_5m_input_tokens": 1}}},
                      usage={"output_tokens": 3, "input_tokens": 6, "cache_read_input_tokens": 2,
                             "output_tokens_details": {"thinking_tokens": 1}}),
    "broken off": stream(block(0, TEXT, {"type": "text_delta", "text": "Ha"}))[:-3],
    "an error": [*stream(block(0, TEXT))[:-2],
                 {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}],
    "of a host": [*stream(block(0, TEXT))[:-1], {"type": "message_stop", "metrics": {"ms": 1}}],
}  # fmt: skip


@each_case("name", OWN)
def test_its_own_stream_says_the_same_again(name: str) -> None:
    pieces: list[Piece] = []
    decoder = WIRE.stream_decoder()
    for payload in OWN[name]:
        pieces += decoder.feed(payload)
    pieces += decoder.rest()
    out, losses = encoded(*pieces)
    assert dump(decoded(out)) == dump(decoder.builder.finish())
    assert losses == []


@pytest.mark.parametrize("name", [name for name in OWN if name not in ("broken off", "an error")])
def test_the_official_client_sums_the_same_from_what_is_written(name: str) -> None:
    module = pytest.importorskip("anthropic.lib.streaming._messages")

    def summed(payloads: list[Any]) -> Any:
        snapshot, buffers = None, {}  # type: ignore[var-annotated]
        for payload in payloads:
            if payload["type"] in ("ping", "error"):
                continue
            if (payload.get("delta") or {}).get("type") == "compaction_delta":
                continue  # the client of stable types knows none
            snapshot = module.accumulate_event(event=payload, current_snapshot=snapshot,
                                               json_bufs=buffers)  # fmt: skip
        return snapshot

    pieces = [piece for payload in OWN[name] for piece in _READ(payload)]
    made, read = summed(encoded(*pieces)[0]), summed(OWN[name])
    if name == "filled at once":
        read.content = [module.construct_type(type_=type(made.content[0]),
                                              value={"type": "text", "text": "Blue."})]  # fmt: skip
    if name != "of the provider":
        assert [one.to_dict() for one in made.content] == [one.to_dict() for one in read.content]
    assert made.stop_reason == read.stop_reason
    assert made.stop_details == read.stop_details
    assert made.usage.output_tokens == read.usage.output_tokens
    assert made.usage.input_tokens == read.usage.input_tokens


class _Read:
    """The pieces of one event, by a reader that is new with each message."""

    def __init__(self) -> None:
        self._decoder = WIRE.stream_decoder()

    def __call__(self, payload: Any) -> list[Piece]:
        if payload["type"] == "message_start":
            self._decoder = WIRE.stream_decoder()
        made = self._decoder.feed(payload)
        return made + (self._decoder.rest() if payload["type"] == "message_stop" else [])


_READ = _Read()


def test_pieces_of_any_wire_make_the_same_answer_here() -> None:
    pieces: list[Piece] = [NAMED, Part((0, 0), ThinkingBlock("hm")), text("Blue.", 1),
              call('{"at": 1}', 2, "c", "look"), End(Finish("tool_calls")),
              Usage(3, 1, 2, 4, 1)]  # fmt: skip
    one, two = build(pieces), decoded(encoded(*pieces)[0])
    assert (two.text, two.model, two.finish.reason) == (one.text, one.model, one.finish.reason)
    assert two.usage == one.usage
    assert [(c.id, c.name, c.input) for c in two.calls] == [("c", "look", {"at": 1})]
    assert two.msg.blocks[0] == ThinkingBlock("hm", "")


def test_a_thought_of_which_only_the_proof_is_known_begins_too() -> None:
    sealed = ThinkingBlock("", "c2ln", origin=Origin("anthropic"))
    out, losses = encoded(NAMED, Part((0, 0), sealed), End(Finish("stop")), Usage(1, output=1))
    assert kinds(out)[1:4] == [
        "content_block_start 0", "content_block_delta 0", "content_block_stop 0"]  # fmt: skip
    [block] = decoded(out).msg.blocks
    assert (block["thinking"], block["signature"]) == ("", "c2ln")
    assert losses == []


@pytest.mark.parametrize("more", [
    {"delta": {}}, {"type": "x", "usage": {"a": 1}}, {"kind": 1, "self": 2, "index": 3},
])  # fmt: skip
def test_fields_that_nobody_knows_may_have_any_name(more: dict[str, Any]) -> None:
    """Those of the message's delta, and of a block's."""
    begun = {"type": "content_block_start", "index": 0, "content_block": {"type": "text",
                                                                          "text": ""}}  # fmt: skip
    beside = {key: value for key, value in more.items() if key not in ("type", "delta")}
    delta = {"type": "text_delta", "text": "Hi", **beside}
    events: list[Any] = [
        {"type": "message_start", "message": HEAD}, begun,
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "usage": {"output_tokens": 2},
         "delta": {"stop_reason": "end_turn", **more}},
        {"type": "message_stop"},
    ]  # fmt: skip
    decoder = WIRE.stream_decoder()
    pieces = [piece for event in events for piece in decoder.feed(event)]
    out, losses = encoded(*pieces)
    last = next(one for one in out if one["type"] == "message_delta")
    both = {**last, **last["delta"]}
    assert {name: both[name] for name in more} == more
    assert last["usage"]["output_tokens"] == 2
    assert [one["delta"] for one in out if one["type"] == "content_block_delta"] == [delta]
    assert losses == []
    assert dump(decoded(out)) == dump(decoder.finish())
