"""Writes oneOf and anyOf in the forms that a dialect has: one as the other, alone, or flattened."""

from __future__ import annotations

from ..text.json_text import Json, JsonObject, canonical
from .keywords import ANNOTATIONS, accepts_any, below, list_types, list_values
from .lowering_result import Lowering, SchemaNode, Verdict, node_at, plain_schema, read_keywords
from .merge import common_types, conjoin, joined_branches, resolve_references
from .values import of_type


def replace_one_of(node: SchemaNode, lowering: Lowering, at_root: bool) -> None:
    """Write `oneOf` as `anyOf` if a target lacks it: equal if no two branches overlap."""
    if "oneOf" not in node.kw or lowering.dialect.allows("oneOf", at_root):
        return
    branches = joined_branches("oneOf", node)
    verdict: Verdict = "equal" if _never_overlap(branches, lowering) else "wider"
    lowering.note_change(node, "oneOf", f"{len(branches)} schemas", "anyOf", verdict)
    del node.kw["oneOf"]
    node.homes.pop("oneOf", None)
    if "anyOf" in node.kw:
        conjoin(node, node.only({"anyOf": branches}), node.at, lowering)
    else:
        node.kw["anyOf"] = branches


def _never_overlap(branches: list[Json], lowering: Lowering) -> bool:
    """Whether no value can fit two of the branches, by their types and constants."""
    if len(branches) > 32:
        return False
    tops = [_top_keywords(branch, lowering) for branch in branches]
    return all(_differ(a, b) for i, a in enumerate(tops) for b in tops[i + 1 :])


def _top_keywords(schema: Json, lowering: Lowering) -> dict[str, Json]:
    """The keywords of a branch, or of the schema to which its reference leads."""
    for _ in range(4):
        kw = read_keywords(schema)
        if not isinstance(kw.get("$ref"), str):
            return kw
        definition = lowering.refs.target(kw["$ref"])
        if definition is None:
            return {}
        schema = definition[1]
    return {}


def _differ(a: dict[str, Json], b: dict[str, Json]) -> bool:
    if (disjoint := _no_value_in_both(a, b)) is not None:
        return disjoint
    first_types, second_types = list_types(a.get("type")), list_types(b.get("type"))
    if first_types and second_types and not common_types(first_types, second_types):
        return True
    if first_types != ("object",) or second_types != ("object",):
        return False
    for name in {*a.get("required", ())} & {*b.get("required", ())}:
        sides = [side.get("properties", {}).get(name) for side in (a, b)]
        if all(isinstance(side, dict) for side in sides) and _no_value_in_both(*sides):
            return True
    return False


def _no_value_in_both(a: JsonObject, b: JsonObject) -> bool | None:
    """Whether the two lists of values have none in common; None if one schema lists no values."""
    first, second = _values(a), _values(b)
    return None if first is None or second is None else not first & second


def _values(kw: dict[str, Json]) -> set[str] | None:
    """The values that a schema lists, as texts in which 1 and 1.0 are one; None if none."""
    values = list_values(kw)
    if not isinstance(values, list) or any(isinstance(value, (dict, list)) for value in values):
        return None
    whole = (int(v) if isinstance(v, float) and v.is_integer() else v for v in values)
    return set(map(canonical, whole))


def lone_union(node: SchemaNode, lowering: Lowering) -> None:
    """Move the keywords beside a union into every branch, for dialects that allow none there."""
    if "anyOf" not in node.kw or not lowering.demands("lone unions"):
        return
    branches = joined_branches("anyOf", node)
    neighbours = {key: value for key, value in node.kw.items() if key not in ("anyOf", "$defs")}
    fitting = [branch for branch in branches if not _excludes(neighbours, branch)] or branches
    real = [branch for branch in fitting if not _is_null(branch)] or fitting[:1]
    null = any(_is_null(branch) for branch in fitting) and not _is_null(real[0])
    count = f"{len(branches)} schemas"
    if len(real) == 1:  # null and one other: `nullable` replaces null
        del node.kw["anyOf"]
        lowering.note_change(node, "anyOf", count, "joined")
        place = below(node.home("anyOf"), "anyOf", branches.index(real[0]))
        conjoin(node, real[0], place, lowering)
        if null:
            node.kw["nullable"] = True  # it moves along with the other keywords
    elif neighbours and not lowering.repeats(neighbours, len(real) - 1):
        lowering.note_change(node, "anyOf", count, "without neighbours")
        for keyword in neighbours:
            lowering.drop(node, keyword, "wider", quietly=True)
    elif neighbours or null:
        lowering.note_change(node, "anyOf", count, "without neighbours")
        branches_beside = []
        for i, branch in enumerate(real):
            joined = SchemaNode({}, node.at)
            conjoin(joined, branch, below(node.at, "anyOf", i), lowering)
            conjoin(joined, node.only(neighbours), node.at, lowering)
            branches_beside.append(joined)
        if null:
            branches_beside[0].kw["nullable"] = True
        node.kw.clear()
        node.kw["anyOf"] = branches_beside


