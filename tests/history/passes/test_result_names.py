"""Results under the names of the tools that were called; who calls them otherwise is named."""

from __future__ import annotations

from dragoman.capabilities import Capabilities
from dragoman.history.passes.repair import repair
from dragoman.history.passes.survey import survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import Msg, ToolUseBlock, places

from .test_repair import A, calls, paired, results, user


def test_results_get_the_names_of_their_calls() -> None:
    msgs = [calls("a", name="look"), calls("b", name="find")]
    nameless = [results("a", name=""), results("b", name="other")]
    made, found = paired(msgs[0], nameless[0], msgs[1], nameless[1])
    assert [m.content[0].name for m in made] == ["look", "look", "find", "find"]  # type: ignore[union-attr]
    assert found == [f"result.name {A}[{i}].content[0].name" for i in (1, 3)]
    assert nameless[0].content[0].name == ""  # type: ignore[union-attr]
    kept, found = paired(msgs[0], nameless[0], can=Capabilities())
    assert found == []
    assert kept[1] is nameless[0]


def test_names_by_position_where_ids_are_the_same() -> None:
    turn = Msg("", [ToolUseBlock("", "look", {}), ToolUseBlock("", "find", {})], "assistant")
    made, _ = paired(turn, results("", "", name=""))
    assert [block.name for block in made[1].content] == ["look", "find"]  # type: ignore[union-attr]


def test_a_result_that_calls_its_tool_otherwise_is_named() -> None:
    history = [calls("a", "b"), results("a", name="see"), results("b")]
    made, found = paired(*history, can=Capabilities())
    assert made == history
    assert found == [f"result.name {A}[1].content[0].name"]
    assert paired(calls("a"), results("a", name=""), can=Capabilities())[1] == []


def test_calls_of_one_id_are_told_apart_by_their_place() -> None:
    turn = Msg("", [ToolUseBlock("a", "look", {}), ToolUseBlock("a", "find", {})], "assistant")
    right = [results("a", name="look"), results("a", name="find")]
    wrong = [calls("b", name="look"), results("b", name="other")]
    _, found = paired(turn, *right, *wrong, can=Capabilities())
    assert found == [f"result.name {A}[4].content[0].name"]


def test_a_name_that_is_left_out_is_no_mistake() -> None:
    msgs = [calls("a"), results("a", name=""), calls("b"), results("b", name="other")]
    report = Report(msgs, None, places)
    repair(survey(msgs, report), Capabilities(result_names=True), report, Wording())
    assert [loss.kind for loss in report.losses] == ["expected", "repaired"]


def test_right_names_are_the_very_same_history() -> None:
    msgs = [user(), calls("a"), results("a"), calls("b", name="find"), results("b", name="")]
    made, _ = paired(*msgs)
    assert all(new is old for new, old in zip(made[:4], msgs, strict=False))
    assert made[4] is not msgs[4]


def test_a_result_of_what_the_provider_keeps_has_its_own_name() -> None:
    msgs = [results("x", name="find"), calls("a"), results("a", name=""), user()]
    made, _ = paired(*msgs, open_start=True)
    assert made[0] is msgs[0]
    plain = Capabilities()
    assert paired(results("x"), calls("a"), results("a", name="see"), can=plain, open_start=True)[
        1] == [f"result.name {A}[2].content[0].name"]  # fmt: skip
