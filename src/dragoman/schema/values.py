"""Writes const, enum, lists of types, null and bounds in the forms that a dialect has."""

from __future__ import annotations

from ..text.json_text import Json, JsonObject, canonical
from ..text.redaction import clip_text
from . import keywords
from .keywords import APPLIES, below, classify_value, list_types
from .lowering_result import Lowering, SchemaNode, as_text, node_at, plain_schema


def restate_values(node: SchemaNode, lowering: Lowering) -> None:
    """Write `const` and `enum` with the kinds of values that the dialect lists; others by type."""
    dialect = lowering.dialect
    stays = dialect.allows("const") and classify_value(node.kw.get("const")) in dialect.enums
    if "const" in node.kw and not stays:
        value = node.kw.pop("const")
        home = node.homes.pop("const", None)
        if home is not None:
            node.homes.setdefault("enum", home)
        lowering.note_change(node, "const", as_text(value)[:60], "enum")
        before = node.kw.get("enum")
        if before is not None and canonical(value) not in {canonical(item) for item in before}:
            lowering.note_change(node, "enum", "it lacks the const", "dropped", "wider")
        node.kw["enum"] = [value]
    if isinstance(node.kw.get("enum"), list):
        _enum(node, lowering)


def _enum(node: SchemaNode, lowering: Lowering) -> None:
    dialect = lowering.dialect
    values = _fitting(node, lowering)
    if dialect.enums == {"string"} and "" in values and values != [""]:
        values.remove("")
        lowering.note_change(node, "enum", "an empty text", "dropped", "narrower")
    if len(values) != len(node.kw["enum"]):
        lowering.note_change(node, "enum", "what is there twice or of another type", "dropped")
        node.kw["enum"] = values
    kinds = {classify_value(value) for value in values}
    if dialect.nullable and len(kinds) > 1:
        kinds.discard("null")  # `nullable` is written last
    if dialect.allows("enum") and (not kinds <= dialect.enums or values == [""]):
        _split(node, values, lowering)


def _fitting(node: SchemaNode, lowering: Lowering) -> list[Json]:
    """The values of an enum that its type allows, each once."""
    values = list({canonical(value): value for value in node.kw["enum"]}.values())
    kinds = list_types(node.kw.get("type"))
    fitting = [value for value in values if any(of_type(value, kind) for kind in kinds)]
    if kinds and not fitting:  # nothing fits both; the target's form may still accept values
        lowering.note_change(node, "enum", "values of another type", "kept", "wider")
    return fitting or values


def _split(node: SchemaNode, values: list[Json], lowering: Lowering) -> None:
    """Write kinds of values that the dialect does not list as their types, with a note."""
    groups: dict[str, list[Json]] = {}
    for value in values:
        kind = classify_value(value)
        is_listed = kind in lowering.dialect.enums and value != ""
        groups.setdefault("listed" if is_listed else kind, []).append(value)
    branches = [_branch(kind, of_kind, lowering) for kind, of_kind in groups.items()]
    if all(_exact(kind, of_kind, lowering) for kind, of_kind in groups.items()):
        lowering.note_change(node, "enum", as_text(node.kw.pop("enum"))[:60], "types")
    else:
        lowering.drop(node, "enum")
    if "type" in node.kw:
        lowering.note_change(node, "type", as_text(node.kw.pop("type")), "the values' types")
    if len(branches) == 1:
        for key, value in branches[0].items():
            node.kw.setdefault(key, value)
    elif "anyOf" in node.kw:
        unions = node.kw.pop("anyOf"), [node.only(branch) for branch in branches]
        node.kw["allOf"] = [node.only({"anyOf": union}) for union in unions]
    else:
        node.kw["anyOf"] = [node.only(branch) for branch in branches]


def _branch(kind: str, values: list[Json], lowering: Lowering) -> JsonObject:
    if kind == "listed":
        named = type_of_values(values)
        return {"type": named, "enum": values} if named else {"enum": values}
    if kind == "number":
        result: JsonObject = {"type": "integer" if _whole(values) else "number"}
        for keyword, value in (("minimum", min(values)), ("maximum", max(values))):
            if lowering.dialect.allows(keyword):
                result[keyword] = value
        return result
    return {"type": type_of_values(values)}


def _exact(kind: str, values: list[Json], lowering: Lowering) -> bool:
    """Whether the type alone allows exactly these values."""
    if kind in ("listed", "null"):
        return True
    if kind == "boolean":
        return len(values) == 2
    if kind != "number" or not _whole(values) or not lowering.dialect.allows("minimum"):
        return False
    return len({int(item) for item in values}) == int(max(values) - min(values)) + 1


