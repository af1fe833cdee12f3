"""Lower a schema to a dialect: keywords are restated, moved to the description, or left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from ..caches import BoundedCache, frozen_json, remember, thawed_json
from ..losses import Report
from ..losses.codes.code import Kind
from ..text.json_text import Json, JsonObject, arguments
from . import keywords, values
from .dialects import SchemaDialect, dialect
from .keywords import below, list_types
from .lowering_result import (
    UNFIT,
    Change,
    LoweredSchema,
    Lowering,
    SchemaNode,
    combine_verdicts,
    plain_schema,
)
from .merge import resolve_references
from .normalize import DEEPEST, normalize
from .unions import drop_null_branch, flatten_root_union, lone_union, replace_one_of

_DEFINITIONS = ("$defs", "definitions")


_CONSTRAINTS = frozenset({
    *keywords.MAPS, *keywords.LISTS, *keywords.SINGLES, "type", "enum", "const", "$ref",
    "$dynamicRef", "required", "format", "pattern", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minContains",
    "maxContains", "minProperties", "maxProperties", "dependentRequired",
}) - {*_DEFINITIONS}  # fmt: skip


def restate_keywords(node: SchemaNode, lowering: Lowering, *, at_root: bool) -> None:
    """Restate the schema's keywords in the dialect; what it cannot express goes to the notes."""
    kw, dialect = node.kw, lowering.dialect
    values.restate_pattern_properties(node, lowering)
    values.restate_tuples(node, lowering)
    values.restate_bounds(node, lowering)
    values.infer_type(node, lowering, at_root)
    if dialect.takes is not None:
        values.restate_types(node, lowering)
    values.close_object(node, lowering)
    lone_union(node, lowering)
    name, pattern = kw.get("format"), kw.get("pattern")
    if isinstance(name, str) and dialect.formats is not None and name not in dialect.formats:
        lowering.drop(node, "format")
    if dialect.patterns and isinstance(pattern, str) and _finder(dialect.patterns).search(pattern):
        lowering.drop(node, "pattern")
    values.drop_additional_properties(node, lowering)
    for keyword in [key for key in kw if not dialect.allows(key, at_root)]:
        if keyword in _DEFINITIONS and dialect.refs == "none":
            del kw[keyword]
            lowering.note_change(node, keyword, "definitions", "inlined")
        else:
            _drop_keyword(node, keyword, lowering)
    add_notes(node, lowering, at_root=at_root)


