"""Values and types: const, enum, lists of types and null, in the forms that a dialect has."""

from __future__ import annotations

from typing import Any

from .._core.jsontext import Json, JsonObject, canonical
from .._core.redaction import clipped
from .keywords import ANNOTATIONS, APPLIES, TYPES, accepts_any, below, kind_of, types_of
from .work import Lowering, SchemaNode, as_text, plain_schema

_OF_KIND = {"string": "string", "boolean": "boolean", "null": "null"}


def restate_values(node: SchemaNode, lowering: Lowering) -> None:
    """`const` and `enum` with the kinds of values that the dialect lists; others become types."""
    if "const" in node.kw and not _const_stays(node, lowering):
        value = node.kw.pop("const")
        home = node.homes.pop("const", None)
        if home is not None:
            node.homes.setdefault("enum", home)
        lowering.changed(node, "const", as_text(value)[:60], "enum")
        before = node.kw.get("enum")
        if before is not None and canonical(value) not in {canonical(item) for item in before}:
            lowering.changed(node, "enum", "it lacks the const", "dropped", "wider")
        node.kw["enum"] = [value]
    if isinstance(node.kw.get("enum"), list):
        _enum(node, lowering)


def _const_stays(node: SchemaNode, lowering: Lowering) -> bool:
    dialect = lowering.dialect
    return dialect.allowed("const") and kind_of(node.kw["const"]) in dialect.enums


def _enum(node: SchemaNode, lowering: Lowering) -> None:
    dialect = lowering.dialect
    values = _fitting(node, lowering)
    if dialect.enums == {"string"} and "" in values and values != [""]:
        values.remove("")
        lowering.changed(node, "enum", "an empty text", "dropped", "narrower")
    if len(values) != len(node.kw["enum"]):
        lowering.changed(node, "enum", "what is there twice or of another type", "dropped")
        node.kw["enum"] = values
    kinds = {kind_of(value) for value in values}
    if dialect.nullable and len(kinds) > 1:
        kinds.discard("null")  # said by its word, last of all
    if dialect.allowed("enum") and (not kinds <= dialect.enums or values == [""]):
        _split(node, values, lowering)


def _fitting(node: SchemaNode, lowering: Lowering) -> list[Json]:
    """The values of an enum, each once, that its type lets be."""
    values = list({canonical(value): value for value in node.kw["enum"]}.values())
    kinds = types_of(node.kw.get("type"))
    fitting = [value for value in values if any(of_type(value, kind) for kind in kinds)]
    if kinds and not fitting:  # nothing fits both; the target's form may let something through
        lowering.changed(node, "enum", "values of another type", "kept", "wider")
    return fitting or values


def _split(node: SchemaNode, values: list[Json], lowering: Lowering) -> None:
    """Kinds that the dialect does not list are said by their types, and told."""
    groups: dict[str, list[Json]] = {}
    for one in values:
        kind = kind_of(one)
        groups.setdefault(
            "listed" if kind in lowering.dialect.enums and one != "" else kind, []
        ).append(one)
    branches = [_branch(kind, listed_values, lowering) for kind, listed_values in groups.items()]
    exact = all(_exact(kind, listed_values, lowering) for kind, listed_values in groups.items())
    if exact:
        lowering.changed(node, "enum", as_text(node.kw.pop("enum"))[:60], "types")
    else:
        lowering.drop(node, "enum")
    if "type" in node.kw:
        lowering.changed(node, "type", as_text(node.kw.pop("type")), "the values' types")
    if len(branches) == 1:
        for key, value in branches[0].items():
            node.kw.setdefault(key, value)
    elif "anyOf" in node.kw:
        typed_branches = [node.only(branch) for branch in branches]
        node.kw["allOf"] = [
            node.only({"anyOf": node.kw.pop("anyOf")}),
            node.only({"anyOf": typed_branches}),
        ]
    else:
        node.kw["anyOf"] = [node.only(branch) for branch in branches]