def _whole(values: list[Json]) -> bool:
    return all(of_type(item, "integer") for item in values)


def type_of_values(values: list[Json]) -> Json:
    """The type or types of the values of an enum; None for no values."""
    number = "integer" if _whole([v for v in values if classify_value(v) == "number"]) else "number"
    kinds = (number if kind == "number" else kind for kind in map(_find_type, values))
    return keywords.type_value(dict.fromkeys(kinds))


def _find_type(value: Json) -> str:
    if isinstance(value, (dict, list)):
        return "object" if isinstance(value, dict) else "array"
    return classify_value(value)


def of_type(value: Json, kind: str) -> bool:
    """Whether a value has a type of JSON Schema, in which 1.0 is an integer."""
    if kind == "integer":
        return classify_value(value) == "number" and (isinstance(value, int) or value.is_integer())
    if kind in ("object", "array"):
        return isinstance(value, dict if kind == "object" else list)
    return classify_value(value) == kind


def restate_types(node: SchemaNode, lowering: Lowering) -> None:
    """Write `type` as the dialect takes it; drop keywords that do not apply to these types."""
    kinds = list_types(node.kw.get("type"))
    if not kinds:
        return
    for keyword in [key for key in node.kw if APPLIES.get(key, _ALL).isdisjoint(kinds)]:
        lowering.drop(node, keyword, "equal", quietly=True)
    if isinstance(node.kw["type"], list) and not lowering.dialect.type_lists:
        _one_type(node, kinds, lowering)


def _one_type(node: SchemaNode, kinds: tuple[str, ...], lowering: Lowering) -> None:
    """Write a list of types for a dialect in which a type is one text."""
    if len(kinds) == 1:
        node.kw["type"] = kinds[0]
    elif lowering.dialect.nullable and len(kinds) == 2 and "null" in kinds:
        return  # `nullable` is written last
    elif lowering.dialect.allows("anyOf"):
        _by_type(node, kinds, lowering)
    else:
        kept = next(kind for kind in kinds if kind != "null")
        lowering.note_change(node, "type", as_text(list(kinds)), kept, "narrower")
        node.kw["type"] = kept
        if values := [item for item in node.kw.get("enum", ()) if of_type(item, kept)]:
            node.kw["enum"] = values


_ALL = frozenset(keywords.TYPES)


def _by_type(node: SchemaNode, kinds: tuple[str, ...], lowering: Lowering) -> None:
    """Write a list of types as a union, in which each type has the keywords that apply to it."""
    lowering.note_change(node, "type", as_text(list(kinds)), "anyOf")
    rules = {key: value for key, value in node.kw.items() if key not in keywords.ANNOTATIONS}
    for keyword in rules:
        del node.kw[keyword]
    del rules["type"]
    node.kw["anyOf"] = []
    for kind in kinds:
        of_kind = {k: v for k, v in rules.items() if kind in APPLIES.get(k, _ALL)}
        branch = {"type": kind, **of_kind}
        if "enum" in branch:
            branch["enum"] = [value for value in branch["enum"] if of_type(value, kind)]
        if branch.get("enum") != []:
            node.kw["anyOf"].append(node.only(branch))


def restate_tuples(node: SchemaNode, lowering: Lowering) -> None:
    """Write `prefixItems` as a union of all items, if a dialect lacks it; and `items: false`."""
    kw = node.kw
    first = kw.get("prefixItems")
    if kw.get("items") is False and lowering.dialect.takes is not None:
        _limit_items(node, len(first) if isinstance(first, list) else 0, lowering)
    if first is None or lowering.dialect.allows("prefixItems"):
        return
    later_items = kw.pop("items", None)
    home = node.home("prefixItems")
    lowering.drop(node, "prefixItems")
    items = [node_at(item, home, "prefixItems", i) for i, item in enumerate(first)]
    if later_items is not None and not keywords.accepts_any(later_items):
        items.append(SchemaNode(later_items, below(node.home("items"), "items")))
    elif kw.get("maxItems", len(first) + 1) > len(first):
        return
    alike = {canonical(plain_schema(item)): item for item in reversed(items)}  # the first
    kw["items"] = _join_any(list(reversed(alike.values())))


