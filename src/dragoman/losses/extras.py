"""What is lost with the fields of another provider, which a target does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..caches import remember
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
# the types of values that have no fields of their own and are not empty objects or lists
_PLAIN_TYPES = frozenset({str, int, float, bool})
_DEPTH = 8  # of objects in each other whose paths are kept


def list_extras(issuer: str, fields: Mapping[str, Any]) -> list[tuple[str, str, Kind | None]]:
    """Return the losses of another provider's fields.

    Args:
        issuer: The provider whose fields they are.
        fields: The fields, which may be nested.

    Returns:
        (code, path in the node, kind if it is not that of the code) of each field.
    """
    rows: list[tuple[str, str, Kind | None]] = []
    _add_rows(rows, issuer, (), fields)
    return rows


def _add_rows(
    rows: list[tuple[str, str, Kind | None]],
    issuer: str,
    names: tuple[str, ...],
    fields: Mapping[str, Any],
) -> None:
    """Add the losses of the fields of an object, to which the names lead."""
    for name, value in fields.items():
        if type(value) in _PLAIN_TYPES and not (type(value) is str and value in _EMPTY_TEXTS):
            rows.append(_lose_plain_field(issuer, *names, str(name)))
        elif value and type(value) is dict and len(names) < _DEPTH:
            _add_rows(rows, issuer, (*names, str(name)), value)
        else:
            for path, inner in _walk(value, _path(issuer, *names, str(name))):
                is_empty = inner is None or inner in _EMPTY
                code = "extras.empty" if is_empty else "extras.other_provider"
                rows.append((code, path, _find_kind(code, path)))


def _path(issuer: str, *names: str) -> str:
    path = f"extras.{issuer}".rstrip(".")
    for name in names:
        path = member(path, name)
    return path


@remember("the losses of other providers' fields that are plain values", entries=2048)
def _lose_plain_field(issuer: str, *names: str) -> tuple[str, str, Kind | None]:
    """The loss of a field that is no object and not empty; `names` lead to it."""
    path = _path(issuer, *names)
    return "extras.other_provider", path, _find_kind("extras.other_provider", path)


@remember("whether a field of another provider has an effect", entries=2048)
def _find_kind(code: str, field: str) -> Kind | None:
    """The kind of the loss of a field, if it is not that of the code."""
    # ids, status and similar fields of an answer that came back have no effect
    return "expected" if CODES[code].weigh(field) == "trivial" else None


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
