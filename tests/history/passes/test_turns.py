"""Neighbours of one role: joined, bridged, and documents that may not stand alone."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.message_order import order
from dragoman.history.passes.survey import survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
    DocumentBlock,
    ImageBlock,
    Msg,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    places,
)

PDF = DocumentBlock(Base64Source("application/pdf", "JVBERi0="))
U, A = Msg.user("hi"), Msg.assistant("yes")


def call(*ids: str) -> Msg:
    return Msg("", [ToolUseBlock(id, "f", {}) for id in ids], "assistant")


def result(*ids: str) -> Msg:
    return Msg("", [ToolResultBlock(id, "f", f"of {id}") for id in ids], "tool")


def run(
    *msgs: Msg, insert: bool = True, wording: Wording | None = None, **can: Any
) -> tuple[list[Msg], list[str]]:
    report = Report(msgs, None, places)
    seated = survey(list(msgs), report)
    facts = Capabilities(**{"gather_results": True, **can})
    seated = order(seated, facts, report, wording or Wording(), whole=True, insert=insert)
    assert len(seated.msgs) == len(seated.roles)
    return seated.msgs, [f"{loss.kind} {loss.code} {loss.where}" for loss in report.losses]


def shown(msgs: list[Msg]) -> str:
    """u(text) a(tool_use) ..., the kinds of the blocks of each message."""
    return " ".join(f"{m.role[0]}({','.join(b.type for b in m.blocks)})" for m in msgs)


def test_neighbours_stay_where_the_wire_takes_them() -> None:
    assert run(U, U, A, A)[0] == [U, U, A, A]


def test_neighbours_of_one_role_become_one_turn_and_say_so() -> None:
    msgs, losses = run(U, Msg.user("you?"), A, Msg.assistant("no"), U, alternation="merged")
    assert [m.get_text_content("|") for m in msgs] == ["hi|you?", "yes|no", "hi"]
    assert losses == ["moved turn.merged $.messages[1]", "moved turn.merged $.messages[3]"]


def test_results_are_the_users_and_come_first() -> None:
    msgs, losses = run(
        U, call("a", "b"), result("a"), result("b"), Msg.user("so?"), alternation="merged"
    )
    assert shown(msgs) == "u(text) a(tool_use,tool_use) t(tool_result,tool_result,text)"
    assert losses == ["moved turn.merged $.messages[4]"]


def test_words_before_results_in_one_run_move_behind_them() -> None:
    moved = Msg.user([ImageBlock(URLSource("https://example.com/a.png"))])
    report = Report([])
    seated = survey([U, call("a"), result("a"), moved, U], report)
    seated.msgs[2:4] = [moved, seated.msgs[2]]
    seated.roles[2:4] = [1, 3]
    can = Capabilities(alternation="merged", gather_results=True)
    made = order(seated, can, report, Wording())
    assert shown(made.msgs) == "u(text) a(tool_use) u(tool_result,image,text)"


def test_system_messages_in_between_are_left_alone() -> None:
    s = Msg.system("be")
    assert run(s, s, U, s, s, U, alternation="merged")[0] == [s, s, U, s, s, U]


def test_an_alternating_history_is_the_same_object() -> None:
    report = Report([])
    seated = survey([U, A, U, call("a"), result("a"), A], report)
    assert order(seated, Capabilities(alternation="merged"), report, Wording()) is seated


def test_extras_of_joined_turns_are_joined() -> None:
    one = Msg.user("a", extras={"x": {"n": 1, "m": 1}})
    two = Msg.user("b", extras={"x": {"n": 2}, "y": {"k": 1}})
    [made], codes = run(one, two, alternation="merged")
    assert made.extras == {"x": {"n": 2, "m": 1}, "y": {"k": 1}}
    assert one.extras == {"x": {"n": 1, "m": 1}}
    assert "dropped extras.unsupported $.messages[0].extras.x.n" in codes


def test_words_behind_results_get_a_turn_between_where_they_may_not_share_one() -> None:
    asked = Msg.user("so?"), Msg.user("well?")
    msgs, losses = run(U, call("a"), result("a"), *asked, alternation="bridged")
    assert shown(msgs) == "u(text) a(tool_use) t(tool_result) a(text) u(text,text)"
    assert msgs[3].text == Wording().bridge
    assert losses == ["added turn.bridged $.messages[3]", "moved turn.merged $.messages[4]"]


def test_the_bridge_is_in_ones_own_words() -> None:
    msgs, _ = run(
        U, call("a"), result("a"), U, alternation="bridged", wording=Wording(bridge="好的")
    )
    assert msgs[3].text == "好的"


def test_words_before_calls_get_a_turn_between() -> None:
    msgs, losses = run(U, A, call("a"), result("a"), alternation="bridged")
    assert shown(msgs) == "u(text) a(text) u(text) a(tool_use) t(tool_result)"
    assert losses == ["added turn.bridged $.messages[2]"]


def test_a_plain_list_gets_no_bridge() -> None:
    msgs, losses = run(U, call("a"), result("a"), U, alternation="bridged", insert=False)
    assert shown(msgs) == "u(text) a(tool_use) t(tool_result) u(text)"
    assert losses == []


def test_a_document_alone_gets_a_text_before_it() -> None:
    image = ImageBlock(URLSource("https://example.com/a.png"))
    msgs, losses = run(Msg.user([image, PDF, PDF]), lone_documents=False)
    assert shown(msgs) == "u(image,text,document,document)"
    assert msgs[0].text == Wording().document
    assert losses == ["added document.text $.messages[0].content[1]"]


def test_a_message_of_media_without_a_document_needs_no_text() -> None:
    image = Msg.user([ImageBlock(URLSource("https://example.com/a.png"))])
    made, losses = run(image, A, Msg.user([PDF]), lone_documents=False)
    assert made[0] is image
    assert losses == ["added document.text $.messages[2].content[0]"]


def test_a_document_beside_a_text_stays_as_it_is() -> None:
    msg = Msg.user([PDF, TextBlock("read it")])
    assert run(msg, lone_documents=False) == ([msg], [])
    assert run(Msg.user([PDF]))[1] == []


def test_a_document_that_joins_words_needs_no_other() -> None:
    msgs, losses = run(U, Msg.user([PDF]), alternation="merged", lone_documents=False)
    assert shown(msgs) == "u(text,document)"
    assert losses == ["moved turn.merged $.messages[1]"]


def test_a_lone_turn_of_the_assistant_gets_one_of_the_user_before_it() -> None:
    msgs, losses = run(A, lone_assistant=False)
    assert shown(msgs) == "u(text) a(text)"
    assert losses == ["added turn.first $.messages[0]"]
    assert run(A, U, lone_assistant=False)[1] == []


def test_calls_at_the_end_get_results_where_a_request_may_not_end_in_them() -> None:
    msgs, losses = run(U, call("a", "b"), open_calls=False)
    assert shown(msgs) == "u(text) a(tool_use,tool_use) t(tool_result) t(tool_result)"
    assert losses == [f"repaired result.missing $.messages[1].content[{n}]" for n in (0, 1)]
    assert run(U, call("a"), open_calls=True)[1] == []
    assert run(U, call("a"), result("a"), open_calls=False)[1] == []


def test_several_system_messages_alone_end_with_one_of_the_user() -> None:
    s = Msg.system("be")
    msgs, losses = run(s, Msg.system("brief"), last_system=False)
    assert shown(msgs) == "s(text) u(text)"
    assert losses == ["moved system.alone $.messages[1]"]
    assert run(s, last_system=False) == ([s], [])


@pytest.mark.parametrize(("alternation", "roles"), [
    ("merged", "user assistant tool tool user assistant user"),
    ("bridged", "user assistant tool tool assistant user assistant user"),
])  # fmt: skip
def test_results_in_messages_of_their_own_are_nobodys_neighbours(
    alternation: str, roles: str
) -> None:
    msgs = [U, call("a", "b"), result("a"), result("b"), U, Msg.user("so"), A, U]
    made, losses = run(*msgs, alternation=alternation, gather_results=False)
    assert [m.role for m in made] == roles.split()
    assert (made[2], made[3]) == (msgs[2], msgs[3])
    assert "moved turn.merged $.messages[5]" in losses
    assert not any("[2]" in loss or "[3]" in loss for loss in losses)
