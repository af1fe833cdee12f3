"""JSON text: written as it must be, read exactly, refused where it is none."""

from __future__ import annotations

import json
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dragoman.errors import InvalidMessage, ReadError
from dragoman.text import json_text
from dragoman.text.json_text import MAX_DEPTH, arguments, canonical, check, check_text, loads
from tests.each_case import each_case
from tests.laws.trees import json_values


@pytest.fixture(params=[True, False], ids=["fast", "standard"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`loads` with orjson, where it is installed, and without."""
    if not request.param:
        monkeypatch.setattr(json_text, "orjson", None)
    return loads


class Level(IntEnum):
    LOW = 1


@given(json_values)
def test_arguments_are_what_json_writes(value: Any) -> None:
    text = arguments(value)
    assert text == json.dumps(value, ensure_ascii=False)
    assert same(json.loads(text), value)
    assert same(loads(text), value)


def same(one: Any, other: Any) -> bool:
    """Equal, and 1 is not 1.0 and not True."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ({"location": [104.48, 36.3]}, '{"location": [104.48, 36.3]}'),
        ({"城市": "北京 \U0001f600"}, '{"城市": "北京 \U0001f600"}'),
        ({"n": 2**70}, '{"n": 1180591620717411303424}'),
        ([True, None, "\u2028\n\x00"], '[true, null, "\u2028\\n\\u0000"]'),
        ((1, 2), "[1, 2]"),
        ({"level": Level.LOW}, '{"level": 1}'),
    ],
)
def test_spelling_of_arguments(value: Any, text: str) -> None:
    assert arguments(value) == text


@pytest.mark.parametrize(
    "value", [float("nan"), [float("inf")], {"a": -float("inf")}, {"a": object()}, {"a": {1, 2}}]
)
def test_what_is_no_json_has_no_text(value: Any) -> None:
    with pytest.raises(InvalidMessage):
        arguments(value)


def test_endless_values_have_no_text() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(InvalidMessage):
        arguments(value)


def test_canonical_text_is_one_for_all_spellings() -> None:
    assert canonical({"b": 1, "a": [2, "é"]}) == canonical({"a": [2, "\u00e9"], "b": 1})
    assert canonical({"a": 1}) != canonical({"a": 1.0}) != canonical({"a": True})
    assert canonical("\ud800").isascii()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9223372036854775808", 2**63),
        ("-9223372036854775809", -(2**63) - 1),
        ('{"n": [18446744073709551616]}', {"n": [2**64]}),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("1.5", 1.5),
        ("9007199254740993", 9007199254740993),
        ('"\\ud83d\\ude00"', "\U0001f600"),
        (b'{"a": 1}', {"a": 1}),
        (' {"a" : 1} ', {"a": 1}),
    ],
)
def test_read_exactly(reader: Any, text: str | bytes, value: Any) -> None:
    made = reader(text)
    assert made == value
    assert type(made) is type(value)


@pytest.mark.parametrize("text", ["", " ", "{", "{'a': 1}", "NaN", "[Infinity]", "-Infinity",
                                  "{}{}", b"\xff", "nul", '{"a": NaN}'])  # fmt: skip
def test_no_json_is_refused(reader: Any, text: str | bytes) -> None:
    with pytest.raises(ReadError):
        reader(text)


@pytest.mark.parametrize(
    "text", ["1e999", "[-1e309]", '{"a": 1E+400}', b"[1e999]", "1" * 400 + ".5"]
)
def test_numbers_beyond_all_floats_are_refused(reader: Any, text: str | bytes) -> None:
    with pytest.raises(ReadError):
        reader(text)


@pytest.mark.parametrize(
    "text", ["1e308", "[1e-999]", '{"a": "1e999"}', "1" * 400, '["\\ud800", 1e5]']
)
def test_numbers_that_look_like_it_are_read(reader: Any, text: str) -> None:
    assert same(reader(text), json.loads(text))


@pytest.mark.parametrize("pad", [0, 5000])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18446744073709551616", 2**64),
        ("-18446744073709551617", -(2**64) - 1),
        ("18446744073709551616.0", float(2**64)),
        ('"18446744073709551616"', "18446744073709551616"),
        ("18446744073709551615", 2**64 - 1),
        ('"\\ud83d"', "\ud83d"),
        ('"\\ude00\\ud83d"', "\ude00\ud83d"),
    ],
)
def test_short_and_long_texts_are_read_alike(reader: Any, text: str, value: Any, pad: int) -> None:
    made = reader('{"pad": "' + "x" * pad + f'", "v": [{text}]}}')["v"][0]
    assert made == value
    assert type(made) is type(value)


