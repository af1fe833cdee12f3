"""Histories for sessions, the ways they change, and what a session is held against."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import strategies as st

from dragoman.errors import DragomanError
from dragoman.message import (
    CacheHint,
    Msg,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from tests.laws.histories import IDS, NAMES, SPEAKERS, histories, msgs

__all__ = ["changes", "outcome", "turns"]


@st.composite
def turns(draw: st.DrawFn) -> list[Msg]:
    """What a program adds in a round, mostly as it should be."""
    if not draw(st.integers(0, 9)):
        return draw(histories(1))
    id = draw(st.sampled_from((*IDS, *map(str, range(40)))))
    name = draw(st.sampled_from((*NAMES, "look", "look", "look")))
    signed = ThinkingBlock("Hm.", signature="c2ln", origin=Origin("anthropic"))
    friend = draw(st.sampled_from((*SPEAKERS, "Bob", "Bob", "Ann")))
    call = ToolUseBlock(id, name, {"at": draw(st.integers(0, 3))})
    asked: Any = draw(st.sampled_from(([call], [TextBlock("Let me look."), call], [signed, call])))
    answers = (
        [Msg(friend, asked, "assistant"), Msg("", [ToolResultBlock(id, name, "x")], "tool")],
        [Msg(friend, asked, "assistant"), Msg("sys", [ToolResultBlock(id, name)], "system")],
        [Msg.assistant("Yes. "), Msg.user("So?", friend)],
        [Msg(friend, [signed, TextBlock("No.")], "assistant"), Msg.user("So?", "Tony")],
        [Msg(friend, "Bob: or Ann?", "assistant"), Msg.user("a\nBob: So?", cache=CacheHint())],
        [Msg.user("And?", friend), Msg.system("Be brief.")],
    )
    return draw(st.sampled_from(answers))


@st.composite
def changes(draw: st.DrawFn) -> list[list[Msg]]:
    """One history after the other, each made of the one before it."""
    now = [Msg.system("Be."), Msg.user("Go.", "Tony")]
    made = [[*now]]
    for _ in range(draw(st.integers(2, 8))):
        kind = draw(st.integers(0, 11))
        at = draw(st.integers(0, len(now) - 1)) if now else 0
        if kind == 0 and now:
            now[at] = draw(msgs())
        elif kind == 1 and now:
            del now[at]
        elif kind == 2:
            now.insert(at, draw(msgs()))
        elif kind == 3 and len(now) > 1:
            now[at - 1], now[at] = now[at], now[at - 1]
        elif kind == 4:
            del now[at:]
        else:
            for _ in range(draw(st.integers(1, 4))):
                now += draw(turns())
        made.append([*now])
    return made


def outcome(writer: Any, given: list[Msg]) -> tuple[Any, Any]:
    """What is written, as text, and the losses with their places; or the error.

    Of a message that stands twice a loss names one place or the other.
    """
    try:
        made = writer.write(given)
    except DragomanError as error:
        return type(error), str(error)
    blocks = [id(b) for m in given if not isinstance(m.content, str) for b in m.content]
    nodes = [*map(id, given), *blocks]
    placed = len(set(nodes)) == len(nodes)
    lost = Counter(
        (one.code, one.kind, one.where if placed else "", one.what, one.did) for one in made.losses
    )
    return [json.dumps(one, ensure_ascii=False) for one in made.messages], lost
