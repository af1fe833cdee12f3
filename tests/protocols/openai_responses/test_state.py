"""What the host keeps: results of calls that stand there, and hosts that keep nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.errors import WriteError
from dragoman.message import ToolUseBlock
from tests.contract.judges import judge_request
from tests.laws.histories import LONG, histories

from .writing import OWN, codes, own, wire, wrote

SEEN = Msg.tool("call_1", "seen")
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "seen"}
STATES: list[dict[str, Any]] = [
    {"previous_response_id": "resp_1"},
    {"conversation": "conv_1"},
    {"conversation": {"id": "conv_1"}},
]


@pytest.mark.parametrize("state", STATES)
def test_results_alone_go_on_from_what_the_host_keeps(state: dict[str, Any]) -> None:
    out = wrote(SEEN, Msg.user("And?"), extras=own(**state))
    assert out.body["input"] == [OUTPUT, {"role": "user", "content": "And?"}]
    assert out.body.items() >= state.items()
    assert codes(out) == []
    assert judge_request(OWN, out.body, "/v1/responses") == []


@pytest.mark.parametrize(
    "extras",
    [
        None,
        own(),
        own(store=True),
        own(previous_response_id=None),
        own(conversation=""),
        {"somebody": {"previous_response_id": "resp_1"}},
    ],
)
def test_a_result_without_its_call_is_an_orphan_elsewhere(extras: Any) -> None:
    out = wrote(SEEN, Msg.user("And?"), extras=extras)
    assert out.body["input"] == [{"role": "user", "content": "And?"}]
    assert "result.orphan $.messages[0].content[0]" in codes(out)


def test_calls_that_are_sent_are_paired_all_the_same() -> None:
    call = Msg.assistant([ToolUseBlock("call_2", "look", {})])
    out = wrote(SEEN, call, Msg.user("On"), Msg.tool("call_2", "late"), extras=own(**STATES[0]))
    items = [item.get("type", item.get("role")) for item in out.body["input"]]
    assert items == ["function_call_output", "function_call", "function_call_output", "user"]
    assert codes(out) == ["result.moved $.messages[3].content[0]"]


def stateless(**state: Any) -> dragoman.message.Written:
    target = wire(stores=False, reads_items_of=("host", OWN))
    request = ChatRequest([SEEN, Msg.user("And?")], model="m", extras=state["extras"])
    return target.write_request(request)


def test_a_host_that_keeps_nothing_goes_on_from_nobody_elses_state() -> None:
    out = stateless(extras=own(previous_response_id="resp_1", store=True, truncation="auto"))
    assert out.body["input"] == [{"role": "user", "content": "And?"}]
    assert {"previous_response_id", "store"}.isdisjoint(out.body)
    assert out.body["truncation"] == "auto"
    assert codes(out) == [
        "result.orphan $.messages[0].content[0]",
        "extras.other_provider $.extras.openai-responses.previous_response_id",
        "extras.other_provider $.extras.openai-responses.store",
    ]


def test_what_a_host_is_told_by_its_own_name_it_gets() -> None:
    named = {"host": {"previous_response_id": "resp_1"}, OWN: {"previous_response_id": "resp_2"}}
    out = stateless(extras=named)
    assert out.body["previous_response_id"] == "resp_1"
    assert out.body["input"][0] == OUTPUT
    assert codes(out) == []
    without = stateless(extras=own(store=False, previous_response_id=None))
    assert without.body["store"] is False
    assert codes(without) == ["result.orphan $.messages[0].content[0]"]


def test_a_result_under_an_id_that_the_host_cannot_have_given_is_an_orphan() -> None:
    out = wrote(Msg.tool(LONG, "seen"), Msg.user("And?"), extras=own(**STATES[0]))
    assert out.body["input"] == [{"role": "user", "content": "And?"}]
    assert codes(out) == ["result.orphan $.messages[0].content[0]"]


@given(histories())
@example([Msg.system("Go on."), Msg.tool(LONG, "seen")])
def test_whatever_goes_on_is_taken(msgs: list[Msg]) -> None:
    target = dragoman.wire(OWN, policy="ignore")
    request = ChatRequest(msgs, model="m", extras=own(previous_response_id="resp_1"))
    try:
        out = target.write_request(request)
    except WriteError as error:
        if error.code != "messages.empty":
            raise
    else:
        assert judge_request(OWN, out.body, "/v1/responses") == []