def _branch(kind: str, values: list[Json], lowering: Lowering) -> JsonObject:
    if kind == "listed":
        return (
            {"type": type_of_values(values), "enum": values}
            if type_of_values(values)
            else {"enum": values}
        )
    if kind == "number":
        result: JsonObject = {"type": "integer" if _whole(values) else "number"}
        for keyword, value in (("minimum", min(values)), ("maximum", max(values))):
            if lowering.dialect.allowed(keyword):
                result[keyword] = value
        return result
    if kind == "other":
        kinds = list(
            dict.fromkeys("object" if isinstance(item, dict) else "array" for item in values)
        )
        return {"type": kinds[0] if len(kinds) == 1 else kinds}
    return {"type": _OF_KIND[kind]}


def _exact(kind: str, values: list[Json], lowering: Lowering) -> bool:
    """Whether the type says just these values."""
    if kind in ("listed", "null"):
        return True
    if kind == "boolean":
        return len(values) == 2
    if kind != "number" or not _whole(values) or not lowering.dialect.allowed("minimum"):
        return False
    return len({int(item) for item in values}) == int(max(values) - min(values)) + 1


def _whole(values: list[Json]) -> bool:
    return all(of_type(item, "integer") for item in values)


def type_of_values(values: list[Json]) -> str | list[str] | None:
    """The type or types of the values of an enum."""
    kinds: dict[str, None] = {}
    for value in values:
        if isinstance(value, dict):
            kinds["object"] = None
        elif isinstance(value, list):
            kinds["array"] = None
        elif kind_of(value) == "number":
            kinds["integer" if _whole([v for v in values if kind_of(v) == "number"]) else
                  "number"] = None  # fmt: skip
        else:
            kinds[_OF_KIND[kind_of(value)]] = None
    names = list(kinds)
    return None if not names else names[0] if len(names) == 1 else names


def of_type(value: Json, kind: str) -> bool:
    """Whether a value has a type of JSON Schema; 1.0 is an integer there."""
    if kind == "integer":
        return kind_of(value) == "number" and (isinstance(value, int) or value.is_integer())
    if kind in ("object", "array"):
        return isinstance(value, dict if kind == "object" else list)
    return kind_of(value) == kind


def restate_types(node: SchemaNode, lowering: Lowering) -> None:
    """`type` as the dialect takes it; keywords that say nothing of these types are left out."""
    kinds = types_of(node.kw.get("type"))
    if not kinds:
        return
    for keyword in [key for key in node.kw if APPLIES.get(key, _ALL).isdisjoint(kinds)]:
        lowering.drop(node, keyword, "equal", quietly=True)
    if isinstance(node.kw["type"], list) and not lowering.dialect.type_lists:
        _one_type(node, kinds, lowering)


def _one_type(node: SchemaNode, kinds: tuple[str, ...], lowering: Lowering) -> None:
    """A list of types where a type is one text."""
    if len(kinds) == 1:
        node.kw["type"] = kinds[0]
    elif lowering.dialect.nullable and len(kinds) == 2 and "null" in kinds:
        return  # the word for null is said last of all
    elif lowering.dialect.allowed("anyOf"):
        _by_type(node, kinds, lowering)
    else:
        remaining = next(kind for kind in kinds if kind != "null")
        lowering.changed(node, "type", as_text(list(kinds)), remaining, "narrower")
        node.kw["type"] = remaining
        values = [item for item in node.kw.get("enum", ()) if of_type(item, remaining)]
        if values:
            node.kw["enum"] = values


_ALL = frozenset(TYPES)


