"""Keywords that mean something together, of two schemas that hold at once.

What an object lets stand beside its properties depends on which those are; so with arrays.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from .._core.jsontext import Json, JsonObject, canonical
from .keywords import ANNOTATIONS, LENIENT, accepts_any, below, named, types_of
from .work import Run, Work, spoken

_GROUPS = (
    frozenset({"properties", "patternProperties", "additionalProperties"}),
    frozenset({"items", "prefixItems"}),
    frozenset({"if", "then", "else"}),
)


def join_groups(work: Work, source: Work, run: Run) -> None:
    """Join what two schemas say of objects, of arrays and of conditions."""
    _group_objects(work, source, run)
    for group in _GROUPS[1:]:
        _group(work, source, group, run)


def _group(work: Work, source: Work, group: frozenset[str], run: Run) -> None:
    """Keywords that mean something together: borrowed together, or not at all."""
    theirs = [key for key in source.kw if key in group]
    if not theirs or not any(key in work.kw for key in group):
        return
    if theirs == ["items"] and "items" in work.kw and "prefixItems" not in work.kw:
        work.kw["items"] = _both(work, source, "items")
        del source.kw["items"]
        return
    for keyword in theirs:
        run.drop(source, keyword)
    work.told.extend(source.told)
    source.told.clear()


def _both(work: Work, source: Work, keyword: str, *names: str) -> Json:
    """The schemas below a keyword of both as one that asks for both."""
    places = []
    for one in (work, source):
        value: Any = one.kw[keyword]
        for name in names:
            value = value[name]
        path = below(one.home(keyword), keyword, *names)
        places.append(Work(value, path) if isinstance(value, dict) else value)
    if places[0] is True or (isinstance(places[0], Work) and not places[0].kw):
        return places[1]
    if places[1] is True or (isinstance(places[1], Work) and not places[1].kw):
        return places[0]
    return Work({"allOf": places}, below(work.home(keyword), keyword, *names))


def _group_objects(work: Work, source: Work, run: Run) -> None:
    """Properties of both, and what each lets stand beside its own."""
    group, a, b = _GROUPS[0], work.kw, source.kw
    if not group & a.keys() or not group & b.keys():
        return
    closed = _closed(work, source, run)
    names = _names(a.get("properties", {}), b.get("properties", {}), closed)
    needed = {*a.get("required", ()), *b.get("required", ())}
    if any(closed) and needed - set(names):  # nobody could meet both
        names = _names(a.get("properties", {}), b.get("properties", {}), [False, False])
        run.changed(source, "additionalProperties", "false", "dropped", "wider")
    for one in (work, source):
        place = Work({}, one.home("properties"))
        for name in [name for name in one.kw.get("properties", {}) if name not in names]:
            run.changed(place, below("properties", name), "refused beside it", "dropped")
    _properties(work, source, names)
    if any(closed):
        a["additionalProperties"] = False
        b.pop("additionalProperties", None)
    if "patternProperties" in a and "patternProperties" in b:
        run.drop(source, "patternProperties")
        work.told.extend(source.told)
        source.told.clear()


def _closed(work: Work, source: Work, run: Run) -> list[bool]:
    """Which of the two lets nothing else stand; where that can't be joined, both are opened."""
    rest = [one.kw.get("additionalProperties", True) for one in (work, source)]
    plain = all(one is False or accepts_any(one) for one in rest)
    patterns = "patternProperties" in work.kw or "patternProperties" in source.kw
    if plain and not (patterns and False in rest):
        return [one is False for one in rest]
    _open(work, source, run)
    return [False, False]


def _open(work: Work, source: Work, run: Run) -> None:
    for one in (work, source):
        if "additionalProperties" in one.kw:
            run.drop(one, "additionalProperties", quietly=one.kw["additionalProperties"] is False)
    work.told.extend(source.told)
    source.told.clear()


def _names(a: JsonObject, b: JsonObject, closed: list[bool]) -> list[str]:
    """The properties that both sides allow by name."""
    named = list(dict.fromkeys([*a, *b]))
    return [
        name for name in named
        if (name in a or not closed[0]) and (name in b or not closed[1])
    ]  # fmt: skip


