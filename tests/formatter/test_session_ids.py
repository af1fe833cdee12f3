"""A session knows every spelling of an id that it wrote, the first and the numbered ones."""

from __future__ import annotations

import pytest

import dragoman
from dragoman.message import Msg, ToolUseBlock

from .sessions import outcome


def turn(id: str) -> list[Msg]:
    return [Msg.assistant([ToolUseBlock(id, "look", {})]), Msg.tool(id, "seen", "look")]


@pytest.mark.parametrize("wire", ["anthropic", "bedrock-converse", "openai-chat", "mistral"])
@pytest.mark.parametrize("ids", [("a_b", "a_b", "a.b"), ("a.b", "a.b", "a_b"), ("x" * 70,) * 3])
def test_a_spelling_that_was_given_away_is_not_given_again(wire: str, ids: tuple[str, ...]) -> None:
    formatter = dragoman.Formatter(wire, policy="ignore")
    session = formatter.session()
    history = [Msg.user("Go."), *turn(ids[0]), *turn(ids[1])]
    for i in range(12):
        history += turn(f"call{i:05}")
    session.write(history)
    history += turn(ids[2])
    assert outcome(session, history) == outcome(formatter, history)
    assert outcome(session, history) == outcome(formatter, history), "and once more"
