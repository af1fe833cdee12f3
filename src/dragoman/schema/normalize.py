"""Gives a schema one spelling before it is processed: that of draft 2020-12, as JSON.

It understands older drafts, OpenAPI's `nullable`, upper-case and snake-case spellings, Python's
names of types, and what no draft allows (`properties: []`, `description: null`). What needs no
change stays the same object, except schemas nested too deeply for any use.
"""

from __future__ import annotations

from ..text.json_text import Json, JsonObject
from ..text.redaction import clip_text
from .keywords import ANNOTATIONS, TYPES, is_name_list, list_types, map_schemas, well_formed
from .lowering_result import Change

DEEPEST = 48  # schemas in schemas; OpenAI's own limit is 10


_CAMEL = {
    "any_of": "anyOf",
    "one_of": "oneOf",
    "all_of": "allOf",
    "prefix_items": "prefixItems",
    "additional_properties": "additionalProperties",
    "property_ordering": "propertyOrdering",
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
    "min_properties": "minProperties",
    "max_properties": "maxProperties",
}


# Gemini's enum `Type` by number, and the names that Python programmers write
_NUMBERED = dict(enumerate(TYPES, 1))


_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "none": "null",
}


_ANY = {"any", "type_unspecified"}  # of draft 3, and of Gemini: no rule at all
_EASY = frozenset({"type", "title", "description"})


def normalize(
    schema: Json, changes: list[Change] | None = None, *, known_types: bool = False
) -> Json:
    """The schema in the one spelling; the same object if it needs no change.

    `changes` collects what was changed. `known_types`: an unknown type is removed instead of left
    for a validator to refuse.
    """
    return _Normal([] if changes is None else changes, known_types).schema(schema, "$", 0)


class _Normal:
    __slots__ = ("changes", "known_types")

    def __init__(self, changes: list[Change], known_types: bool) -> None:
        self.changes = changes
        self.known_types = known_types

    def schema(self, schema: Json, path: str, level: int) -> Json:
        """One schema and those inside it."""
        if not isinstance(schema, dict):
            if isinstance(schema, bool):
                return schema
            self.changes.append(Change(path, "", "no schema", "any value", "equal"))
            return {}
        # only a type and its description: the usual case
        easy = schema.keys() <= _EASY and all(type(value) is str for value in schema.values())
        if easy and schema.get("type") in TYPES:
            return schema
        if level > DEEPEST:
            self.changes.append(Change(path, "", "a schema nested too deeply", "dropped", "wider"))
            return {}
        result = self._normalize_node(schema, path)
        for keyword, value in result.items():
            inside = map_schemas(keyword, value, path, lambda v, at: self.schema(v, at, level + 1))
            if inside is not value:
                if result is schema:
                    result = dict(schema)
                result[keyword] = inside
        return result

    def _normalize_node(self, schema: JsonObject, path: str) -> JsonObject:
        """Normalize a node's own keywords; the same object if nothing changes."""
        if not _odd(schema):
            return schema
        result = {self._key(key, schema, path): value for key, value in schema.items()}
        self._shapes(result, path)
        self._older(result, path)
        if "nullable" in result:
            self._note(path, "nullable", "the type null")
            _nullable(result)
        return result

    def _key(self, key: str, schema: JsonObject, path: str) -> str:
        camel = _CAMEL.get(key, key)
        if camel == key or camel in schema:
            return key
        self._note(path, key, camel)
        return camel

    def _shapes(self, result: JsonObject, path: str) -> None:
        """Remove keywords whose value has a shape that no draft allows."""
        if "type" in result:
            self._types(result, path)
        names = result.get("required")
        if isinstance(names, list) and not is_name_list(names):
            result["required"] = list(list_types(names))
            self._note(path, "required", "names, each once")
        for keyword in [key for key, value in result.items() if not well_formed(key, value)]:
            self._out(result, keyword, path)
            if keyword == "properties":
                result[keyword] = {}

    def _types(self, result: JsonObject, path: str) -> None:
        """Give the types the names of today."""
        named = result["type"] if isinstance(result["type"], list) else [result["type"]]
        kinds = list(dict.fromkeys(map(_type, named)))
        strange = [kind for kind in kinds if kind not in TYPES]
        if not kinds or None in strange or not _ANY.isdisjoint(strange):
            self._out(result, "type", path)
        elif strange and self.known_types:
            what = clip_text(f"type: {', '.join(map(str, strange))}")
            self.changes.append(Change(path, "type", what, "dropped", "wider"))
            del result["type"]
        else:
            result["type"] = kinds if isinstance(result["type"], list) else kinds[0]
            for item in named:
                if isinstance(item, str) and item.lower() in _TYPES:
                    self.changes.append(Change(path, "type", item, _TYPES[item.lower()], "equal"))

    def _older(self, result: JsonObject, path: str) -> None:
        """Write keywords of older drafts as those of today's."""
        for bound in ("Minimum", "Maximum"):
            excluding, limit = f"exclusive{bound}", bound.lower()
            if isinstance(result.get(excluding), bool):
                if result.pop(excluding) and limit in result:
                    result[excluding] = result.pop(limit)
                self._note(path, excluding, "a number")
        if isinstance(result.get("items"), list):
            others = result.pop("additionalItems", None)
            result["prefixItems"] = result.pop("items")
            if others is not None:
                result["items"] = others
            if not result["prefixItems"]:
                del result["prefixItems"]
            if result.pop("$schema", None) is not None:
                self._note(path, "$schema", "that of today")
            self._note(path, "items", "prefixItems")
            if others is not None:
                self._note(path, "additionalItems", "items")
        if "additionalItems" in result:  # without a list of items it has no effect
            self._out(result, "additionalItems", path)
        if result.get("dependencies") == {}:
            self._out(result, "dependencies", path)
        for name, needs in result.pop("dependencies", {}).items():
            keyword = "dependentRequired" if isinstance(needs, list) else "dependentSchemas"
            result[keyword] = {**result.get(keyword, {}), name: needs}
            self._note(path, "dependencies", keyword)

    def _out(self, result: JsonObject, keyword: str, path: str) -> None:
        del result[keyword]
        self.changes.append(Change(path, keyword, "no such form", "dropped", "equal"))

    def _note(self, path: str, keyword: str, did: str) -> None:
        self.changes.append(Change(path, keyword, keyword, did, "equal"))


