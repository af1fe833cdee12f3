"""Streams as hosts vary them: ids and places that lie, bodies without items, errors."""

from __future__ import annotations

from typing import Any

from dragoman.message import TextBlock, ThinkingBlock
from tests.protocols.openai_responses.reading import OWN, done, event, item_of, read, streamed
from tests.protocols.openai_responses.streams import (
    CALL,
    CREATED,
    SAID,
    STREAM,
    TEXT,
    THOUGHT,
    WORDS,
    begun,
    ended,
    said,
)
from tests.protocols.openai_responses.writing import wire


def test_ids_that_change_in_every_event_do_not_matter() -> None:
    turned = [
        {**one, "item_id": f"id_{nth}"} if "item_id" in one else one
        for nth, one in enumerate(STREAM)
    ]
    turned[2] = begun({**SAID, "id": "id_a"})
    turned[-2] = ended({**SAID, "id": "id_b"})
    assert streamed(*turned) == read(SAID)


def test_items_that_all_count_as_the_first_stay_apart() -> None:
    other = {**SAID, "id": "msg_2", "content": [{**TEXT, "text": "Here."}]}
    second = {**CALL, "id": "fc_2", "call_id": "call_2", "arguments": "{}"}
    events = [begun(SAID), *WORDS, ended(SAID), begun(CALL),
              event("function_call_arguments.delta", item_id="fc_1", delta='{"at": 1}'),
              begun(second), event("function_call_arguments.delta", item_id="fc_2", delta="{}"),
              ended(CALL), ended(second),
              begun(other), {**said("Here."), "item_id": "msg_2"}, ended(other)]  # fmt: skip
    resp = streamed(*events, done(SAID, CALL, second, other))
    assert resp == read(SAID, CALL, second, other)
    assert streamed(*events).msg.blocks == resp.msg.blocks


def test_ends_that_all_count_as_the_first_stay_apart() -> None:
    other = {**SAID, "id": "msg_2", "content": [{**TEXT, "text": "Here."}]}
    assert streamed(ended(SAID), ended(other)).msg == read(SAID, other).msg


def test_items_without_a_place_are_told_apart_by_their_ids() -> None:
    other = {**SAID, "id": "msg_2", "content": [{**TEXT, "text": "Here."}]}
    events = [begun(SAID), *WORDS, begun(other, 1), said("Here.", 1)]
    resp = streamed(*events, ended(other, None), ended(SAID, None))
    assert resp.msg == read(SAID, other).msg
    nameless = {key: value for key, value in SAID.items() if key != "id"}
    assert streamed(ended(nameless, None)).text == "It rains."


# vllm-project/vllm pull request 47916, 2026-07-07: the closing body has a second id
def test_a_call_keeps_the_id_under_which_it_was_streamed() -> None:
    other = {**CALL, "id": "fc_Z", "call_id": "call_Z"}
    resp = streamed(CREATED, begun(CALL), ended(CALL), done(other))
    assert [call.id for call in resp.msg.calls] == [CALL["call_id"]]


def test_parts_that_count_on_from_item_to_item_are_not_doubled() -> None:
    thought = {"type": "reasoning", "id": "msg_0", "summary": [],
               "content": [{"type": "reasoning_text", "text": "Hm."}]}  # fmt: skip
    resp = streamed(
        begun(thought),
        event("reasoning_text.delta", content_index=0, delta="Hm."),
        ended(thought),
        begun(SAID, 1),
        said("It ", 1, 1),
        said("rains.", 1, 1),
        ended(SAID, 1),
        done(thought, SAID),
    )
    assert resp.msg == read(thought, SAID).msg


def test_a_closing_body_without_items_takes_nothing_away() -> None:
    empty: tuple[Any, ...] = ([], None)
    for output in empty:
        closing = done(SAID)
        closing["response"]["output"] = output
        resp = streamed(*STREAM[:-1], closing)
        assert resp.msg == read(SAID).msg
        assert resp.status == "complete"


def test_a_host_that_does_not_say_texts_again_is_believed_the_first_time() -> None:
    empty = {**SAID, "content": [{**TEXT, "text": ""}]}
    resp = streamed(*STREAM[:7], ended(empty), done(empty))
    assert resp.msg == read(SAID).msg
    part = event("content_part.done", content_index=0, part={**TEXT, "text": ""})
    assert streamed(*STREAM[:7], part).text == "It rains."
    call = [begun(CALL), event("function_call_arguments.delta", delta='{"at": 1}')]
    resp = streamed(*call, event("function_call_arguments.done", arguments=""))
    assert resp.msg.calls[0].input == {"at": 1}
    thought = {**THOUGHT, "summary": []}
    resp = streamed(
        begun(THOUGHT), event("reasoning_summary_text.delta", summary_index=0, delta="First."),
        ended(thought), done({**thought, "status": "completed"}),
    )  # fmt: skip
    block = resp.msg.blocks[0]
    assert isinstance(block, ThinkingBlock)
    assert (block.thinking, block.redacted) == ("First.", "gBBB")


