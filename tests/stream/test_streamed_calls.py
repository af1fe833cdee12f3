"""Which call a fragment belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.stream.arguments import StreamedCalls

# (id, name, index, text) of each fragment, and the call that it belongs to
CASES: dict[str, list[tuple[tuple[str, str, Any, str], int]]] = {
    "an index goes on": [
        (("a", "look", 0, ""), 0), (("b", "look", 1, ""), 1), (("", "", 0, "{"), 0),
        (("", "", 1, "{}"), 1), (("", "", 0, "}"), 0),
    ],
    "an id goes on without an index": [
        (("a", "look", None, "{"), 0), (("b", "look", None, "{"), 1), (("a", "", None, "}"), 0),
    ],
    "another id on the same index begins a call": [
        (("a", "look", 0, "{}"), 0), (("b", "look", 0, "{"), 1), (("", "", 0, "}"), 1),
    ],
    "a name behind whole arguments begins a call": [
        (("", "look", None, '{"a": 1}'), 0), (("", "look", None, "{"), 1), (("", "", None, "}"), 1),
    ],
    "a name inside of arguments says it once more": [
        (("", "look", 0, '{"a":'), 0), (("", "look", 0, "1}"), 0),
    ],
    "a second id on the same index goes on where no name comes with it": [
        (("a", "look", 0, ""), 0), (("b", "", 0, "{"), 0), (("c", "", 0, "}"), 0),
        (("d", "", 0, ""), 0), (("e", "look", 0, "{}"), 1),
    ],
    "a new id in each chunk, with the name once more": [
        (("a", "look", 0, ""), 0), (("b", "look", 0, '{"a":'), 0), (("c", "look", 0, "1}"), 0),
    ],
    "a new id in each chunk of two calls": [
        (("a", "look", 0, ""), 0), (("b", "look", 1, ""), 1), (("c", "", 0, "{}"), 0),
        (("d", "", 1, "{"), 1), (("e", "", 1, "}"), 1),
    ],
    "a new id in each chunk without an index": [
        (("a", "look", None, ""), 0), (("b", "", None, "{"), 0), (("c", "", None, "}"), 0),
        (("d", "look", None, "{"), 1), (("e", "", None, "}"), 1),
    ],
    "two calls with one id": [
        (("a", "look", 0, "{}"), 0), (("a", "look", 1, "{"), 1), (("a", "", 1, "}"), 1),
    ],
    "two calls with one id and no index": [
        (("a", "look", None, "{}"), 0), (("a", "look", None, "{"), 1), (("a", "", None, "}"), 1),
    ],
    "two calls with one id and one index": [
        (("a", "look", 0, "{}"), 0), (("a", "look", 0, "{"), 1), (("", "", 0, "}"), 1),
    ],
    "two calls of one tool with ids of their own and one index": [
        (("a", "look", 0, "{}"), 0), (("b", "look", 0, ""), 1), (("", "", 0, "{}"), 1),
    ],
    "an index that is no number is none": [
        (("a", "look", "0", "{"), 0), (("", "", None, "}"), 0), (("b", "look", True, "{}"), 1),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_fragments(name: str) -> None:
    fragments = StreamedCalls()
    told = CASES[name]
    assert [fragments.call(*one) for one, _ in told] == [place for _, place in told]
