"""What is looked for in a request is found as if no part of it had come before."""

from __future__ import annotations

from itertools import product

from dragoman.message.known_text import KnownParts, KnownText, count_signs
from dragoman.text.json_pieces import PIECE

WORDS = (b"mark.", b"xyz")
TEXT = b'{"a":[1,"x,y"]}'


def test_words_are_found_wherever_they_are() -> None:
    """Also where one begins in a known part and ends after it, or the other way round."""
    for word, at in product((*WORDS, b"mar", b"."), range(30)):
        data = b"m" * at + word + b"a" * (30 - at)
        for start, end, begin, until in ((0, 0, 5, 9), (3, 9, 9, 15), (3, 20, 24, 35)):
            beginning = KnownText(data[start:end])
            grown = KnownText(data[start : end + 2], beginning)
            other = KnownText(data[begin:until])
            for _ in range(2):
                parts = KnownParts(data, [(start, beginning), (begin, other)])
                assert parts.holds(WORDS) == any(one in data for one in WORDS), (data, start, end)
                assert grown.holds(WORDS) == any(one in grown.text for one in WORDS)
                assert not parts.holds((b"nowhere",))


def test_a_grown_text_is_searched_where_it_is_new() -> None:
    before = KnownText(b"m" * PIECE)
    assert not before.holds(WORDS)
    for more, is_there in ((b"ark.", True), (b"a", False), (b"", False), (b"xyz", True)):
        after = KnownText(before.text + more, before)
        assert after.holds(WORDS) == is_there
        assert KnownText(after.text + b" ", after).holds(WORDS) == is_there


def test_signs_before_values_are_counted_once() -> None:
    assert count_signs(TEXT) == TEXT.count(b",") + TEXT.count(b"[") + TEXT.count(b"{") == 4
    data = TEXT * 9
    for start, end in product(range(0, 50, 7), range(60, 120, 7)):
        before = KnownText(data[start : start + 5])
        part = KnownText(data[start:end], before)
        assert part.signs == count_signs(data[start:end])
        parts = KnownParts(data, [(start, part), (end, KnownText(data[end : end + 9]))])
        assert parts.count_signs() == count_signs(data)
