"""What several requests share: each program gets a copy of its own when it looks, and not before.

The entries of known tools are most of a body. A gateway only sends it: then the entries' text is
put into the text of the body, and neither copied nor written again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..caches import frozen_json, thawed_json
from ..text.json_pieces import LONG
from ..text.json_text import JsonObject, encode_json

try:
    import orjson
except ImportError:  # the extra `speed` is not installed
    orjson = None  # type: ignore[assignment]


class KnownEntries(list[JsonObject]):
    """Entries of tools that several bodies share: none of them is ever changed."""

    __slots__ = ("_frozen", "text")

    def __init__(self, entries: list[JsonObject]) -> None:
        self._frozen = frozen_json(entries)
        # parts of the entries may be parts of tools, which no body must hold
        super().__init__(thawed_json(self._frozen))
        self.text = encode_json(entries)

    def copy_entries(self) -> list[JsonObject]:
        """Return the entries as new objects."""
        entries: list[JsonObject] = thawed_json(self._frozen)
        return entries


def _known_places(body: JsonObject) -> list[tuple[JsonObject, str]]:
    """The objects in a body that hold known entries, each with the key."""
    places: list[tuple[JsonObject, str]] = []
    for key, value in body.items():
        if type(value) is KnownEntries:
            places.append((body, key))
        elif type(value) is dict:
            places += [(value, name) for name, item in value.items() if type(item) is KnownEntries]
    return places


def own_entries(body: JsonObject) -> JsonObject:
    """Return the body with entries of its own in the place of known ones; the same if it has none.

    Args:
        body: A body of a request.
    """
    places = _known_places(body)
    if not places:
        return body
    own = dict(body)
    for holder, key in places:
        if holder is body:
            own[key] = holder[key].copy_entries()
    for name, value in body.items():
        inner = {key: holder[key].copy_entries() for holder, key in places if holder is value}
        if inner:
            own[name] = {**value, **inner}
    return own


class Shared:
    """A value of a request that has parts in common with others.

    Args:
        value: The value.
        copy: Returns it with all of these parts copied.
    """

    __slots__ = ("_copy", "value")

    def __init__(self, value: Any, copy: Callable[[Any], Any]) -> None:
        self.value = value
        self._copy = copy

    def copy_value(self) -> Any:
        """Return the value for a program, which may change it."""
        return self._copy(self.value)


def share_body(
    body: JsonObject, entries: Sequence[object], copy: Callable[[Any], Any] = own_entries
) -> Shared | None:
    """Return the body as one that shares these entries; None if it holds some in another way.

    Args:
        body: The body as it was written.
        entries: The known entries that its writer got.
        copy: Returns the body with all that it shares copied.
    """
    found = {id(holder[key]) for holder, key in _known_places(body)}
    return Shared(body, copy) if found == set(map(id, entries)) else None


def encode_shared(shared: Shared, size: int) -> bytes:
    """Return the JSON text of a body that shares entries with others.

    Args:
        shared: The body.
        size: Roughly how many bytes it will have, if it may be long.
    """
    if orjson is not None and size <= LONG:
        try:
            return orjson.dumps(shared.value, _as_text, orjson.OPT_PASSTHROUGH_SUBCLASS)
        except TypeError:  # half surrogate pairs, integers beyond 64 bits, no JSON
            pass
    return encode_json(shared.copy_value(), size)


def _as_text(value: object) -> Any:
    if type(value) is KnownEntries:
        return orjson.Fragment(value.text)
    raise TypeError


class CopiedWhenRead:
    """A field of a class with slots whose shared value becomes a copy when it is first read.

    Args:
        slot: The field.
    """

    def __init__(self, slot: Any) -> None:
        self.slot = slot
        self.__doc__ = slot.__doc__

    def __get__(self, node: Any, cls: type | None = None) -> Any:
        """Return the value, which belongs to the node alone."""
        if node is None:
            return self
        value = self.slot.__get__(node, cls)
        if type(value) is Shared:
            value = value.copy_value()
            self.slot.__set__(node, value)
        return value

    def __set__(self, node: Any, value: Any) -> None:
        """Set the value, which may be a `Shared` one."""
        self.slot.__set__(node, value)
