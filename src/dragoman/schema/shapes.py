"""Types and objects as a dialect takes them: what must be said, and what may stand beside it."""

from __future__ import annotations

from ..jsontext import Json, JsonObject
from ..shown import clipped
from .values import guessed
from .words import APPLIES, accepts_any, below, types_of
from .work import Run, Work, spoken

__all__ = ["closed", "completed", "inferred", "open_ended", "patterned"]


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
