"""The keywords of JSON Schema by their contents: which hold schemas, and which hold only data.

A name below `properties` or `$defs` is a name even if it spells a keyword; a value below `enum`,
`const`, `default` or `examples` is a value. Knows no dialect.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from operator import is_
from urllib.parse import unquote

from ..text.json_text import Json, JsonObject, member

TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})


SINGLES = frozenset(
    {
        "items",
        "additionalProperties",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentSchema",
    }
)


# Keywords for which a schema that accepts everything has no effect; unlike `not` and `contains`.
LENIENT = frozenset(
    {
        "items",
        "additionalProperties",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)


# They constrain nothing. A keyword that is in no list of this file counts as one of them, too.
ANNOTATIONS = frozenset(
    {
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
        "$id",
        "$schema",
        "$anchor",
        "$vocabulary",
        "propertyOrdering",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "discriminator",
        "xml",
        "externalDocs",
    }
)


_OBJECT = (
    "properties",
    "patternProperties",
    "additionalProperties",
    "required",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
)


_ARRAY = (
    "items",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "unevaluatedItems",
)


_NUMBER = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


# the only types to which a keyword applies
APPLIES: dict[str, frozenset[str]] = {
    **dict.fromkeys(_OBJECT, frozenset({"object"})),
    **dict.fromkeys(_ARRAY, frozenset({"array"})),
    **dict.fromkeys(("minLength", "maxLength", "pattern"), frozenset({"string"})),
    **dict.fromkeys(_NUMBER, frozenset({"number", "integer"})),
}


def below(path: str, *names: str | int) -> str:
    """The path of something below `path`: `$.properties["x-y"].anyOf[0]`."""
    for name in names:
        path = f"{path}[{name}]" if isinstance(name, int) else member(path, str(name))
    return path


def subschemas(schema: Json) -> Iterator[Json]:
    """The schemas directly inside a schema."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in MAPS and isinstance(value, dict):
            yield from value.values()
        elif keyword in LISTS and isinstance(value, list):
            yield from value
        elif keyword in SINGLES:
            yield value


def map_schemas(keyword: str, value: Json, home: str, visit: Callable[[Json, str], Json]) -> Json:
    """The value of a keyword with the schemas in it replaced; the same object if none changes.

    `home` is the path of the schema with this keyword; `visit` gets each inner schema and its path.
    """
    if keyword in MAPS and isinstance(value, dict):
        return same_or({k: visit(v, below(home, keyword, k)) for k, v in value.items()}, value)
    if keyword in LISTS and isinstance(value, list):
        return same_or([visit(v, below(home, keyword, i)) for i, v in enumerate(value)], value)
    return visit(value, below(home, keyword)) if keyword in SINGLES else value


def same_or(new: Json, old: Json) -> Json:
    """The old object or list if the new one holds identical items, else the new one."""
    if len(new) != len(old):
        return new
    if isinstance(old, dict):
        return old if all(key in new and new[key] is item for key, item in old.items()) else new
    return old if all(map(is_, new, old)) else new


def list_types(named: Json) -> tuple[str, ...]:
    """The types in the value of `type`, in order; none if it is absent."""
    if isinstance(named, str):
        return (named,)
    types = [item for item in named if isinstance(item, str)] if isinstance(named, list) else ()
    return tuple(dict.fromkeys(types))


def type_value(types: Iterable[str]) -> Json:
    """Types as a value of `type`: one as a text, several as a list, none as None."""
    names = list(types)
    return names if len(names) > 1 else names[0] if names else None


def list_values(schema: Json) -> Json:
    """The values that `const` or `enum` allow, as a list; None if there is neither."""
    return [schema["const"]] if "const" in schema else schema.get("enum")


def classify_value(value: Json) -> str:
    """The kind of an enum's value: string, number, boolean, null or other."""
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "other"


def accepts_any(schema: Json) -> bool:
    """Whether a schema accepts every value."""
    if isinstance(schema, dict):
        return all(key in ANNOTATIONS for key in schema)
    return schema is True


_TEXTS = (
    "title",
    "description",
    "format",
    "pattern",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "$id",
    "$schema",
    "$anchor",
    "$dynamicAnchor",
    "$comment",
    "contentEncoding",
    "contentMediaType",
)


_COUNTS = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
)


_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_TEXTS, (str,)),
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems"), (bool,)),
    **dict.fromkeys((*_COUNTS, "minimum", "maximum", "multipleOf"), (int, float)),
    **dict.fromkeys(MAPS | {"dependentRequired", "dependencies", "$vocabulary"}, (dict,)),
    **dict.fromkeys(LISTS | {"enum", "required", "examples"}, (list,)),
    **dict.fromkeys(SINGLES | {"additionalItems"}, (dict, bool)),
    "items": (dict, bool, list),  # a list in older drafts
    "exclusiveMinimum": (int, float, bool),  # a flag in older drafts
    "exclusiveMaximum": (int, float, bool),
}


def well_formed(keyword: str, value: Json) -> bool:
    """Whether a keyword's value has a form of some draft; any value for an unknown keyword.

    Schemas inside are not looked at.
    """
    kinds = _KINDS.get(keyword)
    if kinds is None:
        return True
    return type(value) in kinds and (keyword not in _RULES or _RULES[keyword](value))


