"""Results that answer no call: left out, told where that was asked for, or kept."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.repair import Pairing, repair, with_only
from dragoman.history.passes.survey import MEDIA, USER, survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import (
    Base64Source,
    ImageBlock,
    Msg,
    TextBlock,
    ToolResultBlock,
    places,
)

from .test_repair import A, calls, paired, results, spelled, user

TELL = Capabilities(orphans="tell")
PNG = Base64Source("image/png", "iVBORw0KGgo=")


@pytest.mark.parametrize(("msgs", "short", "told"), [
    ([results("x"), user()], "u u", ["[look returned: of x]"]),
    ([user(), results("x", name="")], "u u", ["[x returned: of x]"]),
    ([user(), results("x", is_error=True)], "u u", ["[look returned: Error: of x]"]),
    ([results("x", "y"), user()], "u u u", ["[look returned: of x]", "[look returned: of y]"]),
    # never between a call and its result
    ([calls("a"), results("x", "a"), user()], "+a -a u u", ["[look returned: of x]"]),
    ([calls("a", "b"), results("a"), results("x"), results("b")], "+a +b -a -b u",
     ["[look returned: of x]"]),
])  # fmt: skip
def test_results_without_a_call_can_be_told(msgs: list[Msg], short: str, told: list[str]) -> None:
    report = Report(msgs, None, places)
    seated = repair(survey(msgs, report), TELL, report, Wording())
    assert spelled(seated.msgs) == short
    texts = [b.text for m in seated.msgs for b in m.blocks if isinstance(b, TextBlock)]
    assert [text for text in texts if text.startswith("[")] == told
    assert {(loss.code, loss.did) for loss in report.losses} == {("result.orphan", "told as text")}
    assert all(
        seated.roles[i] == USER
        for i in seated.unusual
        if not any(isinstance(b, ToolResultBlock) for b in seated.msgs[i].blocks)
    )
    assert paired(*seated.msgs, can=TELL)[1] == [], "repaired once, right for good"


def test_what_is_told_shows_its_media_and_stays_where_it_was() -> None:
    image = ImageBlock(PNG)
    output: list[Any] = [TextBlock("Two."), image, TextBlock("More.")]
    msgs = [user(), Msg("", [ToolResultBlock("x", "look", output)], "tool"), user("And?")]
    report = Report(msgs, None, places)
    seated = repair(survey(msgs, report), TELL, report, Wording(result="{name}: {output}"))
    assert seated.msgs[1].content == [TextBlock("look: Two.\nMore."), image]
    assert seated.msgs[1].role == "user"
    assert 1 in seated.unusual
    assert seated.flags & MEDIA


def test_a_second_result_is_left_out_all_the_same() -> None:
    made, losses = paired(calls("a"), results("a"), results("a"), user(), can=TELL)
    assert (spelled(made), losses) == ("+a -a u", [f"result.duplicate {A}[2].content[0]"])


def test_what_the_provider_keeps_is_answered_once() -> None:
    msgs = [results("x", "x", "", "a"), user()]
    report = Report(msgs, None, places)
    seated = survey(msgs, report)
    found: Any = [(0, block) for block in msgs[0].blocks]
    pairing = Pairing(seated, Capabilities(), report, Wording())
    stays, lost = pairing.orphans(found, {"a"}, open_start=True)
    ((made, _),) = stays[0]
    assert [block.id for block in made.blocks] == ["x"]  # type: ignore[union-attr]
    assert [code for code, _, _ in lost] == [
        "result.duplicate",
        "result.orphan",
        "result.duplicate",
    ]


def test_a_message_of_these_blocks_alone_is_itself() -> None:
    m = results("a", "b")
    assert with_only(m, m.blocks, Report()) is m
    assert with_only(m, m.blocks[:1], Report()).blocks == m.blocks[:1]
