"""What goes together: a call with the result that answers it, by place where ids come again."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import Msg
from dragoman.history.truncate import units
from dragoman.message import RawBlock, ToolResultBlock, ToolUseBlock
from dragoman.tokens import CharTokenCounter


def call(*ids: str) -> Msg:
    return Msg.assistant([ToolUseBlock(id, "look", {}) for id in ids])


def result(*ids: str) -> Msg:
    return Msg("", [ToolResultBlock(id, "look", "seen " * 20) for id in ids], "tool")


def together(*msgs: Msg) -> list[tuple[int, int]]:
    """The first and the last message of each unit that has more than one."""
    return [(unit[0], unit[-1]) for unit in units(msgs) if len(unit) > 1]


def test_an_id_may_come_again_in_every_turn() -> None:
    msgs = [Msg.user("Go."), *(m for _ in range(4) for m in (call("a"), result("a")))]
    assert together(*msgs) == [(1, 2), (3, 4), (5, 6), (7, 8)]


@pytest.mark.parametrize("id", ["call_0", ""])
def test_a_call_that_nobody_answers_takes_no_result_of_another(id: str) -> None:
    msgs = [call(id), Msg.user("Stop."), *(m for _ in range(3) for m in (call(id), result(id)))]
    assert together(*msgs) == [(2, 3), (4, 5), (6, 7)]


def test_a_late_result_goes_to_the_first_call_that_waits() -> None:
    late = [call("a"), call("a"), Msg.user("Well?"), result("a")]
    assert together(*late) == [(0, 3)]
    assert together(call("a"), Msg.user("?"), call("a"), result("a"), Msg.user("!"), result("a")) \
        == [(0, 5)], "the one in between has its own"  # fmt: skip
    assert together(result("a"), call("a"), Msg.user("?"), result("a")) == [(1, 3)]
    assert together(result("a"), call("a"), Msg.user("?")) == []


def test_results_of_several_messages_behind_one_turn() -> None:
    assert together(call("a", "a", "b"), result("a"), result("b", "a"), result("b")) == [(0, 2)]
    assert together(call("a"), call("b"), result("a"), result("b")) == [(0, 3)]
    assert together(call("a"), Msg.assistant([]), result("a")) == [(0, 2)]


def test_calls_and_results_in_one_message() -> None:
    both = Msg.assistant([*call("a").blocks, *result("a").blocks])
    assert together(both, call("a"), result("a")) == [(1, 2)]
    chained = Msg.assistant([*result("a").blocks, *call("b").blocks])
    assert together(call("a"), chained, result("b")) == [(0, 2)]


def test_a_providers_own_calls_go_with_theirs() -> None:
    asked = RawBlock("openai-responses", {}, "call", "a", "client")
    said = RawBlock("openai-responses", {}, "result", "a", "client")
    assert together(Msg.assistant([asked]), Msg("", [said], "tool"), call("a")) == [(0, 1)]


def test_a_history_of_one_id_is_cut_like_any_other() -> None:
    msgs = [Msg.user("Go."), call("call_0"), Msg.user("Stop.")]
    for i in range(20):
        msgs += [call("call_0"), result("call_0"), Msg.user(f"And {i}?")]
    formatter = dragoman.Formatter(
        "openai-chat", token_counter=CharTokenCounter(), max_tokens=1500, policy="ignore"
    )
    assert len(formatter.format_sync(msgs)) > 8


def test_many_calls_of_one_turn_are_paired_in_good_time() -> None:
    ids = [str(i) for i in range(20_000)]
    assert together(call(*ids), result(*reversed(ids))) == [(0, 1)]
    assert together(call(*["a"] * 20_000), *(result("a") for _ in ids[:2000])) == [(0, 2000)]


def test_a_tool_is_excluded_by_the_call_that_its_result_answers() -> None:
    msgs = [Msg.user("Go.")]
    for name in ("find", "read", "find", "read", "done"):
        msgs.append(Msg.assistant([ToolUseBlock("call_0", name, {})]))
        msgs.append(Msg.tool("call_0", f"{name} " * 60))
    msgs.append(Msg.assistant("So."))
    formatter = dragoman.Formatter(
        "openai-chat", token_counter=CharTokenCounter(), max_tokens=2000, policy="ignore",
        truncate=dragoman.ClearToolResults(keep=0, exclude=["find"]),
    )  # fmt: skip
    said = [m["content"].split()[0] for m in formatter.format_sync(msgs) if m["role"] == "tool"]
    assert said == ["find", "[Old", "find", "[Old", "[Old"]