def is_name_list(value: Json) -> bool:
    """Whether it is a list of texts, each once."""
    return (
        type(value) is list
        and all(type(item) is str for item in value)
        and len(set(value)) == len(value)
    )


def _count(value: Json) -> bool:
    return bool(value >= 0 and (isinstance(value, int) or value.is_integer()))


_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")


def _dependencies(value: Json) -> bool:
    return all(isinstance(item, (dict, bool)) or is_name_list(item) for item in value.values())


_RULES: dict[str, Callable[[Json], bool]] = {
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(LISTS | {"enum"}, bool),
    "multipleOf": lambda value: value > 0,
    "$vocabulary": lambda value: all(type(needed) is bool for needed in value.values()),
    "dependentRequired": lambda value: all(map(is_name_list, value.values())),
    "dependencies": _dependencies,
    "$id": lambda value: "#" not in value.removesuffix("#"),
    **dict.fromkeys(("$anchor", "$dynamicAnchor"), lambda value: bool(_ANCHOR.fullmatch(value))),
}


def definition_name(ref: str) -> tuple[str, str] | None:
    """The keyword and the name of the root's definition to which `ref` leads, if it does."""
    keyword, _, name = ref.removeprefix("#/").partition("/")
    if ref.startswith("#/") and keyword in ("$defs", "definitions") and name and "/" not in name:
        return keyword, _unescape(name)
    return None


class Refs:
    """The references of one schema, looked up once each."""

    def __init__(self, root: Json) -> None:
        self.root = root
        self._found: dict[str, tuple[str, Json] | None] = {}

    def target(self, ref: str) -> tuple[str, Json] | None:
        """The path and the schema to which a reference leads; None if it does not resolve."""
        if ref not in self._found:
            self._found[ref] = self._look_up(ref)
        return self._found[ref]

    def _look_up(self, ref: str) -> tuple[str, Json] | None:
        if not ref.startswith("#"):
            return None
        if ref != "#" and not ref.startswith("#/"):
            schema = self._anchors.get(ref[1:])
            return None if schema is None else ("$", schema)
        path, schema = "$", self.root
        for part in ref.split("/")[1:]:
            name = _unescape(part)
            if isinstance(schema, dict) and name in schema:
                path, schema = below(path, name), schema[name]
            elif isinstance(schema, list) and (at := _index(name)) < len(schema):
                path, schema = below(path, at), schema[at]
            else:
                return None
        return (path, schema) if isinstance(schema, (dict, bool)) else None

    @cached_property
    def _anchors(self) -> dict[str, Json]:
        anchors: dict[str, Json] = {}
        for schema in _everywhere(self.root):
            if isinstance(anchor := schema.get("$anchor"), str):
                anchors.setdefault(anchor, schema)
        return anchors

    @cached_property
    def endless(self) -> frozenset[str]:
        """The references that are on a cycle, or on a way from one cycle to another.

        They remain when all references that lead nowhere, or to which none leads, are removed.
        """
        leads: dict[str, set[str]] = {}
        waiting = list(self.inside(self.root))
        while waiting:
            ref = waiting.pop()
            if ref not in leads:
                target = self.target(ref)
                leads[ref] = set() if target is None else self.inside(target[1])
                waiting.extend(leads[ref])
        backward: dict[str, set[str]] = {ref: set() for ref in leads}
        for ref, others in leads.items():
            for other in others:
                backward[other].add(ref)
        return frozenset(_on_the_way(leads, backward) & _on_the_way(backward, leads))

    @cached_property
    def endless_names(self) -> frozenset[tuple[str, str] | None]:
        """The keywords and names of the root's definitions to which those references lead."""
        return frozenset(map(definition_name, self.endless))

    @staticmethod
    def inside(schema: Json) -> set[str]:
        """The references anywhere inside a schema."""
        refs = (inner.get("$ref") for inner in _everywhere(schema))
        return {ref for ref in refs if isinstance(ref, str)}


def _everywhere(schema: Json) -> Iterator[JsonObject]:
    """A schema and all schemas inside of it, as far as they are objects."""
    stack = [schema]
    while stack:
        inner = stack.pop()
        if isinstance(inner, dict):
            yield inner
            stack.extend(subschemas(inner))


def _on_the_way(leads: dict[str, set[str]], backward: dict[str, set[str]]) -> set[str]:
    """The nodes from which a path without end begins."""
    remaining = {ref: len(others) for ref, others in leads.items()}
    ends = [ref for ref, count in remaining.items() if not count]
    while ends:
        end = ends.pop()
        del remaining[end]
        for before in backward[end]:
            remaining[before] -= 1
            if not remaining[before]:
                ends.append(before)
    return set(remaining)


def _index(name: str) -> int:
    """The index that a reference names; past the end of any list if it names none."""
    return int(name) if name.isdecimal() and len(name) < 10 else sys.maxsize


def _unescape(part: str) -> str:
    return unquote(part).replace("~1", "/").replace("~0", "~")
