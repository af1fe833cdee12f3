"""System messages in the middle of a conversation."""

from __future__ import annotations

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.late_system import move_late_system
from dragoman.history.passes.survey import USER, survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import CacheHint, Msg, TextBlock, places

from .test_message_order import IMAGE, A, S, U, call, result, run


@pytest.mark.parametrize(
    ("stance", "text", "codes"),
    [
        ("keep", "be", []),
        ("user", "be", ["system.late"]),
        ("reminder", "<system-reminder>\nbe\n</system-reminder>",
         ["system.late", "system.reminder"]),
    ],
)  # fmt: skip
def test_late_system_messages(stance: str, text: str, codes: list[str]) -> None:
    msgs, found = run([S, U, Msg.system("be"), A], late_system=stance)
    assert msgs[0] is S
    assert (msgs[2].role, msgs[2].text) == ("user" if codes else "system", text)
    assert found == [f"{code} $.messages[2]" for code in codes]


def test_a_reminder_keeps_media_and_hints() -> None:
    late = Msg.system([TextBlock("be", cache=CacheHint()), IMAGE])
    msgs, _ = run([U, late], late_system="reminder")
    text, image = msgs[1].blocks
    assert isinstance(text, TextBlock)
    assert text.cache == CacheHint()
    assert image is IMAGE


def test_only_the_first_system_message_leads() -> None:
    assert run([S, S, U], late_system="user")[1] == []
    msgs, found = run([S, Msg.system("kind"), U], late_system="user", system_head="first")
    assert [m.role for m in msgs] == ["system", "user", "user"]
    assert found == ["system.late $.messages[1]"]


@pytest.mark.parametrize(
    ("history", "roles"),
    [
        ([U, S, A, U], "u s a u"),
        ([U, S, S, A, U], "u s s a u"),
        ([U, S], "u s"),
        ([call("a"), result("a"), S, A, U], "a t s a u"),
        ([U, S, U], "u u u"),
        ([U, A, S, A], "u a u a"),
        ([U, A, S, S, U], "u a u u u"),
        ([A, S], "a u"),
    ],
)
def test_system_messages_that_may_stand_in_some_places(history: list[Msg], roles: str) -> None:
    msgs, _ = run(history, late_system="placed")
    assert " ".join(m.role[0] for m in msgs) == roles


def test_a_part_of_a_history_has_no_prompt_at_its_head() -> None:
    """Behind what stands before it every system message is a later one."""
    for can, behind in ((Capabilities(late_system="user"), U),
                        (Capabilities(late_system="placed"), A)):  # fmt: skip
        report = Report([S, behind], None, places)
        seated = move_late_system(survey([S, behind], report), can, report, Wording(), behind=USER)
        roles = ["user", "user"] if can.late_system == "user" else ["system", "assistant"]
        assert [m.role for m in seated.msgs] == roles
        assert bool(report.losses) == (behind is U)