_OLDER = frozenset({"dependencies", "additionalItems", "nullable", *_CAMEL})


def _odd(schema: JsonObject) -> bool:
    """Whether any of the node's own keywords may need a change."""
    kind = schema.get("type", "object")
    values = kind if type(kind) is list and is_name_list(kind) else [kind]
    if not values or any(type(item) is not str or item not in TYPES for item in values):
        return True
    return any(map(_old, schema, schema.values())) or not is_name_list(schema.get("required", []))


def _old(key: str, value: Json) -> bool:
    """Whether a keyword is of an older draft, or has a value that no draft allows."""
    if key in _OLDER or not well_formed(key, value):
        return True
    if key == "items":
        return type(value) is list
    return type(value) is bool and key in ("exclusiveMinimum", "exclusiveMaximum")


def _type(name: Json) -> str | None:
    """A type by its name of today, or in lower case; None if it is no name."""
    if isinstance(name, int) and not isinstance(name, bool):
        return _NUMBERED.get(name)
    return _TYPES.get(name.lower(), name.lower()) if isinstance(name, str) else None


def _nullable(result: JsonObject) -> None:
    """Write OpenAPI's `nullable` as a type beside the others."""
    if result.pop("nullable", False) is not True:
        return
    if "type" in result and not {"const", "anyOf", "oneOf", "allOf", "$ref"} & result.keys():
        result["type"] = [*(kind for kind in list_types(result["type"]) if kind != "null"), "null"]
        if "enum" in result and None not in result["enum"]:
            result["enum"] = [*result["enum"], None]
    elif any(key not in ANNOTATIONS for key in result):
        rules = {key: result.pop(key) for key in list(result) if key not in ANNOTATIONS}
        result["anyOf"] = [rules, {"type": "null"}]
