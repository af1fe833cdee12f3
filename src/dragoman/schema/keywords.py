"""The keywords of JSON Schema by what they hold: where schemas stand, and where only words do.

A name below `properties` or `$defs` is a name whatever it spells; a value below `enum`, `const`,
`default` or `examples` is a value. Knows no dialect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from .._core.jsontext import Json

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


def types_of(source_keywords: Json) -> tuple[str, ...]:
    """The types that a `type` names, in its order; none where it is absent."""
    if isinstance(source_keywords, str):
        return (source_keywords,)
    types = (
        [item for item in source_keywords if isinstance(item, str)]
        if isinstance(source_keywords, list)
        else ()
    )
    return tuple(dict.fromkeys(types))


def kind_of(value: Json) -> str:
    """The kind of an enum's value: string, number, boolean, null or other."""
    if isinstance(value, str):
        return "string"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "other"


def accepts_any(schema: Json) -> bool:
    """Whether a schema refuses nothing."""
    if isinstance(schema, dict):
        return all(key in ANNOTATIONS for key in schema)
    return schema is True


_TEXTS = ("title", "description", "format", "pattern", "$ref", "$dynamicRef", "$recursiveRef",
          "$id", "$schema", "$anchor", "$dynamicAnchor", "$comment", "contentEncoding",
          "contentMediaType")  # fmt: skip


_FLAGS = ("deprecated", "readOnly", "writeOnly", "uniqueItems")


_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
           "minContains", "maxContains")  # fmt: skip


_NUMBERS = ("minimum", "maximum", "multipleOf")


_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_TEXTS, (str,)),
    **dict.fromkeys(_FLAGS, (bool,)),
    **dict.fromkeys((*_COUNTS, *_NUMBERS), (int, float)),
    **dict.fromkeys(MAPS | {"dependentRequired", "dependencies", "$vocabulary"}, (dict,)),
    **dict.fromkeys(LISTS | {"enum", "required", "examples"}, (list,)),
    **dict.fromkeys(SINGLES | {"additionalItems"}, (dict, bool)),
    "items": (dict, bool, list),  # a list in older drafts
    "exclusiveMinimum": (int, float, bool),  # a flag in older drafts
    "exclusiveMaximum": (int, float, bool),
}


def well_formed(keyword: str, value: Json) -> bool:
    """Whether a keyword holds what some draft lets it hold; of one that no draft knows, anything.

    Schemas inside are not looked at.
    """
    kinds = _KINDS.get(keyword)
    if kinds is None:
        return True
    if type(value) not in kinds:
        return False
    rule = _RULES.get(keyword)
    return rule is None or rule(value)


def is_name_list(value: Json) -> bool:
    """Whether it is a list of texts, each once."""
    return (
        type(value) is list
        and all(type(item) is str for item in value)
        and len(set(value)) == len(value)
    )


def _count(value: Json) -> bool:
    return bool(value >= 0 and (isinstance(value, int) or value.is_integer()))


def _not_empty(value: Json) -> bool:
    return bool(value)


def _anchor(value: Json) -> bool:
    return bool(re.fullmatch(r"[A-Za-z_][-A-Za-z0-9._]*", value))


def _all_name_lists(value: Json) -> bool:
    return all(map(is_name_list, value.values()))


def _dependencies(value: Json) -> bool:
    return all(isinstance(item, (dict, bool)) or is_name_list(item) for item in value.values())


_RULES: dict[str, Callable[[Json], bool]] = {
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(LISTS | {"enum"}, _not_empty),
    "multipleOf": lambda value: value > 0,
    "$vocabulary": lambda value: all(type(one) is bool for one in value.values()),
    "dependentRequired": _all_name_lists,
    "dependencies": _dependencies,
    "$id": lambda value: "#" not in value.removesuffix("#"),
    **dict.fromkeys(("$anchor", "$dynamicAnchor"), _anchor),
}


def definition_name(ref: str) -> tuple[str, str] | None:
    """The keyword and name of a definition that `ref` names, if it names one at the root."""
    keyword, _, name = ref.removeprefix("#/").partition("/")
    if ref.startswith("#/") and keyword in ("$defs", "definitions") and name and "/" not in name:
        return keyword, _unquoted(name)
    return None


class Refs:
    """The references of one schema, looked up once each."""

    __slots__ = ("_anchors", "_cyclic", "_found", "root")

    def __init__(self, root: Json) -> None:
        self.root = root
        self._found: dict[str, tuple[str, Json] | None] = {}
        self._anchors: dict[str, Json] | None = None
        self._cyclic: frozenset[str] | None = None

    def target(self, ref: str) -> tuple[str, Json] | None:
        """The path and the schema that a reference leads to; None if it leads nowhere here."""
        if ref not in self._found:
            self._found[ref] = self._look_up(ref)
        return self._found[ref]

    def _look_up(self, ref: str) -> tuple[str, Json] | None:
        if not ref.startswith("#"):
            return None
        if ref != "#" and not ref.startswith("#/"):
            schema = self._anchored().get(ref[1:])
            return None if schema is None else ("$", schema)
        path, schema = "$", self.root
        for part in ref.split("/")[1:]:
            name = _unquoted(part)
            if isinstance(schema, dict) and name in schema:
                path, schema = below(path, name), schema[name]
            elif isinstance(schema, list) and name.isdecimal() and int(name) < len(schema):
                path, schema = below(path, int(name)), schema[int(name)]
            else:
                return None
        return (path, schema) if isinstance(schema, (dict, bool)) else None

    def _anchored(self) -> dict[str, Json]:
        if self._anchors is None:
            self._anchors = {}
            stack = [self.root]
            while stack:
                schema = stack.pop()
                if isinstance(schema, dict) and isinstance(anchor := schema.get("$anchor"), str):
                    self._anchors.setdefault(anchor, schema)
                stack.extend(subschemas(schema))
        return self._anchors

    @property
    def endless(self) -> frozenset[str]:
        """The references that lead to schemas that lead back to them."""
        if self._cyclic is None:
            self._cyclic = self._cycles()
        return self._cyclic

    def _cycles(self) -> frozenset[str]:
        """References that have others before and behind them for ever: by taking off both ends."""
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

    @staticmethod
    def inside(schema: Json) -> set[str]:
        """The references that stand anywhere inside a schema."""
        refs: set[str] = set()
        stack = [schema]
        while stack:
            schema_ = stack.pop()
            if isinstance(schema_, dict) and isinstance(ref := schema_.get("$ref"), str):
                refs.add(ref)
            stack.extend(subschemas(schema_))
        return refs


def _on_the_way(leads: dict[str, set[str]], backward: dict[str, set[str]]) -> set[str]:
    """The nodes from which one can go on for ever."""
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


def _unquoted(part: str) -> str:
    return unquote(part).replace("~1", "/").replace("~0", "~")