def _properties(work: Work, source: Work, names: list[str]) -> None:
    a, b = work.kw.get("properties", {}), source.kw.pop("properties", {})
    made: JsonObject = {}
    theirs = Work({"properties": b}, source.home("properties"))
    mine = Work({"properties": a}, work.home("properties"))
    for name in names:
        if name in a and name in b:
            made[name] = _both(mine, theirs, "properties", name)
        elif name in b:
            path = below(theirs.at, "properties", name)
            made[name] = Work(b[name], path) if isinstance(b[name], dict) else b[name]
        else:
            path = below(mine.at, "properties", name)
            made[name] = Work(a[name], path) if isinstance(a[name], dict) else a[name]
    if made or "properties" in work.kw:
        work.kw["properties"] = made


_PAIRS = 16  # branches that two unions may multiply to


_RESTS = ("unevaluatedProperties", "unevaluatedItems")  # they hang on all that holds beside them


_HIGHEST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})


_LOWEST = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def conjoin(work: Work, other: Json | Work, path: str, run: Run) -> None:
    """Let `other`, which stands at `path`, hold for `work` as well."""
    if isinstance(other, Work):
        told, homes, path = other.kw, other.homes, other.at
    else:
        told, homes = other if isinstance(other, dict) else {}, {}
        if other is False:
            run.changed(Work({}, path), "", "nothing fits", "dropped", "wider")
    mine = work.kw
    for keyword in [key for key in _RESTS if key in mine]:
        if told:
            run.drop(work, keyword)
    source = Work(told, path, homes)
    for keyword in [key for key in ("$defs", "definitions") if key in source.kw]:
        run.changed(source, keyword, "definitions", "inlined")
        del source.kw[keyword]
    for keyword in _RESTS:
        if keyword in source.kw and mine:
            run.drop(source, keyword)
    work.told.extend(source.told)
    join_groups(work, source, run)
    for keyword, value in list(source.kw.items()):
        _one(work, source, keyword, value, run)


def _take(work: Work, source: Work, keyword: str) -> None:
    """Borrow a keyword that `work` lacks."""
    work.kw[keyword] = source.kw[keyword]
    home = source.home(keyword)
    if home != work.at:
        work.homes[keyword] = home


def _one(work: Work, source: Work, keyword: str, value: Json, run: Run) -> None:
    mine = work.kw
    if keyword not in mine:
        _take(work, source, keyword)
        return
    if _same(mine[keyword], value):
        return
    if keyword in ANNOTATIONS:  # the nearer one speaks
        run.drop(source, keyword, "equal", quietly=True)
        return
    if keyword in LENIENT and accepts_any(value):
        return
    made = _met(keyword, mine[keyword], value, (work, source))
    if made is not None:
        if made != mine[keyword]:
            run.changed(work, keyword, spoken(mine[keyword])[:60], "joined")
        mine[keyword] = made
        return
    if keyword not in source.kw:
        return
    run.drop(source, keyword)
    work.told.extend(said for said in source.told if said not in work.told)
    source.told.clear()


def _met(keyword: str, a: Json, b: Json, places: tuple[Work, Work]) -> Json:
    """Both values of one keyword as one; None where there is none."""
    if keyword == "type":
        return _narrowed(a, b)
    if keyword == "required":
        return list(dict.fromkeys([*a, *b]))
    if keyword == "enum":
        known = {canonical(one) for one in b}
        return [one for one in a if canonical(one) in known] or None
    if keyword in _HIGHEST and _number(a) and _number(b):
        return max(a, b)
    if keyword in _LOWEST and _number(a) and _number(b):
        return min(a, b)
    if keyword == "uniqueItems":
        return a is True or b is True
    if keyword == "allOf":
        return [*_placed(keyword, a, places[0]), *_placed(keyword, b, places[1])]
    if keyword == "anyOf":
        return _multiplied(a, b, places)
    return None


