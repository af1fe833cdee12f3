"""The six classes of what a client changes, and what is none of them."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case

from .changes import CLASSES, changes

CALL = {"id": "c1", "function": {"name": "look", "arguments": '{"at": 1}'}}


@each_case(
    ("ours", "theirs", "found"),
    [
        ({"a": "x"}, {"a": "x"}, []),
        ({"a": "x", "b": None}, {"a": "x"}, ["null or empty key"]),
        ({"a": "x"}, {"a": "x", "b": [{}]}, ["null or empty key"]),
        ({"a": ""}, {"a": None}, ["null or empty key"]),
        ({"a": "x", "b": 1}, {"a": "x"}, ["dropped field"]),
        ({"a": "x"}, {"a": "x", "b": 1}, ["element inserted"]),
        ({"a": '{"at": 1}'}, {"a": '{"at":1}'}, ["re-spelled JSON"]),
        ({"a": "x"}, {"a": [{"type": "text", "text": "x"}]}, ["re-spelled JSON"]),
        ({"a": 1}, {"a": 1.0}, ["re-spelled JSON"]),
        ({"a": "x"}, {"a": "y"}, ["text edited"]),
        ([CALL], [], ["element removed"]),
        ([], [CALL], ["element inserted"]),
        ([{"type": "a"}, {"type": "b", "n": 1}], [{"type": "b", "n": 1}], ["element removed"]),
        ([{"type": "a", "t": "x"}], [{"type": "a", "t": "y"}], ["text edited"]),
        ({"a": 1}, {"a": 2}, ["other"]),
        ({"a": True}, {"a": 1}, ["other"]),
    ],
)
def test_classes(ours: Any, theirs: Any, found: list[str]) -> None:
    kinds = [kind for kind, _ in changes(ours, theirs)]
    assert kinds == found
    assert set(kinds) <= {*CLASSES, "other"}


def test_places_are_told() -> None:
    one = {"content": [CALL, {**CALL, "id": "c2"}]}
    two = {"content": [CALL, {**CALL, "id": "c3"}]}
    (found,) = changes(one, two)
    assert found == ("text edited", "$.content[1].id: 'c2' became 'c3'")
