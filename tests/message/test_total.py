"""The sum of a block's parts: what grows grows, of the rest the first that says something holds."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from dragoman.message import (
    AudioBlock,
    Base64Source,
    Citation,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.message.answer import join_values, latest, total

ONE, TWO = Citation(url="1"), Citation(url="2")


@pytest.mark.parametrize(
    ("parts", "made"),
    [
        ([TextBlock("a"), TextBlock("b"), TextBlock("")], TextBlock("ab")),
        ([TextBlock(""), TextBlock("b", [ONE]), TextBlock("c", [TWO])],
         TextBlock("bc", [ONE, TWO])),
        ([ThinkingBlock("a"), ThinkingBlock("b", "s1"), ThinkingBlock("", "s2")],
         ThinkingBlock("ab", "s1s2")),
        ([ThinkingBlock("", redacted="x"), ThinkingBlock("", redacted="y")],
         ThinkingBlock("", redacted="xy")),
        ([RefusalBlock("a", "k"), RefusalBlock("b", "l")], RefusalBlock("ab", "k")),
        ([ToolUseBlock("", "", raw_input='{"a"'), ToolUseBlock("i", "n", raw_input=": 1}"),
          ToolUseBlock("j", "m")], ToolUseBlock("i", "n", raw_input='{"a": 1}')),
        ([ToolUseBlock("i", "n"), ToolUseBlock("", "", {"a": 1})],
         ToolUseBlock("i", "n", {"a": 1})),
        ([RawBlock("p", {"t": "a", "l": [1], "n": 1}), RawBlock("p", {"t": "b", "l": [2], "n": 2})],
         RawBlock("p", {"t": "ab", "l": [1, 2], "n": 2})),
        ([TextBlock("a", extras={"p": {"x": 1, "y": 1}}), TextBlock("b", extras={"p": {"y": 2}}),
          TextBlock("", extras={"q": {}})],
         TextBlock("ab", extras={"p": {"x": 1, "y": 2}, "q": {}})),
        ([TextBlock("")], TextBlock("")),
        ([TextBlock("ha"), TextBlock("ha")], TextBlock("haha")),
        ([ThinkingBlock("a"), ThinkingBlock("b", "")], ThinkingBlock("ab")),
        ([RawBlock("p", {}, "call", "x"), RawBlock("p", {}, "item")],
         RawBlock("p", {}, "call", "x")),
        ([ImageBlock(URLSource("u"), "a"), ImageBlock(URLSource("u"), "b")],
         ImageBlock(URLSource("u"), "a")),
    ],
)  # fmt: skip
def test_sums(parts: list[Any], made: Any) -> None:
    before = repr(parts)
    assert total(parts) == made
    assert repr(parts) == before, "the parts stay as they are"


def sound(*pieces: str) -> str:
    block: Any = total([AudioBlock(Base64Source("audio/wav", piece)) for piece in pieces])
    return str(block.source.data)


def test_media_in_pieces() -> None:
    data = bytes(range(100))
    whole = b64encode(data).decode()
    thirds = [b64encode(part).decode() for part in (data[:33], data[33:66], data[66:])]
    assert sound(*thirds) == whole, "three bytes are four signs"
    padded = [b64encode(part).decode() for part in (data[:10], data[10:31], data[31:])]
    assert sound(*padded) == whole, "each piece is base64 of its own"
    halves = [b64encode(part).decode() for part in (data[:10], data[10:])]
    assert sound(*halves) == whole
    late = [b64encode(part).decode() for part in (data[:30], data[30:40], data[40:])]
    assert sound(*late) == whole
    assert sound(whole[:7], whole[7:50], whole[50:]) == whole, "or a cut of one text"


def test_media_that_are_no_pieces_of_one() -> None:
    png, link = Base64Source("image/png", "AAAA"), URLSource("https://a")
    assert total([ImageBlock(png), ImageBlock(link)])["source"] == link
    assert total([ImageBlock(link), ImageBlock(png), ImageBlock(png, title="t")])["source"] is png
    mixed = [ImageBlock(png), ImageBlock(png, title="t"), ImageBlock(link)]
    assert total(mixed)["source"] == link


def test_pieces_that_are_no_base64_are_cuts_of_one_text() -> None:
    assert sound("AAA=", "BB-_BB==") == "AAA=BB-_BB==", "signs of another alphabet"
    assert sound("AB", "CD==") == "ABCD=="


def test_a_source_in_pieces_is_no_longer_the_uri_that_one_of_them_came_in() -> None:
    first = Base64Source("audio/wav", "AAAA", "data:audio/wav;base64,AAAA")
    second = Base64Source("audio/mpeg", "BBBB")
    made = total([AudioBlock(first), AudioBlock(second)])["source"]
    assert made == Base64Source("audio/wav", "AAAABBBB")


@pytest.mark.parametrize(
    ("values", "made"),
    [
        ([], None),
        ([None], None),
        ([None, 1], 1),
        (["a", None, "b"], "ab"),
        ([[1], [2, 3]], [1, 2, 3]),
        ([{"a": "x"}, {"b": 1}, {"a": "y", "b": 2}], {"a": "xy", "b": 2}),
        (["a", 1], 1),
        (["a", 1, 2.5], 2.5),
        ([{"a": [1]}, {"a": "x"}], {"a": "x"}),
        ([True, False], False),
    ],
)
def test_joined(values: list[Any], made: Any) -> None:
    assert join_values(values) == made


def test_latest_leaves_its_values() -> None:
    first = {"p": {"a": 1}}
    second = {"r": {"z": 0}, "p": {"b": 2}}
    assert latest([first, second, {"p": {"a": 3}, "q": {}}]) == {
        "p": {"a": 3, "b": 2}, "r": {"z": 0}, "q": {},
    }  # fmt: skip
    assert (first, second) == ({"p": {"a": 1}}, {"r": {"z": 0}, "p": {"b": 2}})