def _number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _same(a: Json, b: Json) -> bool:
    return a is b or (not isinstance(a, (dict, list)) and type(a) is type(b) and bool(a == b))


def _narrowed(a: Json, b: Json) -> Json:
    found = common_types(types_of(a), types_of(b))
    return None if not found else found[0] if len(found) == 1 else list(found)


def common_types(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    """The types that both allow; an integer is a number."""
    made = [one for one in a if one in b or (one == "integer" and "number" in b)]
    if "number" in a and "integer" in b and "number" not in b:
        made.append("integer")
    return tuple(dict.fromkeys(made))


def _placed(keyword: str, branches: list[Json], place: Work) -> list[Work | Json]:
    home = below(place.home(keyword), keyword)
    return [
        one if isinstance(one, Work) or not isinstance(one, dict) else Work(one, below(home, i))
        for i, one in enumerate(branches)
    ]


def joined_branches(keyword: str, place: Work) -> list[Work | Json]:
    """The branches of a union, each with its place."""
    return _placed(keyword, place.kw[keyword], place)


def _multiplied(a: list[Json], b: list[Json], places: tuple[Work, Work]) -> list[Json] | None:
    """Two unions that hold at once: every branch with every branch, if those are not many."""
    if len(a) * len(b) > _PAIRS:
        return None
    both = product(_placed("anyOf", a, places[0]), _placed("anyOf", b, places[1]))
    return [Work({"allOf": list(pair)}, places[0].at) for pair in both]


UNROLL = 3  # a schema that leads back to itself is written this often into itself


def settle(work: Work, run: Run, at_root: bool = False) -> list[str]:
    """Inline the references that may not stay and join `allOf`; the references that were opened.

    The caller closes them when it is done with what is inside.
    """
    opened: list[str] = []
    steps = 0
    while steps < 100:
        steps += 1
        if "$ref" in work.kw and not _stays(work, run, at_root):
            _inline(work, run, opened)
        elif "allOf" in work.kw and not _all_stay(work, run, at_root):
            branches = work.kw["allOf"]
            run.changed(work, "allOf", f"{len(branches)} schemas", "joined")
            home = below(work.home("allOf"), "allOf")
            del work.kw["allOf"]
            for i, branch in enumerate(branches):
                conjoin(work, branch, below(home, i), run)
        else:
            break
    return opened


def _stays(work: Work, run: Run, at_root: bool) -> bool:
    """Whether a reference may stand here as it is."""
    spoken, ref = run.dialect, work.kw["$ref"]
    if not isinstance(ref, str) or spoken.refs == "none" or not spoken.allowed("$ref", at_root):
        return False
    if at_root and run.demands("object root"):
        return False
    if (named(ref) is None and ref != "#") or run.refs.target(ref) is None:
        return False
    if spoken.recursion == "none" and ref in run.refs.endless:
        return False
    return spoken.refs == "any" or all(key.startswith("$") for key in work.kw)


def _all_stay(work: Work, run: Run, at_root: bool) -> bool:
    if not run.dialect.allowed("allOf", at_root) or (at_root and run.demands("plain root")):
        return False
    if run.dialect.takes is None:
        return True
    return all(isinstance(one, dict) and "$ref" not in one for one in work.kw["allOf"])


def _inline(work: Work, run: Run, opened: list[str]) -> None:
    """Put what a reference leads to in its place; too often on one way down, and nothing is put."""
    ref = work.kw["$ref"]
    found = run.refs.target(ref) if isinstance(ref, str) else None
    if found is None:
        run.drop(work, "$ref", quietly=True)
        return
    path, target = found
    times = run.opened.get(ref, 0)
    if times >= UNROLL or run.left <= 0:
        run.changed(work, "$ref", ref, "cut off", "wider")
        del work.kw["$ref"]
        if isinstance(target, dict) and target.get("type") == "object":
            work.kw.setdefault("type", "object")
        return
    run.changed(work, "$ref", ref, "inlined")
    del work.kw["$ref"]
    run.opened[ref] = times + 1
    opened.append(ref)
    conjoin(work, target, path, run)
