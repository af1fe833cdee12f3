"""Histories that are wrong in one named way each, in a mixture of several, by chance.

`histories.py` throws everything into one bag; here each way to break a history is a fragment of
its own, so that every one of them comes often, next to any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from dragoman.message import (
    Base64Source,
    ImageBlock,
    Msg,
    Origin,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

from .histories import IDS, NAMES, PNG, media, texts

__all__ = ["FRAGMENTS", "ISSUERS", "broken"]

ISSUERS = ("openai-chat", "openai-responses", "anthropic", "gemini", "bedrock-converse", "mistral",
           "cohere", "deepseek", "somebody")  # fmt: skip
RESULT_ROLES = ("tool", "user", "assistant")
Turns = list[Msg]

ids = st.sampled_from((*IDS, "functions.look:0", "toolu_01", "call_00_abc", "abcdefgh9"))
names = st.sampled_from(NAMES)
# made once: a strategy that a draw makes is checked with every draw
_some_ids = st.lists(ids, min_size=1, max_size=3)
_several_ids = st.lists(ids, min_size=2, max_size=3)
_given = st.sampled_from(range(5))
_outputs = st.sampled_from(range(8))
_result_roles = st.sampled_from(RESULT_ROLES)
_issuers = st.sampled_from(ISSUERS)
_origins = st.none() | _issuers.map(Origin)
_signatures = st.sampled_from((None, "", "c2ln"))
_seals = st.sampled_from((None, "", "cmVk"))
_chat_roles = st.sampled_from(("user", "assistant"))
_plain_roles = st.sampled_from(("user", "assistant", "system"))
_roles = st.lists(st.sampled_from(("system", "developer", "user", "assistant")),
                  min_size=1, max_size=4)  # fmt: skip
_speakers = st.sampled_from(("", "Bob"))
_media = media()


def asks(draw: st.DrawFn, id: str, name: str | None = None) -> ToolUseBlock:
    """A call; its arguments are an object more often than not."""
    given: Any = ({}, {"at": 1}, "not json", None, [1])[draw(_given)]
    return ToolUseBlock(id, draw(names) if name is None else name, given)


def answers(draw: st.DrawFn, id: str) -> Msg:
    """A result as a message of its own, with anything in it."""
    inside = [TextBlock("x"), ImageBlock(Base64Source("image/png", PNG))]
    outputs: tuple[Any, ...] = ("seen", "", " ", None, [], inside, inside[1:], {"a": 1})
    output = outputs[draw(_outputs)]
    said = ToolResultBlock(id, draw(names), output, draw(st.booleans()))
    return Msg("", [said], draw(_result_roles))


def spoken(draw: st.DrawFn, *blocks: Any) -> Msg:
    """An assistant's message, of any issuer."""
    return Msg("", list(blocks), "assistant", origin=Origin(draw(_issuers)))


def thinks(draw: st.DrawFn) -> ThinkingBlock:
    """Thinking of any issuer, signed or not, empty or not, sealed or not."""
    origin = draw(_origins)
    return ThinkingBlock(
        draw(texts), draw(_signatures),
        draw(_seals), origin=origin,
    )  # fmt: skip


def unanswered(draw: st.DrawFn) -> Turns:
    """Calls without results, and somebody who goes on."""
    calls = [asks(draw, id) for id in draw(_some_ids)]
    return [spoken(draw, *calls), *([Msg.user("And?")] if draw(st.booleans()) else [])]


def orphans(draw: st.DrawFn) -> Turns:
    """Results without calls."""
    return [answers(draw, id) for id in draw(_some_ids)]


def partly(draw: st.DrawFn) -> Turns:
    """Several calls, some of them answered, with words between call and result."""
    called = draw(_several_ids)
    kept = [id for id in called if draw(st.booleans())]
    between = draw(st.sampled_from(([], [Msg.user("Wait.")], [Msg.system("Stop.")])))
    return [spoken(draw, *(asks(draw, id) for id in called)), *between,
            *(answers(draw, id) for id in kept)]  # fmt: skip


