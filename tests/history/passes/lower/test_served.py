"""What a provider's server called and found, before the calls of the client."""

from __future__ import annotations

from typing import Any

from dragoman.message import Msg, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock
from dragoman.message.blocks import ContentBlock

from .fitting import codes, fitted

CALL = ToolUseBlock("c1", "look", {})
ASKED = RawBlock("here", {"type": "search"}, "call", "s1")
FOUND = RawBlock("here", {"type": "found"}, "result", "s1")
ITEM = RawBlock("here", {"type": "item"})
OWN = RawBlock("here", {"type": "shell"}, "call", "c2", "client")
SAID = TextBlock("Let me look.")
CAN: dict[str, Any] = {"reads": frozenset({"here"}), "assistant": frozenset({"text", "raw"}),
       "thinking": "all"}  # fmt: skip


def blocks(*given: ContentBlock, first: bool = True) -> tuple[list[object], list[str]]:
    made, found = fitted(Msg("", [*given], "assistant"), server_first=first, **CAN)
    return [b for m in made for b in m.blocks], codes(found)


def test_they_move_in_front_of_the_first_call_in_their_order() -> None:
    made, found = blocks(SAID, CALL, ASKED, FOUND)
    assert made == [SAID, ASKED, FOUND, CALL]
    assert found == ["raw.moved", "raw.moved"]


def test_what_stands_right_stays() -> None:
    right: list[list[ContentBlock]] = [
        [ASKED, FOUND, SAID, CALL],
        [SAID, ASKED, FOUND],
        [CALL, SAID],
        [CALL, ITEM, OWN],
    ]
    for given in right:
        assert blocks(*given) == (given, [])
    assert blocks(CALL, ASKED, FOUND, first=False) == ([CALL, ASKED, FOUND], [])


def test_nothing_moves_across_thinking() -> None:
    thought = ThinkingBlock("Hm.", signature="c2ln")
    given: list[ContentBlock] = [CALL, thought, ASKED, FOUND]
    assert blocks(*given)[0] == given
    assert blocks(thought, CALL, ASKED)[0] == [thought, ASKED, CALL]
