"""Every call gets one result, right behind it; each repair is named; what is right stays."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.message_order import order
from dragoman.history.passes.repair import repair
from dragoman.history.passes.survey import FOLLOWING, PARALLEL, survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import (
    CacheHint,
    Msg,
    RawBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    places,
)

CAN = Capabilities(result_names=True)
HINT = CacheHint()


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
    seated = repair(survey(list(msgs), report), can, report, Wording(), open_start)
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
    ("behind a turn that is right", [calls("a"), results("a"), calls("b"), user()],
     "+a -a +b !b u", [f"result.missing {A}[2].content[0]"]),
    ("before calls that are about to be carried out", [calls("a"), user(), calls("b")],
     "+a !a u +b", [f"result.missing {A}[0].content[0]"]),
    ("one of two comes late", [calls("a", "b"), results("a"), user(), results("b")],
     "+a +b -a -b u", [f"result.moved {A}[3].content[0]"]),
    ("twice in front of its call, beside another", [results("a"), results("a"), calls("a", "b"),
     user()], "+a +b -a !b u", [f"result.moved {A}[0].content[0]",
     f"result.missing {A}[2].content[1]", f"result.duplicate {A}[1].content[0]"]),
]  # fmt: skip


@pytest.mark.parametrize(("msgs", "short", "losses"), [row[1:] for row in BROKEN],
                         ids=[row[0] for row in BROKEN])  # fmt: skip
def test_broken_pairs(msgs: list[Msg], short: str, losses: list[str]) -> None:
    made, found = paired(*msgs)
    assert (spelled(made), found) == (short, losses)
    again, more = paired(*made)
    assert (spelled(again), more) == (short, []), "repaired once, right for good"


SURVEYED = [
    *(row[1] for row in BROKEN),
    [results("x"), calls("a", text="Yes."), user(), Msg.user([TextBlock("o", cache=HINT)])],
]


@pytest.mark.parametrize("msgs", SURVEYED)
def test_who_comes_behind_finds_what_a_survey_would(msgs: list[Msg]) -> None:
    report = Report(msgs, None, places)
    made = repair(survey(msgs, report), CAN, report, Wording())
    fresh = survey(made.msgs, report)
    assert (made.roles, made.calls, made.results, made.names) == (
        fresh.roles, fresh.calls, fresh.results, fresh.names)  # fmt: skip
    assert fresh.flags & ~made.flags & (PARALLEL | FOLLOWING) == 0
    assert set(fresh.unusual) <= set(made.unusual)


def test_what_a_repair_brings_together_is_one_turn() -> None:
    """The passes behind it find neighbours that the survey could not see."""
    msgs = [calls("a", "b"), results("a"), user(), results("b"), Msg.assistant("Well."),
            results("x"), calls("c"), results("c")]  # fmt: skip
    report = Report(msgs, None, places)
    can = Capabilities(gather_results=True, join_calls=True)
    made = order(repair(survey(msgs, report), can, report, Wording()), can, report, Wording())
    assert [[block.type for block in m.blocks] for m in made.msgs] == [
        ["tool_use", "tool_use"], ["tool_result", "tool_result"], ["text"],
        ["text", "tool_use"], ["tool_result"]]  # fmt: skip


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
    assert repair(seated, CAN, report, Wording()) is seated
    assert seated.msgs is msgs


def test_the_words_of_a_missing_result_can_be_changed() -> None:
    msgs = [calls("a"), user()]
    report = Report(msgs, None, places)
    told = Wording(missing="没有结果。")
    seated = repair(survey(msgs, report), CAN, report, told)
    result = ToolResultBlock("a", "look", "没有结果。", is_error=True)
    assert seated.msgs[1] == Msg("", [result], "tool")


def test_what_is_added_is_found_at_the_call_it_is_for() -> None:
    msgs = [calls("a", "b"), user()]
    report = Report(msgs, None, places)
    made = repair(survey(msgs, report), CAN, report, Wording()).msgs
    for n, m in enumerate(made[1:3]):
        assert report.locate(m) == report.locate(m.blocks[0]) == f"{A}[0].content[{n}]"


def test_losses_say_what_was_done() -> None:
    msgs = [calls("a", "b"), user(), results("a"), results("a", "x")]
    report = Report(msgs, None, places)
    repair(survey(msgs, report), CAN, report, Wording())
    assert {loss.code: loss.did for loss in report.losses} == {
        "result.missing": "an error result was added",
        "result.moved": "moved after its call",
        "result.duplicate": "left out",
        "result.orphan": "left out",
    }


def test_a_result_that_comes_late_touches_what_was_said_before_it() -> None:
    """Who spoke between a call and its late result had not seen it: the report knows until where.

    A result that comes early, or in the turn of its call, touches nothing.
    """
    so, later, end = user("So?"), Msg.assistant("Later."), user("Well?")
    msgs = [calls("a", "b", "c"), results("c"), so, later, results("b"), results("a"), end]
    report = Report(msgs, None, places)
    made = repair(survey(msgs, report), CAN, report, Wording()).msgs
    assert spelled(made) == "+a +b +c -a -b -c u a u"
    by = "the repair of a late result"
    assert report.edits == [(by, made[1], end), (by, made[2], end)]
    report = Report(msgs := [results("a"), calls("a"), user()], None, places)
    repair(survey(msgs, report), CAN, report, Wording())
    assert report.edits == []


@pytest.mark.parametrize("named", [True, False])
def test_a_result_under_another_tools_name(named: bool) -> None:
    """Also where the results stand in another order, under the names in the order of the calls."""
    use = [ToolUseBlock("a", "look", {}), ToolUseBlock("b", "find", {})]
    msgs = [Msg.assistant(use), results("b"), results("a", name="find"), user()]
    made, found = paired(*msgs, can=Capabilities(result_names=named))
    assert found == [f"result.name {A}[1].content[0].name", f"result.name {A}[2].content[0].name"]
    said = [block.name for m in made[1:3] for block in m.blocks if type(block) is ToolResultBlock]
    assert sorted(said) == ["find", "look"]
    assert (said == ["find", "look"]) == named


def test_a_moved_result_keeps_its_message_if_it_is_alone() -> None:
    late = results("a")
    made, _ = paired(calls("a"), user(), late)
    assert made[1] is late


OWN = Capabilities(reads=frozenset({"mine"}))


def custom() -> RawBlock:
    return RawBlock("mine", {"x": 1}, "call", "c", "client")


SERVED = [
    RawBlock("mine", {}, "call", "s", "server"),
    RawBlock("mine", {}, "result", "s", "server"),
]


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
    ([Msg.assistant([TextBlock("So."), *SERVED, custom()]), user(), results("c")], "a a a a -c u",
     [f"result.moved {A}[2].content[0]"]),
])  # fmt: skip
def test_results_of_a_providers_own_calls(msgs: list[Msg], short: str, losses: list[str]) -> None:
    made, found = paired(*msgs, can=OWN)
    assert spelled(made) == short
    assert found == losses


def test_a_providers_own_result_may_answer_a_call_that_the_provider_keeps() -> None:
    msgs = [Msg.assistant([SERVED[1], TextBlock("So.")]), user()]
    assert paired(*msgs, can=OWN, open_start=True) == (msgs, [])
    made, found = paired(*msgs, can=OWN)
    assert (spelled(made), found) == ("a u", [f"raw.unpaired {A}[0].content[0]"])
