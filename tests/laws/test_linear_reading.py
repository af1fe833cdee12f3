"""Law 6 for what is read: an event that comes often, or a long list, costs its share, no more.

No clock: lines of ours are counted, for a number of repeats and for four times as many.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

import dragoman
from dragoman.errors import DragomanError
from tests.fuzz.seeds import ANSWERS
from tests.laws.cutting import by_events
from tests.laws.streams import STREAMS
from tests.laws.test_linear import work

SMALL = 30
LIMIT = 5.0  # for four times as many


def lists(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all lists inside."""
    if isinstance(value, list):
        yield path
        for at, item in enumerate(value):
            yield from lists(item, (*path, at))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from lists(item, (*path, key))


def lengthened(value: Any, path: tuple[Any, ...], times: int) -> Any:
    """A copy in which the list at the path stands `times` over."""
    if not path:
        return [item for _ in range(times) for item in value]
    copy = value.copy()
    copy[path[0]] = lengthened(value[path[0]], path[1:], times)
    return copy


def read(wire: str, body: Any) -> int:
    """Lines of ours that it takes to read an answer."""

    def run() -> None:
        with suppress(DragomanError):
            dragoman.wire(wire).read_response(body)

    return work(run)


@pytest.mark.parametrize("wire", STREAMS)
def test_an_event_that_comes_often(wire: str) -> None:
    def streamed(at: int, times: int) -> int:
        return work(
            lambda: by_events(wire, [*events[:at], *[events[at]] * times, *events[at + 1 :]])
        )

    for events in STREAMS[wire][:2]:
        for at, event in enumerate(events):
            streamed(at, 1)
            assert streamed(at, 4 * SMALL) < streamed(at, SMALL) * LIMIT, event


@pytest.mark.parametrize("wire", STREAMS)
def test_a_list_that_is_long(wire: str) -> None:
    for body in ANSWERS[wire]:
        for path in lists(body):
            read(wire, body)
            few, many = (lengthened(body, path, times) for times in (SMALL, 4 * SMALL))
            assert read(wire, many) < read(wire, few) * LIMIT, path


@pytest.mark.parametrize("wire", STREAMS)
def test_a_text_in_the_place_of_a_list_is_no_list_of_letters(wire: str) -> None:
    for body in ANSWERS[wire]:
        for path in lists(body):
            told = replaced(body, path, "no list at all, but a text")
            with suppress(DragomanError):
                resp = dragoman.wire(wire).read_response(told)
                assert len(resp.candidates) <= 2, path
                assert sum(len(one.msg.blocks) for one in resp.candidates) < 15, path


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    """A copy with something else at the path."""
    if not path:
        return by
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], by)
    return copy
