"""Arguments: the ladder from clean JSON to text that is none, and the view while they arrive."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.stream.arguments import (
    Balance,
    breaks_off,
    parse_arguments,
    parse_partial,
    split_objects,
)
from tests.each_case import each_case
from tests.laws.test_linear import work
from tests.laws.trees import json_objects


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        (" \n\t", {}),
        ("null", {}),
        ("{}", {}),
        ('"{\\"a\\": 1}"', {"a": 1}),  # JSON inside of a JSON string
        ('{"a": "x\ny\t"}', {"a": "x\ny\t"}),  # control characters as they are
        ('{"n": 12345678901234567890}', {"n": 12345678901234567890}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        ('{"a": 1} ', {"a": 1}),
    ],
)
def test_what_is_an_object(text: str, value: Any) -> None:
    assert parse_arguments(text) == value


@each_case(
    "text",
    ["{'q': \"it's\"}", '{"a": 1,}', "[1]", "1", "true", '"x"', "NaN", '{"a": NaN}', '{"a": 1', "{",
     '{"a": 1}{"b": 2}', "look at it", '"{"', '"[1]"', '{"a": 1e999}', "{" * 5000],
)  # fmt: skip
def test_what_is_no_object_stays_text_letter_by_letter(text: str) -> None:
    assert parse_arguments(text) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"x": 1}{"x": 2}', ['{"x": 1}', '{"x": 2}']),
        ('{"x": 1}\n {"y": "}{"} ', ['{"x": 1}', '{"y": "}{"}']),
        ('{"x": 1}{"x": 1}', ['{"x": 1}']),  # the whole arguments, sent again
        ('{"x": 1}{"x": 2}{"x": 1}', ['{"x": 1}', '{"x": 2}', '{"x": 1}']),
        ('{"x": 1}', ['{"x": 1}']),
        ("{}{}", ["{}"]),
        ('{"x": 1}{"x": ', []),
        ('{"x": 1}, {"x": 2}', []),
        ('{"x": 1}[2]', []),
        ("1 2", []),
        ("", []),
    ],
)
def test_several_objects_in_one_text(text: str, found: list[str]) -> None:
    assert split_objects(text) == found


@pytest.mark.parametrize(
    "text", ['{"a": "x', '{"a": [1', "{", '{"a": {"b": 1}', '"x', '{"a": "x\\"']
)
def test_text_that_breaks_off(text: str) -> None:
    assert breaks_off(text)


@pytest.mark.parametrize(
    "text", ["", "{}", '{"a": "{["}', "x", '{"a": "\\\\"}', "1", "}", '{"a": 1}}']
)
def test_text_that_does_not(text: str) -> None:
    assert not breaks_off(text)


@each_case(
    ("text", "value"),
    [
        ("", {}),
        ("{", {}),
        ('{"', {}),
        ('{"ci', {}),
        ('{"city"', {}),
        ('{"city":', {}),
        ('{"city": "Sam', {"city": "Sam"}),
        ('{"city": "Sama\\', {"city": "Sama"}),
        ('{"city": "a\\n', {"city": "a\n"}),
        ('{"city": "a\\u00e', {"city": "a"}),
        ('{"city": "a\\ud83d\\ude', {"city": "a"}),
        ('{"city": "a\\ud83d', {"city": "a"}),
        ('{"city": "a\\\\ud83d', {"city": "a\\ud83d"}),  # a backslash, and four signs
        ('{"city": "a\ud83d', {"city": "a"}),
        ('{"city": "a\\ud83d\\ude00', {"city": "a\U0001f600"}),
        ('{"city": "x", "n": [1, 2', {"city": "x", "n": [1, 2]}),
        ('{"city": "x", "n": [1, {"a": tr', {"city": "x", "n": [1, {}]}),
        ('{"city": "x", "n": {"a": "b', {"city": "x", "n": {"a": "b"}}),
        ('{"city": "x", ', {"city": "x"}),
        ('{"city": "x"}', {"city": "x"}),
        ("no JSON", "no JSON"),
    ],
)
def test_the_view_of_what_has_come(text: str, value: Any) -> None:
    assert parse_partial(text) == value


SAID = {
    "city": 'Sama"rk\\and \n北京\U0001f54c',
    "n": [1, -2.5, {"x": None, "y": [True, "z"]}],
    "": {"a": {"b": "c"}},
}
TEXT = json.dumps(SAID, ensure_ascii=True)


def test_the_view_at_every_cut_only_grows() -> None:
    seen: list[str] = []
    for at in range(1, len(TEXT) + 1):
        value = parse_partial(TEXT[:at])
        assert isinstance(value, dict), TEXT[:at]
        seen.append(value.get("city", ""))
        json.dumps(value, ensure_ascii=False).encode()  # no half of a pair is ever shown
    assert parse_partial(TEXT) == json.loads(TEXT)
    assert all(new.startswith(old) for old, new in pairwise(seen))


@given(json_objects, st.booleans(), st.data())
def test_every_cut_of_every_object_has_a_view(value: Any, ascii: bool, draw: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=ascii)
    at = draw.draw(st.integers(1, len(text)))
    view = parse_partial(text[:at])
    assert isinstance(view, dict)
    assert view.keys() <= value.keys() or at < len(text)
    assert parse_partial(text) == value


@given(json_objects, st.data())
def test_balance_is_whole_at_the_end_only(value: Any, draw: st.DataObject) -> None:
    text = json.dumps(value)
    cuts = sorted(draw.draw(st.sets(st.integers(1, len(text) - 1), max_size=6)))
    balance = Balance()
    assert not balance.whole
    for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True):
        assert not balance.whole
        balance.add(text[a:b])
    assert balance.whole


@pytest.mark.parametrize(
    ("texts", "whole"),
    [
        (["{}"], True),
        (['{"a": "}', '"}'], True),
        (['{"a": "\\', '""}'], True),  # the escape is cut: the quote behind it is text
        (['{"a": "\\', '"}'], False),
        (['{"a": "\\\\', '"}'], True),
        (['{"a": "x\\\\\\', '""}'], True),
        (["{", "", "}"], True),
        (["[", "{"], False),
        ([], False),
    ],
)
def test_balance_across_pieces(texts: list[str], whole: bool) -> None:
    balance = Balance()
    for text in texts:
        balance.add(text)
    assert balance.whole is whole


def test_looking_is_linear_however_often() -> None:
    def look(pieces: int) -> int:
        def run() -> None:
            balance = Balance()
            balance.add("{")
            for _ in range(pieces):
                balance.add('"a": 1, ')
                assert not balance.whole

        return work(run)

    assert look(400) / look(100) < 5


@pytest.mark.parametrize(
    "text", ['{"a": "' + "x\\n" * 200, "[" * 200, '{"a": 1, ' * 200, '"' * 200]
)
def test_the_view_is_linear(text: str) -> None:
    assert work(lambda: parse_partial(text * 4)) / work(lambda: parse_partial(text)) < 5
