"""Values and types: const, enum, lists of types and null, in the forms that a dialect has."""

from __future__ import annotations

from typing import Any

from .._core.jsontext import Json, JsonObject, canonical
from .._core.redaction import clipped
from .keywords import ANNOTATIONS, APPLIES, TYPES, accepts_any, below, kind_of, types_of
from .work import Run, Work, plain, spoken

_OF_KIND = {"string": "string", "boolean": "boolean", "null": "null"}


def listed(work: Work, run: Run) -> None:
    """`const` and `enum` with the kinds of values that the dialect lists; others become types."""
    if "const" in work.kw and not _const_stays(work, run):
        value = work.kw.pop("const")
        home = work.homes.pop("const", None)
        if home is not None:
            work.homes.setdefault("enum", home)
        run.changed(work, "const", spoken(value)[:60], "enum")
        old = work.kw.get("enum")
        if old is not None and canonical(value) not in {canonical(one) for one in old}:
            run.changed(work, "enum", "it lacks the const", "dropped", "wider")
        work.kw["enum"] = [value]
    if isinstance(work.kw.get("enum"), list):
        _enum(work, run)


def _const_stays(work: Work, run: Run) -> bool:
    spoken_ = run.dialect
    return spoken_.allowed("const") and kind_of(work.kw["const"]) in spoken_.enums


def _enum(work: Work, run: Run) -> None:
    spoken_ = run.dialect
    values = _fitting(work, run)
    if spoken_.enums == {"string"} and "" in values and values != [""]:
        values.remove("")
        run.changed(work, "enum", "an empty text", "dropped", "narrower")
    if len(values) != len(work.kw["enum"]):
        run.changed(work, "enum", "what is there twice or of another type", "dropped")
        work.kw["enum"] = values
    found = {kind_of(one) for one in values}
    if spoken_.nullable and len(found) > 1:
        found.discard("null")  # said by its word, last of all
    if spoken_.allowed("enum") and (not found <= spoken_.enums or values == [""]):
        _split(work, values, run)


def _fitting(work: Work, run: Run) -> list[Json]:
    """The values of an enum, each once, that its type lets be."""
    values = list({canonical(one): one for one in work.kw["enum"]}.values())
    kinds = types_of(work.kw.get("type"))
    fitting = [one for one in values if any(of_type(one, kind) for kind in kinds)]
    if kinds and not fitting:  # nothing fits both; the target's form may let something through
        run.changed(work, "enum", "values of another type", "kept", "wider")
    return fitting or values


def _split(work: Work, values: list[Json], run: Run) -> None:
    """Kinds that the dialect does not list are said by their types, and told."""
    groups: dict[str, list[Json]] = {}
    for one in values:
        kind = kind_of(one)
        groups.setdefault("listed" if kind in run.dialect.enums and one != "" else kind, []).append(
            one
        )
    branches = [_branch(kind, some, run) for kind, some in groups.items()]
    exact = all(_exact(kind, some, run) for kind, some in groups.items())
    if exact:
        run.changed(work, "enum", spoken(work.kw.pop("enum"))[:60], "types")
    else:
        run.drop(work, "enum")
    if "type" in work.kw:
        run.changed(work, "type", spoken(work.kw.pop("type")), "the values' types")
    if len(branches) == 1:
        for key, value in branches[0].items():
            work.kw.setdefault(key, value)
    elif "anyOf" in work.kw:
        made = [work.only(branch) for branch in branches]
        work.kw["allOf"] = [work.only({"anyOf": work.kw.pop("anyOf")}), work.only({"anyOf": made})]
    else:
        work.kw["anyOf"] = [work.only(branch) for branch in branches]


def _branch(kind: str, values: list[Json], run: Run) -> JsonObject:
    if kind == "listed":
        return {"type": guessed(values), "enum": values} if guessed(values) else {"enum": values}
    if kind == "number":
        made: JsonObject = {"type": "integer" if _whole(values) else "number"}
        for keyword, value in (("minimum", min(values)), ("maximum", max(values))):
            if run.dialect.allowed(keyword):
                made[keyword] = value
        return made
    if kind == "other":
        kinds = list(
            dict.fromkeys("object" if isinstance(one, dict) else "array" for one in values)
        )
        return {"type": kinds[0] if len(kinds) == 1 else kinds}
    return {"type": _OF_KIND[kind]}


