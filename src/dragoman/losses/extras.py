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


def list_extras(issuer: str, fields: Mapping[str, Any]) -> list[tuple[str, str, Kind | None]]:
    """Return the losses of another provider's fields.

    Args:
        issuer: The provider whose fields they are.
        fields: The fields, which may be nested.

    Returns:
        (code, path in the node, kind if it is not that of the code) of each field.
    """
    values = fields.values()
    if _PLAIN_TYPES.issuperset(map(type, values)) and _EMPTY_TEXTS.isdisjoint(values):
        return [_lose_plain_field(issuer, str(name)) for name in fields]
    rows: list[tuple[str, str, Kind | None]] = []
    for path, value in _walk(fields, _path(issuer)):
        code = "extras.empty" if value is None or value in _EMPTY else "extras.other_provider"
        rows.append((code, path, _find_kind(code, path)))
    return rows


def _path(issuer: str) -> str:
    return f"extras.{issuer}".rstrip(".")


@remember("the losses of other providers' fields that are plain values", entries=2048)
def _lose_plain_field(issuer: str, name: str) -> tuple[str, str, Kind | None]:
    """The loss of a field that is no object and not empty."""
    path = member(_path(issuer), name)
    return "extras.other_provider", path, _find_kind("extras.other_provider", path)


@remember("whether a field of another provider has an effect", entries=2048)
def _find_kind(code: str, field: str) -> Kind | None:
    """The kind of the loss of a field, if it is not that of the code."""
    # ids, status and similar fields of an answer that came back have no effect
    return "expected" if CODES[code].weigh(field) == "trivial" else None


def _walk(fields: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    """(path, value) of the fields, down to values that are no objects, at any depth."""
    if fields and not any(isinstance(value, Mapping) for value in fields.values()):
        for key, value in fields.items():
            yield member(path, str(key)), value
        return
    waiting: list[tuple[str, Any]] = [(path, fields)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, Mapping) and (value or value is fields):
            inner = [(member(path, str(key)), item) for key, item in value.items()]
            waiting += reversed(inner)
        else:
            yield path, value
