"""Pieces of any answer as chunks of Chat Completions, as its official client takes them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk

import dragoman
from dragoman import ChatRequest, ProviderError
from dragoman.codec.answering import StreamEncoder, StreamReport
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
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
    Usage,
    dump,
)
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw
from tests.cases.reading import chunk, fragment

WIRE = "openai-chat"
DONE = (None, "[DONE]")
NAMED = Meta({"x": 1}, id="a1", model="m", issuer="anthropic")
STOP = End(Finish("stop", "end_turn"))


def encoded(pieces: Iterable[Piece], request: ChatRequest | None = None) -> tuple[Any, Report]:
    report = StreamReport("")
    encoder = StreamEncoder(dragoman.wire(WIRE).room.encoder(report, request), report)
    made = [event for piece in pieces for event in encoder.feed(piece)]
    return made + encoder.finish(), report


def deltas(events: list[Any]) -> list[Any]:
    return [payload["choices"][0]["delta"] for _, payload in events
            if isinstance(payload, dict) and payload.get("choices")]  # fmt: skip


def taken(events: list[Any]) -> ChatCompletion:
    """What the official client makes of the chunks."""
    state = ChatCompletionStreamState[Any]()
    for name, payload in events:
        assert name is None
        if payload != "[DONE]":
            list(state.handle_chunk(ChatCompletionChunk.model_validate(payload)))
    return state.current_completion_snapshot


def read(events: list[Any]) -> ChatResponse:
    decoder = dragoman.wire(WIRE).stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def text(said: str, at: int = 0) -> Part:
    return Part((0, at), TextBlock(said))


def call(at: int, id: str, name: str, raw: str | None) -> Part:
    return Part((0, at), ToolUseBlock(id, name, raw_input=raw))


def test_text_goes_out_as_it_comes() -> None:
    asked = ChatRequest([], extras={WIRE: {"stream_options": {"include_usage": True}}})
    encoder = dragoman.wire(WIRE).room.encoder(Report(), asked)
    assert encoder.feed(NAMED) == []
    head = {"object": "chat.completion.chunk", "id": "a1", "model": "m", "created": 0}
    first, second = (encoder.feed(text(said)) for said in ("Sama", "rkand"))
    choice = {"index": 0, "finish_reason": None}
    assert first == [(None, {**head, "choices": [
        {**choice, "delta": {"role": "assistant", "content": "Sama"}}]})]  # fmt: skip
    assert second == [(None, {**head, "choices": [{**choice, "delta": {"content": "rkand"}}]})]
    encoder.feed(STOP)
    encoder.feed(Usage(3, 1, None, 2))
    end, cost, done = encoder.finish()
    assert end[1]["choices"] == [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    assert cost == (None, {**head, "choices": [], "usage": {
        "prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6,
        "prompt_tokens_details": {"cached_tokens": 1}}})  # fmt: skip
    assert done == DONE


def test_what_the_source_does_not_tell_is_added() -> None:
    events, report = encoded([text("Hi"), STOP], ChatRequest([], model="asked"))
    assert [events[0][1][key] for key in ("id", "model", "created")] == [
        "chatcmpl-dragoman", "asked", 0,
    ]  # fmt: skip
    assert [(loss.code, loss.field) for loss in report.losses] == [
        ("answer.field", "id"), ("answer.field", "model"), ("answer.field", "created"),
    ]  # fmt: skip


def test_calls_may_come_interleaved() -> None:
    events, _ = encoded([
        NAMED, call(1, "a", "look", ""), call(2, "b", "go", '{"x"'), call(1, "", "", '{"at":'),
        call(2, "", "", ":1}"), call(1, "", "", "2}"), STOP,
    ])  # fmt: skip
    first, second, third, *_ = (delta["tool_calls"][0] for delta in deltas(events)[:-1])
    assert first == {"index": 0, "id": "a", "type": "function",
                     "function": {"name": "look", "arguments": ""}}  # fmt: skip
    assert second["index"] == 1
    assert third == {"index": 0, "function": {"arguments": '{"at":'}}
    made = taken(events).choices[0]
    calls: Any = made.message.tool_calls
    assert [(one.id, one.function.arguments) for one in calls] == [
        ("a", '{"at":2}'), ("b", '{"x":1}'),
    ]  # fmt: skip
    assert made.finish_reason == "tool_calls", "as the content bears it out"


def test_calls_of_values_are_text() -> None:
    blocks = [ToolUseBlock("", "look", {"at": 1}), ToolUseBlock("", "look", {})]
    events, _ = encoded([NAMED, *(Part((0, at), one) for at, one in enumerate(blocks)), STOP])
    calls: Any = taken(events).choices[0].message.tool_calls
    assert [json.loads(one.function.arguments) for one in calls] == [{"at": 1}, {}]
    ids = [one.id for one in calls]
    assert len({*ids}) == 2
    assert ids == [one.id for one in read(events).calls]
    assert encoded([NAMED, Part((0, 0), blocks[0])])[0][0][1] == events[0][1], "each time the same"


def test_a_whole_block_adds_what_is_new() -> None:
    whole = [
        Part((0, 0), TextBlock("Samarkand"), whole=True),
        Part((0, 1), ToolUseBlock("c", "look", {"at": 1}), whole=True),
        Part((0, 2), TextBlock("Bukhara"), whole=True),
    ]
    events, report = encoded(
        [NAMED, text("Sama"), call(1, "c", "look", '{"at":1'), text("\nKhiva", 2), *whole, STOP]
    )
    resp = read(events)
    assert resp.text == "Sama\nKhivarkand"
    assert [one.input for one in resp.calls] == [{"at": 1}]
    assert "Bukhara" not in resp.text
    assert "answer.unsupported" in [loss.code for loss in report.losses]


def test_nothing_is_said_between_texts() -> None:
    events, _ = encoded([
        NAMED, text("a", 0), text("b", 1), call(2, "c", "look", "{}"), text("d", 3), STOP,
    ])  # fmt: skip
    assert read(events).text == "abd"


def test_thinking_refusals_and_citations() -> None:
    cited = TextBlock("", [Citation(0, 2, "https://a.b", "T"), Citation(1, 2, "https://a.c")])
    events, report = encoded([
        NAMED, Part((0, 0), ThinkingBlock("Hm")), Part((0, 0), ThinkingBlock("", "sig")),
        text("ab", 1), text("cd", 2), Part((0, 2), cited), Part((0, 3), RefusalBlock("No.")), STOP,
    ])  # fmt: skip
    message: Any = taken(events).choices[0].message
    assert (message.content, message.refusal, message.reasoning_content) == ("abcd", "No.", "Hm")
    spans = [(one["url_citation"]["start_index"], one["url_citation"]["end_index"])
             for delta in deltas(events) for one in delta.get("annotations", ())]  # fmt: skip
    assert spans == [(2, 4), (3, 4)]
    assert [one["index"] for delta in deltas(events) for one in delta.get("annotations", ())] == [
        0, 1,
    ]  # fmt: skip
    assert [loss.field for loss in report.losses if loss.code == "answer.unsupported"] == [
        "signature"
    ]


def test_a_sealed_thought_goes_in_details() -> None:
    here = Origin(WIRE)
    events, report = encoded([
        NAMED, Part((0, 0), ThinkingBlock("Hm")),
        Part((0, 0), ThinkingBlock("", "sig", origin=here)), text("Hi", 1), STOP,
    ])  # fmt: skip
    details = [one for delta in deltas(events) for one in delta.get("reasoning_details", ())]
    assert details == [{"type": "reasoning.text", "signature": "sig", "index": 0}]
    assert "answer.unsupported" not in [loss.code for loss in report.losses]
    (thought, _) = read(events).msg.blocks
    assert (thought.thinking, thought.signature) == ("Hm", "sig")  # type: ignore[union-attr]


def test_media_and_what_has_no_place() -> None:
    image = ImageBlock(Base64Source("image/png", "QUJD"))
    raw = RawBlock("anthropic", {"type": "server_tool_use"})
    events, report = encoded([NAMED, Part((0, 0), image), Part((0, 1), raw), Raw("ping", {}), STOP])
    assert deltas(events)[0]["images"][0]["image_url"] == {"url": "data:image/png;base64,QUJD"}
    codes = [loss.code for loss in report.losses]
    assert codes.count("answer.unsupported") == 2


def test_an_answer_that_broke_off_has_no_end() -> None:
    events, _ = encoded([NAMED, text("Ha")])
    assert len(events) == 1
    resp = read(events)
    assert (resp.status, resp.text) == ("interrupted", "Ha")


@pytest.mark.parametrize("end", [[], [End(Finish("length", "max_tokens"))]])
def test_a_call_that_was_cut_gets_no_arguments(end: list[Piece]) -> None:
    events, _ = encoded([NAMED, call(0, "c", "look", None), *end])
    resp = read(events)
    assert (resp.calls, len(resp.msg.calls)) == ([], 1)


def test_an_error_is_an_event() -> None:
    wrong = ProviderError("over capacity", status=529, type="overloaded")
    events, _ = encoded([NAMED, text("Ha"), Failed(wrong)])
    assert events[-1] == (None, {"error": {"message": "over capacity", "type": "overloaded",
                                           "param": None, "code": 529}})  # fmt: skip
    resp = read(events)
    assert resp.error is not None
    assert (resp.status, resp.error.message, resp.error.status) == ("error", "over capacity", 529)


def test_candidates_are_told_apart() -> None:
    pieces: list[Piece] = [
        NAMED,
        text("a"),
        Part((1, 0), TextBlock("b")),
        STOP,
        End(Finish("length"), 1),
    ]
    made = taken(encoded(pieces)[0]).choices
    assert [(one.index, one.message.content, one.finish_reason) for one in made] == [
        (0, "a", "stop"), (1, "b", "length"),
    ]  # fmt: skip


DETAIL = {"type": "reasoning.text", "text": "Hm", "index": 0, "format": "f"}
STREAMS: dict[str, list[Any]] = {
    "text": [chunk({"role": "assistant", "content": "Ha"}), chunk({"content": "llo"}, "stop")],
    "calls": [chunk(fragment(0, "a", "look", "")), chunk(fragment(1, "b", "go", '{"x')),
              chunk(fragment(0, None, None, "{}")), chunk(fragment(1, None, None, '":1}')),
              chunk({}, "tool_calls")],
    "calls without ids": [chunk(fragment(0, None, "look", "{}")), chunk({}, "tool_calls")],
    "function call": [chunk({"function_call": {"name": "look", "arguments": ""}}),
                      chunk({"function_call": {"arguments": "{}"}}), chunk({}, "function_call")],
    "details": [chunk({"reasoning_details": [DETAIL]}),
                chunk({"reasoning_details": [{**DETAIL, "text": "So"}]}),
                chunk({"reasoning_details": [{"type": "reasoning.text", "signature": "s",
                                              "index": 0}]}),
                chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x",
                                              "id": "r"}]}), chunk({"content": "Hi"}, "stop")],
    "thinking": [chunk({"reasoning": "Hm"}), chunk({"reasoning": "So"}), chunk({}, "length")],
    "probabilities": [chunk({"content": "a"}, logprobs={"content": [{"token": "a"}]}),
                      chunk({"content": "b"}, "stop", logprobs={"content": [{"token": "b"}]})],
    "fields of the host": [
        {**chunk({"content": "a", "k": 1}), "system_fingerprint": "fp", "created": 5},
        {**chunk({}, "eos", native_finish_reason="x"), "usage": {"prompt_tokens": 3, "cost": 1}}],
    "ids that come late": [{**chunk({"content": ""}), "id": "", "model": ""},
                           chunk({"content": "a"}, "stop")],
    "no end": [chunk({"content": "Ha"})],
    "speech": [chunk({"audio": {"id": "x", "transcript": "Ha"}}),
               chunk({"audio": {"data": "QUJD"}}), chunk({"audio": {"expires_at": 9}}, "stop")],
    "citations": [chunk({"content": "Hi"}), chunk({"annotations": [
        {"type": "url_citation", "url_citation": {"url": "https://a.b", "start_index": 0}}]}),
        chunk({}, "stop")],
    "pings": [{"type": "ping", "x": 1}, chunk({"content": "a"}, "stop"), {"type": "ping", "x": 2}],
    "error": [chunk({"content": "a"}), {"error": {"message": "broke", "code": 502}}],
}  # fmt: skip


@pytest.mark.parametrize("events", STREAMS.values(), ids=STREAMS.keys())
def test_its_own_streams_say_the_same_again(events: list[Any]) -> None:
    decoder = dragoman.wire(WIRE).stream_decoder()
    pieces = [piece for event in events for piece in decoder.feed(event)] + decoder.rest()
    made, report = encoded(pieces)
    first = decoder.builder.finish()
    if events is STREAMS["pings"]:  # one before the answer is nobody's
        own = (first.extras or {})[WIRE]["events"]
        own.pop(0)
    else:
        assert report.losses == []
    assert dump(read(made)) == dump(first)


WORDS = st.text("ab{}\n ", min_size=1, max_size=4)
BLOCKS = st.one_of(
    WORDS.map(TextBlock), WORDS.map(ThinkingBlock),
    st.dictionaries(st.text("ab", max_size=2), st.integers(0, 9), max_size=2).map(
        lambda given: ToolUseBlock("", "look", raw_input=json.dumps(given))),
)  # fmt: skip


@given(st.lists(BLOCKS, max_size=6), st.data())
def test_however_calls_and_texts_are_cut_they_arrive(blocks: Any, data: st.DataObject) -> None:
    pieces: list[Piece] = [NAMED]
    for at, block in enumerate(blocks):
        if type(block) is not ToolUseBlock:
            pieces.append(Part((0, at), block))
            continue
        raw = block.raw_input or ""
        cut = data.draw(st.integers(0, len(raw)))
        pieces += [call(at, f"c{at}", "look", raw[:cut]), call(at, "", "", raw[cut:])]
    events, _ = encoded([*pieces, STOP])
    calls = [one for one in blocks if type(one) is ToolUseBlock]
    made: Any = taken(events).choices[0].message
    assert [json.loads(one.function.arguments) for one in made.tool_calls or ()] == [
        json.loads(one.raw_input or "") for one in calls
    ]
    texts = "".join(one.text for one in blocks if type(one) is TextBlock)
    assert (made.content or "").replace("\n", "") == texts.replace("\n", "")
    assert read(events).finish.reason == ("tool_calls" if calls else "stop")


def test_each_piece_of_a_call_of_this_wire_has_its_object() -> None:
    """A host repeats the id in empty pieces; the official client joins ids, asserts `function`."""
    own = Meta({"created": 1}, id="a1", model="m", issuer=WIRE)
    events, _ = encoded([
        own, call(1, "", "look", ""), call(1, "a", "", ""), call(1, "a", "", '{"at":1}'),
        End(Finish("tool_calls", "tool_calls")),
    ])  # fmt: skip
    said = [delta["tool_calls"][0] for delta in deltas(events) if "tool_calls" in delta]
    assert [one["function"] for one in said] == [
        {"name": "look", "arguments": ""}, {}, {"arguments": '{"at":1}'}]  # fmt: skip
    made = (taken(events).choices[0].message.tool_calls or [])[0]
    assert made.id == "a"