def _exact(kind: str, values: list[Json], run: Run) -> bool:
    """Whether the type says just these values."""
    if kind in ("listed", "null"):
        return True
    if kind == "boolean":
        return len(values) == 2
    if kind != "number" or not _whole(values) or not run.dialect.allowed("minimum"):
        return False
    return len({int(one) for one in values}) == int(max(values) - min(values)) + 1


def _whole(values: list[Json]) -> bool:
    return all(of_type(one, "integer") for one in values)


def guessed(values: list[Json]) -> str | list[str] | None:
    """The type or types of the values of an enum."""
    kinds: dict[str, None] = {}
    for one in values:
        if isinstance(one, dict):
            kinds["object"] = None
        elif isinstance(one, list):
            kinds["array"] = None
        elif kind_of(one) == "number":
            kinds["integer" if _whole([v for v in values if kind_of(v) == "number"]) else
                  "number"] = None  # fmt: skip
        else:
            kinds[_OF_KIND[kind_of(one)]] = None
    names = list(kinds)
    return None if not names else names[0] if len(names) == 1 else names


def of_type(value: Json, kind: str) -> bool:
    """Whether a value has a type of JSON Schema; 1.0 is an integer there."""
    if kind == "integer":
        return kind_of(value) == "number" and (isinstance(value, int) or value.is_integer())
    if kind in ("object", "array"):
        return isinstance(value, dict if kind == "object" else list)
    return kind_of(value) == kind


def typed(work: Work, run: Run) -> None:
    """`type` as the dialect takes it; keywords that say nothing of these types are left out."""
    kinds = types_of(work.kw.get("type"))
    if not kinds:
        return
    for keyword in [key for key in work.kw if APPLIES.get(key, _ALL).isdisjoint(kinds)]:
        run.drop(work, keyword, "equal", quietly=True)
    if isinstance(work.kw["type"], list) and not run.dialect.type_lists:
        _one_type(work, kinds, run)


def _one_type(work: Work, kinds: tuple[str, ...], run: Run) -> None:
    """A list of types where a type is one text."""
    if len(kinds) == 1:
        work.kw["type"] = kinds[0]
    elif run.dialect.nullable and len(kinds) == 2 and "null" in kinds:
        return  # the word for null is said last of all
    elif run.dialect.allowed("anyOf"):
        _by_type(work, kinds, run)
    else:
        kept = next(kind for kind in kinds if kind != "null")
        run.changed(work, "type", spoken(list(kinds)), kept, "narrower")
        work.kw["type"] = kept
        values = [one for one in work.kw.get("enum", ()) if of_type(one, kept)]
        if values:
            work.kw["enum"] = values


_ALL = frozenset(TYPES)


def _by_type(work: Work, kinds: tuple[str, ...], run: Run) -> None:
    """A list of types as a union: each with the keywords that speak of it."""
    run.changed(work, "type", spoken(list(kinds)), "anyOf")
    rules: dict[str, Any] = {k: work.kw.pop(k) for k in list(work.kw) if k not in ANNOTATIONS}
    del rules["type"]
    branches = []
    for kind in kinds:
        own = {k: v for k, v in rules.items() if kind in APPLIES.get(k, _ALL)}
        if "enum" in own:
            own["enum"] = [one for one in own["enum"] if of_type(one, kind)]
            if not own["enum"]:
                continue
        branches.append(work.only({"type": kind, **own}))
    work.kw["anyOf"] = branches


def positions(work: Work, run: Run) -> None:
    """`prefixItems` where a dialect lacks it: every item may be any of them. And `items: false`."""
    kw = work.kw
    first = kw.get("prefixItems")
    if kw.get("items") is False and run.dialect.takes is not None:
        _counted(work, len(first) if isinstance(first, list) else 0, run)
    if first is None or run.dialect.allowed("prefixItems"):
        return
    rest = kw.pop("items", None)
    rest = None if accepts_any(rest) else rest
    home = work.home("prefixItems")
    run.drop(work, "prefixItems")
    some: list[Json] = [
        Work(one, below(home, "prefixItems", i)) if isinstance(one, dict) else one
        for i, one in enumerate(first)
    ]
    if rest is None and kw.get("maxItems", len(first) + 1) > len(first):
        return
    if rest is not None:
        some.append(Work(rest, below(work.home("items"), "items")))
    different = _different(some)
    kw["items"] = different[0] if len(different) == 1 else {"anyOf": different}