def test_items_that_nobody_announced_are_told_at_the_end() -> None:
    resp = streamed(said("It rains.", 1), done(THOUGHT, SAID, CALL))
    assert resp == read(THOUGHT, SAID, CALL)


def test_a_second_response_in_one_stream_stands_behind_the_first() -> None:
    other = {**SAID, "id": "msg_2", "content": [{**TEXT, "text": "Here."}]}
    second = {"type": "response.created", "response": {**CREATED["response"], "id": "resp_2"}}
    resp = streamed(*STREAM, second, begun(other), said("Here."), ended(other), done(other))
    assert [b.text for b in resp.msg.blocks if isinstance(b, TextBlock)] == ["It rains.", "Here."]


def test_items_of_a_second_response_keep_their_order() -> None:
    bare = {key: value for key, value in SAID.items() if key != "id"}
    items = [{**bare, "content": [{**TEXT, "text": text}]} for text in ("One.", "Two.")]
    second = {"type": "response.created", "response": {**CREATED["response"], "id": "resp_2"}}
    late = {**said("Two.", 1), "item_id": None}
    resp = streamed(*STREAM, second, late, done(*items))
    texts = [b.text for b in resp.msg.blocks if isinstance(b, TextBlock)]
    assert texts == ["It rains.", "One.", "Two."]


def test_an_empty_place_and_a_sign_of_life_say_nothing() -> None:
    decoder = wire().stream_decoder()
    for one in (event("output_item.added", item=None), {"type": "keepalive", "sequence_number": 3},
                event("web_search_call.searching", item_id="ws_1")):  # fmt: skip
        assert decoder.feed(one) == []
    assert decoder.finish().msg.blocks == []


def test_fields_of_the_closing_event_are_the_answers() -> None:
    resp = streamed(*STREAM[:-1], {**done(SAID), "copilot_usage": {"a": 1}, "sequence_number": 9})
    assert resp.extras is not None
    assert resp.extras[OWN]["copilot_usage"] == {"a": 1}
    assert "sequence_number" not in resp.extras[OWN]


def test_events_that_nobody_knows_are_kept() -> None:
    strange = [event("hologram.delta", delta="x"), {"type": "response.bent", "response": {"a": 1}},
               event("output_text.delta", content_index=0, delta=7)]  # fmt: skip
    decoder = wire().stream_decoder()
    for one in strange:
        decoder.feed(one, "named")
    resp = decoder.finish()
    assert resp.extras == {
        OWN: {"events": [{"event": "named", "payload": one} for one in strange]}
    }  # fmt: skip


def test_events_whose_data_has_no_type_go_by_their_names() -> None:
    decoder = wire().stream_decoder()
    for one in STREAM:
        decoder.feed({key: one[key] for key in one if key != "type"}, str(one["type"]))
    assert decoder.finish() == read(SAID)


def test_errors_come_flat_or_inside_of_an_object() -> None:
    flat = {"type": "error", "code": "rate_limit", "message": "Slow down.", "param": None}
    inner = {"type": "error", "error": {"type": "x", "code": "rate_limit", "message": "Slow down."}}
    for told in (flat, inner):
        resp = streamed(*STREAM[:6], told)
        assert (resp.status, resp.text) == ("error", "It ")
        assert resp.error is not None
        assert (resp.error.message, resp.error.code) == ("Slow down.", "rate_limit")
    failed = done(kind="failed", error={"code": "server_error", "message": "It broke."})
    resp = streamed(*STREAM[:6], failed)
    assert (resp.status, resp.finish.reason, resp.text) == ("error", "error", "It ")
    assert resp.error is not None
    assert (resp.error.message, resp.error.code) == ("It broke.", "server_error")


def test_a_streamed_answer_goes_back_as_it_came() -> None:
    events = [CREATED, begun(THOUGHT), ended(THOUGHT), begun(SAID, 1), said("It rains.", 1),
              ended(SAID, 1), done(THOUGHT, SAID)]  # fmt: skip
    assert item_of(streamed(*events)) == [THOUGHT, SAID]
