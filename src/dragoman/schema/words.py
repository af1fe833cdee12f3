"""The keywords of JSON Schema by what they hold: where schemas stand, and where only words do.

A name below `properties` or `$defs` is a name whatever it spells; a value below `enum`, `const`,
`default` or `examples` is a value. Knows no dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..jsontext import Json

__all__ = [
    "ANNOTATIONS", "APPLIES", "LENIENT", "LISTS", "MAPS", "SINGLES", "TYPES", "accepts_any",
    "below", "inner", "kind_of", "types_of",
]  # fmt: skip

TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
SINGLES = frozenset({
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
})  # fmt: skip
# Where a schema that refuses nothing says nothing; `not` and `contains` are no such places.
LENIENT = frozenset({
    "items", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip
# They hold nobody to anything. What is in no list of this file is one of them, too.
ANNOTATIONS = frozenset({
    "title", "description", "default", "example", "examples", "deprecated", "readOnly",
    "writeOnly", "$comment", "$id", "$schema", "$anchor", "$vocabulary", "propertyOrdering",
    "contentEncoding", "contentMediaType", "contentSchema", "discriminator", "xml", "externalDocs",
})  # fmt: skip
_OBJECT = ("properties", "patternProperties", "additionalProperties", "required", "propertyNames",
           "minProperties", "maxProperties", "dependentRequired", "dependentSchemas",
           "unevaluatedProperties")  # fmt: skip
_ARRAY = ("items", "prefixItems", "contains", "minContains", "maxContains", "minItems", "maxItems",
          "uniqueItems", "unevaluatedItems")  # fmt: skip
_STRING = ("minLength", "maxLength", "pattern")
_NUMBER = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
# the only types that a keyword says anything of
APPLIES: dict[str, frozenset[str]] = {
    **dict.fromkeys(_OBJECT, frozenset({"object"})),
    **dict.fromkeys(_ARRAY, frozenset({"array"})),
    **dict.fromkeys(_STRING, frozenset({"string"})),
    **dict.fromkeys(_NUMBER, frozenset({"number", "integer"})),
}

_PLAIN = re.compile(r"[$A-Za-z_][A-Za-z0-9_$]*")


def below(path: str, *names: str | int) -> str:
    """The path of something below `path`: `$.properties["x-y"].anyOf[0]`."""
    for name in names:
        if isinstance(name, int):
            path = f"{path}[{name}]"
        elif _PLAIN.fullmatch(str(name)):
            path = f"{path}.{name}"
        else:
            quoted = str(name).replace("\\", "\\\\").replace('"', '\\"')
            path = f'{path}["{quoted}"]'
    return path


def inner(node: Json) -> Iterator[Json]:
    """The schemas directly inside a schema."""
    if not isinstance(node, dict):
        return
    for keyword, value in node.items():
        if keyword in MAPS and isinstance(value, dict):
            yield from value.values()
        elif keyword in LISTS and isinstance(value, list):
            yield from value
        elif keyword in SINGLES:
            yield value


def types_of(told: Json) -> tuple[str, ...]:
    """The types that a `type` names, in its order; none where it is absent."""
    if isinstance(told, str):
        return (told,)
    named = [one for one in told if isinstance(one, str)] if isinstance(told, list) else ()
    return tuple(dict.fromkeys(named))


def kind_of(value: Json) -> str:
    """The kind of an enum's value: string, number, boolean, null or other."""
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "other"


def accepts_any(node: Json) -> bool:
    """Whether a schema refuses nothing."""
    if isinstance(node, dict):
        return all(key in ANNOTATIONS for key in node)
    return node is True