def interleaved(draw: st.DrawFn) -> Turns:
    """Two turns of calls, whose results come in any order and place."""
    one, two = draw(ids), draw(ids)
    turns = [spoken(draw, asks(draw, one)), spoken(draw, asks(draw, two)),
             answers(draw, two), answers(draw, one)]  # fmt: skip
    return list(draw(st.permutations(turns)))


def repeated(draw: st.DrawFn) -> Turns:
    """One id for every call, in one turn or in several, and for every result."""
    id, count = draw(ids), draw(st.integers(2, 3))
    calls = [asks(draw, id) for _ in range(count)]
    spread = [spoken(draw, call) for call in calls]
    together = [spoken(draw, *calls)]
    made = draw(st.sampled_from((spread, together)))
    return [*made, *(answers(draw, id) for _ in range(draw(st.integers(0, count + 1))))]


def late(draw: st.DrawFn) -> Turns:
    """A round that is done, and its result once more, or only then."""
    id = draw(ids)
    said = answers(draw, id)
    first = draw(st.sampled_from(([], [said])))
    return [spoken(draw, asks(draw, id)), *first, Msg.user("Well?"),
            spoken(draw, TextBlock("Soon.")), said]  # fmt: skip


def one_message(draw: st.DrawFn) -> Turns:
    """Calls, results and words of several rounds in one message."""
    blocks: list[Any] = []
    for id in draw(_some_ids):
        blocks += [asks(draw, id), ToolResultBlock(id, "look", "seen"), TextBlock(draw(texts))]
    mixed: list[Any] = list(draw(st.permutations(blocks)))
    return [spoken(draw, *mixed)]


def empties(draw: st.DrawFn) -> Turns:
    """Messages that hold nothing, or nothing that is seen."""
    role = draw(_plain_roles)
    nothing: tuple[Any, ...] = (
        "",
        " \n",
        [],
        [TextBlock("")],
        [TextBlock(""), TextBlock("")],
        [RefusalBlock("")],
    )
    blank: Any = draw(st.sampled_from(nothing))
    return [Msg("", blank, role), *draw(st.sampled_from(([], [Msg("", "", role)])))]


def systems(draw: st.DrawFn) -> Turns:
    """System messages where none is expected."""
    return [Msg("", draw(texts), role) for role in draw(_roles)]


def thoughts(draw: st.DrawFn) -> Turns:
    """Thinking alone, behind words, in front of calls, or of somebody else."""
    said = [thinks(draw) for _ in range(draw(st.integers(1, 2)))]
    more: list[Any] = draw(st.sampled_from(([], [TextBlock("So.")], [asks(draw, "t1", "look")])))
    blocks: list[Any] = [*said, *more] if draw(st.booleans()) else [*more, *said]
    return [spoken(draw, *blocks), *([answers(draw, "t1")] if draw(st.booleans()) else [])]


def rows(draw: st.DrawFn) -> Turns:
    """The same speaker again and again, trailing white space and all."""
    role = draw(_chat_roles)
    return [Msg(draw(_speakers), draw(texts), role) for _ in range(3)]


def sights(draw: st.DrawFn) -> Turns:
    """Media of any kind, said by anybody, in front of calls and in results."""
    seen = draw(_media)
    said = ToolResultBlock("m1", "look", [seen, TextBlock("a dot"), seen])
    return [Msg("", [seen], draw(_plain_roles)),
            spoken(draw, asks(draw, "m1", "look")), Msg("", [said], "tool")]  # fmt: skip


FRAGMENTS: tuple[Callable[[st.DrawFn], Turns], ...] = (
    unanswered, orphans, partly, interleaved, repeated, late, one_message, empties, systems,
    thoughts, rows, sights,
)  # fmt: skip


_ways = {
    size: st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=size) for size in range(1, 9)
}


@st.composite
def broken(draw: st.DrawFn, max_size: int = 3) -> list[Msg]:
    """One to three fragments, each broken in its own way, sometimes with a user in front."""
    ways = draw(_ways[max_size])
    start = [Msg.user("Go.")] if draw(st.booleans()) else []
    return [*start, *(m for way in ways for m in way(draw))] or [Msg.user("Go.")]
