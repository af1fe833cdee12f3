"""Pieces that are written as events: of this wire as they came, of others one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

import dragoman
from dragoman import message
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
)
from dragoman.stream.pieces import End, Failed, Meta, Part, Piece, Raw

from .reading import answer, done, event
from .streams import CALL, CREATED, SAID, STREAM, TEXT, THOUGHT, begun, ended, said
from .writing import OWN, wire

Events = list[tuple[str | None, Any]]
BEGIN = Meta(id="chat_1", model="m", issuer="openai-chat")
STOP: list[Piece] = [Usage(5, 3, output=4), End(Finish("stop", "stop"))]


def encoded(pieces: Iterable[Piece]) -> tuple[Events, list[str]]:
    """(the events, the codes of what was lost)."""
    report = Report()
    encoder = wire().room.encoder(report)
    made = [one for piece in pieces for one in encoder.feed(piece)]
    made += encoder.finish()
    return made, [f"{one.code} {one.field}".strip() for one in report.losses]


def decoded(events: Events) -> ChatResponse:
    decoder = wire().stream_decoder()
    for name, payload in events:
        decoder.feed(payload, name)
    return decoder.finish()


def through(*events: Any) -> tuple[ChatResponse, ChatResponse, Events]:
    """(what was read, what is read of it once it was written, the events in between)."""
    decoder = wire().stream_decoder()
    pieces = [piece for one in events for piece in decoder.feed(one)] + decoder.rest()
    made, _ = encoded(pieces)
    return decoder.builder.finish(), decoded(made), made


def same(*events: Any) -> Events:
    before, after, made = through(*events)
    assert _text(before) == _text(after)
    return made


def _text(resp: ChatResponse) -> str:
    return json.dumps(message.dump(resp), sort_keys=True)


def told(*pieces: Piece) -> Events:
    """The events of another wire's pieces, which the SDK's types and its accumulator take."""
    made, _ = encoded([BEGIN, *pieces, *STOP])
    _valid(made)
    assert [payload["sequence_number"] for _, payload in made] == list(range(len(made)))
    return made


def _valid(events: Events) -> Any:
    from openai import Omit
    from openai.lib.streaming.responses._responses import ResponseStreamState
    from openai.types.responses import ResponseStreamEvent
    from pydantic import TypeAdapter

    state: Any = ResponseStreamState(input_tools=Omit(), text_format=Omit())
    known: Any = TypeAdapter(ResponseStreamEvent)
    for _, payload in events:
        state.handle_event(known.validate_python(payload))
    return state._completed_response


def kinds(events: Events) -> list[str]:
    return [(name or "").removeprefix("response.") for name, _ in events]


def part(text: Any, *key: int, whole: bool = False) -> Part:
    block = TextBlock(text) if isinstance(text, str) else text
    return Part(key or (0, 0), block, whole)


def test_a_stream_of_this_wire_comes_out_as_it_was() -> None:
    made = same(*STREAM)
    assert kinds(made) == [
        "created", "in_progress", "output_item.added", "content_part.added",
        "output_text.delta", "output_text.delta", "output_text.done", "content_part.done",
        "output_item.done", "completed",
    ]  # fmt: skip
    last = made[-1][1]["response"]
    assert last == STREAM[-1]["response"]
    assert made[2][1]["item"]["id"] == made[4][1]["item_id"] == "msg_1"


def test_the_official_client_takes_a_stream_of_this_wire() -> None:
    told: dict[str, Any] = {"created_at": 5, "parallel_tool_calls": True, "tool_choice": "auto"}
    opened = {**CREATED, "response": {**CREATED["response"], **told}}
    made = same(opened, *STREAM[1:-1], done(SAID, **told))
    assert made[0][1]["response"]["created_at"] == 5
    assert _valid(made).output_text == "It rains."


@pytest.mark.parametrize(
    "items",
    [
        [THOUGHT, SAID, CALL],
        [SAID, {**SAID, "id": "msg_2", "content": [{**TEXT, "text": "B"}, {**TEXT, "text": "C"}]}],
        [{"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "n", "input": "x"}],
        [{**CALL, "arguments": ""}, {**CALL, "id": "fc_2", "call_id": "call_2"}],
        [{**SAID, "content": [{"type": "refusal", "refusal": "No."}]}],
        [{"type": "message", "role": "assistant", "content": [TEXT]}, SAID],
        [{**SAID, "content": [{**TEXT, "annotations": [
            {"type": "url_citation", "url": "https://a.b", "title": "A", "start_index": 0,
             "end_index": 2}]}]}],
    ],
)  # fmt: skip
@pytest.mark.parametrize("short", [False, True])
def test_items_of_this_wire(items: list[dict[str, Any]], short: bool) -> None:
    events = [one for at, item in enumerate(items) for one in (begun(item, at), ended(item, at))]
    same(CREATED, *events, done() if short else done(*items))


def test_items_that_grow_side_by_side() -> None:
    other = {**SAID, "id": "msg_2", "content": [{**TEXT, "text": "BD"}]}
    first = {**SAID, "content": [{**TEXT, "text": "AC"}]}
    made = same(
        CREATED, begun(first), begun(other, 1), said("A"), said("B", 1), said("C"), said("D", 1),
        ended(first), ended(other, 1), done(first, other),
    )  # fmt: skip
    assert [p["output_index"] for n, p in made if n == "response.output_item.done"] == [0, 1]


def test_an_id_that_the_end_tells_otherwise() -> None:
    """Clients find an item by the id that it was announced with."""
    late = {**SAID, "id": "msg_9"}
    decoder = wire().stream_decoder()
    events = [CREATED, begun(SAID), said("It rains."), ended(late), done(late)]
    made, lost = encoded([piece for one in events for piece in decoder.feed(one)])
    assert decoded(made).msg.blocks[0].extras[OWN]["id"] == "msg_1"  # type: ignore[index]
    assert f"answer.unsupported extras.{OWN}.id" in lost


@pytest.mark.parametrize("cut", range(1, len(STREAM)))
def test_a_stream_that_broke_off(cut: int) -> None:
    before, after, made = through(*STREAM[:cut])
    assert (before.status, after.status) == ("interrupted", "interrupted")
    assert before.text == after.text
    assert before.extras == after.extras
    assert not {"completed", "incomplete", "failed"} & {*kinds(made)}


def test_an_error_in_a_stream() -> None:
    error = {"type": "error", "error": {"type": "server_error", "code": "x", "message": "Oh."}}
    assert ("error", error) in same(CREATED, begun(SAID), said("It"), error)


def test_a_response_that_failed() -> None:
    error = {"code": "server_error", "message": "Oh."}
    made = same(CREATED, done(kind="failed", error=error))
    assert kinds(made)[-1] == "failed"


def test_a_response_that_is_incomplete() -> None:
    details = {"reason": "max_output_tokens"}
    made = same(CREATED, begun(SAID), said("It"), ended(SAID),
                done(SAID, kind="incomplete", incomplete_details=details))  # fmt: skip
    assert kinds(made)[-1] == "incomplete"


def test_an_event_that_nobody_knows_stays_in_a_stream_of_this_wire() -> None:
    odd = event("hologram.delta", delta="x")
    assert (None, odd) in same(CREATED, odd, done())
    _, lost = encoded([BEGIN, Raw(None, odd), *STOP])
    assert "answer.unsupported" in lost


def test_text_of_another_wire() -> None:
    made = told(part("It "), part("rains."))
    assert kinds(made) == [
        "created", "in_progress", "output_item.added", "content_part.added",
        "output_text.delta", "output_text.delta", "output_text.done", "content_part.done",
        "output_item.done", "completed",
    ]  # fmt: skip
    resp = decoded(made)
    assert (resp.text, resp.finish.reason, resp.id, resp.model) == (
        "It rains.",
        "stop",
        "chat_1",
        "m",
    )
    assert (resp.usage.input, resp.usage.cache_read, resp.usage.output) == (5, 3, 4)


def test_texts_side_by_side_are_parts_of_one_message() -> None:
    made = told(part("A"), part("B", 0, 1), part(RefusalBlock("No."), 0, 2))
    [item] = made[-1][1]["response"]["output"]
    assert [one["type"] for one in item["content"]] == ["output_text", "output_text", "refusal"]
    places = [p["content_index"] for n, p in made if n == "response.content_part.added"]
    assert places == [0, 1, 2]


def test_a_text_without_a_word_is_no_part() -> None:
    made = told(part(""), part("A", 0, 1), part("", 0, 2))
    [item] = made[-1][1]["response"]["output"]
    assert [one["text"] for one in item["content"]] == ["A"]
    assert kinds(made).count("content_part.added") == 1


def test_an_answer_of_several_items() -> None:
    made = told(
        part(ThinkingBlock("H")), part(ThinkingBlock("m")), part("So:", 0, 1),
        part(ToolUseBlock("c1", "look"), 0, 2), part(ToolUseBlock("", "", raw_input='{"a":'), 0, 2),
        part(ToolUseBlock("c2", "look", raw_input='{"b": 2}'), 0, 3),
        part(ToolUseBlock("", "", raw_input=" 1}"), 0, 2),
    )  # fmt: skip
    output = made[-1][1]["response"]["output"]
    assert [one["type"] for one in output] == [
        "reasoning", "message", "function_call", "function_call"]  # fmt: skip
    assert output[0]["summary"] == [{"type": "summary_text", "text": "Hm"}]
    assert [one["arguments"] for one in output[2:]] == ['{"a": 1}', '{"b": 2}']
    deltas = [p["delta"] for n, p in made if n == "response.function_call_arguments.delta"]
    assert "".join(deltas) == '{"a": 1}{"b": 2}'
    assert len({one["id"] for one in output}) == 4
    open_now: set[int] = set()
    for name, payload in made:
        if name == "response.output_item.added":
            open_now.add(payload["output_index"])
        elif name == "response.output_item.done":
            open_now.remove(payload["output_index"])
        assert len(open_now) <= 1


def test_a_call_whose_arguments_are_a_value() -> None:
    made = told(part(ToolUseBlock("c1", "look", {"at": 1})), part(ToolUseBlock("c2", "nap"), 0, 1))
    calls = made[-1][1]["response"]["output"]
    assert [one["arguments"] for one in calls] == ['{"at": 1}', "{}"]
    assert [call.input for call in decoded(made).calls] == [{"at": 1}, {}]


def test_a_call_that_breaks_off() -> None:
    made, lost = encoded([BEGIN, part(ToolUseBlock("c1", "look", raw_input='{"at')), *STOP])
    assert made[-1][0] == "response.incomplete"
    assert made[-1][1]["response"]["output"][0]["status"] == "incomplete"
    assert "answer.finish status" in lost


def test_a_call_that_a_limit_cut_off_is_not_one_without_arguments() -> None:
    made, _ = encoded([BEGIN, part(ToolUseBlock("c1", "look")), End(Finish("length"))])
    [call] = made[-1][1]["response"]["output"]
    assert (call["arguments"], call["status"]) == ("", "incomplete")
    assert decoded(made).calls == []


def test_citations_of_another_wire() -> None:
    cited = Citation(0, 2, "https://a.b", "A")
    made = told(part("It rains."), part(TextBlock("", [cited])))
    [note] = [p for n, p in made if n == "response.output_text.annotation.added"]
    assert note["annotation"]["url"] == "https://a.b"
    assert decoded(made).msg.blocks[0].citations == [cited]  # type: ignore[union-attr]


def test_what_a_stream_cannot_carry() -> None:
    made, lost = encoded([
        BEGIN, Meta({"system_fingerprint": "fp"}, issuer="openai-chat"),
        part(ThinkingBlock("", redacted="x", origin=Origin("anthropic"))),
        part(ImageBlock(URLSource("https://a.b/c.png")), 0, 1),
        part(RawBlock("anthropic", {"type": "x"}), 0, 2),
        part("So.", 0, 3), part("Other.", 1, 0), part(" answers", 1, 0), *STOP,
    ])  # fmt: skip
    _valid(made)
    assert [one["type"] for one in made[-1][1]["response"]["output"]] == ["message"]
    assert lost.count("answer.candidates") == 1
    assert "answer.unsupported redacted" in lost
    assert lost.count("answer.unsupported") == 2
    assert "extras.other_provider extras.openai-chat.system_fingerprint" in lost
    assert "system_fingerprint" not in made[-1][1]["response"]


def test_items_of_this_wire_among_others() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    made, _ = encoded([BEGIN, part(RawBlock(OWN, search)), part("So.", 0, 1), *STOP])
    assert made[-1][1]["response"]["output"][0] == search


def test_an_error_of_another_wire() -> None:
    error = ProviderError("Overloaded.", type="overloaded_error")
    made, _ = encoded([BEGIN, part("It"), Failed(error)])
    assert "error" in kinds(made)
    resp = decoded(made)
    assert resp.status == "error"
    assert resp.error is not None
    assert resp.error.message == "Overloaded."
    assert "completed" not in kinds(made)


def test_no_end_is_made_up() -> None:
    made, _ = encoded([BEGIN, part("It")])
    assert "completed" not in kinds(made)
    assert decoded(made).status == "interrupted"
    assert encoded([]) == ([], [])


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("length", "incomplete"), ("content_filter", "incomplete"), ("error", "failed"),
     ("tool_calls", "completed"), ("pause", "incomplete")],
)  # fmt: skip
def test_why_it_ended(reason: Any, kind: str) -> None:
    made, _ = encoded([BEGIN, part("It"), End(Finish(reason))])
    assert kinds(made)[-1] == kind
    _valid(made)
    [item] = made[-1][1]["response"]["output"]
    assert item["status"] == ("incomplete" if reason == "length" else "completed")


def test_a_stream_says_what_the_whole_answer_says() -> None:
    pieces: Sequence[Piece] = [BEGIN, part(ThinkingBlock("Hm")), part("So", 0, 1), *STOP]
    from dragoman.stream.builder import build

    whole = wire().room.write_response(build(pieces, issuer="openai-chat"), Report())
    made, _ = encoded(pieces)
    assert made[-1][1]["response"] == whole


def test_an_answer_that_names_nobody() -> None:
    made, lost = encoded([part("Hi"), End(Finish("stop"))])
    assert made[0][1]["response"]["id"] == made[-1][1]["response"]["id"]
    assert {"answer.field id", "answer.field model"} <= {*lost}


def test_a_whole_answer_goes_through_as_a_stream() -> None:
    body = answer(THOUGHT, SAID, CALL)
    resp = wire().read_response(body)
    decoder = wire().stream_decoder()
    made, lost = encoded(decoder.feed(body))
    assert made[-1][1]["response"] == body
    assert decoded(made) == resp
    assert lost == []


def test_a_thought_goes_out_once() -> None:
    events, _ = encoded([
        BEGIN, Part((0, 0), ThinkingBlock("Hm")), Part((0, 0), ThinkingBlock("m.")), *STOP,
    ])  # fmt: skip
    deltas = [told["delta"] for name, told in events if name and name.endswith(".delta")]
    assert deltas == ["Hm", "m."]


def test_what_is_sealed_for_these_clients_goes_out() -> None:
    ours = Origin("openai-responses")
    events, lost = encoded([
        BEGIN, Part((0, 0), ThinkingBlock("Hm.", origin=ours)),
        Part((0, 0), ThinkingBlock("", "sealed", origin=ours)),
        Part((0, 1), ThinkingBlock("", redacted="all of it", origin=ours)), *STOP,
    ])  # fmt: skip
    made: Any = events[-1][1]
    assert [(item["encrypted_content"], len(item["summary"])) for item in made["response"]["output"]
            ] == [("sealed", 1), ("all of it", 0)]  # fmt: skip
    assert not [code for code in lost if code.startswith("answer.unsupported")]


def test_sound_goes_in_the_events_that_it_came_in() -> None:
    deltas: Events = [
        (kind, {"type": kind, "delta": delta, "sequence_number": nth})
        for nth, (kind, delta) in enumerate([
            ("response.audio.delta", "AAAA"), ("response.audio.transcript.delta", "Hi"),
            ("response.audio.delta", "BBBB"),
        ])
    ]  # fmt: skip
    response = {"id": "r", "object": "response", "status": "completed", "model": "m", "output": []}
    created = {"type": "response.created", "response": {**response, "status": "in_progress"}}
    completed = {"type": "response.completed", "response": response}
    given = [("response.created", created), *deltas, ("response.completed", completed)]
    stream = dragoman.convert_stream(given, OWN, OWN, policy="ignore")
    out = [(event.event, json.loads(event.data)) for event in stream]
    told = [(name, data["delta"]) for name, data in out if "audio" in str(name)]
    assert told == [(name, data["delta"]) for name, data in deltas]
    assert out[-1][1]["response"]["output"] == []
    written = wire().write_response(stream.response)
    assert [loss.code for loss in written.losses] == ["answer.unsupported"]
