"""Turns as this wire wants them: results together and in order, calls right behind the user."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.formatter import Formatter, GeminiChatFormatter
from dragoman.message import TextBlock, ToolResultBlock, ToolUseBlock
from tests.contract.judges import judge_messages


def call(id: str, name: str = "weather") -> ToolUseBlock:
    return ToolUseBlock(id, name, {})


def wrote(msgs: list[Msg]) -> tuple[list[Any], list[str]]:
    out = Formatter("gemini", model="gemini-2.5-pro", policy="ignore").write(msgs)
    assert judge_messages("gemini", out.messages) == []
    return [(c["role"], c["parts"]) for c in out.messages], [loss.code for loss in out.losses]


def ids(parts: list[dict[str, Any]]) -> list[Any]:
    return [next(iter(part.values())).get("id") for part in parts]


@pytest.mark.parametrize("together", [True, False])
def test_results_stand_in_the_order_of_their_calls(together: bool) -> None:
    results = [ToolResultBlock(id, "weather", id) for id in ("c", "a", "b")]
    said = [Msg("", list(results), "tool")] if together else [Msg("", [r], "tool") for r in results]
    found, _ = wrote([Msg.user("Go."), Msg.assistant([call("a"), call("b"), call("c")]), *said])
    assert ids(found[2][1]) == ["a", "b", "c"]
    assert len(found) == 3


def test_calls_without_ids_stay_without_and_keep_their_order() -> None:
    names = ("one", "two", "three")
    msgs = [
        Msg.user("Go."),
        Msg.assistant([call("", name) for name in names]),
        *(Msg("", [ToolResultBlock("", name, name)], "tool") for name in names),
    ]
    found, codes = wrote(msgs)
    said = [part["functionResponse"] for part in found[2][1]]
    assert said == [{"name": name, "response": {"output": name}} for name in names]
    assert codes == []


def test_an_id_used_twice_becomes_two() -> None:
    msgs = [
        Msg.user("Go."),
        Msg.assistant([call("x"), call("x", "time")]),
        Msg.tool("x", "1", "weather"),
        Msg.tool("x", "2", "time"),
    ]
    found, codes = wrote(msgs)
    assert ids(found[1][1]) == ids(found[2][1])
    assert len(set(ids(found[1][1]))) == 2
    assert codes == ["id.made", "id.made"]


def test_words_before_a_call_join_it() -> None:
    msgs = [
        Msg.user("Weather?"),
        Msg("Bob", "One moment.", "assistant"),
        Msg("Alice", [TextBlock("We look."), TextBlock("Now.")], "assistant"),
        Msg("Friday", [call("a")], "assistant"),
        Msg.tool("a", "rain", "weather"),
        Msg("Friday", "Rain.", "assistant"),
        Msg("Bob", "Thanks.", "assistant"),
    ]
    found, codes = wrote(msgs)
    assert [role for role, _ in found] == ["user", "model", "user", "model", "model"]
    assert [part.get("text") for part in found[1][1]] == ["One moment.", "We look.", "Now.", None]
    assert codes.count("turn.joined") == 2


def test_joining_takes_the_fields_of_all_messages_along() -> None:
    first = Msg.assistant("One moment.", extras={"gemini": {"a": 1}})
    second = Msg.assistant([call("a")], extras={"gemini": {"b": 2}})
    out = GeminiChatFormatter(policy="ignore").format_sync([
        Msg.user("Weather?"), first, second, Msg.tool("a", "rain", "weather"),
    ])  # fmt: skip
    assert (out[1]["a"], out[1]["b"]) == (1, 2)
    assert first.extras == {"gemini": {"a": 1}}
