"""The types and limits of an OpenAPI schema as JSON Schema spells them, and back.

`parameters` and `responseSchema` hold the API's own Schema object, whose types are an enum
(`STRING`, or its number), and whose limits may be text; other wires know `string`. Reference:
Gemini API, "Schema" and "Type".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any, TypeAlias

from ...jsontext import Json, JsonObject

__all__ = ["Styles", "enum_types", "json_types"]

# how each type was spelled, in the order of a walk; one word if all were spelled alike
Styles: TypeAlias = str | list[str] | None

_NAMES = ("string", "number", "integer", "boolean", "array", "object", "null")
_UPPER = {name.upper(): name for name in _NAMES}
_NUMBERS = dict(enumerate(_NAMES, 1))
_ENUM, _NUMBER, _TEXT = "enum", "number", "text"
# limits, which JSON of protocol buffers has as text: they are of 64 bits
_LIMITS = frozenset({
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
    "min_length", "max_length", "min_items", "max_items", "min_properties", "max_properties",
})  # fmt: skip
_DIGITS = re.compile(r"0|[1-9][0-9]{0,17}")
_ONE = ("items", "additionalProperties", "not")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "$defs", "defs", "definitions")


def json_types(schema: JsonObject) -> tuple[JsonObject, Styles]:
    """(the schema with the types of JSON Schema, how they stood); itself if they stood so."""
    styles: list[str] = []

    def lower(key: str, told: Any) -> Any:
        name: Any = told
        style = ""
        if key in _LIMITS:
            if type(told) is str and _DIGITS.fullmatch(told):
                name, style = int(told), _TEXT
        elif type(told) is str and told in _UPPER:
            name, style = _UPPER[told], _ENUM
        elif type(told) is int and told in _NUMBERS:
            name, style = _NUMBERS[told], _NUMBER
        styles.append(style)
        return name

    try:
        made: Any = _walked(schema, lower)
    except RecursionError:
        return schema, None
    if not any(styles):
        return schema, None
    return made, styles[0] if len({*styles}) == 1 else styles


def enum_types(schema: JsonObject, styles: Styles) -> JsonObject:
    """The schema as `json_types` read it."""
    if styles is None:
        return schema
    order: Iterator[str] = repeat(styles) if isinstance(styles, str) else iter(styles)

    def raised(_: str, name: Any) -> Any:
        style = next(order)
        if style == _ENUM:
            return name.upper()
        if style == _TEXT:
            return str(name)
        return _NAMES.index(name) + 1 if style == _NUMBER else name

    return _walked(schema, raised)  # type: ignore[no-any-return]  # an object, as it was


def _walked(schema: Any, spelled: Callable[[str, Any], Any]) -> Any:
    """A copy of the schema's skeleton, each type and limit of a schema in it spelled anew."""
    if not isinstance(schema, dict):
        return schema
    made: dict[str, Json] = {}
    for key, value in schema.items():
        if key == "type" or key in _LIMITS:
            made[key] = spelled(key, value)
        elif key in _ONE:
            made[key] = _walked(value, spelled)
        elif key in _LISTS and isinstance(value, list):
            made[key] = [_walked(one, spelled) for one in value]
        elif key in _MAPS and isinstance(value, dict):
            made[key] = {name: _walked(one, spelled) for name, one in value.items()}
        else:
            made[key] = value
    return made
