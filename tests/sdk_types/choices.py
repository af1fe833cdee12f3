"""What becomes of each word that a field of the SDKs may hold, where it may hold only some.

A request with the word is converted, and so is the same without the field: where both come out
alike and no loss names the field, the word was lost in silence, unless it is what the field means
where it is absent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import dragoman
from dragoman.errors import DragomanError
from dragoman.message import Written

from .bodies import Edge, Maker, Schema, Types
from .surfaces import Surface
from .trying import TARGETS, _copy, _covers, _without, _without_indexes

_MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class Choice:
    """A field with a few words, in a body that holds its object: the keys that lead there."""

    edge: str
    keys: tuple[str | int, ...]
    words: tuple[Any, ...]
    body: Mapping[str, Any]

    def with_word(self, word: Any) -> dict[str, Any]:
        """The body with the word; without the field for none."""
        made: dict[str, Any] = _copy(self.body)
        inner: Any = made
        for key in self.keys[:-1]:
            inner = inner[key]
        if word is _MISSING:
            inner.pop(self.keys[-1], None)
        else:
            inner[self.keys[-1]] = word
        return made

    @property
    def path(self) -> str:
        """Where the field stands."""
        return "$" + "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in self.keys)


def choices(surface: Surface) -> Iterator[Choice]:
    """Every field of a few words, of every object of the surface."""
    types = Types(_without(surface.load(), surface.headers, surface.respelled))
    maker = Maker(types, surface.fixed)
    _, root = types.named(types.root)
    for edge in (Edge("", "", "ROOT", ()), *types.edges()):
        schema: Any = root
        keys: list[str | int] = []
        for key, way in edge.steps:
            keys.append(key)
            schema = way
            while isinstance(schema, list):
                schema = schema[0]
                keys.append(0)
        body = maker.body(edge).value
        top = edge.steps[0][0] if edge.steps else ""
        body |= {key: value for key, value in surface.base.items() if key != top}
        for name, held in (schema.get("properties") or {}).items():
            words = tuple(_words(types, held))
            if len(words) > 1:
                yield Choice(f"{edge.parent}.{edge.key}: {edge.kind}", (*keys, name), words, body)


def _words(types: Types, held: Schema) -> Iterator[Any]:
    for _, arm in types.branches(held):
        options = [arm["const"]] if "const" in arm else arm.get("enum") or ()
        yield from (option for option in options if isinstance(option, str))


def silent_words(
    surface: Surface, every: int = 1, targets: Collection[str] = TARGETS
) -> tuple[int, set[str]]:
    """(how many words were tried, lines of those that a request lost: path, word, target)."""
    count, lines = 0, set()
    for nth, choice in enumerate(choices(surface)):
        if nth % every:
            continue
        for target in targets:
            if target == surface.wire:
                continue
            bare = _converted(surface.wire, choice.with_word(_MISSING), target)
            for word in choice.words:
                count += 1
                made = _converted(surface.wire, choice.with_word(word), target)
                if made is not None and _is_silent(made, bare, choice.path):
                    lines.add(f"{_without_indexes(choice.path)} {word} -> {target}")
    return count, lines


def _is_silent(made: Written, bare: Written | None, path: str) -> bool:
    places = [loss.where for loss in made.losses]
    if any(_covers(place, path) or _covers(path, place) for place in places):
        return False
    return bare is not None and (made.body, made.path) == (bare.body, bare.path)


def _converted(wire: str, body: dict[str, Any], target: str) -> Written | None:
    """The request on another wire; None if it is refused by a typed error."""
    try:
        return dragoman.convert(body, wire, target, policy="ignore")
    except DragomanError:
        return None