def _counted(work: Work, most: int, run: Run) -> None:
    """No items behind the first ones: as many as those at most."""
    kw = work.kw
    del kw["items"]
    run.changed(work, "items", "false", f"maxItems {most}")
    if kw.get("maxItems", most) > most:
        run.changed(work, "maxItems", f"maxItems: {kw['maxItems']}", f"{most}")
        del kw["maxItems"]
    kw.setdefault("maxItems", most)


def _different(some: list[Json]) -> list[Json]:
    found: list[Any] = []
    made: list[Json] = []
    for one in some:
        if (said := plain(one)) not in found:
            found.append(said)
            made.append(one)
    return made


def bounded(work: Work, run: Run) -> None:
    """Bounds in the nearest words that the dialect has."""
    kw, most = work.kw, run.dialect.min_items
    if most is not None and isinstance(least := kw.get("minItems"), int) and least > most:
        run.drop(work, "minItems")
        kw["minItems"] = most
    whole = kw.get("type") == "integer"
    for bound, step in (("Minimum", 1), ("Maximum", -1)):
        excluding, plain_ = f"exclusive{bound}", bound.lower()
        value = kw.get(excluding)
        if run.dialect.allowed(excluding) or not isinstance(value, (int, float)):
            continue
        if not run.dialect.allowed(plain_):
            continue
        nearest = value + step if whole and isinstance(value, int) else value
        exact = nearest != value
        if exact:
            run.changed(work, excluding, f"{excluding}: {value}", plain_)
            del kw[excluding]
        else:
            run.drop(work, excluding)
        tighter = (max if step > 0 else min)(kw.get(plain_, nearest), nearest)
        if plain_ in kw and kw[plain_] != tighter:
            run.changed(work, plain_, f"{plain_}: {kw[plain_]}", f"{tighter}")
        kw[plain_] = tighter


def inferred(work: Work, run: Run, at_root: bool) -> None:
    """A type for a schema that says none, where the dialect demands one."""
    kw = work.kw
    if at_root and run.demands("object root"):
        _object_root(work, run)
    if not run.demands("type") or kw.keys() & {"type", "anyOf", "allOf", "$ref"}:
        return
    listed = [kw["const"]] if "const" in kw else kw.get("enum")
    if isinstance(listed, list) and (kind := guessed(listed)):
        kw["type"] = kind
        run.changed(work, "type", "not said", "added")
        return
    said = [APPLIES[key] for key in kw if key in APPLIES]
    kinds = [
        kind for kind in ("object", "array", "string", "number") if any(kind in s for s in said)
    ]
    if kinds:
        kw["type"] = kinds[0]
        run.changed(work, "type", "not said", kinds[0], "narrower")
        return
    run.changed(work, "type", "any value", "one of the plain types", "narrower")
    plain_types = ["string", "number", "boolean", "null"]
    if run.dialect.type_lists:
        kw["type"] = plain_types
    else:
        kw["anyOf"] = [{"type": kind} for kind in plain_types]


def _object_root(work: Work, run: Run) -> None:
    """The root's type is object: arguments always are."""
    kinds = types_of(work.kw.get("type"))
    if work.kw.get("type") == "object":
        return
    if kinds and "object" not in kinds:
        run.misfit(work.at, f"the root is no object but {', '.join(kinds)}")
        run.drop(work, "type", "wider", quietly=True)
    else:
        run.changed(work, "type", ", ".join(kinds) or "not said", "object")
    rest = {key: value for key, value in work.kw.items() if key != "type"}
    work.kw.clear()
    work.kw.update({"type": "object", **rest})
    work.kw.setdefault("properties", {})


def patterned(work: Work, run: Run) -> None:
    """Properties named by patterns, where a dialect has none: what fits any may have any name."""
    kw = work.kw
    if "patternProperties" not in kw or run.dialect.allowed("patternProperties"):
        return
    rest, home = kw.get("additionalProperties", True), work.home("patternProperties")
    some = [
        value if not isinstance(value, dict)
        else Work(value, below(home, "patternProperties", name))
        for name, value in kw["patternProperties"].items()
    ]  # fmt: skip
    run.drop(work, "patternProperties")
    if accepts_any(rest) or not run.dialect.allowed("additionalProperties"):
        return
    if run.demands("closed"):
        kw["additionalProperties"] = True  # told as the free map that it is
        return
    run.changed(
        work, "additionalProperties", spoken(rest)[:60], "and the patterns' schemas", "wider"
    )
    if isinstance(rest, dict):
        some.append(Work(rest, below(work.home("additionalProperties"), "additionalProperties")))
    kw["additionalProperties"] = some[0] if len(some) == 1 else {"anyOf": some}


