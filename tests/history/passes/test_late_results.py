"""Calls whose result may come at any time: none is made up, and none moves forward."""

from __future__ import annotations

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import ToolResultBlock, ToolUseBlock

LATER = {"openai-responses": {"async": True}}
SLOW = ToolUseBlock("a", "slow", {}, extras=LATER)
QUICK = ToolUseBlock("b", "quick", {})
BEGUN = [Msg.user("Go."), Msg("", [SLOW, QUICK], "assistant"), Msg.tool("b", "B", "quick"),
         Msg.user("And?"), Msg.assistant("It is running.")]  # fmt: skip


def written(wire: str, *msgs: Msg) -> tuple[list[str], list[str]]:
    """(what stands in the request, by call id where it has one; the codes of the losses)."""
    request = ChatRequest([*BEGUN, *msgs], tools=[Tool("slow"), Tool("quick")])
    out = dragoman.wire(wire, policy="ignore").write_request(request)
    items = out.body.get("input") or out.body["messages"]
    found = [item.get("call_id") or item.get("tool_call_id") or item["role"] for item in items]
    return found, [loss.code for loss in out.losses if loss.code.startswith("result.")]


def test_a_call_that_runs_lacks_no_result() -> None:
    found, codes = written("openai-responses", Msg.user("Still?"))
    assert found == ["user", "a", "b", "b", "user", "assistant", "user"]
    assert codes == []


def test_a_later_result_stays_where_it_came() -> None:
    late = [Msg.tool("a", "A", "slow"), Msg.user("So?")]
    found, codes = written("openai-responses", *late)
    assert found == ["user", "a", "b", "b", "user", "assistant", "a", "user"]
    assert codes == []
    twice = Msg("", [ToolResultBlock("a", "slow", "A2")], "tool")
    found, codes = written("openai-responses", *late, twice)
    assert (found.count("a"), codes) == (2, ["result.duplicate"])


def test_other_wires_wait_for_none() -> None:
    found, codes = written("openai-chat", Msg.tool("a", "A", "slow"))
    assert found == ["user", "assistant", "a", "b", "user", "assistant"]
    assert codes == ["result.moved"]
    assert written("openai-chat", Msg.user("Still?"))[1] == ["result.missing"]
