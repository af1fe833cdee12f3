"""Whether a value fits a schema, as far as a choice among branches needs to know.

Types, values, required properties and what is inside; no bounds, patterns or counts.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from .._core.jsontext import Json, JsonObject, canonical, loads, too_deep
from .._core.redaction import clipped
from ..errors import ConfigError, InvalidMessage, ReadError
from ..message import Tool
from .keywords import TYPES, Refs, below, types_of
from .normalize import normalised
from .values import of_type

_HOPS = 20  # references to references


def resolved(schema: Json, refs: Refs) -> Json:
    """The schema behind a lone reference; the schema itself where it says more than that."""
    for _ in range(_HOPS):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return schema
        if any(not key.startswith("$") and key != "description" for key in schema):
            return schema
        matches = refs.target(schema["$ref"])
        if matches is None:
            return True
        schema = matches[1]
    return True


def fits(schema: Json, value: Json, refs: Refs, hops: int = 0) -> bool:
    """Whether nothing in the schema plainly refuses the value."""
    schema = resolved(schema, refs)
    if not isinstance(schema, dict) or hops > _HOPS:
        return schema is not False
    kinds = types_of(schema.get("type"))
    if kinds and not any(of_type(value, kind) for kind in kinds):
        return False
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list) and canonical(value) not in {canonical(item) for item in values}:
        return False
    matches = refs.target(schema["$ref"]) if isinstance(schema.get("$ref"), str) else None
    also = [
        *schema.get("allOf", ()),
        *([matches[1]] if matches and matches[1] is not schema else ()),
    ]
    if not all(fits(item, value, refs, hops + 1) for item in also):
        return False
    unions = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    if not all(any(fits(item, value, refs, hops + 1) for item in union) for union in unions):
        return False
    return _inside(schema, value, refs)


def _inside(schema: JsonObject, value: Json, refs: Refs) -> bool:
    if isinstance(value, dict):
        named, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        if any(name not in value for name in schema.get("required", ())):
            return False
        return all(fits(named.get(name, others), item, refs) for name, item in value.items())
    if isinstance(value, list):
        first, others = schema.get("prefixItems", []), schema.get("items", True)
        return all(
            fits(first[i] if i < len(first) else others, item, refs) for i, item in enumerate(value)
        )
    return True


_DEEPEST = 200  # the library recurses; no arguments are nested so deeply


_WORDS = 240


class Violation(NamedTuple):
    """One place where arguments break the schema: `$.days[1]`, what is wrong, and the keyword."""

    path: str
    message: str
    keyword: str


def checked(
    schema: Tool | JsonObject | None, arguments: Json, *, formats: bool = False
) -> list[Violation]:
    """Where the arguments break the schema of a tool, or a schema; empty if they keep to it.

    `formats`: check formats such as `date-time`, too. Raises ConfigError without the extra
    `schema`, InvalidMessage for what is no schema or refers to something elsewhere.
    """
    source_keywords = schema.schema if isinstance(schema, Tool) else schema
    if source_keywords is None:
        return []
    if too_deep(arguments, _DEEPEST):
        return [Violation("$", f"nested deeper than {_DEEPEST}", "")]
    try:
        judge = _judge(canonical(normalised(source_keywords)), formats)
    except RecursionError as error:
        raise InvalidMessage("a schema nested too deeply", code="schema.invalid") from error
    matches = [
        Violation(
            below("$", *error.instance_path),
            clipped(error.message, _WORDS),
            next((str(part) for part in reversed(error.schema_path) if isinstance(part, str)), ""),
        )
        for error in judge.iter_errors(arguments)
    ]
    return sorted(matches)


@lru_cache(maxsize=256)
def _judge(text: str, formats: bool) -> Any:
    """The validator of a schema, which takes longer to build than to use."""
    library = _library()
    try:
        return library.Draft202012Validator(
            loads(text), validate_formats=formats, retriever=_nowhere
        )
    except (ValueError, library.ReferencingError) as error:
        raise InvalidMessage(
            f"no JSON Schema: {clipped(str(getattr(error, 'message', error)), _WORDS)}",
            hint="mend the schema of the tool; it must hold all that it refers to",
            code="schema.invalid",
        ) from error


def _nowhere(uri: str) -> Json:
    raise ValueError(f"{clipped(uri)} is elsewhere")


def _library() -> Any:
    """By name: only who checks arguments needs it."""
    try:
        return import_module("jsonschema_rs")
    except ImportError as error:
        raise ConfigError(
            f"arguments are checked by jsonschema-rs, which cannot be imported: {error}",
            hint="pip install 'dragoman[schema]'",
            code="schema.no_library",
        ) from error


_MENDING_DEEPEST = 100  # what is nested deeper stays as it is


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


class Repair(NamedTuple):
    """One thing that was set right: where in the arguments, and what was done."""

    path: str
    did: str


def repaired(schema: Tool | JsonObject | None, arguments: Json) -> tuple[Json, list[Repair]]:
    """The arguments with what is plainly meant, and every repair; the same object if there is none.

    A null that stands for an absent property goes; text becomes the number, true, false, null,
    object or array that it spells; a value of an enum gets the enum's case; a lone value becomes
    the list of it; a whole number becomes text. Each only where the schema takes the one and not
    the other.

    >>> repaired({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": "3"})
    ({'n': 3}, [Repair(path='$.n', did='text to integer')])
    """
    source_keywords = schema.schema if isinstance(schema, Tool) else schema
    if source_keywords is None or too_deep(arguments, _MENDING_DEEPEST):
        return arguments, []
    mender = _Mender(normalised(source_keywords), nulls_only=False)
    return mender.value(mender.root, arguments, "$"), mender.done


def without_nulls(schema: Tool | JsonObject | None, arguments: Json) -> Json:
    """The arguments without the nulls that stand for absent properties; the same object if none do.

    For schemas that were lowered to a dialect in which every property is required.
    """
    source_keywords = schema.schema if isinstance(schema, Tool) else schema
    if source_keywords is None or too_deep(arguments, _MENDING_DEEPEST):
        return arguments
    mender = _Mender(normalised(source_keywords), nulls_only=True)
    return mender.value(mender.root, arguments, "$")


class _Mender:
    """One walk over a value beside its schema."""

    __slots__ = ("done", "nulls_only", "refs", "root")

    def __init__(self, root: Json, *, nulls_only: bool) -> None:
        self.root = root
        self.refs = Refs(root)
        self.nulls_only = nulls_only
        self.done: list[Repair] = []

    def value(self, schema: Json, value: Json, path: str) -> Json:
        """The value as this schema means it."""
        schema = resolved(schema, self.refs)
        if not isinstance(schema, dict):
            return value
        for inner in (item for key in ("allOf", "$ref") for item in _held(schema, key, self.refs)):
            value = self.value(inner, value, path)
        for keyword in ("anyOf", "oneOf"):
            if isinstance(schema.get(keyword), list):
                value = self._branch(schema[keyword], value, path)
        if not self.nulls_only:
            value = self._typed(schema, value, path)
            value = self._listed(schema, value, path)
        if isinstance(value, dict):
            return self._object(schema, value, path)
        return self._array(schema, value, path) if isinstance(value, list) else value

    def _branch(self, branches: list[Json], value: Json, path: str) -> Json:
        """By the branch that the value fits, or else the first that it can be made to fit."""
        for fitting in (True, False):
            for branch in branches:
                if fitting and not fits(branch, value, self.refs):
                    continue
                before = len(self.done)
                result = self.value(branch, value, path)
                if fitting or (result is not value and fits(branch, result, self.refs)):
                    return result
                del self.done[before:]
        return value

    def _typed(self, schema: JsonObject, value: Json, path: str) -> Json:
        kinds = tuple(kind for kind in types_of(schema.get("type")) if kind in TYPES)
        if not kinds or any(of_type(value, kind) for kind in kinds):
            return value
        for kind in kinds:
            result, text = self._as(kind, value, schema, path)
            if text:
                self.done.append(Repair(path, text))
                return result
        return value

    def _as(self, kind: str, value: Json, schema: JsonObject, path: str) -> tuple[Json, str]:
        """The value in another type and what was done: nothing where that says more or less."""
        if isinstance(value, str):
            matches = _spelled(kind, value.strip())
            if matches is not _NOTHING:
                return matches, f"text to {kind}"
        if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
            return str(value), "integer to text"
        if kind == "array" and value is not None and not isinstance(value, list):
            before = len(self.done)
            result = self.value(schema.get("items", True), value, path)
            if fits(schema.get("items", True), result, self.refs):
                return [result], "value to a list of it"
            del self.done[before:]
        return value, ""

    def _listed(self, schema: JsonObject, value: Json, path: str) -> Json:
        """A value of an enum in the enum's own spelling, if it can be only one of them."""
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if not isinstance(values, list) or not isinstance(value, str) or value in values:
            return value
        meant = [item for item in values if _says(item).casefold() == value.strip().casefold()]
        if len(meant) != 1:
            return value
        self.done.append(Repair(path, "spelled as the enum does"))
        return meant[0]

    def _object(self, schema: JsonObject, value: JsonObject, path: str) -> JsonObject:
        named, needed = schema.get("properties", {}), schema.get("required", ())
        others = schema.get("additionalProperties")
        result: JsonObject = {}
        for name, item in value.items():
            inner = named.get(name, others)
            absent = item is None and name in named and name not in needed
            if absent and not fits(inner, None, self.refs):
                self.done.append(Repair(below(path, name), "null for absent dropped"))
                continue
            result[name] = item if inner is None else self.value(inner, item, below(path, name))
        same = len(result) == len(value) and all(result[name] is value[name] for name in result)
        return value if same else result

    def _array(self, schema: JsonObject, value: list[Json], path: str) -> list[Json]:
        first = schema.get("prefixItems", [])
        others = schema.get("items")
        result = [
            self.value(first[i] if i < len(first) else others, item, below(path, i))
            for i, item in enumerate(value)
        ]
        return value if all(a is b for a, b in zip(result, value, strict=True)) else result


_NOTHING = object()


def _held(schema: JsonObject, keyword: str, refs: Refs) -> list[Json]:
    """What holds as well: the schemas of `allOf`, or that of a reference with neighbours."""
    matches = schema.get(keyword)
    if keyword == "allOf":
        return matches if isinstance(matches, list) else []
    target = refs.target(matches) if isinstance(matches, str) else None
    return [] if target is None or target[1] is schema else [target[1]]


def _spelled(kind: str, text: str) -> Json:
    """What a text spells of this type, or nothing."""
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind == "null" and text == "null":
        return None
    if kind in ("integer", "number") and (matches := _NUMBER.fullmatch(text)):
        return _number(text, whole=not any(matches.groups()), kind=kind)
    if kind in ("object", "array") and text[:1] in ("{", "["):
        try:
            value = loads(text)
        except ReadError:
            return _NOTHING
        return value if of_type(value, kind) and not too_deep(value, _MENDING_DEEPEST) else _NOTHING
    return _NOTHING


def _number(text: str, *, whole: bool, kind: str) -> Json:
    if whole:
        return int(text) if len(text) < 400 else _NOTHING
    if kind == "integer":
        return _NOTHING
    value = float(text)
    return value if Decimal(text) == Decimal(repr(value)) else _NOTHING


def _says(value: Json) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value) if isinstance(value, int) else ""
