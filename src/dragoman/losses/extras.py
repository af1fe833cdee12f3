"""What is lost with the fields of another provider, which a target does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ..caches import BoundedCache
from ..text.json_text import member
from .codes import CODES
from .codes.code import Kind

# Values that mean no more than an absent field; the texts, plain and in base64, are given where an
# API requires a signature and there is none (Gemini API docs, "Thought signatures").
_EMPTY: tuple[Any, ...] = (
    [],
    {},
    "skip_thought_signature_validator",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
)
_EMPTY_TEXTS = frozenset(value for value in _EMPTY if isinstance(value, str))
_LONGEST = max(map(len, _EMPTY_TEXTS))
# the types of values that have no fields of their own and are not empty objects or lists
_PLAIN_TYPES = frozenset({int, float, bool})
_DEPTH = 8  # of objects in each other whose paths are kept
_NAME = 64  # characters of a name whose loss is kept
_LOST = "extras.other_provider"

_Row: TypeAlias = tuple[str, Kind, str]


def list_extras(issuer: str, fields: Mapping[str, Any]) -> list[_Row]:
    """Return the losses of another provider's fields.

    Args:
        issuer: The provider whose fields they are.
        fields: The fields, which may be nested.

    Returns:
        (code, kind, path in the node) of each field.
    """
    rows: list[_Row] = []
    _add_rows(rows, (issuer,), fields)
    return rows


def _add_rows(rows: list[_Row], names: tuple[str, ...], fields: Mapping[str, Any]) -> None:
    """Add the losses of the fields of an object, to which the issuer and the names lead."""
    for name, value in fields.items():
        kind = type(value)
        if kind is str:
            code = "extras.empty" if len(value) <= _LONGEST and value in _EMPTY_TEXTS else _LOST
        elif kind in _PLAIN_TYPES:
            code = _LOST
        elif value is None or ((kind is dict or kind is list) and not value):
            code = "extras.empty"
        elif kind is dict and len(names) <= _DEPTH:
            _add_rows(rows, (*names, str(name)), value)
            continue
        else:
            for path, inner in _walk(value, _path(*names, str(name))):
                is_empty = inner is None or inner in _EMPTY
                rows.append(_lose("extras.empty" if is_empty else _LOST, path))
            continue
        key = (code, name, *names)
        row = _ROWS.get(key)
        if row is None:
            row = _lose(code, _path(*names, str(name)))
            if type(name) is str and max(map(len, key)) <= _NAME:
                _ROWS.put(key, row, _ENTRY + 8 * sum(map(len, key)))
        rows.append(row)


def _path(issuer: str, *names: str) -> str:
    path = f"extras.{issuer}".rstrip(".")
    for name in names:
        path = member(path, name)
    return path


def _lose(code: str, path: str) -> _Row:
    """The loss of a field, whose kind is that of the code unless it has no effect."""
    row = CODES[code]
    # ids, status and similar fields of an answer that came back have no effect
    return code, "expected" if row.weigh(path) == "trivial" else row.kind, path


def _walk(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """(path, value) of the fields of a value, down to values that are no objects, at any depth."""
    waiting: list[tuple[str, Any]] = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Mapping) and value:
            inner = [(member(path, str(key)), item) for key, item in value.items()]
            waiting += reversed(inner)
        else:
            yield path, value


_ENTRY = 512  # bytes of a row and a key, without the characters of both
_ROWS: BoundedCache[_Row] = BoundedCache(
    "dragoman.losses.extras", "the losses of other providers' fields by name", 2**20
)