def open_ended(work: Work, run: Run) -> None:
    """`additionalProperties` where the dialect lacks it: a rule for others is told."""
    rest = work.kw.get("additionalProperties")
    if rest is None or run.dialect.allowed("additionalProperties"):
        return
    if accepts_any(rest):
        run.drop(work, "additionalProperties", "equal", quietly=True)
    else:
        run.drop(work, "additionalProperties", quietly=rest is False)


def closed(work: Work, run: Run) -> None:
    """Objects that refuse other properties, where the dialect demands it."""
    kw = work.kw
    if "object" not in types_of(kw.get("type")):
        return
    if run.demands("closed") and kw.get("additionalProperties") is not False:
        free = "additionalProperties" in kw
        if free:
            run.misfit(work.home("additionalProperties"), "a free map cannot be closed")
            run.drop(work, "additionalProperties", "narrower", quietly=True)
        else:
            run.changed(work, "additionalProperties", "not said", "false", "narrower")
        kw.setdefault("properties", {})
        kw["additionalProperties"] = False
    if run.demands("known required"):
        _known(work, run)
    if run.demands("some required") and not kw.get("required"):
        run.misfit(work.at, "every object needs something that is required")


def _known(work: Work, run: Run) -> None:
    kw = work.kw
    if "required" not in kw:
        return
    there = kw.get("properties", {})
    unknown = [name for name in kw["required"] if name not in there]
    for name in unknown:
        run.changed(work, "required", name, "dropped", "wider")
    if unknown:
        kw["required"] = [name for name in kw["required"] if name in there]
        if not kw["required"]:
            del kw["required"]


def completed(made: JsonObject, work: Work, run: Run, at_root: bool) -> JsonObject:
    """What is demanded of a schema whose inner ones are lowered; a new one where it changes."""
    kinds = types_of(made.get("type"))
    if run.demands("all required") and "properties" in made:
        made = _all_required(made, work, run)
    if run.demands("items") and "array" in kinds and "items" not in made:
        run.changed(work, "items", "any value", "string", "narrower")
        made = {**made, "items": {"type": "STRING" if run.dialect.upper else "string"}}
    if (
        run.demands("properties")
        and not at_root
        and "object" in kinds
        and not made.get("properties")
    ):
        run.changed(work, "properties", "none", "JSON text", "narrower")
        run.changed(work, "type", "object", "JSON text", "wider")
        kept: JsonObject = {key: made[key] for key in ("title", "description") if key in made}
        for keyword in [
            key for key in made if key not in kept and key not in ("type", "properties")
        ]:
            run.changed(work, keyword, clipped(spoken(made[keyword])), "dropped", "wider")
        kept["description"] = f"{kept.get('description', '')} (a JSON object as text)".strip()
        others = [kind for kind in kinds if kind not in ("object", "string")]
        return {"type": ["string", *others] if others else "string", **kept}
    return made


def _all_required(made: JsonObject, work: Work, run: Run) -> JsonObject:
    """Every property required; what was optional may be null, which stands for absent."""
    needed = made.get("required", [])
    absent = [name for name in made["properties"] if name not in needed]
    properties = dict(made["properties"])
    for name in absent:
        path = below("properties", name)
        run.changed(work, path, "optional", "required", "narrower")
        if not _takes_null(properties[name], run, 0):
            run.changed(work, path, "optional", "or null", "wider")
            properties[name] = _or_null(properties[name])
    if not absent and "required" in made:
        return made
    return {**made, "properties": properties, "required": list(properties)}


def _takes_null(node: Json, run: Run, level: int) -> bool:
    if not isinstance(node, dict):
        return node is True
    if "enum" in node or "const" in node:
        return None in node.get("enum", [node.get("const", 0)])
    if "anyOf" in node:
        return any(_takes_null(one, run, level + 1) for one in node["anyOf"])
    if isinstance(node.get("$ref"), str) and level < 4:
        found = run.refs.target(node["$ref"])
        return found is not None and _takes_null(found[1], run, level + 1)
    return "null" in types_of(node.get("type")) or "type" not in node


def _or_null(node: JsonObject) -> JsonObject:
    outer: JsonObject = {key: node[key] for key in ("title", "description") if key in node}
    rest = {key: value for key, value in node.items() if key not in outer}
    if rest.keys() == {"anyOf"}:
        return {**outer, "anyOf": [*rest["anyOf"], {"type": "null"}]}
    return {**outer, "anyOf": [rest, {"type": "null"}]}
