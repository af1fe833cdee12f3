"""Several schemas that hold at once as one: what `allOf` and the neighbours of `$ref` say.

Exact where JSON Schema allows it; what cannot be joined is told instead, and the result is wider.
"""

from __future__ import annotations

from itertools import product

from ..jsontext import Json, canonical
from .grouped import join_groups
from .words import ANNOTATIONS, LENIENT, accepts_any, below, types_of
from .work import Run, Work, spoken

__all__ = ["common_types", "conjoin", "joined_branches"]

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
