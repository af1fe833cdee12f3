"""Cases of reading the Messages API, whole and streamed, by Anthropic and those who copy it."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options
from dragoman.message import (
    Finish,
    RawBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from tests.cases.reading import streamed, whole
from tests.cases.writing import answered, written

HI = Msg.user("Hi")
OLD = "claude-sonnet-4-5"
THINKS = Options(reasoning_budget=2000, max_tokens=4000)
CALL = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"at": "it"}}
OVER = {"type": "message_stop"}


def message(*content: dict[str, Any], reason: str | None = "end_turn", **more: Any) -> Any:
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": OLD,
            "content": [*content], "stop_reason": reason, "stop_sequence": None} | more  # fmt: skip


def start(**usage: int) -> dict[str, Any]:
    return {"type": "message_start", "message": message(reason=None, usage=usage)}


def begun(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **said: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **said}}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def ended(reason: str, **usage: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"type": "message_delta", "delta": {"stop_reason": reason}}
    return {**told, "usage": usage} if usage else told


def block(index: int, kind: str, *deltas: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return [begun(index, type=kind, **more), *deltas, stop(index)]


def test_case_2_an_empty_text_is_kept_and_not_sent() -> None:
    resp = whole("anthropic", message({"type": "text", "text": ""}, CALL, reason="tool_use"))
    assert [one.type for one in resp.msg.blocks] == ["text", "tool_use"]
    body, losses = written("anthropic", [HI, resp.msg, answered("toolu_1")], OLD)
    assert body["messages"][1]["content"] == [CALL]
    assert [code for code, _ in losses] == ["text.blank"]


def test_case_3_thinking_comes_back_first_and_in_order() -> None:
    events = [
        start(),
        *block(0, "thinking", delta(0, "thinking_delta", thinking="hm"),
               delta(0, "signature_delta", signature="c2ln"), thinking="", signature=""),
        *block(1, "redacted_thinking", data="c2VhbGVk"),
        *block(2, "tool_use", delta(2, "input_json_delta", partial_json='{"at":"it"}'),
               id="toolu_1", name="look", input={}),
        ended("tool_use"), OVER,
    ]  # fmt: skip
    resp = streamed("anthropic", events)
    assert resp.msg.blocks[:2] == [
        ThinkingBlock("hm", "c2ln"), ThinkingBlock("", redacted="c2VhbGVk")
    ]  # fmt: skip
    body, _ = written("anthropic", [HI, resp.msg, answered("toolu_1")], OLD, options=THINKS)
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
        CALL,
    ]


@pytest.mark.parametrize("signature", [None, ""])
def test_case_4_thinking_of_an_aborted_stream_is_not_sent(signature: str | None) -> None:
    more = {} if signature is None else {"signature": signature}
    events = [start(), begun(0, type="thinking", thinking="", **more),
              delta(0, "thinking_delta", thinking="half")]  # fmt: skip
    resp = streamed("anthropic", events)
    assert resp.status == "interrupted"
    assert resp.msg.blocks == [ThinkingBlock("half", signature)]
    body, losses = written("anthropic", [HI, resp.msg, HI], OLD, options=THINKS)
    assert "half" not in str(body)
    assert "thinking.unsigned" in [code for code, _ in losses]


def test_case_4_nothing_of_a_signed_thought_changes() -> None:
    thought = {"type": "thinking", "thinking": " a\n\n b \n", "signature": "c2ln=="}
    resp = whole("anthropic", message(thought, CALL, reason="tool_use"))
    body, _ = written("anthropic", [HI, resp.msg, answered("toolu_1")], OLD, options=THINKS)
    assert body["messages"][1]["content"] == [thought, CALL]


def test_case_9_the_order_of_the_model_is_kept() -> None:
    events = [start(), *block(0, "tool_use", id="a", name="look", input={}),
              *block(1, "text", delta(1, "text_delta", text="and"), text=""),
              *block(2, "tool_use", id="b", name="look", input={}), ended("tool_use"),
              OVER]  # fmt: skip
    blocks = streamed("anthropic", events).msg.blocks
    assert [one.type for one in blocks] == ["tool_use", "text", "tool_use"]


def test_case_10_calls_without_an_id_get_one_each() -> None:
    nameless = {**CALL, "id": ""}
    calls = whole("anthropic", message(nameless, nameless, reason="tool_use")).calls
    assert len({call.id for call in calls}) == 2
    assert all(call.id for call in calls)


@pytest.mark.parametrize("given", ['{"at":', [], None, "sorry", 7])
def test_case_11_input_that_is_no_object_is_kept_and_never_sent(given: Any) -> None:
    resp = whole("anthropic", message({**CALL, "input": given}, reason="tool_use"))
    (call,) = resp.msg.calls
    assert call.raw_input == (given if isinstance(given, str) else None)
    assert call.input == ({} if given is None else given)
    body, _ = written("anthropic", [HI, resp.msg, answered("toolu_1")], OLD)
    assert isinstance(body["messages"][1]["content"][0]["input"], dict)


@pytest.mark.parametrize(
    ("first", "pieces", "made"),
    [
        ({}, ["", '{"at"', ': "it"}'], {"at": "it"}),
        ({}, [""], {}),
        ({}, [], {}),
        ({"at": "it"}, [], {"at": "it"}),
        ({"at": "it"}, [""], {"at": "it"}),
        ({"at": "it"}, ['{"at": "it"}'], {"at": "it"}),
    ],
)
def test_case_13d_input_comes_in_pieces_or_at_once(
    first: dict[str, Any], pieces: list[str], made: dict[str, Any]
) -> None:
    told = [delta(0, "input_json_delta", partial_json=piece) for piece in pieces]
    events = [start(), *block(0, "tool_use", *told, id="a", name="look", input=first),
              ended("tool_use"), OVER]  # fmt: skip
    resp = streamed("anthropic", events)
    assert [call.input for call in resp.calls] == [made]
    body, _ = written("anthropic", [HI, resp.msg, answered("a")], OLD)
    sent = {"type": "tool_use", "id": "a", "name": "look", "input": made}
    assert body["messages"][1]["content"] == [sent]


def test_case_13g_what_the_server_did_is_kept_paired_and_sent_back() -> None:
    did: list[dict[str, Any]] = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "it"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "container_upload", "file_id": "file_1"},
        {"type": "something_new", "a": [1]},
    ]
    resp = whole("anthropic", message(*did, reason="pause_turn"))
    kept = [one for one in resp.msg.blocks if type(one) is RawBlock]
    assert {one.by for one in kept} == {"server"}
    assert [(one.role, one.pair) for one in kept] == [
        ("call", "s1"), ("result", "s1"), ("item", None), ("item", None)
    ]  # fmt: skip
    assert (resp.finish, resp.status) == (Finish("pause", "pause_turn"), "complete")
    assert resp.calls == []
    out = dragoman.wire("anthropic").write_request(ChatRequest([HI, resp.msg, HI]), OLD)
    assert out.body["messages"][1]["content"] == did


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("refusal", "refusal"), ("model_context_window_exceeded", "context_overflow"),
     ("pause_turn", "pause"), ("never_seen", "other")],
)  # fmt: skip
def test_case_13j_a_new_reason_is_no_usual_end(raw: str, reason: str) -> None:
    resp = whole("anthropic", message(reason=raw))
    assert resp.finish == Finish(reason, raw)  # type: ignore[arg-type]  # one of the literals
    assert streamed("anthropic", [start(), ended(raw), OVER]).finish == resp.finish


def test_case_13j_why_it_refused_is_kept() -> None:
    why = {"type": "refusal", "category": "cyber", "explanation": "No."}
    refused = whole("anthropic", message(reason="refusal", stop_details=why))
    told = {"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": why}}
    for resp in (refused, streamed("anthropic", [start(), told, OVER])):
        assert resp.finish.reason == "refusal"
        assert resp.extras is not None
        assert resp.extras["anthropic"]["stop_details"] == why


def test_case_27_a_call_that_the_limit_cut_is_not_offered() -> None:
    for pieces in (['{"at": "i'], []):
        told = [delta(0, "input_json_delta", partial_json=piece) for piece in pieces]
        events = [start(), *block(0, "tool_use", *told, id="a", name="look", input={}),
                  ended("max_tokens"), OVER]  # fmt: skip
        resp = streamed("anthropic", events)
        assert (resp.status, resp.calls) == ("truncated", [])
        assert [call.unfinished for call in resp.msg.calls] == [True]


def test_case_38_thinking_that_nobody_signed_goes_back_to_who_wants_it() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": ""}
    resp = whole("deepseek/anthropic", message(thought, CALL, reason="tool_use"))
    body, _ = written("deepseek/anthropic", [HI, resp.msg, answered("toolu_1")])
    assert body["messages"][1]["content"] == [thought, CALL]


def test_case_80_a_delta_of_another_kind_opens_another_block() -> None:
    events = [start(), begun(0, type="text", text=""),
              delta(0, "thinking_delta", thinking="hm"), delta(0, "thinking_delta", thinking="."),
              delta(0, "signature_delta", signature="c2ln"), delta(0, "text_delta", text="A"),
              delta(0, "text_delta", text="B"), stop(0),
              *block(1, "text", delta(1, "text_delta", text="C"), text=""), ended("end_turn"),
              OVER]  # fmt: skip
    assert streamed("anthropic", events).msg.blocks == [
        ThinkingBlock("hm.", "c2ln"), TextBlock("AB"), TextBlock("C")
    ]  # fmt: skip


def test_case_81_without_a_word_on_the_end_it_broke_off() -> None:
    events = [start(), *block(0, "text", delta(0, "text_delta", text="A"), text="")]
    assert streamed("anthropic", events).status == "interrupted"
    assert streamed("anthropic", [*events, ended("end_turn")]).status == "complete"
    assert streamed("anthropic", [*events, OVER]).status == "complete"
    half = [start(), begun(0, type="tool_use", id="a", name="look", input={}),
            delta(0, "input_json_delta", partial_json='{"at":')]  # fmt: skip
    for cut in (half, half[:2]):
        resp = streamed("anthropic", cut)
        assert (resp.status, resp.calls) == ("interrupted", [])


def test_case_93_figures_are_disjoint_and_replace_each_other() -> None:
    told = {"input_tokens": 7, "cache_read_input_tokens": 10_000, "output_tokens": 40,
            "output_tokens_details": {"thinking_tokens": 30}}  # fmt: skip
    usage = Usage(7, 10_000, None, 40, 30)
    assert whole("anthropic", message(usage=told)).usage == usage
    first = start(input_tokens=7, cache_read_input_tokens=10_000, output_tokens=3)
    assert streamed("anthropic", [first, ended("end_turn", **told), OVER]).usage == usage
    last = ended("end_turn", output_tokens=40, output_tokens_details={"thinking_tokens": 30})
    assert streamed("anthropic", [first, last, OVER]).usage == usage


def test_names_of_calls_are_those_of_the_tools() -> None:
    tool = dragoman.Tool("server/look.v1")
    out = dragoman.wire("anthropic").write_request(ChatRequest([HI], tools=[tool]), OLD)
    said = {**CALL, "name": out.body["tools"][0]["name"]}
    (call,) = whole("anthropic", message(said, reason="tool_use"), request=out).calls
    assert call == ToolUseBlock("toolu_1", "server/look.v1", {"at": "it"})
    result = Msg("", [ToolResultBlock("toolu_1", call.name, "ok")], "tool")
    said_again = [HI, Msg("", [call], "assistant"), result]
    again, _ = written("anthropic", said_again, OLD, tools=[tool])
    assert again["messages"][1]["content"][0]["name"] == said["name"]
