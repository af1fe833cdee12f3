"""Which messages follow each other: gathered results, demanded turns."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.late_system import move_late_system
from dragoman.history.passes.message_order import order
from dragoman.history.passes.survey import USER, survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import (
    CacheHint,
    ImageBlock,
    Msg,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    places,
)

IMAGE = ImageBlock(URLSource("https://example.com/a.png"))
S, U, A = Msg.system("be"), Msg.user("hi"), Msg.assistant("yes")


def call(*ids: str, **rest: Any) -> Msg:
    return Msg("", [ToolUseBlock(id, "f", {}) for id in ids], "assistant", **rest)


def result(*ids: str, role: str = "tool") -> Msg:
    return Msg("", [ToolResultBlock(id, "f", f"of {id}") for id in ids], role)


def run(
    msgs: list[Msg], whole: bool = True, insert: bool = True, **can: Any
) -> tuple[list[Msg], list[str]]:
    report = Report(msgs, None, places)
    facts = Capabilities(**can)
    seated = move_late_system(survey(msgs, report), facts, report, Wording())
    seated = order(seated, facts, report, Wording(), whole, insert)
    assert len(seated.msgs) == len(seated.roles)
    return seated.msgs, [f"{loss.code} {loss.where}" for loss in report.losses]


def said(msgs: list[Msg]) -> str:
    return " ".join(f"{m.role[0]}:{m.text or '-'}" for m in msgs)


def test_nothing_to_order_is_nothing_new() -> None:
    msgs = [S, U, call("a"), result("a"), A, U]
    report = Report(msgs)
    seated = survey(msgs, report)
    can = Capabilities(gather_results=True, first_user=True, prefill=False, needs_user=True,
                       late_system="reminder", trailing_space=False)  # fmt: skip
    assert order(move_late_system(seated, can, report, Wording()), can, report, Wording()) is seated
    assert report.losses == []


def test_results_of_a_turn_are_gathered_in_the_order_of_their_calls() -> None:
    history = [U, call("a", "b", "c"), result("c"), result("a", role="system"), result("b"), U]
    msgs, found = run(history, gather_results=True)
    assert [block.id for block in msgs[2].content] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert [m.role[0] for m in msgs] == ["u", "a", "t", "u"]
    assert found == []
    kept, _ = run(history)
    assert len(kept) == 6


def test_a_message_of_results_in_another_order_is_put_in_order() -> None:
    history = [call("a", "b"), result("b"), result("a")]
    msgs, _ = run(history, gather_results=True)
    assert [block.id for block in msgs[1].content] == ["a", "b"]  # type: ignore[union-attr]


def test_words_before_a_call_join_it() -> None:
    thought = Msg.assistant([ThinkingBlock("hm")], extras={"x": {"k": 1}})
    history = [U, A, thought, call("a", extras={"x": {"n": 2}}), result("a"), A]
    msgs, found = run(history, join_calls=True)
    assert [[block.type for block in m.blocks] for m in msgs] == [
        ["text"], ["text", "thinking", "tool_use"], ["tool_result"], ["text"],
    ]  # fmt: skip
    assert msgs[1].extras == {"x": {"k": 1, "n": 2}}
    assert found == ["turn.joined $.messages[1]", "turn.joined $.messages[2]"]
    assert A.content == "yes"
    assert run(history)[0][1] is A


def test_a_first_turn_where_the_wire_demands_one() -> None:
    msgs, found = run([S, A, U], first_user=True)
    assert said(msgs) == "s:be u:(The conversation continues.) a:yes u:hi"
    assert found == ["turn.first $.messages[1]"]
    assert run([S, A, U])[0] == [S, A, U]
    assert run([A, U], first_user=True, insert=False)[1] == []


def test_a_last_turn_where_the_wire_continues_none() -> None:
    msgs, found = run([U, A], prefill=False)
    assert said(msgs) == "u:hi a:yes u:Continue."
    assert found == ["turn.last $.messages[1]"]
    assert run([U, call("a")], prefill=False)[1] == [], "calls wait for their results"
    assert run([U, call("a"), result("a")], prefill=False)[1] == []


def test_a_user_where_the_wire_needs_one() -> None:
    assert said(run([S, A], needs_user=True)[0]) == "s:be a:yes u:Continue."
    assert said(run([S], needs_user=True)[0]) == "s:be u:Continue."
    msgs, found = run([S, call("a")], needs_user=True)
    assert said(msgs) == "s:be u:(The conversation continues.) a:-"
    assert found == ["turn.first $.messages[1]"]


def test_what_is_odd_stays_odd_beside_an_inserted_turn() -> None:
    """Writers say plain messages shorter: the marks of the others must move with them."""
    odd = Msg.assistant([TextBlock("x", cache=CacheHint())])
    report = Report([odd])
    can = Capabilities(first_user=True, prefill=False)
    seated = order(survey([odd], report), can, report, Wording())
    assert [m is odd for m in seated.msgs] == [False, True, False]
    assert list(seated.marks())[1] == 1


def test_a_prompt_alone_is_said_by_the_user_where_it_stands_apart() -> None:
    msgs, found = run([S, Msg.system("now")], system_place="top")
    assert said(msgs) == "s:be u:now"
    assert found == ["system.alone $.messages[1]"]
    assert run([S], system_place="message")[0] == [S]
    assert run([S], system_place="top", whole=False)[0] == [S]


@pytest.mark.parametrize(
    ("content", "left"),
    [
        ("Title: ", "Title:"),
        ([TextBlock("a "), TextBlock("b \n")], [TextBlock("a "), TextBlock("b")]),
        ([TextBlock("b "), IMAGE], [TextBlock("b "), IMAGE]),
        ([ThinkingBlock("hm ")], [ThinkingBlock("hm ")]),
    ],
)
def test_white_space_at_the_very_end(content: Any, left: Any) -> None:
    last = Msg.assistant(content)
    msgs, found = run([U, last], trailing_space=False)
    assert msgs[1].content == left
    assert bool(found) == (content != left)
    assert last.content == content
    assert run([last, U], trailing_space=False)[1] == [], "only the last turn"
    assert run([U, Msg.user("x ")], trailing_space=False)[1] == [], "only the assistant's"


def test_inserted_turns_are_lost_nowhere() -> None:
    _, found = run([A], first_user=True, prefill=False)
    assert found == ["turn.first $.messages[0]", "turn.last $.messages[0]"]


THOUGHT = ThinkingBlock("Hm.", signature="c2ln")


@pytest.mark.parametrize(
    ("turn", "left", "lost"),
    [
        ([Msg.assistant([THOUGHT])], [], ["[1].content[0]"]),
        ([Msg.assistant([THOUGHT, TextBlock("a")])], [["thinking", "text"]], []),
        ([Msg.assistant([TextBlock("a"), THOUGHT, THOUGHT])], [["text"]],
         ["[1].content[1]", "[1].content[2]"]),
        # neighbours are one turn
        ([Msg.assistant([TextBlock("a"), THOUGHT]), Msg.assistant([THOUGHT])], [["text"]],
         ["[1].content[1]", "[2].content[0]"]),
    ],
)  # fmt: skip
def test_no_turn_ends_in_thinking(turn: list[Msg], left: list[list[str]], lost: list[str]) -> None:
    msgs = [U, *turn, U]
    made, losses = run(msgs, thinking_last=False)
    assert [[block.type for block in m.blocks] for m in made[1:-1]] == left
    assert losses == [f"thinking.alone $.messages{where}" for where in lost]
    assert run(msgs)[0] == msgs, "where it may"


def test_thinking_joins_what_came_of_it() -> None:
    turn = [Msg.assistant("a"), Msg.assistant([THOUGHT]), Msg.assistant([THOUGHT]), call("c")]
    msgs = [U, *turn, result("c"), Msg.assistant([THOUGHT, TextBlock("b")]), U]
    made, losses = run(msgs, thinking_last=False)
    assert [[block.type for block in m.blocks] for m in made] == [
        ["text"], ["text"], ["thinking", "thinking", "tool_use"], ["tool_result"],
        ["thinking", "text"], ["text"]]  # fmt: skip
    assert losses == ["turn.joined $.messages[2]", "turn.joined $.messages[2]"]
    assert (made[1], made[4]) == (turn[0], msgs[6])


def test_no_turn_ends_in_thinking_of_another_run() -> None:
    """Only runs in which a message ends so are looked at."""
    alone = ThinkingBlock("So.", signature="c2ln")
    msgs = [U, Msg.assistant([THOUGHT, TextBlock("a")]), U, Msg.assistant([alone]), U]
    made, losses = run(msgs, thinking_last=False)
    assert made == [*msgs[:3], U]
    assert made[1] is msgs[1]
    assert losses == ["thinking.alone $.messages[3].content[0]"]


def test_one_message_of_results_in_the_order_of_its_calls_is_the_very_same() -> None:
    right = result("a", "b")
    made, losses = run([U, call("a", "b"), right, call("c"), result("c")], gather_results=True)
    assert made[2] is right
    two = [U, call("a", "b"), right, call("c", "d"), result("d"), result("c"), U]
    made, _ = run(two, gather_results=True)
    assert made[2] is right
    assert [block.id for block in made[4].blocks] == ["c", "d"]  # type: ignore[union-attr]
    assert losses == []


def test_words_without_a_call_behind_them_are_not_joined() -> None:
    msgs = [U, A, A, U, Msg.assistant("so"), call("c"), result("c"), U]
    made, losses = run(msgs, join_calls=True)
    assert said(made[:4]) == "u:hi a:yes a:yes u:hi"
    assert [block.type for block in made[4].blocks] == ["text", "tool_use"]
    assert losses == ["turn.joined $.messages[4]"]


def test_a_history_that_nothing_is_asked_of_at_its_ends() -> None:
    msgs = [S, A, call("c")]
    assert run(msgs, first_user=True, prefill=False, insert=False)[0] == msgs
    report = Report(msgs)
    seated = survey(msgs, report)
    can = Capabilities(first_user=True, prefill=False, needs_user=True)
    part = order(seated, can, report, Wording(), behind=USER, last=False)
    assert part.msgs == msgs