def _join_any(schemas: list[Json]) -> Json:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _limit_items(node: SchemaNode, limit: int, lowering: Lowering) -> None:
    """Forbid items after the first ones: at most as many as there are."""
    kw = node.kw
    del kw["items"]
    lowering.note_change(node, "items", "false", f"maxItems {limit}")
    if kw.get("maxItems", limit) > limit:
        lowering.note_change(node, "maxItems", f"maxItems: {kw['maxItems']}", f"{limit}")
        del kw["maxItems"]
    kw.setdefault("maxItems", limit)


def restate_bounds(node: SchemaNode, lowering: Lowering) -> None:
    """Write bounds in the nearest form that the dialect has."""
    kw, dialect = node.kw, lowering.dialect
    most, least = dialect.min_items, kw.get("minItems")
    if most is not None and isinstance(least, int) and least > most:
        lowering.drop(node, "minItems")
        kw["minItems"] = most
    is_integer = kw.get("type") == "integer"
    for bound, step in (("Minimum", 1), ("Maximum", -1)):
        excluding, limit = f"exclusive{bound}", bound.lower()
        value = kw.get(excluding)
        restated = dialect.allows(limit) and not dialect.allows(excluding)
        if not restated or not isinstance(value, (int, float)):
            continue
        nearest = value + step if is_integer and isinstance(value, int) else value
        if nearest != value:
            lowering.note_change(node, excluding, f"{excluding}: {value}", limit)
            del kw[excluding]
        else:
            lowering.drop(node, excluding)
        tighter = (max if step > 0 else min)(kw.get(limit, nearest), nearest)
        if limit in kw and kw[limit] != tighter:
            lowering.note_change(node, limit, f"{limit}: {kw[limit]}", f"{tighter}")
        kw[limit] = tighter


def infer_type(node: SchemaNode, lowering: Lowering, at_root: bool) -> None:
    """Add a type to a schema without one, if the dialect demands it."""
    kw = node.kw
    if at_root and lowering.demands("object root"):
        _object_root(node, lowering)
    if at_root and lowering.demands("root properties"):
        kw.setdefault("properties", {})
    if not lowering.demands("type") or kw.keys() & {"type", "anyOf", "allOf", "$ref"}:
        return
    values = keywords.list_values(kw)
    if isinstance(values, list) and (named := type_of_values(values)):
        kw["type"] = named
        lowering.note_change(node, "type", "not said", "added")
        return
    spoken_of = {kind for key in kw for kind in APPLIES.get(key, ())}
    kinds = [kind for kind in ("object", "array", "string", "number") if kind in spoken_of]
    if kinds:
        kw["type"] = kinds[0]
        lowering.note_change(node, "type", "not said", kinds[0], "narrower")
        return
    lowering.note_change(node, "type", "any value", "one of the plain types", "narrower")
    plain_types = ["string", "number", "boolean", "null"]
    if lowering.dialect.type_lists:
        kw["type"] = plain_types
    else:
        kw["anyOf"] = [{"type": kind} for kind in plain_types]


def _object_root(node: SchemaNode, lowering: Lowering) -> None:
    """Make the root an object, which arguments always are."""
    kinds = list_types(node.kw.get("type"))
    if node.kw.get("type") == "object":
        return
    if kinds and "object" not in kinds:
        lowering.misfit(node.at, f"the root is no object but {', '.join(kinds)}")
        lowering.drop(node, "type", "wider", quietly=True)
    else:
        lowering.note_change(node, "type", ", ".join(kinds) or "not said", "object")
    others = {key: value for key, value in node.kw.items() if key != "type"}
    node.kw.clear()
    node.kw.update({"type": "object", **others})
    node.kw.setdefault("properties", {})


def restate_pattern_properties(node: SchemaNode, lowering: Lowering) -> None:
    """Write properties named by patterns, if a dialect has none, as properties of any name."""
    kw = node.kw
    if "patternProperties" not in kw or lowering.dialect.allows("patternProperties"):
        return
    others, home = kw.get("additionalProperties", True), node.home("patternProperties")
    alternatives = [
        node_at(value, home, "patternProperties", name)
        for name, value in kw["patternProperties"].items()
    ]
    lowering.drop(node, "patternProperties")
    if keywords.accepts_any(others) or not lowering.dialect.allows("additionalProperties"):
        return
    if lowering.demands("closed"):
        kw["additionalProperties"] = True  # reported as a free map
        return
    did = "and the patterns' schemas"
    lowering.note_change(node, "additionalProperties", as_text(others)[:60], did, "wider")
    if isinstance(others, dict):
        place = below(node.home("additionalProperties"), "additionalProperties")
        alternatives.append(SchemaNode(others, place))
    kw["additionalProperties"] = _join_any(alternatives)


