"""Find the values of an event that a reader cannot take, so that the rest is read.

A host that gives an object where a text belongs spoils that field alone. Only the reader knows
which one it is, so parts are left out on trial until it no longer fails. Costs nothing for events
that are as they should be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from ..errors import DragomanError
from ..message import ToolUseBlock
from ..text.json_text import Json
from .pieces import Part, Piece, Raw

_Place: TypeAlias = tuple[str | int, ...]
_IsRead: TypeAlias = Callable[[Sequence[_Place]], bool]  # what is left without these places

FAILURES = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
_MOST_TRIALS = 600  # for one answer: one of nothing but odd events is not searched for ever
_EMPTY: tuple[Any, ...] = (None, "", {}, [])
_LONG = 64  # entries of a longer list are not tried one by one
_DEEP = 64  # nor what is nested deeper: a trial copies the way down to its place


class _Reader(Protocol):
    def feed(self, payload: Any, event: str | None = None) -> list[Piece]: ...


class OddValues:
    """Reads events that the reader of an answer failed at, each without what it failed at."""

    __slots__ = ("_trials",)

    def __init__(self) -> None:
        self._trials = _MOST_TRIALS

    def read_rest(
        self, reader: _Reader, payload: Json, event: str | None, error: Exception
    ) -> list[Piece] | None:
        """The pieces of the rest, and each odd value as a `Raw` that names its place.

        None if there is no such rest. A call of which something is missing is unfinished.
        """
        # with a plain LookupError a reader says that it does not know such an event at all
        if type(error) in (LookupError, RecursionError) or type(payload) is not dict:
            return None

        def passes(body: Json) -> bool:
            self._trials -= 1
            if self._trials < 0:
                return False
            try:
                deepcopy(reader).feed(body, event)
            except FAILURES:
                return False
            return True

        def is_read(places: Sequence[_Place]) -> bool:
            if not places or not passes(_without(payload, places)):
                return False
            # without a key the others may mean something else: with an empty value, too?
            key, *more = (place[-1] for place in places)
            return (
                bool(more)
                or type(key) is int
                or any(passes(_replace_at(payload, places[0], [value])) for value in _EMPTY)
            )

        try:
            places = _odd_places(payload, is_read)
            pieces = reader.feed(_without(payload, places), event) if places else []
        except (*FAILURES, DragomanError):
            return None
        if not pieces:
            return None
        words = {word for place in places for word in _texts(_unit(payload, place))}
        odd = [Raw(event, _at(payload, place), _format_place(place)) for place in places]
        return [*(_mark_unfinished(piece, words) for piece in pieces), *odd]


def _odd_places(payload: Json, is_read: _IsRead, within: _Place = ()) -> list[_Place]:
    """The smallest parts below a place without which the payload is read; none if none is."""
    waiting = [within]
    for parent in waiting:
        places = _children(payload, parent)
        for place in places:
            if is_read([place]):
                return _odd_places(payload, is_read, place) or _several(payload, place, is_read)
        waiting += places
    return []


def _several(payload: Json, place: _Place, is_read: _IsRead) -> list[_Place]:
    """The place; or, where several values at it are odd, those: the others are put back."""
    children = _children(payload, place)
    if len(children) < 2 or not is_read(children):
        return [place]
    odd: list[_Place] = []
    for i, child in enumerate(children):
        if not is_read([*odd, *children[i + 1 :]]):
            odd.append(child)
    return odd


def _children(payload: Json, parent: _Place) -> list[_Place]:
    if len(parent) >= _DEEP:
        return []
    value = _at(payload, parent)
    if type(value) is dict:
        return [(*parent, key) for key in value]
    if type(value) is list and len(value) <= _LONG:
        return [(*parent, i) for i in range(len(value))]
    return []


def _at(payload: Json, place: _Place) -> Any:
    value: Any = payload
    for key in place:
        value = value[key]
    return value


def _without(payload: Json, places: Sequence[_Place]) -> Json:
    """The payload without the values at these places, which are in its order."""
    for place in reversed(places):  # of several entries of a list the last goes first
        payload = _replace_at(payload, place, [])
    return payload


def _replace_at(value: Any, place: _Place, instead: list[Any]) -> Any:
    """The value with another one at the place, or with none."""
    key, *below = place
    rest = value.copy()
    if below:
        rest[key] = _replace_at(value[key], tuple(below), instead)
    elif instead:
        rest[key] = instead[0]
    else:
        del rest[key]
    return rest


def _unit(payload: Json, place: _Place) -> Any:
    """What the value at `place` is a part of: the nearest entry of a list, or the whole."""
    indexes = [i for i, key in enumerate(place[:-1]) if type(key) is int]
    return _at(payload, place[: indexes[-1] + 1] if indexes else ())


def _texts(value: Any) -> Iterator[str]:
    """The texts of a unit, without those of the units below it."""
    if type(value) is str:
        yield value
    elif type(value) is dict:
        for item in value.values():
            yield from _texts(item)


def _mark_unfinished(piece: Piece, words: set[str]) -> Piece:
    """The piece; a call of the unit that something is missing of must not be run."""
    if type(piece) is not Part or type(call := piece.block) is not ToolUseBlock:
        return piece
    texts = [text for text in (call.id, call.name, call.raw_input) if text]
    spoiled = not texts or not words.isdisjoint(texts)
    return replace(piece, block=replace(call, unfinished=True)) if spoiled else piece


def _format_place(place: _Place) -> str:
    return "$" + "".join(f"[{key}]" if type(key) is int else f".{key}" for key in place)