def _by_type(node: SchemaNode, kinds: tuple[str, ...], lowering: Lowering) -> None:
    """A list of types as a union: each with the keywords that speak of it."""
    lowering.changed(node, "type", as_text(list(kinds)), "anyOf")
    rules: dict[str, Any] = {k: node.kw.pop(k) for k in list(node.kw) if k not in ANNOTATIONS}
    del rules["type"]
    branches = []
    for kind in kinds:
        rules_of_kind = {k: v for k, v in rules.items() if kind in APPLIES.get(k, _ALL)}
        if "enum" in rules_of_kind:
            rules_of_kind["enum"] = [
                value for value in rules_of_kind["enum"] if of_type(value, kind)
            ]
            if not rules_of_kind["enum"]:
                continue
        branches.append(node.only({"type": kind, **rules_of_kind}))
    node.kw["anyOf"] = branches


def restate_tuples(node: SchemaNode, lowering: Lowering) -> None:
    """`prefixItems` where a dialect lacks it: every item may be any of them. And `items: false`."""
    kw = node.kw
    first = kw.get("prefixItems")
    if kw.get("items") is False and lowering.dialect.takes is not None:
        _counted(node, len(first) if isinstance(first, list) else 0, lowering)
    if first is None or lowering.dialect.allowed("prefixItems"):
        return
    later_items = kw.pop("items", None)
    later_items = None if accepts_any(later_items) else later_items
    home = node.home("prefixItems")
    lowering.drop(node, "prefixItems")
    alternatives: list[Json] = [
        SchemaNode(item, below(home, "prefixItems", i)) if isinstance(item, dict) else item
        for i, item in enumerate(first)
    ]
    if later_items is None and kw.get("maxItems", len(first) + 1) > len(first):
        return
    if later_items is not None:
        alternatives.append(SchemaNode(later_items, below(node.home("items"), "items")))
    different = _different(alternatives)
    kw["items"] = different[0] if len(different) == 1 else {"anyOf": different}


def _counted(node: SchemaNode, limit: int, lowering: Lowering) -> None:
    """No items behind the first ones: as many as those at most."""
    kw = node.kw
    del kw["items"]
    lowering.changed(node, "items", "false", f"maxItems {limit}")
    if kw.get("maxItems", limit) > limit:
        lowering.changed(node, "maxItems", f"maxItems: {kw['maxItems']}", f"{limit}")
        del kw["maxItems"]
    kw.setdefault("maxItems", limit)


def _different(branches: list[Json]) -> list[Json]:
    seen_values: list[Any] = []
    different: list[Json] = []
    for branch in branches:
        if (plain_branch := plain_schema(branch)) not in seen_values:
            seen_values.append(plain_branch)
            different.append(branch)
    return different


def restate_bounds(node: SchemaNode, lowering: Lowering) -> None:
    """Bounds in the nearest words that the dialect has."""
    kw, largest_least = node.kw, lowering.dialect.min_items
    if (
        largest_least is not None
        and isinstance(least := kw.get("minItems"), int)
        and least > largest_least
    ):
        lowering.drop(node, "minItems")
        kw["minItems"] = largest_least
    is_integer = kw.get("type") == "integer"
    for bound, step in (("Minimum", 1), ("Maximum", -1)):
        excluding, plain_ = f"exclusive{bound}", bound.lower()
        value = kw.get(excluding)
        if lowering.dialect.allowed(excluding) or not isinstance(value, (int, float)):
            continue
        if not lowering.dialect.allowed(plain_):
            continue
        nearest = value + step if is_integer and isinstance(value, int) else value
        exact = nearest != value
        if exact:
            lowering.changed(node, excluding, f"{excluding}: {value}", plain_)
            del kw[excluding]
        else:
            lowering.drop(node, excluding)
        tighter = (max if step > 0 else min)(kw.get(plain_, nearest), nearest)
        if plain_ in kw and kw[plain_] != tighter:
            lowering.changed(node, plain_, f"{plain_}: {kw[plain_]}", f"{tighter}")
        kw[plain_] = tighter