@pytest.mark.parametrize("depth", [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, MAX_DEPTH + 30])
@pytest.mark.parametrize("sides", ["[]", '{"a":}'])
def test_one_limit_of_depth_for_both(
    depth: int, sides: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, closed = sides[:-1], sides[-1]
    text = opened * depth + "1" + closed * depth
    found = []
    for fast in (True, False):
        if not fast:
            monkeypatch.setattr(json_text, "orjson", None)
        try:
            loads(text)
            found.append(True)
        except ReadError:
            found.append(False)
    assert found[0] == (depth <= MAX_DEPTH)
    assert found[1] <= found[0], "the standard library gives up earlier, with the same error"


def test_very_deep_text_is_read_or_refused(reader: Any) -> None:
    for depth in (900, 100_000):
        text = "[" * depth + "]" * depth
        try:
            assert reader(text)
        except ReadError:
            assert depth > MAX_DEPTH


@given(json_values)
@example({"a": 2**64})
def test_both_readers_agree(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert same(loads(text), json_text._loads_std(text))


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (float("nan"), "$"),
        ({"a": [1, float("inf")]}, "$.a[1]"),
        ({"a": {"b": "\ud800"}}, "$.a.b"),
        ({"a": {"\ud800": 1}}, "$.a"),
        ({1: 1}, "$"),
        ({"a": (1, b"x")}, "$.a[1]"),
        ({"a": object()}, "$.a"),
    ],
)
def test_check_names_the_place(value: Any, path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        check(value, "$")
    assert caught.value.path == path


@given(json_values)
def test_check_takes_all_json(value: Any) -> None:
    check(value, "$")


def test_check_text_shows_where() -> None:
    check_text("é\U0001f600", "$")
    with pytest.raises(InvalidMessage, match="character 3"):
        check_text("abé\ud83d", "$")


_FILLER = "x" * 3 * MAX_DEPTH


@each_case("number", ["12345678901234567890123", "-98765432109876543210", "18446744073709551616"])
@each_case("place", ['{{"a": {}}}', "[1,{}]", '{{"a":{{"b":[2, {}]}}}}', "[[\n{}\n]]"])
@each_case("around", ["", "id 11111111111111111111111111111111111111", "2026-11-29"])
def test_long_integers_are_exact_in_long_texts(number: str, place: str, around: str) -> None:
    for more in ("", ", 0" * 200):  # few values, and so many that the text is searched
        text = f'["{_FILLER}", "{around}", {place.format(number)}, "{around}"{more}]'
        assert same(loads(text), json.loads(text))
        assert same(loads(text.encode()), json.loads(text))


def test_digits_in_texts_and_fractions_are_no_long_integers() -> None:
    texts = ["1" * 40, "a" + "2" * 19, "0001 " * 30, "1e1234567890123456789"]
    text = json.dumps([*texts, 0.1234567890123456789, _FILLER, *range(200)])
    assert same(loads(text), json.loads(text))
    assert not json_text._may_hold_long_number(text.encode().replace(b" ", b""))


@given(json_values | st.integers(-(2**70), 2**70) | st.lists(st.integers(0, 2**66)))
def test_numbers_are_those_of_the_standard_library(value: Any) -> None:
    text = json.dumps([value, _FILLER])
    assert same(loads(text), json.loads(text))


@pytest.mark.parametrize("number", [2**63, 2**64, 10**19, -(2**64), 10**40])
def test_long_integers_are_exact_among_few_values(number: int) -> None:
    long = "x" * 5000
    for value in ([long, number], {"a": {"b": [number, 1.5]}, "c": long}, {"a": long, "b": number}):
        for text in (json.dumps(value), json.dumps(value).encode()):
            assert loads(text) == value
            assert type(loads(text)) is type(value)
            assert json.dumps(loads(text)) == json.dumps(value)


def test_depth_is_limited_among_few_values() -> None:
    long = '"' + "x" * 2**19 + '"'
    for depth, is_refused in ((MAX_DEPTH - 2, False), (MAX_DEPTH + 2, True)):
        text = f"[{long}, {'[' * depth}{']' * depth}]"
        if is_refused:
            with pytest.raises(ReadError):
                loads(text)
        else:
            assert loads(text)[0] == long[1:-1]


def test_an_end_of_memory_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """In orjson it can come as a SystemError, which looks like a fault of the program."""

    def end(error: SystemError, cause: Exception | None) -> Any:
        def run(_: object) -> None:
            raise error from cause

        return run

    for cause, kind in ((MemoryError(), MemoryError), (None, SystemError)):
        monkeypatch.setattr("orjson.loads", end(SystemError("as it is"), cause))
        with pytest.raises(kind):
            loads("[]")
