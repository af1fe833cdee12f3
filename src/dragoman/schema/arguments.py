"""Check arguments against a schema, repair them, and decide whether a value fits a branch.

`fits`, for a choice among branches, looks at types, values, required properties and their contents,
but not at bounds, patterns or counts.
"""

from __future__ import annotations

import re
from decimal import Decimal
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from ..caches import BoundedCache
from ..errors import ConfigError, InvalidMessage, ReadError
from ..message import Tool
from ..text.json_text import Json, JsonObject, canonical, loads, too_deep
from ..text.redaction import clip_text
from .keywords import TYPES, Refs, below, list_types, list_values, same_or
from .load import is_heavy, keep_light
from .normalize import normalize
from .values import of_type

_HOPS = 20  # references to references


def resolve_reference(schema: Json, refs: Refs) -> Json:
    """The schema to which a lone reference leads; the schema itself if it has other keywords."""
    for _ in range(_HOPS):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return schema
        if any(not key.startswith("$") and key != "description" for key in schema):
            return schema
        target = refs.target(schema["$ref"])
        if target is None:
            return True
        schema = target[1]
    return True


def fits(schema: Json, value: Json, refs: Refs, hops: int = 0) -> bool:
    """Whether nothing in the schema plainly excludes the value."""
    schema = resolve_reference(schema, refs)
    if not isinstance(schema, dict) or hops > _HOPS:
        return schema is not False
    kinds = list_types(schema.get("type"))
    if kinds and not any(of_type(value, kind) for kind in kinds):
        return False
    values = list_values(schema)
    if isinstance(values, list) and canonical(value) not in {canonical(item) for item in values}:
        return False
    if not all(fits(item, value, refs, hops + 1) for item in _beside(schema, refs)):
        return False
    unions = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    if not all(any(fits(item, value, refs, hops + 1) for item in union) for union in unions):
        return False
    return _inside(schema, value, refs)


def _beside(schema: JsonObject, refs: Refs) -> list[Json]:
    """The schemas that hold as well: those of `allOf`, and of a reference that has neighbours."""
    every = schema.get("allOf")
    ref = schema.get("$ref")
    target = refs.target(ref) if isinstance(ref, str) else None
    referred = [] if target is None or target[1] is schema else [target[1]]
    return [*every, *referred] if isinstance(every, list) else referred


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
Declared: TypeAlias = Tool | JsonObject | None  # a tool, or the schema of the arguments


class Violation(NamedTuple):
    """One place where arguments violate the schema.

    Attributes:
        path: The place, such as `$.days[1]`.
        message: What is wrong.
        keyword: The keyword that is violated.
    """

    path: str
    message: str
    keyword: str


def check_arguments(schema: Declared, arguments: Json, *, formats: bool = False) -> list[Violation]:
    """The violations of a schema, or of a tool's schema; empty if the arguments are valid.

    Args:
        schema: The tool or the schema.
        arguments: The parsed JSON to check.
        formats: Whether to check formats such as `date-time`, too.

    Raises:
        ConfigError: The extra `schema` is not installed.
        InvalidMessage: It is no schema, it refers to another document, or checking would take too
            much work.
    """
    plain = _plain(schema)
    if plain is None:
        return []
    if too_deep(arguments, _DEEPEST):
        return [Violation("$", f"nested deeper than {_DEEPEST}", "")]
    try:
        root = normalize(plain)
        keep_light(root, arguments)
        judge = _get_validator(canonical(root), formats)
    except RecursionError as error:
        raise InvalidMessage("a schema nested too deeply", code="schema.invalid") from error
    return sorted(map(_violation, judge.iter_errors(arguments)))


def _plain(schema: Declared) -> JsonObject | None:
    return schema.schema if isinstance(schema, Tool) else schema


def _violation(error: Any) -> Violation:
    keywords = (part for part in reversed(error.schema_path) if isinstance(part, str))
    path = below("$", *error.instance_path)
    return Violation(path, clip_text(error.message, _WORDS), next(keywords, ""))


_JUDGES: BoundedCache[Any] = BoundedCache(
    "dragoman.schema.arguments", "validators of schemas, which check the arguments of calls", 2**25
)
_JUDGE_SIZE = 64  # bytes of a validator for each character of its schema


def _get_validator(text: str, formats: bool) -> Any:
    """The validator of a schema, cached because building it takes longer than using it."""
    judge = _JUDGES.get((text, formats))
    if judge is None:
        judge = _judge(text, formats)
        _JUDGES.put((text, formats), judge, len(text) * _JUDGE_SIZE)
    return judge


def _judge(text: str, formats: bool) -> Any:
    library = _library()
    try:
        schema = loads(text)
        return library.Draft202012Validator(schema, validate_formats=formats, retriever=_nowhere)
    except (ValueError, library.ReferencingError) as error:
        text = f"no JSON Schema: {clip_text(str(getattr(error, 'message', error)), _WORDS)}"
        hint = "mend the schema; it must hold all that it refers to"
        raise InvalidMessage(text, hint=hint, code="schema.invalid") from error


def _nowhere(uri: str) -> Json:
    raise ValueError(f"{clip_text(uri)} is elsewhere")


def _library() -> Any:
    """Import the validator when it is needed: only checks of arguments need it."""
    try:
        return import_module("jsonschema_rs")
    except ImportError as error:
        text = f"schemas are checked by jsonschema-rs, which cannot be imported: {error}"
        hint = "pip install 'dragoman[schema]'"
        raise ConfigError(text, hint=hint, code="schema.no_library") from error


