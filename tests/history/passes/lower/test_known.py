"""What was fitted of messages that a session remembers is kept, and is right for the next turn."""

from __future__ import annotations

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes import lower
from dragoman.history.passes.lower.blocks import fit_message
from dragoman.history.passes.lower.state import State
from dragoman.history.passes.survey import survey
from dragoman.history.wording import Wording
from dragoman.losses import Report
from dragoman.message import Base64Source, ImageBlock, Msg, ToolUseBlock, places
from dragoman.message.known_steps import KnownSteps

CAPS = Capabilities(user=frozenset({"text", "image"}), move_media=frozenset({"image"}))
WORDING = Wording()


def look(number: int) -> list[Msg]:
    """A call and its picture, which moves behind a heading with the name of the tool."""
    image = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    call = ToolUseBlock(f"c_{number}", f"look_{number}", {})
    return [Msg.assistant([call]), Msg.tool(call.id, [image])]


def test_names_that_new_results_ask_for_are_not_those_of_known_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fitted: list[Msg] = []

    def note(state: State, m: Msg, role: int) -> tuple[Msg | None, list[Msg]]:
        fitted.append(m)
        return fit_message(state, m, role)

    monkeypatch.setattr(lower, "fit_message", note)
    steps, known = KnownSteps(), [Msg.user("Look.")]

    def fit_turn(new: list[Msg]) -> list[Msg]:
        fitted.clear()
        msgs = [*known, *new]
        report = Report(msgs, None, places)
        report.steps = steps
        return lower.fit(survey(msgs, report), CAPS, report, WORDING).msgs

    for number in range(6):
        steps.admit(known)
        made = fit_turn(look(number))
        texts = [m.text for m in made if m.role == "user"][1:]
        assert [f"look_{n}" in text for n, text in enumerate(texts)] == [True] * (number + 1)
        if number > 2:  # since its second turn it is known that the arguments come again
            assert len(fitted) == 2, "known messages are fitted anew"
        known += look(number)  # which the next turn reads as other objects
