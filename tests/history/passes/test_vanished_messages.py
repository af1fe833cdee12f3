"""A message of which nothing can be said is gone, and its neighbours stand beside each other."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import Base64Source, ImageBlock, RawBlock, ToolResultBlock, ToolUseBlock

NOTHING = [Msg("", [], "user"), Msg("", [RawBlock("a stranger", {"x": 1})], "user")]
STEP = [
    Msg.assistant([ToolUseBlock("c1", "walk", {})]),
    Msg("", [ToolResultBlock("c1", "walk", "3 miles")], "tool"),
]


def body(wire: str, *msgs: Msg, model: str | None = None) -> dict[str, Any]:
    writer = dragoman.wire(wire, policy="ignore")
    return writer.write_request(ChatRequest([*msgs]), model).body


@pytest.mark.parametrize("nothing", NOTHING, ids=["an empty one", "one of another provider"])
def test_what_the_model_says_before_its_call_stands_in_one_turn_with_it(nothing: Msg) -> None:
    chat = [Msg.user("How far?"), Msg.assistant("Let me look."), nothing, *STEP]
    made = body("gemini", *chat)["contents"]
    assert [turn["role"] for turn in made] == ["user", "model", "user"]
    assert made == body("gemini", *chat[:2], *STEP)["contents"]


@pytest.mark.parametrize("nothing", NOTHING, ids=["an empty one", "one of another provider"])
def test_it_makes_no_difference_whether_another_message_is_odd(nothing: Msg) -> None:
    image = Msg.user([ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))])
    chat = [Msg.assistant("Let me look."), nothing, *STEP]
    plain = body("gemini", Msg.user("How far?"), *chat)["contents"]
    assert body("gemini", image, *chat)["contents"][1:] == plain[1:]


def test_a_system_message_is_placed_by_the_turns_that_are_left() -> None:
    answer = Msg.assistant([RawBlock("a stranger", {"x": 1})])
    chat = [Msg.system("Be brief."), Msg.user("Hi"), Msg.system("Hurry."), answer, Msg.user("So?")]
    made = body("anthropic", *chat, model="claude-opus-5-5")["messages"]
    assert [turn["role"] for turn in made] == ["user", "user", "user"]
    assert "Hurry." in made[1]["content"]
