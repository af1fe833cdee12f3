"""Checks of single fields: text, and what may hang on any node (extras, cache hint, origin).

Every refusal is an InvalidMessage with the path of the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InvalidMessage
from ..jsontext import check, check_text
from ..shown import clipped, shown

__all__ = [
    "build",
    "build_texts",
    "instance",
    "instances",
    "one_of",
    "optional_text",
    "own_fields",
    "plain",
    "text",
]


def plain(value: str) -> str:
    """The text itself, out of a subclass such as a `(str, Enum)` member."""
    return value if type(value) is str else str.__str__(value)


def text(value: object, path: str) -> None:
    """Raise unless `value` is text that has a UTF-8 form."""
    if not isinstance(value, str):
        raise _wrong("text", value, path)
    check_text(value, path)


def optional_text(value: object, path: str) -> None:
    """Raise unless `value` is text or None."""
    if value is not None:
        text(value, path)


def instance(value: object, cls: type[Any] | tuple[type[Any], ...], path: str) -> None:
    """Raise unless `value` is a `cls`, one of several, or None."""
    if value is not None and not isinstance(value, cls):
        names = [one.__name__ for one in (cls if isinstance(cls, tuple) else (cls,))]
        raise _wrong(" or ".join(names), value, path)


def instances(value: object, cls: type[Any], path: str) -> None:
    """Raise unless `value` is a list of `cls` or None."""
    if value is None:
        return
    if not isinstance(value, list):
        raise _wrong(f"a list of {cls.__name__}", value, path)
    for i, item in enumerate(value):
        if not isinstance(item, cls):
            raise _wrong(cls.__name__, item, f"{path}[{i}]")


def one_of(value: object, known: Iterable[str], path: str) -> None:
    """Raise unless `value` is one of the `known` words."""
    listed = list(known)
    if not isinstance(value, str) or value not in listed:
        raise InvalidMessage(
            f"unknown value {shown(value)}",
            path=path,
            hint=f"one of {', '.join(listed)}",
            code="block.field",
        )


def own_fields(value: object, path: str) -> None:
    """Raise unless `value` is None or extras: JSON objects by the name of their issuer."""
    if value is None:
        return
    check(value, path)
    if not isinstance(value, dict):
        raise _wrong("extras, objects by issuer", value, path)
    for issuer, own in value.items():
        if not isinstance(own, dict):
            raise _wrong("an object", own, f"{path}.{issuer}")


def _wrong(wanted: str, value: object, path: str) -> InvalidMessage:
    return InvalidMessage(
        f"must be {wanted}, not {type(value).__name__}", path=path, code="block.field"
    )


def build(cls: type[Any], values: dict[str, Any], path: str) -> Any:
    """`cls(**values)`, with missing and unknown fields named by path."""
    try:
        return cls(**values)
    except TypeError as error:
        said = str(error).partition(") ")[2] or str(error)
        raise InvalidMessage(
            f"{cls.__name__} {clipped(said)}", path=path, code="block.field"
        ) from None


def build_texts(cls: type[Any], values: Mapping[str, Any], path: str) -> Any:
    """The same for a class whose fields are all texts or None."""
    if not isinstance(values, Mapping):
        raise _wrong("an object", values, path)
    made = build(cls, dict(values), path)
    for name, value in values.items():
        optional_text(value, f"{path}.{name}")
    return made
