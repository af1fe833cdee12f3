"""Values and types: const, enum, lists of types and null, in the forms that a dialect has."""

from __future__ import annotations

from typing import Any

from ..jsontext import Json, JsonObject, canonical
from .words import ANNOTATIONS, APPLIES, TYPES, kind_of, types_of
from .work import Run, Work, spoken

__all__ = ["guessed", "listed", "of_type", "typed"]

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
