"""One spelling of a schema before anything is asked of it: draft 2020-12, as JSON has it.

Older drafts, OpenAPI's `nullable`, upper-case and snake-case spellings, and what no draft allows
(`properties: []`). What it accepts stays as it was, but for what is nested beyond all use.
"""

from __future__ import annotations

from ..jsontext import Json, JsonObject
from .lowered import Change
from .words import ANNOTATIONS, LISTS, MAPS, SINGLES, TYPES, below, types_of

__all__ = ["DEEPEST", "normalised"]

DEEPEST = 48  # schemas in schemas; OpenAI's own limit is 10

_CAMEL = {
    "any_of": "anyOf", "one_of": "oneOf", "all_of": "allOf", "prefix_items": "prefixItems",
    "additional_properties": "additionalProperties", "property_ordering": "propertyOrdering",
    "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength",
    "max_length": "maxLength", "min_properties": "minProperties", "max_properties": "maxProperties",
}  # fmt: skip
# Gemini's enum `Type` by number, and what people write who think in Python
_NUMBERED = dict(
    enumerate(("string", "number", "integer", "boolean", "array", "object", "null"), 1)
)
_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean",
          "list": "array", "dict": "object"}  # fmt: skip
_EASY = frozenset({"type", "title", "description"})
_LISTED = ("enum", "required", "anyOf", "oneOf", "allOf", "prefixItems")


def normalised(schema: Json, changes: list[Change] | None = None) -> Json:
    """The schema in the one spelling; the same object if it is spelled so. Changes are appended."""
    return _Normal([] if changes is None else changes).schema(schema, "$", 0)


class _Normal:
    __slots__ = ("changes",)

    def __init__(self, changes: list[Change]) -> None:
        self.changes = changes

    def schema(self, node: Json, at: str, level: int) -> Json:
        """One schema and those inside it."""
        if not isinstance(node, dict):
            return node if isinstance(node, bool) else {}
        if node.keys() <= _EASY and node.get("type") in TYPES:
            return node  # most schemas are
        if level > DEEPEST:
            self.changes.append(Change(at, "", "a schema nested too deeply", "dropped", "wider"))
            return {}
        made = self._spelled(node, at)
        for keyword, value in made.items():
            inside = self._inside(keyword, value, at, level)
            if inside is not value:
                if made is node:
                    made = dict(node)
                made[keyword] = inside
        return made

    def _inside(self, keyword: str, value: Json, at: str, level: int) -> Json:
        if keyword in MAPS and isinstance(value, dict):
            new = {k: self.schema(v, below(at, keyword, k), level + 1) for k, v in value.items()}
            return new if any(new[k] is not v for k, v in value.items()) else value
        if keyword in LISTS and isinstance(value, list):
            listed = [self.schema(v, below(at, keyword, i), level + 1) for i, v in enumerate(value)]
            return listed if any(a is not b for a, b in zip(listed, value, strict=True)) else value
        return self.schema(value, below(at, keyword), level + 1) if keyword in SINGLES else value

    def _spelled(self, node: JsonObject, at: str) -> JsonObject:
        """The node itself in the one spelling; the same object if it is."""
        if not _odd(node):
            return node
        made = {self._key(key, node, at): value for key, value in node.items()}
        self._shapes(made, at)
        self._older(made, at)
        if "nullable" in made:
            self._note(at, "nullable", "the type null")
            _nullable(made)
        return made

    def _key(self, key: str, node: JsonObject, at: str) -> str:
        camel = _CAMEL.get(key, key)
        if camel == key or camel in node:
            return key
        self._note(at, key, camel)
        return camel

    def _shapes(self, made: JsonObject, at: str) -> None:
        """What has a shape that no draft allows is left out."""
        if "type" in made:
            kinds = [_type(one) for one in types_of(made["type"]) or (made["type"],)]
            made["type"] = kinds if isinstance(made["type"], list) else kinds[0]
            if not kinds or not all(isinstance(kind, str) for kind in kinds):
                self._out(made, "type", at)
        for keyword in MAPS & made.keys():
            if not isinstance(made[keyword], dict):
                self._out(made, keyword, at)
                if keyword == "properties":
                    made[keyword] = {}
        for keyword in _LISTED:
            value = made.get(keyword)
            if keyword in made and (not isinstance(value, list) or not (value or keyword in _OK)):
                self._out(made, keyword, at)
        if not all(isinstance(name, str) for name in made.get("required", ())):
            made["required"] = [name for name in made["required"] if isinstance(name, str)]

    def _older(self, made: JsonObject, at: str) -> None:
        """Keywords of older drafts in the words of today's."""
        for bound in ("Minimum", "Maximum"):
            excluding, limit = f"exclusive{bound}", bound.lower()
            if isinstance(made.get(excluding), bool):
                if made.pop(excluding) and limit in made:
                    made[excluding] = made.pop(limit)
                self._note(at, excluding, "a number")
        if isinstance(made.get("items"), list):
            rest = made.pop("additionalItems", None)
            made["prefixItems"] = made.pop("items")
            if rest is not None:
                made["items"] = rest
            if not made["prefixItems"]:
                del made["prefixItems"]
            if made.pop("$schema", None) is not None:
                self._note(at, "$schema", "that of today")
            self._note(at, "items", "prefixItems")
            if rest is not None:
                self._note(at, "additionalItems", "items")
        if "additionalItems" in made:  # without a list of items it says nothing
            self._out(made, "additionalItems", at)
        depends = made.pop("dependencies", None)
        for name, needs in (depends if isinstance(depends, dict) else {}).items():
            keyword = "dependentRequired" if isinstance(needs, list) else "dependentSchemas"
            made[keyword] = {**made.get(keyword, {}), name: needs}
            self._note(at, "dependencies", keyword)

    def _out(self, made: JsonObject, keyword: str, at: str) -> None:
        del made[keyword]
        self.changes.append(Change(at, keyword, "no such form", "dropped", "equal"))

    def _note(self, at: str, keyword: str, did: str) -> None:
        self.changes.append(Change(at, keyword, keyword, did, "equal"))


