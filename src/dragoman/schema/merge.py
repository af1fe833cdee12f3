"""Joins two schemas that hold at once into one, keyword group by keyword group.

What an object allows beside its properties depends on which those are; likewise with arrays.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from ..text.json_text import Json, JsonObject, canonical
from . import keywords
from .keywords import below, list_types
from .lowering_result import Lowering, SchemaNode, as_text, node_at, read_keywords

_GROUPS = (
    frozenset({"properties", "patternProperties", "additionalProperties"}),
    frozenset({"items", "prefixItems"}),
    frozenset({"if", "then", "else"}),
)


def _group(node: SchemaNode, source: SchemaNode, group: frozenset[str], lowering: Lowering) -> None:
    """Join keywords that depend on each other: all of the group, or none of it."""
    shared = [key for key in source.kw if key in group]
    if not shared or not any(key in node.kw for key in group):
        return
    if shared == ["items"] and "items" in node.kw and "prefixItems" not in node.kw:
        mine, other = (
            node_at(side.kw["items"], side.home("items"), "items") for side in (node, source)
        )
        node.kw["items"] = _both(mine, other, below(node.home("items"), "items"))
        del source.kw["items"]
        return
    for keyword in shared:
        lowering.drop(source, keyword)
    node.tell_for(source)


def _both(part: Json, other: Json, path: str) -> Json:
    """Two schemas as one schema at `path` that requires both."""
    for one, another in ((part, other), (other, part)):
        if one is True or (isinstance(one, SchemaNode) and not one.kw):
            return another
    return SchemaNode({"allOf": [part, other]}, path)


def _group_objects(node: SchemaNode, source: SchemaNode, lowering: Lowering) -> None:
    """Join the properties of both, and what each allows beside its own."""
    group, a, b = _GROUPS[0], node.kw, source.kw
    if not group & a.keys() or not group & b.keys():
        return
    closed = _merge_closed(node, source, lowering)
    if any(closed):
        _drop_refused(node, source, closed, lowering)
    _properties(node, source)
    if any(closed):
        a["additionalProperties"] = False
        b.pop("additionalProperties", None)
    if "patternProperties" in a and "patternProperties" in b:
        lowering.drop(source, "patternProperties")
        node.tell_for(source)


def _drop_refused(
    node: SchemaNode, source: SchemaNode, closed: list[bool], lowering: Lowering
) -> None:
    """Drop the properties of each side that the other, which is closed, does not allow."""
    a, b = node.kw, source.kw
    names = _names(a.get("properties", {}), b.get("properties", {}), closed)
    needed = {*a.get("required", ()), *b.get("required", ())}
    if needed - names:  # no value could satisfy both
        lowering.note_change(source, "additionalProperties", "false", "dropped", "wider")
        return
    for side in (node, source):
        properties = side.kw.get("properties", {})
        if refused := [name for name in properties if name not in names]:
            home = side.home("properties")
            for name in refused:
                lowering.note_change(
                    home, below("properties", name), "refused beside it", "dropped"
                )
            side.kw["properties"] = {name: properties[name] for name in properties if name in names}


def _merge_closed(node: SchemaNode, source: SchemaNode, lowering: Lowering) -> list[bool]:
    """Which of the two are closed; if that cannot be expressed together, both are opened."""
    other_properties = [side.kw.get("additionalProperties", True) for side in (node, source)]
    simple = all(others is False or keywords.accepts_any(others) for others in other_properties)
    patterns = "patternProperties" in node.kw or "patternProperties" in source.kw
    if simple and not (patterns and False in other_properties):
        return [others is False for others in other_properties]
    for side in (node, source):
        others = side.kw.get("additionalProperties")
        if others is not None:
            lowering.drop(side, "additionalProperties", quietly=others is False)
    node.tell_for(source)
    return [False, False]


def _names(a: JsonObject, b: JsonObject, closed: list[bool]) -> set[str]:
    """The properties that both sides allow by name."""
    return {n for n in (*a, *b) if (n in a or not closed[0]) and (n in b or not closed[1])}


def _properties(node: SchemaNode, source: SchemaNode) -> None:
    """Add the properties of `source`; of many schemas in a row, each is visited once."""
    properties, added = node.kw.get("properties", {}), source.kw.pop("properties", {})
    joined = node.joined
    if joined is None or properties is not joined:
        home = node.home("properties")
        joined = {
            name: node_at(item, home, "properties", name) for name, item in properties.items()
        }
        node.joined = joined
        if added or "properties" in node.kw:
            node.kw["properties"] = joined
    home = source.home("properties")
    for name, item in added.items():
        part = node_at(item, home, "properties", name)
        if name in joined:
            part = _both(joined[name], part, below(node.home("properties"), "properties", name))
        joined[name] = part


_PAIRS = 16  # the most branches of two unions multiplied
_RESTS = ("unevaluatedProperties", "unevaluatedItems")  # they depend on all other keywords
_HIGHEST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_LOWEST = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def conjoin(node: SchemaNode, other: Json | SchemaNode, path: str, lowering: Lowering) -> None:
    """Make `other`, the schema at `path`, hold for `node` as well."""
    if isinstance(other, SchemaNode):
        source = SchemaNode(other.kw, other.at, other.homes)
    else:
        source = SchemaNode(read_keywords(other), path)
        if other is False:
            lowering.note_change(path, "", "nothing fits", "dropped", "wider")
    kw = node.kw
    for keyword in [key for key in _RESTS if key in kw]:
        if source.kw:
            lowering.drop(node, keyword)
    for keyword in [key for key in ("$defs", "definitions") if key in source.kw]:
        lowering.note_change(source, keyword, "definitions", "inlined")
        del source.kw[keyword]
    for keyword in _RESTS:
        if keyword in source.kw and kw:
            lowering.drop(source, keyword)
    node.told |= source.told
    _group_objects(node, source, lowering)
    for group in _GROUPS[1:]:
        _group(node, source, group, lowering)
    for keyword, value in list(source.kw.items()):
        _conjoin_keyword(node, source, keyword, value, lowering)


def _conjoin_keyword(
    node: SchemaNode, source: SchemaNode, keyword: str, value: Json, lowering: Lowering
) -> None:
    kw = node.kw
    if keyword not in kw:
        kw[keyword] = source.kw[keyword]
        if (home := source.home(keyword)) != node.at:
            node.homes[keyword] = home
        return
    lenient = keyword in keywords.LENIENT and keywords.accepts_any(value)
    if lenient or _same(kw[keyword], value):
        return
    if keyword in keywords.ANNOTATIONS:  # the nearer one wins
        lowering.drop(source, keyword, "equal", quietly=True)
        return
    if keyword in ("required", "allOf"):
        _grow(node, source, keyword, lowering)
        return
    joined = _combine_values(keyword, kw[keyword], value, (node, source))
    if joined is not None:
        if joined != kw[keyword]:
            lowering.note_change(node, keyword, as_text(kw[keyword])[:60], "joined")
        kw[keyword] = joined
    elif keyword in source.kw:
        lowering.drop(source, keyword)
        node.told |= source.told
        source.told.clear()


def _grow(node: SchemaNode, source: SchemaNode, keyword: str, lowering: Lowering) -> None:
    """Add the names or schemas of `source`; of many in a row, each is visited once."""
    before = node.kw[keyword]
    grown, names = node.grown.get(keyword, ([], set()))
    if grown is not before:
        grown = _as_nodes(keyword, before, node) if keyword == "allOf" else list(before)
        names = set(before) if keyword == "required" else set()
        node.grown[keyword] = grown, names
        node.kw[keyword] = grown
    more: list[Any] = source.kw[keyword]
    if keyword == "allOf":
        more = _as_nodes(keyword, more, source)
    else:
        more = [name for name in dict.fromkeys(more) if name not in names]
        names.update(more)
    if more and len(grown) < _SHOWN:  # more than that is not shown
        lowering.note_change(node, keyword, as_text(grown[:_SHOWN])[:_SHOWN], "joined")
    grown += more


_SHOWN = 60


def _combine_values(keyword: str, a: Json, b: Json, sides: tuple[SchemaNode, SchemaNode]) -> Json:
    """Both values of one keyword as one value; None if there is no such value."""
    if keyword == "type":
        return keywords.type_value(common_types(list_types(a), list_types(b)))
    if keyword == "enum":
        values = {canonical(value) for value in b}
        return [value for value in a if canonical(value) in values] or None
    numbers = keywords.classify_value(a) == keywords.classify_value(b) == "number"
    if keyword in _HIGHEST and numbers:
        return max(a, b)
    if keyword in _LOWEST and numbers:
        return min(a, b)
    if keyword == "uniqueItems":
        return a is True or b is True
    if keyword == "anyOf" and len(a) * len(b) <= _PAIRS:  # every branch with every branch
        pairs = product(_as_nodes(keyword, a, sides[0]), _as_nodes(keyword, b, sides[1]))
        return [SchemaNode({"allOf": list(pair)}, sides[0].at) for pair in pairs]
    return None


def _same(a: Json, b: Json) -> bool:
    return a is b or (not isinstance(a, (dict, list)) and type(a) is type(b) and bool(a == b))


def common_types(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    """The types that both allow; an integer is a number."""
    types = [kind for kind in a if kind in b or (kind == "integer" and "number" in b)]
    if "number" in a and "integer" in b and "number" not in b:
        types.append("integer")
    return tuple(dict.fromkeys(types))


def _as_nodes(keyword: str, branches: list[Json], node: SchemaNode) -> list[SchemaNode | Json]:
    home = node.home(keyword)
    return [node_at(branch, home, keyword, i) for i, branch in enumerate(branches)]


def joined_branches(keyword: str, node: SchemaNode) -> list[SchemaNode | Json]:
    """The branches of a union, each with its path."""
    return _as_nodes(keyword, node.kw[keyword], node)


UNROLL = 3  # how often a recursive schema is written into itself


def resolve_references(node: SchemaNode, lowering: Lowering, at_root: bool = False) -> list[str]:
    """Inline the references that may not stay, join `allOf`, and return what was opened.

    The caller closes those references when it is done with the contents.
    """
    opened: list[str] = []
    for _ in range(100):
        if "$ref" in node.kw and not _stays(node, lowering, at_root):
            _inline(node, lowering, opened)
        elif "allOf" in node.kw and not _all_stay(node, lowering, at_root):
            home = below(node.home("allOf"), "allOf")
            branches = node.kw["allOf"]
            lowering.note_change(node, "allOf", f"{len(branches)} schemas", "joined")
            del node.kw["allOf"]
            for i, branch in enumerate(branches):
                conjoin(node, branch, below(home, i), lowering)
        else:
            break
    return opened


def _stays(node: SchemaNode, lowering: Lowering, at_root: bool) -> bool:
    """Whether a reference may stay as it is in this place."""
    dialect, ref = lowering.dialect, node.kw["$ref"]
    if not isinstance(ref, str) or dialect.refs == "none" or not dialect.allows("$ref", at_root):
        return False
    if at_root and lowering.demands("object root"):
        return False
    if (keywords.definition_name(ref) is None and ref != "#") or lowering.refs.target(ref) is None:
        return False
    if dialect.recursion == "none" and ref in lowering.refs.endless:
        return False
    return dialect.refs == "any" or all(key.startswith("$") for key in node.kw)


def _all_stay(node: SchemaNode, lowering: Lowering, at_root: bool) -> bool:
    if not lowering.dialect.allows("allOf", at_root) or (
        at_root and lowering.demands("plain root")
    ):
        return False
    if lowering.dialect.takes is None:
        return True
    return all(isinstance(branch, dict) and "$ref" not in branch for branch in node.kw["allOf"])


def _inline(node: SchemaNode, lowering: Lowering, opened: list[str]) -> None:
    """Replace a reference by its schema, but with nothing if it recurses too often."""
    ref = node.kw["$ref"]
    definition = lowering.refs.target(ref) if isinstance(ref, str) else None
    if definition is None:
        lowering.drop(node, "$ref", quietly=True)
        return
    path, target = definition
    times = lowering.opened.get(ref, 0)
    fits = times < UNROLL and lowering.left > 0 and lowering.repeats(target, ref=ref)
    if not fits:
        lowering.note_change(node, "$ref", ref, "cut off", "wider")
        del node.kw["$ref"]
        if isinstance(target, dict) and target.get("type") == "object":
            node.kw.setdefault("type", "object")
        return
    lowering.note_change(node, "$ref", ref, "inlined")
    del node.kw["$ref"]
    lowering.opened[ref] = times + 1
    opened.append(ref)
    conjoin(node, target, path, lowering)
