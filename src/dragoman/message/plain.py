"""Blocks as plain JSON, and the small values around them back again.

Written from the fields of the classes, so a new block kind needs nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..errors import InvalidMessage
from .blocks import CacheHint, Origin
from .check import build_texts

_FIELDS: dict[type[Any], tuple[tuple[str, Any], ...]] = {}


# written although they hold their default: AgentScope's keys, and what a reader looks for
_ALWAYS = frozenset({"type", "text", "thinking", "source", "id", "name", "input", "output",
                     "url", "data", "media_type", "issuer"})  # fmt: skip


def plain_block(block: Any) -> dict[str, Any]:
    """A block (or source) as a plain dict, `type` first, fields at their default left out."""
    data: dict[str, Any] = {"type": block.type}
    for name, default in _fields(type(block)):
        value = getattr(block, name)
        if (name in _ALWAYS and not (name == "media_type" and value is None)) or value != default:
            data[name] = plain_value(value)
    return data


def plain_value(value: Any) -> Any:
    """Any value of the tree as plain JSON values; leaves are shared."""
    if isinstance(value, (str, int, float)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [plain_value(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain_value(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        if hasattr(value, "type"):
            return plain_block(value)
        return {
            name: plain_value(inner)
            for name, default in _fields(type(value))
            if (inner := getattr(value, name)) != default
        }
    return value


def _fields(cls: type[Any]) -> tuple[tuple[str, Any], ...]:
    names_and_defaults = _FIELDS.get(cls)
    if names_and_defaults is None:
        names_and_defaults = tuple((f.name, f.default) for f in fields(cls) if f.name != "type")
        _FIELDS[cls] = names_and_defaults
    return names_and_defaults


def block_from(data: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The optional fields of a stored node: cache, extras, spelling and origin."""
    values: dict[str, Any] = {}
    for key, cls in (("cache", CacheHint), ("origin", Origin)):
        value = data.get(key)
        if value is None:
            continue
        values[key] = build_texts(cls, value, f"{path}.{key}")
    if (extras := data.get("extras")) is not None:
        if not isinstance(extras, Mapping) or not all(
            isinstance(fields_of_issuer, Mapping) for fields_of_issuer in extras.values()
        ):
            raise InvalidMessage(
                "extras are objects by issuer", path=f"{path}.extras", code="block.field"
            )
        values["extras"] = {
            issuer: dict(fields_of_issuer) for issuer, fields_of_issuer in extras.items()
        }
    if (spelling := data.get("spelling")) is not None:
        values["spelling"] = spelling
    return values
