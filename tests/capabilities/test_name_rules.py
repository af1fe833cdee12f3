"""Ids and names as a wire accepts them: what fits stays, and two never become one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.capabilities import name_rules
from dragoman.capabilities.name_rules import IdRule, NameRule, format_id, mapping, number_value
from tests.each_case import each_case

ANTHROPIC = IdRule(chars=r"a-zA-Z0-9_\-", unique=True)
SPEAKERS = IdRule(chars=r"^\s<|\\/>", max=64)
NINE = IdRule(chars="a-zA-Z0-9", exact=9)
LETTER_FIRST = NameRule(start="a-zA-Z_")
RULES = [IdRule(), IdRule(max=40), ANTHROPIC, SPEAKERS, NINE, NameRule(), LETTER_FIRST]
text = st.text(st.characters(exclude_categories=()), max_size=50) | st.text("ab._ -1", max_size=6)


@each_case(
    ("rule", "values", "fits"),
    [
        (IdRule(), ["anything at all", "é"], True),
        (IdRule(), ["a", ""], False),
        (IdRule(), [], True),
        (IdRule(max=3), ["abc", "d"], True),
        (IdRule(max=3), ["abcd"], False),
        (NINE, ["abcDEF123"], True),
        (NINE, ["abcDEF12"], False),
        (NINE, ["abcDEF12_"], False),
        (ANTHROPIC, ["toolu_1-A"], True),
        (ANTHROPIC, ["a.b"], False),
        (ANTHROPIC, ["a\n"], False),
        (NameRule(), ["x" * 64], True),
        (NameRule(), ["x" * 65], False),
        (NameRule(), ["查"], False),
        (SPEAKERS, ["小明"], True),
        (SPEAKERS, ["Dr. Bob"], False),
        (SPEAKERS, ["a\u3000b"], False),
        (SPEAKERS, ["a<b"], False),
        (LETTER_FIRST, ["a1", "_1"], True),
        (LETTER_FIRST, ["a1", "1a"], False),
    ],
)
def test_what_fits(rule: IdRule, values: list[str], fits: bool) -> None:
    assert rule.fits(values) is fits


def test_what_fits_stays_and_costs_nothing() -> None:
    assert mapping(["a", "b", "a"], NameRule()) == {}
    assert "a" not in mapping(["a", "b c"], NameRule())


@pytest.mark.parametrize(
    ("value", "spelling"),
    [("look up", "look_up"), ("server/tool.v1", "server_tool_v1"), ("a.b-c", "a_b-c")],
)
def test_plain_respelling(value: str, spelling: str) -> None:
    assert mapping([value], NameRule()) == {value: spelling}


def test_long_names_keep_their_head_and_get_a_hash() -> None:
    one, two = "mcp__" + "x" * 70 + "1", "mcp__" + "x" * 70 + "2"
    made = mapping([one, two], NameRule())
    assert len({*made.values()}) == 2
    for spelling in made.values():
        assert re.fullmatch(r"mcp__x{52}_[0-9a-zA-Z]{6}", spelling)


def test_names_of_which_nothing_is_left_are_told_apart() -> None:
    made = mapping(["查", "看", "???"], NameRule())
    assert len(set(made.values())) == 3
    assert NameRule().fits(made.values())


def test_a_respelled_name_never_becomes_another_one() -> None:
    made = mapping(["a.b", "a_b"], NameRule())
    assert set(made) == {"a.b"}
    hashed = made["a.b"]
    assert hashed != "a_b"
    third = mapping(["a.b", "a_b", hashed], NameRule())
    assert set(third) == {"a.b"}
    assert third["a.b"] not in ("a_b", hashed)


def test_taken_spellings_are_left_alone() -> None:
    made = mapping(["a_b", "c"], NameRule(), taken=["a_b"])
    assert set(made) == {"a_b"}
    assert made["a_b"] not in ("a_b", "c")


@pytest.mark.parametrize("rule", RULES)
@given(st.lists(text, max_size=6), st.lists(text, max_size=2))
def test_the_map_is_one_to_one_and_pure(rule: IdRule, values: list[str], taken: Any) -> None:
    made = mapping(values, rule, taken)
    spelled = {value: made.get(value, value) for value in values}
    assert len(set(spelled.values())) == len(spelled)
    assert set(spelled.values()).isdisjoint(taken)
    assert rule.fits(spelled.values())
    assert made == mapping(values, rule, taken)
    for value in made:
        assert not rule.fits([value]) or value in taken


@pytest.mark.parametrize("rule", RULES)
@given(st.lists(text, min_size=1, max_size=4), st.integers(1, 3))
def test_numbered_ids_fit_and_are_new(rule: IdRule, values: list[str], nth: int) -> None:
    own = [mapping(values, rule).get(value, value) for value in values]
    taken = set(own)
    for value in (own[0], ""):
        made, number = number_value(value, nth, taken, rule)
        assert number >= nth
        assert rule.fits([made])
        assert made not in taken
        taken.add(made)


def test_numbers_are_readable_where_they_may_be() -> None:
    assert number_value("a", 2, {"a"}, IdRule()) == ("a_2", 2)
    assert number_value("a", 2, {"a", "a_2"}, IdRule()) == ("a_3", 3)
    assert number_value("", 1, set(), ANTHROPIC) == ("call_1", 1)
    assert number_value("call a", 2, {"call a"}, ANTHROPIC) == ("call_a_2", 2)
    long = "x" * 40
    assert number_value(long, 2, {long}, IdRule(max=40)) == ("x" * 38 + "_2", 2)
    assert number_value(long, 2, {long, "x" * 38 + "_2"}, IdRule(max=40)) == ("x" * 38 + "_3", 3)


def test_ids_in_a_form() -> None:
    rule = IdRule(form="functions.{name}:{n}")
    assert format_id("look", 3, set(), rule) == ("functions.look:3", 3)
    assert format_id("look", 3, {"functions.look:3", "functions.look:4"}, rule) == (
        "functions.look:5", 5)  # fmt: skip
    assert rule.matches_form(["functions.look:0", "functions.a.b:12"])
    for other in ("functions.look", "functions.look:x", "functions_look_0", "functions.a:1 ", ""):
        assert not rule.matches_form([other])
    assert IdRule().matches_form(["x"])


def test_a_spelling_of_an_exact_length_that_is_taken() -> None:
    first = mapping(["x y"], NINE)
    second = mapping(["x y"], NINE, first.values())
    assert NINE.fits([*first.values(), *second.values()])
    assert first != second


def test_ids_of_one_length_are_hashes_that_stay_the_same() -> None:
    spelled = {"call_0": "bh0m9dYTi", "call_1": "rGJ3PDHDM", "": "AchUILeFi", "x" * 70: "uRKnYHfvI"}
    assert mapping([*spelled], NINE) == spelled
    assert mapping(["abcDEF123", *spelled], NINE, ordered=True) == spelled


def test_hashes_that_are_alike_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    digest = name_rules._digest
    monkeypatch.setattr(name_rules, "_digest", lambda value, n: digest(value.rstrip("x"), n))
    assert len({*mapping(["call", "callx", "callxx"], NINE, ordered=True).values()}) == 3
