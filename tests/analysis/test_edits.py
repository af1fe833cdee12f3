"""Paths into JSON, and bodies without what stands at them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dragoman.analysis.paths import paths_before, remove_path, steps

BODY: dict[str, Any] = {"a": [{"b": 1}, {"x-y": [1, 2]}], "c": {}}


@pytest.mark.parametrize(
    ("path", "way"),
    [
        ("$", []),
        ("$.a[0].b", ["a", 0, "b"]),
        ('$.a[1]["x-y"][0]', ["a", 1, "x-y", 0]),
        ("a", None),
        ("$.a[", None),
        ("$a", None),
    ],
)
def test_steps(path: str, way: list[Any] | None) -> None:
    assert steps(path) == way


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("$.a[0].b", {"a": [{}, {"x-y": [1, 2]}], "c": {}}),
        ("$.a[0]", {"a": [{"x-y": [1, 2]}], "c": {}}),
        ('$.a[1]["x-y"][0]', {"a": [{"b": 1}, {"x-y": [2]}], "c": {}}),
        ("$.c", {"a": [{"b": 1}, {"x-y": [1, 2]}]}),
        ("$.c.d", None),
        ("$.a[9]", None),
        ("$.a.b", None),
        ("$.c[0]", None),
        ("$", None),
    ],
)
def test_removed(path: str, left: dict[str, Any] | None) -> None:
    given = copy.deepcopy(BODY)
    assert remove_path(given, path) == left
    assert given == BODY


def test_paths_before_anything_was_taken_out() -> None:
    assert paths_before(["$.m[1].c[0]", "$.m[1].c[0]", "$.m[0]", "$.m[0].c[0]", "$.t"]) == [
        "$.m[1].c[0]", "$.m[1].c[1]", "$.m[0]", "$.m[1].c[2]", "$.t",
    ]  # fmt: skip
