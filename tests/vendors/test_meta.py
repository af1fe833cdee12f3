"""Muse at Meta: always thinks, chooses tools by itself, and knows no stop sequences."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import LLM, ChatRequest, Msg, Options, Tool, ToolChoice

WIRES = ("meta", "meta/openai-chat", "meta/anthropic")
TOOL = Tool("find", "Finds.", {"type": "object", "properties": {}})


@pytest.mark.parametrize("wire", WIRES)
def test_what_muse_refuses_is_not_sent(wire: str) -> None:
    request = ChatRequest(
        [Msg.user("Hi")],
        tools=[TOOL],
        tool_choice=ToolChoice("required"),
        options=Options(stop=("END",), reasoning="none", max_tokens=100),
    )
    out = dragoman.wire(wire, policy="ignore").write_request(request, model="muse-spark-1.3")
    assert not {"stop", "stop_sequences"} & out.body.keys()
    assert "none" not in str(out.body.get("reasoning") or out.body.get("reasoning_effort"))
    assert out.body.get("thinking", {}).get("type") != "disabled"
    assert "required" not in str(out.body.get("tool_choice"))
    assert any(loss.field == "stop" for loss in out.losses)


def test_ember_thinks_at_max_and_others_at_xhigh() -> None:
    wire = dragoman.wire("meta", policy="ignore")
    for model, effort in (("muse-ember-1.0", "max"), ("muse-spark-1.3", "xhigh")):
        request = ChatRequest([Msg.user("Hi")], options=Options(reasoning="max"))
        assert wire.write_request(request, model=model).body["reasoning"]["effort"] == effort


def test_muse_is_asked_at_its_maker() -> None:
    assert LLM("muse-spark-1.3", key="k").limits[:2] == (1_048_576, 131_072)
