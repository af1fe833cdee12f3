"""Values of Capabilities out of code or plain JSON, told by the types of its fields.

Lists stand for sets and tuples, a text for a list of one, an object for a rule of ids or names.
Knows which names are closed; what a capability means it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..errors import ConfigError
from ..rules import IdRule
from ..shown import shown
from .carried import MEDIA, Capabilities

__all__ = ["KINDS", "MERGED", "SEATS", "seats", "value_of"]

KINDS = ("text", "thinking", *MEDIA, "refusal", "raw")
SEATS = ("user", "assistant", "system", "result")
MERGED = ("sources", "media_types", "options")  # tables: a change says what is other in them

_CLOSED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(SEATS, KINDS),
    **dict.fromkeys(("move_media", "details", "titles", "sources", "media_types"), MEDIA),
    "sources.*": ("url", "base64", "file"),
    "tool_choices": ("auto", "none", "required", "tool", "allowed"),
    "formats": ("text", "json", "schema"),
}


def value_of(name: str, current: Any, value: Any) -> Any:
    """What `value` stands for in the field `name`, whose value was `current`.

    Raises ConfigError, with the path below the changes (`$.options.temperature`).
    """
    return _Reading(name, current).read(_types()[name], value, f"$.{name}")


def seats(kind: str, value: Any, current: Iterable[str]) -> tuple[str, ...]:
    """The seats that may show a kind of block: True for those of today or else the user's."""
    if value is True:
        return tuple(current) or ("user",)
    if value is False:
        return ()
    if not isinstance(value, (str, list, tuple, set, frozenset)):
        raise wrong(f"$.{kind}", value, f"true, false or seats out of {', '.join(SEATS)}")
    listed = (value,) if isinstance(value, str) else tuple(value)
    for seat in listed:
        if seat not in SEATS:
            raise wrong(f"$.{kind}", seat, f"one of the seats {', '.join(SEATS)}")
    return listed


def wrong(path: str, value: Any, wanted: str) -> ConfigError:
    """The error for a value that a capability does not take."""
    return ConfigError(f"{shown(value)} is not {wanted}", path=path, code="capability.value")


@cache
def _types() -> dict[str, Any]:
    return get_type_hints(Capabilities)


class _Reading:
    """Reads one field's value; what it finds in a table is looked up below the field's name."""

    __slots__ = ("current", "name")

    def __init__(self, name: str, current: Any) -> None:
        self.name = name
        self.current = current

    def read(self, kind: Any, value: Any, path: str, place: str = "") -> Any:
        origin = get_origin(kind)
        if origin in (frozenset, tuple):
            return origin(self._listed(get_args(kind)[0], value, path, place))
        if origin is Literal:
            return self._among(get_args(kind), value, path)
        if origin is not None:  # a table
            return self._table(get_args(kind)[1], value, path)
        if issubclass(kind, IdRule):
            return self._rule(kind, value, path)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise wrong(path, value, _WORDS[kind])
        if kind is int and value < 0:
            raise wrong(path, value, "0 or more")
        return self._among(_CLOSED[place], value, path) if place in _CLOSED else value

    def _listed(self, kind: Any, value: Any, path: str, place: str) -> list[Any]:
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            value = (value,)
        if not isinstance(value, (list, tuple, set, frozenset)):
            raise wrong(path, value, "a list")
        many = isinstance(value, (list, tuple)) and len(value) > 1
        return [
            self.read(kind, item, f"{path}[{i}]" if many else path, place or self.name)
            for i, item in enumerate(value)
        ]

    def _table(self, kind: Any, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong(path, value, "a table of names and values")
        made = {}
        for key, inner in value.items():
            if not isinstance(key, str):
                raise wrong(path, key, "a name")
            if self.name in _CLOSED:
                self._among(_CLOSED[self.name], key, f"{path}.{key}")
            made[key] = self.read(kind, inner, f"{path}.{key}", f"{self.name}.*")
        return made

    def _rule(self, kind: type[IdRule], value: Any, path: str) -> IdRule:
        if isinstance(value, IdRule):
            return value
        if not isinstance(value, Mapping):
            raise wrong(path, value, f"a table of {', '.join(_rule_types())}")
        for key, inner in value.items():
            wanted = _rule_types().get(key)
            if wanted is None:
                raise wrong(f"{path}.{key}", key, f"one of {', '.join(_rule_types())}")
            self.read(wanted, inner, f"{path}.{key}")
            if key in ("chars", "start"):
                _check_characters(inner, f"{path}.{key}")
        made: IdRule = replace(self.current, **value)
        return made

    def _among(self, known: tuple[str, ...], value: Any, path: str) -> Any:
        if not isinstance(value, str) or value not in known:
            raise wrong(path, value, f"one of {', '.join(known)}")
        return value


_BARE = re.compile(r"(?<!\\)(?:\\\\)*\[")
_WORDS = {bool: "true or false", int: "a whole number", str: "a text"}


@cache
def _rule_types() -> dict[str, Any]:
    hints = get_type_hints(IdRule)
    return {f.name: hints[f.name] for f in fields(IdRule)}


def _check_characters(chars: str, path: str) -> None:
    wanted = "what stands between [ ] in a regular expression"
    if _BARE.search(chars):  # Python warns of a nested set
        raise wrong(path, chars, wanted)
    try:
        re.compile(rf"[{chars}]" if chars else "")
    except re.error:
        raise wrong(path, chars, wanted) from None
