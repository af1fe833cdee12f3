"""JSON as a person reads it: one line where it fits, and cut in the middle."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.cli.output import excerpt, laid_out

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner)
)


@given(VALUES, st.integers(1, 90))
def test_it_is_the_same_json(value: Any, width: int) -> None:
    assert json.loads(laid_out(value, width)) == value


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)), max_size=9))
def test_lines_are_no_wider_than_asked(value: Any) -> None:
    assert all(len(line) <= 40 for line in laid_out(value, 40).splitlines())


def test_what_fits_stands_on_one_line() -> None:
    value = {"role": "user", "content": [{"type": "text", "text": "Hi"}], "more": []}
    assert laid_out(value, 80) == json.dumps(value)
    assert laid_out(value, 50) == (
        '{\n  "role": "user",\n  "content": [{"type": "text", "text": "Hi"}],\n  "more": []\n}'
    )


@pytest.mark.parametrize("lines", [4, 9, 20])
def test_what_is_long_is_cut(lines: int) -> None:
    value = [{"n": n, "text": "x" * 70} for n in range(100)]
    whole = laid_out(value, 96).splitlines()
    shown = excerpt(value, 96, lines).splitlines()
    assert len(shown) == lines
    assert shown[0] == "["
    [cut] = [i for i, line in enumerate(shown) if "more lines" in line]
    assert shown[:cut] == whole[:cut]
    assert shown[cut + 1 :] == whole[len(whole) - (lines - cut - 1) :]
    assert shown[cut].strip() == f"... {len(whole) - lines + 1} more lines"


def test_what_is_short_is_whole() -> None:
    assert excerpt({"a": 1}) == '{"a": 1}'
    assert excerpt({"a": "你好"}) == '{"a": "你好"}'