def drop_null_branch(node: SchemaNode, lowering: Lowering, *, at_root: bool) -> None:
    """Drop null from a union of null and one schema, if a target has neither unions nor null."""
    if "anyOf" not in node.kw or lowering.dialect.allows("anyOf", at_root):
        return
    branches = joined_branches("anyOf", node)
    real = [branch for branch in branches if not _is_null(branch)]
    if len(real) != 1:
        return
    verdict: Verdict = "narrower" if len(branches) > 1 else "equal"
    lowering.note_change(node, "anyOf", f"{len(branches)} schemas", "without null", verdict)
    del node.kw["anyOf"]
    conjoin(node, real[0], node.at, lowering)


def _excludes(neighbours: dict[str, Json], branch: Json) -> bool:
    """Whether a branch contradicts the keywords beside the union, by types and values."""
    if branch is False:
        return True
    kw = read_keywords(branch)
    our_types, their_types = list_types(neighbours.get("type")), list_types(kw.get("type"))
    if our_types and their_types and not common_types(our_types, their_types):
        return True
    for types, other in ((our_types, kw), (their_types, neighbours)):
        values = list_values(other)
        if types and values and not any(of_type(v, kind) for v in values for kind in types):
            return True
    return False


def _is_null(schema: Json) -> bool:
    kw = read_keywords(schema)
    if any(key not in ANNOTATIONS and key not in ("type", "enum", "const") for key in kw):
        return False
    return kw.get("type") == "null" or kw.get("enum") == [None] or kw.get("const", 0) is None


def flatten_root_union(node: SchemaNode, lowering: Lowering) -> None:
    """Write a root with a union as one object with the properties of all branches.

    Only what every branch requires is required; the union itself is described in the notes.
    """
    for keyword in ("anyOf", "oneOf"):
        if keyword not in node.kw:
            continue
        branches = [item for item in joined_branches(keyword, node) if _an_object(item, lowering)]
        alone = len(branches) == 1
        lowering.drop(node, keyword, "equal" if alone else "wider", quietly=alone)
        objects = [_as_object(item, node, lowering) for item in branches]
        if objects:
            union = objects[0] if len(objects) == 1 else _one_of_all(objects, lowering)
            conjoin(node, union, node.at, lowering)


def _an_object(schema: Json, lowering: Lowering) -> bool:
    if schema is False:
        return False
    kinds = list_types(_top_keywords(schema, lowering).get("type"))
    return not kinds or "object" in kinds


def _as_object(schema: Json, node: SchemaNode, lowering: Lowering) -> SchemaNode:
    """A branch as an object, with its references and unions resolved."""
    item = SchemaNode({"type": "object"}, node.at)
    conjoin(item, schema, node.at, lowering)
    opened = resolve_references(item, lowering, at_root=True)
    flatten_root_union(item, lowering)
    lowering.close(opened)
    return item


def _one_of_all(branches: list[SchemaNode], lowering: Lowering) -> SchemaNode:
    result = SchemaNode({"type": "object"}, branches[0].at)
    names = list(dict.fromkeys(n for item in branches for n in item.kw.get("properties", {})))
    closed = all(item.kw.get("additionalProperties") is False for item in branches)
    properties = {}
    owners: dict[str, list[SchemaNode]] = {name: [] for name in names}
    for item in branches:
        for name in item.kw.get("properties", {}):
            owners[name].append(item)
    open_ones = {id(item) for item in branches if item.kw.get("additionalProperties") is not False}
    for name, having in owners.items():
        schemas = [
            node_at(item.kw["properties"][name], item.home("properties"), "properties", name)
            for item in having
        ]
        free = len(open_ones) > sum(id(item) in open_ones for item in having)
        if free and not all(map(accepts_any, schemas)):
            place = below("properties", name)
            lowering.note_change(result, place, "of some branches", "for all", "narrower")
        alike = len({canonical(plain_schema(schema)) for schema in schemas}) == 1
        properties[name] = schemas[0] if alike else {"anyOf": schemas}
    if properties:
        result.kw["properties"] = properties
    needed = [dict.fromkeys(item.kw.get("required", [])) for item in branches]
    if common := [name for name in needed[0] if all(name in item for item in needed)]:
        result.kw["required"] = common
    if closed:
        result.kw["additionalProperties"] = False
    return result