@remember("what a dialect refuses in a pattern", entries=16)
def _finder(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _drop_keyword(node: SchemaNode, keyword: str, lowering: Lowering) -> None:
    value = node.kw[keyword]
    if keyword in keywords.ANNOTATIONS or keyword not in _CONSTRAINTS:
        helps = keyword in ("default", "example", "examples")
        lowering.drop(node, keyword, "equal", quietly=not helps)
    elif keyword in keywords.LENIENT and keywords.accepts_any(value):
        lowering.drop(node, keyword, "equal", quietly=True)
    else:
        lowering.drop(node, keyword, quietly=keyword == "$ref")


def add_notes(node: SchemaNode, lowering: Lowering, *, at_root: bool) -> None:
    """Add to the description what the schema itself can no longer express."""
    if not node.told:
        return
    is_bare_ref = lowering.dialect.refs == "bare" and "$ref" in node.kw
    is_lone_union = lowering.demands("lone unions") and "anyOf" in node.kw
    if is_bare_ref or is_lone_union or not lowering.dialect.allows("description", at_root):
        lowering.drop_told(node)
        return
    description = node.kw.get("description")
    text = f"({'; '.join(node.told)})"
    has_words = isinstance(description, str) and description
    node.kw["description"] = f"{description} {text}" if has_words else text
    node.told.clear()


def exceeded_limit(schema: Json, limits: Mapping[str, int]) -> str:
    """The first limit that the schema exceeds, as a sentence; empty if it exceeds none."""
    sizes = _sizes(schema) if limits else {}
    for name, most in limits.items():
        if sizes[name] > most:
            return f"$: {sizes[name]} {name}, at most {most}"
    return ""


def _sizes(schema: Json) -> Counter[str]:
    """Count properties, optional ones, enum values, unions, and levels of objects (`depth`)."""
    sizes: Counter[str] = Counter()
    stack: list[tuple[Json, int]] = [(schema, 0)]
    while stack:
        node, depth = stack.pop()
        if not isinstance(node, dict):
            continue
        properties = node.get("properties")
        if isinstance(properties, dict):
            depth += 1
            needed = set(node.get("required", ()))
            sizes["properties"] += len(properties)
            sizes["optional"] += sum(name not in needed for name in properties)
        sizes["depth"] = max(sizes["depth"], depth)
        sizes["values"] += len(node.get("enum", ()))
        sizes["unions"] += "anyOf" in node or len(list_types(node.get("type"))) > 1
        stack.extend((inner, depth) for inner in keywords.subschemas(node))
    return sizes


# Keywords that accept more if what is inside accepts less: they stay if the dialect takes them.
_INVERTING = frozenset({"not", "if", "then", "else", "contains", "propertyNames"})
_OF_VALUES = frozenset({"enum", "const", "not"})
_SIMPLE = frozenset({"type", "title", "description", "default"})
_SCALARS = frozenset({"string", "integer", "number", "boolean"})


def lower_schema(schema: JsonObject, dialect: SchemaDialect, *, tell: bool = True) -> LoweredSchema:
    """Lower a schema to a dialect.

    Args:
        schema: The JSON Schema of an object.
        dialect: The dialect of the target.
        tell: Whether constraints that the dialect cannot express are added to the descriptions,
            for the model to read.

    Returns:
        The schema for the dialect, with a verdict and every change.

    >>> from dragoman.schema import DIALECTS
    >>> schema = {"type": "object", "properties": {"n": {"const": "A"}}}
    >>> made = lower_schema(schema, DIALECTS["gemini"])
    >>> made.schema["properties"], made.verdict
    ({'n': {'enum': ['A']}}, 'equal')
    """
    changes: list[Change] = []
    root = normalize(schema, changes, known_types=True)
    lowering = Lowering(dialect, root, tell)
    lowering.changes.update(dict.fromkeys(changes))
    result = _Walk(lowering).root(root)
    unfit = lowering.unfit or exceeded_limit(result, dialect.limits)
    if _same_json(result, schema):
        return LoweredSchema(schema, unfit=unfit, rule=dialect.rule)
    changes_made = tuple(lowering.changes)
    return LoweredSchema(result, combine_verdicts(changes_made), changes_made, unfit, dialect.rule)


def _same_json(a: Json, b: Json) -> bool:
    """Whether two values are the same JSON: in Python 1, 1.0 and true are equal."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same_json(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_same_json, a, b))
    return bool(a == b)


def _has_bare_list(schema: Json) -> bool:
    """Whether it contains an array without `items`."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "items" not in node and "array" in list_types(node.get("type")):
                return True
            stack.extend(keywords.subschemas(node))
    return False


class _Walk:
    """The walk of one lowering over a schema."""

    __slots__ = ("easy", "run", "spoken", "turning")

    def __init__(self, lowering: Lowering) -> None:
        self.run = lowering
        self.spoken = lowering.dialect
        self.easy = _SIMPLE if lowering.dialect.takes is None else _SIMPLE & lowering.dialect.takes
        self.turning = "#" in lowering.refs.endless  # whether it is inside a recursive schema

    def root(self, schema: JsonObject) -> JsonObject:
        """Lower the whole schema."""
        dialect = self.spoken
        rules = dialect.demands & {"type", "closed"}  # for every object, not only the root
        if dialect.takes is None and not rules and self._stands(schema):
            return schema
        result = self.schema(schema, "$", 0)
        assert isinstance(result, dict)
        for keyword in _DEFINITIONS:
            if result.get(keyword) == {} and schema.get(keyword):
                result = {key: value for key, value in result.items() if key != keyword}
        bare = {key: value for key, value in result.items() if key not in _DEFINITIONS}
        if dialect.refs != "none" or len(bare) == len(result) or self.run.refs.inside(bare):
            return result
        self.run.note_change("$", "$defs", "definitions", "inlined")
        return bare

    def _stands(self, schema: JsonObject) -> bool:
        """Whether the root satisfies the rules of a dialect that has rules only for the root."""
        if not self.run.demands("object root"):
            return True
        if schema.keys() & {"anyOf", "oneOf", "allOf"} and self.run.demands("plain root"):
            return False
        if schema.keys() & _OF_VALUES and self.run.demands("bare root"):
            return False
        if "properties" not in schema and self.run.demands("root properties"):
            return False
        if self.run.demands("items") and _has_bare_list(schema):
            return False
        return schema.get("type") == "object" and "$ref" not in schema

    def schema(self, schema: Json, path: str, level: int) -> Json:
        """Lower one schema, at its path in the original, and those inside it."""
        lowering = self.run
        if type(schema) is dict and level and schema.keys() <= self.easy:
            kind = schema.get("type")
            if type(kind) is str and kind in _SCALARS:  # the usual case
                return {**schema, "type": kind.upper()} if self.spoken.upper else schema
        if not isinstance(schema, (dict, SchemaNode)):
            schema = {"not": {}} if schema is False else {}
        if level > DEEPEST:
            lowering.note_change(path, "", "a schema nested too deeply", "dropped", "wider")
            return {}
        if lowering.opened:
            lowering.left -= 1
        node = schema.copy() if isinstance(schema, SchemaNode) else SchemaNode(schema, path)
        opened = self._restate_all(node, at_root=level == 0)
        restate_keywords(node, lowering, at_root=level == 0)
        self._inside(node, level)
        # the original object if nothing has changed
        kept = keywords.same_or(node.kw, schema) if isinstance(schema, dict) else node.kw
        result = values.complete(kept, node, lowering, at_root=level == 0)
        lowering.close(opened)
        if self.spoken.nullable:
            result = _with_word(result)
        if self.spoken.upper and isinstance(result.get("type"), str):
            result = {**result, "type": result["type"].upper()}
        return result

    def _restate_all(self, node: SchemaNode, *, at_root: bool) -> list[str]:
        """Restate references, unions, values and types until nothing changes any more.

        Returns the references that were inlined for it.
        """
        lowering = self.run
        opened: list[str] = []
        definitions = {key: node.kw[key] for key in node.kw if at_root and key in _DEFINITIONS}
        for _ in range(8):
            before = [(key, id(value)) for key, value in node.kw.items()]
            opened += resolve_references(node, lowering, at_root)
            if at_root and lowering.demands("plain root"):
                flatten_root_union(node, lowering)
            for keyword in _OF_VALUES.intersection(node.kw) if at_root else ():
                if lowering.demands("bare root"):
                    lowering.drop(node, keyword)
            replace_one_of(node, lowering, at_root)
            drop_null_branch(node, lowering, at_root=at_root)
            if lowering.dialect.takes is not None:
                values.restate_values(node, lowering)
                values.restate_types(node, lowering)
            lone_union(node, lowering)
            if before == [(key, id(value)) for key, value in node.kw.items()]:
                break
        node.kw.update(definitions)
        return opened

    def _inside(self, node: SchemaNode, level: int) -> None:
        """Lower the schemas inside; those in verbatim keywords stay as they are."""
        kw, takes_all = node.kw, self.spoken.takes is None
        for keyword in list(kw):
            value, home = kw[keyword], node.home(keyword)
            if value is True and keyword == "items" and self.run.demands("type"):
                value = {}  # equal to true, and lowered like any schema
            if keyword in self.spoken.verbatim or (takes_all and keyword in _INVERTING):
                kw[keyword] = plain_schema(value)
            elif keyword in keywords.MAPS and isinstance(value, dict):
                kw[keyword] = self._lower_map(keyword, value, below(home, keyword), level)
            elif not isinstance(value, bool):
                kw[keyword] = keywords.map_schemas(
                    keyword, value, home, lambda inner, path: self.schema(inner, path, level + 1)
                )
                if keyword == "oneOf" and kw[keyword] is not value:  # overlaps may change
                    self.run.note_change(node, keyword, "its schemas", "changed", "wider")
                    self.run.note_change(node, keyword, "its schemas", "changed", "narrower")
        if self.spoken.recursion == "optional" and "required" in kw and self.turning:
            # a required property that leads back to its own schema would never end
            refs, properties = self.run.refs, kw.get("properties", {})
            endless = [n for n in kw["required"] if refs.inside(properties.get(n)) & refs.endless]
            self.run.unrequire(node, endless)

    def _lower_map(self, keyword: str, value: JsonObject, path: str, level: int) -> JsonObject:
        result: JsonObject = {}
        for name, inner in value.items():
            names = self.run.refs.endless_names if keyword in _DEFINITIONS else ()
            endless = (keyword, name) in names
            if endless and self.spoken.recursion == "none":
                self.run.note_change(path, name, "a schema in itself", "inlined")
            elif keyword == "properties" and inner is False and self.spoken.takes is not None:
                self.run.note_change(path, name, "false", "dropped", "wider")
            else:
                outside = self.turning
                self.turning |= endless
                result[name] = self.schema(inner, below(path, name), level + 1)
                self.turning = outside
        kept: JsonObject = keywords.same_or(result, value)
        return kept


def _with_word(result: JsonObject) -> JsonObject:
    """Write `nullable` for the type null, and for null among the values."""
    kinds, enum = list_types(result.get("type")), result.get("enum")
    holds = isinstance(enum, list) and None in enum
    if "null" not in kinds and not holds:
        return result
    if kinds == ("null",):
        return {**result, "type": "null"}
    others = [kind for kind in kinds if kind != "null"]
    result = {**result, **({"type": others[0]} if others else {}), "nullable": True}
    if holds:
        result["enum"] = [item for item in result["enum"] if item is not None]
    return result


# by schema: (the result without the schema, the schema as bytes or None if it is unchanged)
_KNOWN: BoundedCache[tuple[LoweredSchema, bytes | None]] = BoundedCache(
    "dragoman.schema.lowering", "schemas of tools and formats, as each dialect takes them", 2**24
)


def lower_once(schema: JsonObject, name: str) -> LoweredSchema:
    """Lower a schema to the dialect of a name; results are cached.

    Args:
        schema: The JSON Schema of an object.
        name: The name of the dialect.

    Returns:
        As `lower_schema` returns it. A changed schema is a new object for each caller; an unchanged
        one is the same object.
    """
    key = (name, arguments(schema))
    known = _KNOWN.get(key)
    if known is None:
        result = lower_schema(schema, dialect(name))
        data = None if result.schema is schema else frozen_json(result.schema)
        known = replace(result, schema={}), data
        size = sum(len(text) for change in result.changes for text in change)
        _KNOWN.put(key, known, 4 * (len(key[1]) + size) + len(data or b""))
    result, data = known
    own = schema if data is None else thawed_json(data)
    return LoweredSchema(own, result.verdict, result.changes, result.unfit, result.rule)


def report_changes(
    result: LoweredSchema, report: Report, schema: object, field: str, name: str
) -> None:
    """Report every change of a lowered schema as a loss.

    The path of a loss is `<path of the field>.properties.age.minimum`; its rule is the dialect's.

    Args:
        result: What `lower_schema` returned.
        report: Collects the losses.
        schema: The node that has the schema.
        field: The field of the node in which the schema is.
        name: The name of the tool.
    """
    for change in result.changes:
        did = "in the description" if change.is_described else change.did
        place, what = f"{field}{change.where[1:]}", f"{name}: {change.what}"
        kind: Kind | None = "expected" if change.demanded else None
        report.add_loss(change.code, schema, place, what, did, result.rule, kind)
    if result.unfit:
        report.add_loss(UNFIT, schema, field, f"{name}: {result.unfit}", rule=result.rule)