def infer_type(node: SchemaNode, lowering: Lowering, at_root: bool) -> None:
    """A type for a schema that says none, where the dialect demands one."""
    kw = node.kw
    if at_root and lowering.demands("object root"):
        _object_root(node, lowering)
    if not lowering.demands("type") or kw.keys() & {"type", "anyOf", "allOf", "$ref"}:
        return
    values = [kw["const"]] if "const" in kw else kw.get("enum")
    if isinstance(values, list) and (kind := type_of_values(values)):
        kw["type"] = kind
        lowering.changed(node, "type", "not said", "added")
        return
    kinds_of_keywords = [APPLIES[key] for key in kw if key in APPLIES]
    kinds = [
        kind
        for kind in ("object", "array", "string", "number")
        if any(kind in s for s in kinds_of_keywords)
    ]
    if kinds:
        kw["type"] = kinds[0]
        lowering.changed(node, "type", "not said", kinds[0], "narrower")
        return
    lowering.changed(node, "type", "any value", "one of the plain types", "narrower")
    plain_types = ["string", "number", "boolean", "null"]
    if lowering.dialect.type_lists:
        kw["type"] = plain_types
    else:
        kw["anyOf"] = [{"type": kind} for kind in plain_types]


def _object_root(node: SchemaNode, lowering: Lowering) -> None:
    """The root's type is object: arguments always are."""
    kinds = types_of(node.kw.get("type"))
    if node.kw.get("type") == "object":
        return
    if kinds and "object" not in kinds:
        lowering.misfit(node.at, f"the root is no object but {', '.join(kinds)}")
        lowering.drop(node, "type", "wider", quietly=True)
    else:
        lowering.changed(node, "type", ", ".join(kinds) or "not said", "object")
    others = {key: value for key, value in node.kw.items() if key != "type"}
    node.kw.clear()
    node.kw.update({"type": "object", **others})
    node.kw.setdefault("properties", {})


def restate_pattern_properties(node: SchemaNode, lowering: Lowering) -> None:
    """Properties named by patterns, where a dialect has none: what fits any may have any name."""
    kw = node.kw
    if "patternProperties" not in kw or lowering.dialect.allowed("patternProperties"):
        return
    other_properties, home = kw.get("additionalProperties", True), node.home("patternProperties")
    alternatives = [
        value if not isinstance(value, dict)
        else SchemaNode(value, below(home, "patternProperties", name))
        for name, value in kw["patternProperties"].items()
    ]  # fmt: skip
    lowering.drop(node, "patternProperties")
    if accepts_any(other_properties) or not lowering.dialect.allowed("additionalProperties"):
        return
    if lowering.demands("closed"):
        kw["additionalProperties"] = True  # told as the free map that it is
        return
    lowering.changed(
        node,
        "additionalProperties",
        as_text(other_properties)[:60],
        "and the patterns' schemas",
        "wider",
    )
    if isinstance(other_properties, dict):
        alternatives.append(
            SchemaNode(
                other_properties, below(node.home("additionalProperties"), "additionalProperties")
            )
        )
    kw["additionalProperties"] = (
        alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
    )


def drop_additional_properties(node: SchemaNode, lowering: Lowering) -> None:
    """`additionalProperties` where the dialect lacks it: a rule for others is told."""
    other_properties = node.kw.get("additionalProperties")
    if other_properties is None or lowering.dialect.allowed("additionalProperties"):
        return
    if accepts_any(other_properties):
        lowering.drop(node, "additionalProperties", "equal", quietly=True)
    else:
        lowering.drop(node, "additionalProperties", quietly=other_properties is False)


def close_object(node: SchemaNode, lowering: Lowering) -> None:
    """Objects that refuse other properties, where the dialect demands it."""
    kw = node.kw
    if "object" not in types_of(kw.get("type")):
        return
    if lowering.demands("closed") and kw.get("additionalProperties") is not False:
        free = "additionalProperties" in kw
        if free:
            lowering.misfit(node.home("additionalProperties"), "a free map cannot be closed")
            lowering.drop(node, "additionalProperties", "narrower", quietly=True)
        else:
            lowering.changed(node, "additionalProperties", "not said", "false", "narrower")
        kw.setdefault("properties", {})
        kw["additionalProperties"] = False
    if lowering.demands("known required"):
        _known(node, lowering)
    if lowering.demands("some required") and not kw.get("required"):
        lowering.misfit(node.at, "every object needs something that is required")