def drop_additional_properties(node: SchemaNode, lowering: Lowering) -> None:
    """Drop `additionalProperties` if the dialect lacks it; a schema in it goes to the notes."""
    others = node.kw.get("additionalProperties")
    if others is None or lowering.dialect.allows("additionalProperties"):
        return
    if keywords.accepts_any(others):
        lowering.drop(node, "additionalProperties", "equal", quietly=True)
    else:
        lowering.drop(node, "additionalProperties", quietly=others is False)


def close_object(node: SchemaNode, lowering: Lowering) -> None:
    """Make objects refuse other properties, if the dialect demands it."""
    kw = node.kw
    if "object" not in list_types(kw.get("type")):
        return
    if lowering.demands("closed") and kw.get("additionalProperties") is not False:
        if "additionalProperties" in kw:
            lowering.misfit(node.home("additionalProperties"), "a free map cannot be closed")
            lowering.drop(node, "additionalProperties", "narrower", quietly=True)
        else:
            lowering.note_change(node, "additionalProperties", "not said", "false", "narrower")
        kw["additionalProperties"] = False
    if lowering.demands("closed"):
        kw.setdefault("properties", {})
    if lowering.demands("known required") and "required" in kw:
        names = kw.get("properties", {})
        lowering.unrequire(node, [name for name in kw["required"] if name not in names])
    if lowering.demands("some required") and not kw.get("required"):
        lowering.misfit(node.at, "every object needs something that is required")


def complete(result: JsonObject, node: SchemaNode, lowering: Lowering, at_root: bool) -> JsonObject:
    """Add what the dialect demands of a schema whose inner ones are lowered."""
    kinds = list_types(result.get("type"))
    if lowering.demands("all required") and "properties" in result:
        result = _all_required(result, node, lowering)
    any_value = lowering.dialect.takes is None and not lowering.demands("type")
    says = "items" in result or ("prefixItems" in result and not any_value)
    if lowering.demands("items") and "array" in kinds and not says:
        if any_value:
            lowering.note_change(node, "items", "not said", "any value")
            return {**result, "items": {}}
        lowering.note_change(node, "items", "any value", "string", "narrower")
        result = {**result, "items": {"type": "STRING" if lowering.dialect.upper else "string"}}
    if lowering.demands("properties") and not at_root and "object" in kinds:
        return result if result.get("properties") else _as_json_text(result, node, kinds, lowering)
    return result


def _as_json_text(
    result: JsonObject, node: SchemaNode, kinds: tuple[str, ...], lowering: Lowering
) -> JsonObject:
    """Write an object without properties as a text that holds its JSON."""
    lowering.note_change(node, "properties", "none", "JSON text", "narrower")
    lowering.note_change(node, "type", "object", "JSON text", "wider")
    annotations = _only_words(result)
    for keyword in result:
        if keyword not in annotations and keyword not in ("type", "properties"):
            lowering.note_change(
                node, keyword, clip_text(as_text(result[keyword])), "dropped", "wider"
            )
    text = f"{annotations.get('description', '')} (a JSON object as text)".strip()
    others = [kind for kind in kinds if kind not in ("object", "string")]
    return {"type": keywords.type_value(["string", *others]), **annotations, "description": text}


def _only_words(schema: JsonObject) -> JsonObject:
    return {key: schema[key] for key in ("title", "description") if key in schema}


def _all_required(result: JsonObject, node: SchemaNode, lowering: Lowering) -> JsonObject:
    """Require every property; an optional one may be null instead, which means absent."""
    needed = set(result.get("required", []))
    absent = [name for name in result["properties"] if name not in needed]
    properties = dict(result["properties"])
    for name in absent:
        path = below("properties", name)
        lowering.note_change(node, path, "optional", "required", "narrower")
        if not _takes_null(properties[name], lowering, 0):
            lowering.note_change(node, path, "optional", "or null", "wider")
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
    return "null" in list_types(schema.get("type")) or "type" not in schema


def _or_null(schema: JsonObject) -> JsonObject:
    annotations = _only_words(schema)
    constraints = {key: value for key, value in schema.items() if key not in annotations}
    branches = constraints["anyOf"] if constraints.keys() == {"anyOf"} else [constraints]
    return {**annotations, "anyOf": [*branches, {"type": "null"}]}