_OK = frozenset({"required"})  # may be empty
_OLDER = frozenset({"dependencies", "additionalItems", "nullable", *_CAMEL})


def _odd(node: JsonObject) -> bool:
    """Whether anything about the node's own keywords is to be looked at; cheap for most."""
    kind = node.get("type")
    if kind is not None and kind not in TYPES if type(kind) is str else kind is not None:
        return not (type(kind) is list and kind and all(one in TYPES for one in kind)) or _rest(
            node
        )
    return _rest(node)


def _rest(node: JsonObject) -> bool:
    for key, value in node.items():
        if key in _OLDER:
            return True
        if key in MAPS:
            if type(value) is not dict:
                return True
        elif key in _LISTED:
            if type(value) is not list or not (value or key == "required"):
                return True
            if key == "required" and not all(type(name) is str for name in value):
                return True
        elif (key == "items" and type(value) is list) or (
            type(value) is bool and key in ("exclusiveMinimum", "exclusiveMaximum")
        ):
            return True
    return False


def _type(told: Json) -> Json:
    if isinstance(told, int) and not isinstance(told, bool):
        return _NUMBERED.get(told)
    if not isinstance(told, str):
        return None
    low = told.lower()
    return _TYPES.get(low, low)


def _nullable(made: JsonObject) -> None:
    """OpenAPI's `nullable` as a type beside the others."""
    if made.pop("nullable", False) is not True:
        return
    if "type" in made and not {"const", "anyOf", "oneOf", "allOf", "$ref"} & made.keys():
        made["type"] = [*(kind for kind in types_of(made["type"]) if kind != "null"), "null"]
        if "enum" in made and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
    elif any(key not in ANNOTATIONS for key in made):
        rules = {key: made.pop(key) for key in list(made) if key not in ANNOTATIONS}
        made["anyOf"] = [rules, {"type": "null"}]
