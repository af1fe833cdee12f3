"""A table that is one test goes on behind a failure, and tells all of them."""

from __future__ import annotations

import inspect

import pytest

from tests.each_case import each_case


def test_all_cases_run_and_all_that_fail_are_told() -> None:
    seen: list[int] = []

    @each_case("number", range(6))
    def even(number: int) -> None:
        seen.append(number)
        if number == 5:
            pytest.fail("it is five")
        assert number % 2 == 0

    with pytest.raises(BaseExceptionGroup) as raised:
        even()
    assert seen == [0, 1, 2, 3, 4, 5]
    assert raised.value.message == "3 of 6 cases of even failed:\nnumber=1\nnumber=3\nnumber=5"
    assert [error.__notes__ for error in raised.value.exceptions] == [
        ["the case: number=1"], ["the case: number=3"], ["the case: number=5"],
    ]  # fmt: skip
    assert isinstance(raised.value.exceptions[2], pytest.fail.Exception)


def test_tables_stand_over_each_other_and_beside_fixtures() -> None:
    seen: list[tuple[str, int, str]] = []

    @each_case(("word", "number"), [("a", 1), ("b", 2)], ids=str)
    @each_case("sign", {"+": 0, "-": 1})
    def collect(tmp: str, word: str, number: int, sign: str) -> None:
        seen.append((word, number, sign + tmp))

    assert [*inspect.signature(collect).parameters] == ["tmp"]
    collect(tmp="!")
    assert seen == [("a", 1, "+!"), ("a", 1, "-!"), ("b", 2, "+!"), ("b", 2, "-!")]


@pytest.mark.parametrize("sign", ["+", "-"])
@each_case("number", [1, 2])
def test_it_stands_below_parametrize(sign: str, number: int) -> None:
    assert sign in "+-"
    assert number


def test_a_table_without_a_row_is_refused() -> None:
    with pytest.raises(AssertionError, match="nothing to run"):
        each_case("number", [])


def test_a_skip_skips_all() -> None:
    @each_case("number", [1, 2])
    def lacking(number: int) -> None:
        pytest.skip("there is no such program")

    with pytest.raises(pytest.skip.Exception):
        lacking()
