"""Every call gets one result, right behind it; each repair is named; what is right stays."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.losses import Report
from dragoman.message import (
    Msg,
    RawBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    places,
)
from dragoman.repair import repair
from dragoman.seats import survey
from dragoman.told import Told

CAN = Capabilities(result_names=True)


def calls(*ids: str, name: str = "look", text: str = "") -> Msg:
    blocks: list[Any] = [TextBlock(text)] if text else []
    return Msg("", [*blocks, *(ToolUseBlock(id, name, {}) for id in ids)], "assistant")


def results(*ids: str, name: str = "look", **rest: Any) -> Msg:
    return Msg("", [ToolResultBlock(id, name, f"of {id}", **rest) for id in ids], "tool")


def user(text: str = "And?") -> Msg:
    return Msg("", text, "user")


def paired(
    *msgs: Msg, can: Capabilities = CAN, open_start: bool = False
) -> tuple[list[Msg], list[str]]:
    report = Report(msgs, None, places)
    seated = repair(survey(list(msgs), report), can, report, Told(), open_start)
    return seated.msgs, [f"{loss.code} {loss.where}" for loss in report.losses]


def spelled(msgs: list[Msg]) -> str:
    """A history in short: `u` user, `a` assistant, `+id` a call, `-id` a result, `!id` an error."""
    words = []
    for m in msgs:
        for block in m.blocks:
            if isinstance(block, ToolUseBlock):
                words.append(f"+{block.id}")
            elif isinstance(block, ToolResultBlock):
                words.append(f"{'!' if block.is_error else '-'}{block.id}")
            else:
                words.append(m.role[0])
    return " ".join(words)


A = "$.messages"
BROKEN: list[tuple[str, list[Msg], str, list[str]]] = [
    ("no result", [calls("a"), user()], "+a !a u", [f"result.missing {A}[0].content[0]"]),
    ("one of two results", [calls("a", "b"), results("a"), user()], "+a +b -a !b u",
     [f"result.missing {A}[0].content[1]"]),
    ("the second of two", [calls("a", "b"), results("b"), user()], "+a +b !a -b u",
     [f"result.missing {A}[0].content[0]"]),
    ("a user between", [calls("a"), user(), results("a")], "+a -a u",
     [f"result.moved {A}[2].content[0]"]),
    ("text of the assistant between", [calls("a"), Msg.assistant("Hm."), results("a"), user()],
     "+a -a a u", [f"result.moved {A}[2].content[0]"]),
    ("a system message between", [calls("a"), Msg.system("x"), results("a")], "+a -a s",
     [f"result.moved {A}[2].content[0]"]),
    ("an orphan", [user(), results("x"), user()], "u u", [f"result.orphan {A}[1].content[0]"]),
    ("an orphan in front", [results("x"), user()], "u", [f"result.orphan {A}[0].content[0]"]),
    ("an orphan beside a right one", [calls("a"), results("a", "x"), user()], "+a -a u",
     [f"result.orphan {A}[1].content[1]"]),
    ("twice the same", [calls("a"), results("a"), results("a"), user()], "+a -a u",
     [f"result.duplicate {A}[2].content[0]"]),
    ("in front of its call", [results("a"), calls("a"), user()], "+a -a u",
     [f"result.moved {A}[0].content[0]"]),
    ("interleaved", [calls("a"), calls("b"), results("a"), results("b"), user()], "+a -a +b -b u",
     [f"result.moved {A}[2].content[0]"]),
    ("a repeated id, the first one open", [calls("a"), user(), calls("a"), results("a"), user()],
     "+a !a u +a -a u", [f"result.missing {A}[0].content[0]"]),
    ("a repeated id, both late",
     [calls("a"), calls("a"), user(), results("a"), results("a")], "+a -a +a -a u",
     [f"result.moved {A}[3].content[0]", f"result.moved {A}[4].content[0]"]),
    ("empty ids", [calls("", ""), results(""), user()], "+ + - ! u",
     [f"result.missing {A}[0].content[1]"]),
    ("nothing but results", [results("a"), results("b")], "",
     [f"result.orphan {A}[0].content[0]", f"result.orphan {A}[1].content[0]"]),
    ("a history that ends in results of some calls", [calls("a", "b"), results("a")],
     "+a +b -a !b", [f"result.missing {A}[0].content[1]"]),
]  # fmt: skip


@pytest.mark.parametrize(("msgs", "short", "losses"), [row[1:] for row in BROKEN],
                         ids=[row[0] for row in BROKEN])  # fmt: skip
def test_broken_pairs(msgs: list[Msg], short: str, losses: list[str]) -> None:
    made, found = paired(*msgs)
    assert (spelled(made), found) == (short, losses)
    again, more = paired(*made)
    assert (spelled(again), more) == (short, []), "repaired once, right for good"


# the calls of x and y stand at the provider, who keeps what came before
GOING_ON: list[tuple[str, list[Msg], str, list[str]]] = [
    ("one result", [results("x")], "-x", []),
    ("results and words", [results("x"), results("y"), user()], "-x -y u", []),
    ("behind words", [user(), results("x", "y"), user()], "u -x -y u", []),
    ("beside a right one", [calls("a"), results("x", "a", "y"), user()], "+a -a -x -y u", []),
    ("between a call and its result", [calls("a"), user(), results("x"), results("a")],
     "+a -a u -x", [f"result.moved {A}[3].content[0]"]),
    ("twice the same", [results("x"), results("x", "y"), user()], "-x -y u",
     [f"result.duplicate {A}[1].content[0]"]),
    ("without an id", [results("", "x"), user()], "-x u", [f"result.orphan {A}[0].content[0]"]),
    ("one more for a call that is here", [results("x"), calls("a"), results("a"), results("a")],
     "-x +a -a", [f"result.duplicate {A}[3].content[0]"]),
    ("in front of a call that is here", [results("a"), calls("a"), user()], "+a -a u",
     [f"result.moved {A}[0].content[0]"]),
    ("and a call that nobody answers", [results("x"), calls("a"), user()], "-x +a !a u",
     [f"result.missing {A}[1].content[0]"]),
]  # fmt: skip


@pytest.mark.parametrize(("msgs", "short", "losses"), [row[1:] for row in GOING_ON],
                         ids=[row[0] for row in GOING_ON])  # fmt: skip
def test_results_of_calls_that_the_provider_keeps(
    msgs: list[Msg], short: str, losses: list[str]
) -> None:
    made, found = paired(*msgs, open_start=True)
    assert (spelled(made), found) == (short, losses)
    again, more = paired(*made, open_start=True)
    assert (spelled(again), more) == (short, []), "repaired once, right for good"


def test_a_kept_result_stays_the_very_message() -> None:
    msgs = [results("x", "y"), user()]
    made, _ = paired(*msgs, open_start=True)
    assert all(new is old for new, old in zip(made, msgs, strict=True))


RIGHT: dict[str, list[Msg]] = {
    "rounds": [user(), calls("a"), results("a"), calls("b"), results("b"), Msg.assistant("Done.")],
    "parallel, gathered": [calls("a", "b"), results("a", "b"), user()],
    "parallel, one by one": [calls("a", "b"), results("a"), results("b"), user()],
    "parallel, in another order": [calls("a", "b"), results("b"), results("a"), user()],
    "the same id in each round": [calls("a"), results("a"), calls("a"), results("a")],
    "open calls at the end": [user(), calls("a", "b")],
    "open calls with text": [calls("a"), results("a"), calls("b", text="Again.")],
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_stays(name: str) -> None:
    msgs = RIGHT[name]
    made, found = paired(*msgs)
    assert found == []
    assert all(new is old for new, old in zip(made, msgs, strict=True))


def test_an_untouched_history_is_the_very_list() -> None:
    msgs = RIGHT["rounds"]
    report = Report(msgs, None, places)
    seated = survey(msgs, report)
    assert repair(seated, CAN, report, Told()) is seated
    assert seated.msgs is msgs


def test_the_words_of_a_missing_result_can_be_changed() -> None:
    msgs = [calls("a"), user()]
    report = Report(msgs, None, places)
    told = Told(missing="没有结果。")
    seated = repair(survey(msgs, report), CAN, report, told)
    assert seated.msgs[1].content == [ToolResultBlock("a", "look", "没有结果。", is_error=True)]


def test_a_moved_result_keeps_its_message_if_it_is_alone() -> None:
    late = results("a")
    made, _ = paired(calls("a"), user(), late)
    assert made[1] is late


OWN = Capabilities(reads=frozenset({"mine"}))


def custom() -> RawBlock:
    return RawBlock("mine", {"x": 1}, "call", "c", "client")


def own(*ids: str) -> Msg:
    """A turn that calls a custom tool of the provider's, and functions."""
    return Msg("", [custom(), *(ToolUseBlock(id, "look", {}) for id in ids)], "assistant")


@pytest.mark.parametrize(("msgs", "short", "losses"), [
    ([own(), results("c"), user()], "a -c u", []),
    ([own("a"), results("c", "a"), user()], "a +a -c -a u", []),
    ([own("a"), user(), results("a"), results("c")], "a +a -c -a u",
     [f"result.moved {A}[3].content[0]", f"result.moved {A}[2].content[0]"]),
    ([own(), results("c"), results("c"), user()], "a -c u",
     [f"result.duplicate {A}[2].content[0]"]),
    ([own("c"), results("c"), user()], "+c -c u", [f"raw.unpaired {A}[0].content[0]"]),
    ([own("a"), results("a"), user()], "+a -a u", [f"raw.unpaired {A}[0].content[0]"]),
    ([own("a"), own(), results("c"), results("a")], "a +a -c -a",
     [f"raw.unpaired {A}[1].content[0]"]),
])  # fmt: skip
def test_results_of_a_providers_own_calls(msgs: list[Msg], short: str, losses: list[str]) -> None:
    made, found = paired(*msgs, can=OWN)
    assert spelled(made) == short
    assert found == losses