_MENDING_DEEPEST = 100  # values nested deeper stay unchanged
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


class Repair(NamedTuple):
    """One repair.

    Attributes:
        path: The place in the arguments.
        did: What was changed.
    """

    path: str
    did: str


def repair_arguments(schema: Declared, arguments: Json) -> tuple[Json, list[Repair]]:
    """Repair arguments whose meaning is plain; the same object if there is nothing to repair.

    A null in place of an absent property is removed; text becomes the number, true, false, null,
    object or array that it spells; a value of an enum gets the enum's case; a lone value becomes a
    list; a whole number becomes text. Each only where the schema accepts the result and not the
    original.

    Args:
        schema: The tool or the schema.
        arguments: The parsed JSON.

    Returns:
        The arguments, and every repair.

    >>> repair_arguments({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": "3"})
    ({'n': 3}, [Repair(path='$.n', did='text to integer')])
    """
    return _repair_value(schema, arguments, nulls_only=False)


def without_nulls(schema: Declared, arguments: Json) -> Json:
    """Remove nulls in place of absent properties; the same object if there are none.

    For schemas that were lowered to a dialect in which every property is required.

    Args:
        schema: The original schema, or its tool.
        arguments: The parsed JSON.
    """
    return _repair_value(schema, arguments, nulls_only=True)[0]


def _repair_value(schema: Declared, arguments: Json, nulls_only: bool) -> tuple[Json, list[Repair]]:
    plain = _plain(schema)
    if plain is None or too_deep(arguments, _MENDING_DEEPEST):
        return arguments, []
    try:
        root = normalize(plain)
        if is_heavy(root, arguments):
            return arguments, []  # `check_arguments` reports it
        mender = _Mender(root, nulls_only)
        return mender.value(root, arguments, "$"), mender.done
    except RecursionError:  # nested too deeply, which `check_arguments` reports
        return arguments, []


class _Mender:
    """Repairs a value in one walk over it and its schema."""

    __slots__ = ("done", "nulls_only", "refs")

    def __init__(self, root: Json, nulls_only: bool) -> None:
        self.refs = Refs(root)
        self.nulls_only = nulls_only
        self.done: list[Repair] = []

    def value(self, schema: Json, value: Json, path: str) -> Json:
        """The value as this schema accepts it."""
        schema = resolve_reference(schema, self.refs)
        if not isinstance(schema, dict):
            return value
        for inner in _beside(schema, self.refs):
            value = self.value(inner, value, path)
        for keyword in ("anyOf", "oneOf"):
            if isinstance(schema.get(keyword), list):
                value = self._branch(schema[keyword], value, path)
        if not self.nulls_only:
            value = self._mend_type(schema, value, path)
            value = self._mend_enum(schema, value, path)
        if isinstance(value, dict):
            return self._object(schema, value, path)
        return self._array(schema, value, path) if isinstance(value, list) else value

    def _branch(self, branches: list[Json], value: Json, path: str) -> Json:
        """Repair by the branch that the value fits, or the first that it can be made to fit."""
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

    def _mend_type(self, schema: JsonObject, value: Json, path: str) -> Json:
        kinds = tuple(kind for kind in list_types(schema.get("type")) if kind in TYPES)
        if not kinds or any(of_type(value, kind) for kind in kinds):
            return value
        for kind in kinds:
            result, text = self._as(kind, value, schema, path)
            if text:
                self.done.append(Repair(path, text))
                return result
        return value

    def _as(self, kind: str, value: Json, schema: JsonObject, path: str) -> tuple[Json, str]:
        """(the value in another type, what was done); unchanged where meaning would be lost."""
        if isinstance(value, str):
            result = _parse_spelling(kind, value.strip())
            if result is not _NOTHING:
                return result, f"text to {kind}"
        if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
            return str(value), "integer to text"
        if kind == "array" and value is not None and not isinstance(value, list):
            before = len(self.done)
            result = self.value(schema.get("items", True), value, path)
            if fits(schema.get("items", True), result, self.refs):
                return [result], "value to a list of it"
            del self.done[before:]
        return value, ""

    def _mend_enum(self, schema: JsonObject, value: Json, path: str) -> Json:
        """A value of an enum in the enum's own spelling, if only one value is possible."""
        values = list_values(schema)
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
        kept: JsonObject = same_or(result, value)
        return kept

    def _array(self, schema: JsonObject, value: list[Json], path: str) -> list[Json]:
        first = schema.get("prefixItems", [])
        others = schema.get("items")
        result = [
            self.value(first[i] if i < len(first) else others, item, below(path, i))
            for i, item in enumerate(value)
        ]
        kept: list[Json] = same_or(result, value)
        return kept


_NOTHING = object()


def _parse_spelling(kind: str, text: str) -> Json:
    """The value of this type that a text spells; None if it spells none."""
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind == "null" and text == "null":
        return None
    if kind in ("integer", "number") and (match := _NUMBER.fullmatch(text)):
        if not any(match.groups()):
            return int(text) if len(text) < 400 else _NOTHING
        value = float(text)
        exact = kind == "number" and Decimal(text) == Decimal(repr(value))
        return value if exact else _NOTHING
    if kind in ("object", "array") and text[:1] in ("{", "["):
        try:
            value = loads(text)
        except ReadError:
            return _NOTHING
        return value if of_type(value, kind) and not too_deep(value, _MENDING_DEEPEST) else _NOTHING
    return _NOTHING


def _says(value: Json) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value) if isinstance(value, int) else ""
