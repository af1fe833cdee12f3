"""One spelling of a schema before anything is asked of it: draft 2020-12, as JSON has it.

Older drafts, OpenAPI's `nullable`, upper-case and snake-case spellings, Python's names of types,
and what no draft allows (`properties: []`, `description: null`). What it accepts stays as it was,
but for what is nested beyond all use.
"""

from __future__ import annotations

from .._core.jsontext import Json, JsonObject
from .._core.redaction import clipped
from .keywords import ANNOTATIONS, LISTS, MAPS, SINGLES, TYPES, below, formed, names, types_of
from .work import Change

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
          "list": "array", "dict": "object", "none": "null"}  # fmt: skip


_ANY = {"any", "type_unspecified"}  # of draft 3, and of Gemini: no rule at all


_EASY = frozenset({"type", "title", "description"})


def normalised(
    schema: Json, changes: list[Change] | None = None, *, known_types: bool = False
) -> Json:
    """The schema in the one spelling; the same object if it is spelled so. Changes are appended.

    `known_types`: a type that nobody knows is left out; else it stays, for a validator to refuse.
    """
    return _Normal([] if changes is None else changes, known_types).schema(schema, "$", 0)


class _Normal:
    __slots__ = ("changes", "known_types")

    def __init__(self, changes: list[Change], known_types: bool) -> None:
        self.changes = changes
        self.known_types = known_types

    def schema(self, node: Json, at: str, level: int) -> Json:
        """One schema and those inside it."""
        if not isinstance(node, dict):
            if isinstance(node, bool):
                return node
            self.changes.append(Change(at, "", "no schema", "any value", "equal"))
            return {}
        if _easy(node):
            return node
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
            self._types(made, at)
        told = made.get("required")
        if isinstance(told, list) and not names(told):
            made["required"] = list(dict.fromkeys(one for one in told if isinstance(one, str)))
            self._note(at, "required", "names, each once")
        for keyword in [key for key, value in made.items() if not formed(key, value)]:
            self._out(made, keyword, at)
            if keyword == "properties":
                made[keyword] = {}

    def _types(self, made: JsonObject, at: str) -> None:
        """The types by their names of today."""
        told = made["type"] if isinstance(made["type"], list) else [made["type"]]
        kinds = list(dict.fromkeys(map(_type, told)))
        strange = [kind for kind in kinds if kind not in TYPES]
        if not kinds or None in strange or not _ANY.isdisjoint(strange):
            self._out(made, "type", at)
        elif strange and self.known_types:
            what = clipped(f"type: {', '.join(map(str, strange))}")
            self.changes.append(Change(at, "type", what, "dropped", "wider"))
            del made["type"]
        else:
            made["type"] = kinds if isinstance(made["type"], list) else kinds[0]
            for one in told:
                if isinstance(one, str) and one.lower() in _TYPES:
                    self.changes.append(Change(at, "type", one, _TYPES[one.lower()], "equal"))

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
        if made.get("dependencies") == {}:
            self._out(made, "dependencies", at)
        for name, needs in made.pop("dependencies", {}).items():
            keyword = "dependentRequired" if isinstance(needs, list) else "dependentSchemas"
            made[keyword] = {**made.get(keyword, {}), name: needs}
            self._note(at, "dependencies", keyword)

    def _out(self, made: JsonObject, keyword: str, at: str) -> None:
        del made[keyword]
        self.changes.append(Change(at, keyword, "no such form", "dropped", "equal"))

    def _note(self, at: str, keyword: str, did: str) -> None:
        self.changes.append(Change(at, keyword, keyword, did, "equal"))


_OLDER = frozenset({"dependencies", "additionalItems", "nullable", *_CAMEL})


def _easy(node: JsonObject) -> bool:
    """Whether it says a type and what it is for, and nothing else: most schemas do."""
    if not node.keys() <= _EASY or type(kind := node.get("type")) is not str or kind not in TYPES:
        return False
    return all(type(value) is str for value in node.values())


def _odd(node: JsonObject) -> bool:
    """Whether anything about the node's own keywords is to be looked at."""
    kind = node.get("type", "object")
    listed = kind if type(kind) is list and names(kind) else [kind]
    if not listed or any(type(one) is not str or one not in TYPES for one in listed):
        return True
    return any(map(_old, node, node.values())) or not names(node.get("required", []))


def _old(key: str, value: Json) -> bool:
    """Whether a keyword is of an older draft, or holds what no draft allows."""
    if key in _OLDER or not formed(key, value):
        return True
    if key == "items":
        return type(value) is list
    return type(value) is bool and key in ("exclusiveMinimum", "exclusiveMaximum")


def _type(told: Json) -> str | None:
    """A type by its name of today, or by its own in small letters; None if it is no name."""
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
