"""A history that goes on: what was written stays, or a loss says what is written otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman import ByName, Msg, Tagged
from dragoman.losses import Report
from dragoman.message import TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, places

from .nasty import NAMES, texts

CALL = Msg("Bob", [ToolUseBlock("c", "look", {})], "assistant")
RESULT = Msg("system", [ToolResultBlock("c", "look", "y")], "system")


def told(rewrite: Any, msgs: list[Msg]) -> tuple[list[Msg], dict[str, list[str]]]:
    report = Report(msgs, None, places)
    made = rewrite(msgs, report)
    losses: dict[str, list[str]] = {}
    for loss in report.losses:
        losses.setdefault(loss.code, []).append(loss.where)
    return made, losses


_said = st.builds(Msg, st.sampled_from(NAMES), texts)
_part = _said.map(lambda m: [m]) | st.just([CALL, RESULT])
histories = st.lists(_part, min_size=1, max_size=6).map(
    lambda parts: [m for part in parts for m in part]
)
more = st.lists(_said, min_size=2, max_size=2)


@given(histories, more)
def test_tagged_messages_stay_or_a_loss_names_them(msgs: list[Msg], turns: list[Msg]) -> None:
    before, _ = told(Tagged("Bob"), msgs)
    after, losses = told(Tagged("Bob"), msgs + turns)
    changed = {f"$.messages[{i}].content" for i, m in enumerate(before) if after[i] != m}
    assert changed <= set(losses.get("speaker.later", ()))


@given(histories, more)
def test_merged_messages_stay_or_a_loss_names_what_they_say(
    msgs: list[Msg], turns: list[Msg]
) -> None:
    before, _ = told(ByName(), msgs)
    after, losses = told(ByName(), msgs + turns)
    if "speaker.later" in losses:
        return
    assert after[: len(before) - 1] == before[:-1]
    last, grown = before[-1], after[len(before) - 1]
    assert grown == last or grown.text.startswith(last.text.removesuffix("\n</history>"))
    assert ByName.lookback == 1
    assert grown == last or len(before) == len(after)


@given(histories, more)
def test_who_is_known_beforehand_changes_nothing(msgs: list[Msg], turns: list[Msg]) -> None:
    known = tuple(NAMES)
    before, _ = told(Tagged(known=known), msgs)
    after, losses = told(Tagged(known=known), msgs + turns)
    assert after[: len(before)] == before
    assert "speaker.later" not in losses
    _, losses = told(ByName(known=known), msgs + turns)
    assert "speaker.later" not in losses


def test_the_loss_names_the_text_and_the_speaker() -> None:
    msgs = [
        Msg("Bob", "Hi.\nAl: x"),
        CALL,
        RESULT,
        Msg("Bob", [TextBlock("y\nAl: y")]),
        Msg("Al", "z"),
    ]
    _, losses = told(ByName(), msgs)
    assert losses["speaker.later"] == ["$.messages[0].content", "$.messages[3].content[0].text"]
    assert "speaker.later" not in told(ByName(), [*msgs[:4]])[1]
    report = Report(msgs, None, places)
    ByName()(msgs, report)
    did = {loss.did for loss in report.losses if loss.code == "speaker.later"}
    assert did == {"a backslash was put before it since Al speaks"}


@pytest.mark.parametrize("rewrite", [ByName(), Tagged("Bob")])
def test_a_text_that_waited_for_a_later_speaker_is_noted_with_whom_it_waited_for(
    rewrite: Any,
) -> None:
    ask = Msg("Tony", "Hi.\nAl: x\n[Al]: x")
    apart = Msg("Al", CALL.content, "assistant")
    for later in (Msg("Al", "So?"), apart):
        msgs = [ask, CALL, RESULT, later]
        report = Report(msgs, None, places)
        made = rewrite(msgs, report)
        assert [by for by, _, _ in report.edits] == ["the escape of a later speaker's name"]
        [(_, node, until)] = report.edits
        assert node is made[0]
        assert until is made[-1]
        assert (until is later) is (later is apart)


@pytest.mark.parametrize("speakers", [ByName(), Tagged("Bob")])
def test_thinking_behind_such_a_text_is_known_to_be_unbound(speakers: Any) -> None:
    """Only what was thought before the new speaker came: later answers have seen the change."""
    formatter = dragoman.Formatter("anthropic", model="claude-opus-5-5", speakers=speakers,
                                   policy="ignore")  # fmt: skip

    def lost(*msgs: Msg) -> list[str]:
        losses = formatter.write(list(msgs)).losses
        return [loss.where for loss in losses if loss.code == "thinking.unbound"]

    def step(id: str) -> list[Msg]:
        thought = ThinkingBlock("Hm.", "c2ln")
        use = ToolUseBlock(id, "look", {})
        return [Msg("Bob", [thought, use], "assistant"), Msg.tool(id, "y")]

    ask = Msg("Tony", "Hi.\nAl: x\n[Al]: x")
    assert formatter.can.binding == "prefix"
    assert lost(ask, *step("a"), Msg("Tony", "So?"), *step("b")) == []
    late = lost(ask, *step("a"), Msg("Al", "So?"), *step("b"))
    assert late == ["$.messages[1].content[0]", "$.messages[4].content[0]"]
    back = Msg("Al", "So?\nTony: x\n[Tony]: x")  # Tony has been there all the time
    assert lost(Msg("Tony", "Hi."), *step("a"), back, *step("b")) == []
    assert lost(ask, Msg("Al", "So?"), *step("b")) == []
