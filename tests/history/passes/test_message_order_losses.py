"""What an ordering says of itself, what its messages keep, and what it leaves as it was."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.late_system import move_late_system
from dragoman.history.passes.message_order import order
from dragoman.history.passes.survey import ASSISTANT, PARALLEL, USER, RoledHistory, survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import CacheHint, Msg, TextBlock, ThinkingBlock, places

from .test_message_order import IMAGE, A, S, U, call, result, run, said

THOUGHT = Msg.assistant([ThinkingBlock("Hm.", signature="c2ln")])


def ordered(
    msgs: list[Msg], behind: int | None = None, last: bool = True, **can: Any
) -> tuple[RoledHistory, Report]:
    report = Report(msgs, None, places)
    facts = Capabilities(**can)
    seated = survey(msgs, report)
    seated.flags |= PARALLEL  # as repair leaves it
    seated = move_late_system(seated, facts, report, Wording(), behind)
    return order(seated, facts, report, Wording(), behind=behind, last=last), report


def roles(seated: RoledHistory) -> str:
    return " ".join(m.role[0] for m in seated.msgs)


DONE: list[tuple[list[Msg], dict[str, Any], list[tuple[str, str]]]] = [
    ([U, S], {"late_system": "user"}, [("system.late", "sent as the user's")]),
    ([U, A, call("a")], {"join_calls": True}, [("turn.joined", "joined with the call after it")]),
    ([S], {"system_place": "top"},
     [("system.alone", "the last system message is said by the user")]),
    ([A], {"first_user": True, "prefill": False},
     [("turn.first", "(The conversation continues.)"), ("turn.last", "Continue.")]),
]  # fmt: skip


@pytest.mark.parametrize(("msgs", "can", "losses"), DONE)
def test_losses_say_what_was_done(
    msgs: list[Msg], can: dict[str, Any], losses: list[tuple[str, str]]
) -> None:
    _, report = ordered(msgs, **can)
    assert [(loss.code, loss.did) for loss in report.losses] == losses


def test_a_system_message_that_the_user_says_keeps_all_else() -> None:
    own = {"issuer": {"k": 1}}
    late = Msg("boss", [TextBlock("be"), IMAGE], "system", cache=CacheHint(), extras=own)
    alone: dict[str, Any] = {"system_place": "top"}
    for msgs, can in (([U, late], {"late_system": "reminder"}), ([late], alone)):
        seated, report = ordered(msgs, **can)
        made = seated.msgs[-1]
        assert (made.name, made.role) == ("boss", "user")
        assert (made.cache, made.extras) == (CacheHint(), own)
        assert report.locate(made) == report.locate(late)
        assert [report.locate(block) for block in made.blocks] == [
            report.locate(block) for block in late.blocks]  # fmt: skip


def test_turns_that_are_added_are_found_beside_those_they_are_added_for() -> None:
    seated, report = ordered([U, A, S, Msg.assistant("so")], prefill=False)
    assert seated.msgs[-1] == Msg("", "Continue.", "user")
    assert report.locate(seated.msgs[-1]) == "$.messages[3]"
    seated, report = ordered([S, A, U], first_user=True)
    assert seated.msgs[1] == Msg("", "(The conversation continues.)", "user")
    assert report.locate(seated.msgs[1]) == "$.messages[1]"


@pytest.mark.parametrize(
    ("msgs", "short"),
    [
        ([U, S, THOUGHT, U], "u u u"),
        ([U, S, THOUGHT, A, U], "u s a u"),
        ([S, U, A, S, THOUGHT], "s u a u"),
    ],
)
def test_a_place_is_judged_by_the_turns_that_are_left(msgs: list[Msg], short: str) -> None:
    """The answer that a system message was to stand before may hold nothing that can be said."""
    seated, report = ordered(msgs, late_system="placed", thinking_last=False)
    assert roles(seated) == short
    late = [m for m in seated.msgs if m.role == "user" and "be" in m.text]
    assert [m.text for m in late] == ["<system-reminder>\nbe\n</system-reminder>"] * len(late)
    codes = [loss.code for loss in report.losses if loss.code.startswith("system.")]
    assert codes == ["system.late", "system.reminder"] * len(late)
    kept, _ = ordered(msgs, late_system="keep", thinking_last=False)
    assert roles(kept).count("s") == sum(m.role == "system" for m in msgs)


def test_a_part_whose_first_place_is_gone() -> None:
    seated, _ = ordered([S, THOUGHT, U], USER, late_system="placed", thinking_last=False)
    assert roles(seated) == "u u"


def test_all_system_messages_at_the_head_stay() -> None:
    msgs, found = run([S, S, U, Msg.system("x"), A], late_system="user")
    assert [m.role[0] for m in msgs] == ["s", "s", "u", "u", "a"]
    assert found == ["system.late $.messages[3]"]


def test_one_prompt_alone_is_said_by_the_user() -> None:
    seated, report = ordered([S], system_place="top")
    assert (seated.msgs, seated.roles) == ([Msg.user("be")], [USER])
    assert [loss.where for loss in report.losses] == ["$.messages[0]"]
    msgs, found = run([S, S, Msg.system("now")], system_place="top")
    assert said(msgs) == "s:be s:be u:now"
    assert found == ["system.alone $.messages[2]"]


def test_a_history_that_the_assistant_begins() -> None:
    assert said(run([A, U], first_user=True)[0]) == "u:(The conversation continues.) a:yes u:hi"


def test_a_part_with_more_behind_it_needs_no_last_turn() -> None:
    part = [U, Msg.assistant("x ")]
    seated, report = ordered(part, last=False, prefill=False, trailing_space=False)
    assert (seated.msgs, report.losses) == (part, [])


def test_white_space_at_the_end_of_a_longer_history() -> None:
    seated, _ = ordered([U, A, U, Msg.assistant("x ")], trailing_space=False)
    assert [m.text for m in seated.msgs] == ["hi", "yes", "hi", "x"]


def ids(m: Msg) -> list[str]:
    return [block.id for block in m.blocks]  # type: ignore[union-attr]


def test_results_of_calls_that_the_provider_keeps_come_behind_the_others() -> None:
    msgs = [call("a"), result("x"), result("y", "a"), U]
    seated, _ = ordered(msgs, USER, gather_results=True)
    assert ids(seated.msgs[1]) == ["a", "x", "y"]


def test_results_at_the_very_start_answer_no_call_at_the_end() -> None:
    msgs = [result("y"), result("x"), call("x", "y")]
    seated, _ = ordered(msgs, ASSISTANT, gather_results=True)
    assert ids(seated.msgs[0]) == ["y", "x"]


def test_words_join_only_the_call_right_behind_them() -> None:
    rounds = [U, A, call("a"), result("a"), call("b"), result("b")]
    seated, _ = ordered(rounds, join_calls=True)
    assert roles(seated) == "u a t a t"
    assert [ids(m) for m in seated.msgs[2:]] == [["a"], ["b"], ["b"]]
    seated, _ = ordered([U, A, call("a")], join_calls=True)
    assert roles(seated) == "u a"
    assert ids(Msg.assistant(seated.msgs[1].blocks[1:])) == ["a"]