def _known(node: SchemaNode, lowering: Lowering) -> None:
    kw = node.kw
    if "required" not in kw:
        return
    there = kw.get("properties", {})
    unknown = [name for name in kw["required"] if name not in there]
    for name in unknown:
        lowering.changed(node, "required", name, "dropped", "wider")
    if unknown:
        kw["required"] = [name for name in kw["required"] if name in there]
        if not kw["required"]:
            del kw["required"]


def complete(result: JsonObject, node: SchemaNode, lowering: Lowering, at_root: bool) -> JsonObject:
    """What is demanded of a schema whose inner ones are lowered; a new one where it changes."""
    kinds = types_of(result.get("type"))
    if lowering.demands("all required") and "properties" in result:
        result = _all_required(result, node, lowering)
    if lowering.demands("items") and "array" in kinds and "items" not in result:
        lowering.changed(node, "items", "any value", "string", "narrower")
        result = {**result, "items": {"type": "STRING" if lowering.dialect.upper else "string"}}
    if (
        lowering.demands("properties")
        and not at_root
        and "object" in kinds
        and not result.get("properties")
    ):
        lowering.changed(node, "properties", "none", "JSON text", "narrower")
        lowering.changed(node, "type", "object", "JSON text", "wider")
        remaining: JsonObject = {
            key: result[key] for key in ("title", "description") if key in result
        }
        for keyword in [
            key for key in result if key not in remaining and key not in ("type", "properties")
        ]:
            lowering.changed(node, keyword, clipped(as_text(result[keyword])), "dropped", "wider")
        remaining["description"] = (
            f"{remaining.get('description', '')} (a JSON object as text)".strip()
        )
        others = [kind for kind in kinds if kind not in ("object", "string")]
        return {"type": ["string", *others] if others else "string", **remaining}
    return result


def _all_required(result: JsonObject, node: SchemaNode, lowering: Lowering) -> JsonObject:
    """Every property required; what was optional may be null, which stands for absent."""
    needed = result.get("required", [])
    absent = [name for name in result["properties"] if name not in needed]
    properties = dict(result["properties"])
    for name in absent:
        path = below("properties", name)
        lowering.changed(node, path, "optional", "required", "narrower")
        if not _takes_null(properties[name], lowering, 0):
            lowering.changed(node, path, "optional", "or null", "wider")
            properties[name] = _or_null(properties[name])
    if not absent and "required" in result:
        return result
    return {**result, "properties": properties, "required": list(properties)}


def _takes_null(schema: Json, lowering: Lowering, level: int) -> bool:
    if not isinstance(schema, dict):
        return schema is True
    if "enum" in schema or "const" in schema:
        return None in schema.get("enum", [schema.get("const", 0)])
    if "anyOf" in schema:
        return any(_takes_null(item, lowering, level + 1) for item in schema["anyOf"])
    if isinstance(schema.get("$ref"), str) and level < 4:
        target = lowering.refs.target(schema["$ref"])
        return target is not None and _takes_null(target[1], lowering, level + 1)
    return "null" in types_of(schema.get("type")) or "type" not in schema


def _or_null(schema: JsonObject) -> JsonObject:
    annotations: JsonObject = {
        key: schema[key] for key in ("title", "description") if key in schema
    }
    constraints = {key: value for key, value in schema.items() if key not in annotations}
    if constraints.keys() == {"anyOf"}:
        return {**annotations, "anyOf": [*constraints["anyOf"], {"type": "null"}]}
    return {**annotations, "anyOf": [constraints, {"type": "null"}]}
