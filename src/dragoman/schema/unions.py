"""oneOf and anyOf in the forms that a dialect has: one for the other, alone, or flattened."""

from __future__ import annotations

from .._core.jsontext import Json, JsonObject, canonical
from .keywords import ANNOTATIONS, accepts_any, below, types_of
from .merge import common_types, conjoin, joined_branches, settle
from .values import of_type
from .work import Run, Verdict, Work, plain


def united(work: Work, run: Run, at_root: bool) -> None:
    """`oneOf` as `anyOf` where a target lacks it: the same if no two branches meet."""
    if "oneOf" not in work.kw or run.dialect.allowed("oneOf", at_root):
        return
    branches = joined_branches("oneOf", work)
    apart = _apart(branches, run)
    run.changed(work, "oneOf", f"{len(branches)} schemas", "anyOf", "equal" if apart else "wider")
    del work.kw["oneOf"]
    work.homes.pop("oneOf", None)
    if "anyOf" in work.kw:
        conjoin(work, work.only({"anyOf": branches}), work.at, run)
    else:
        work.kw["anyOf"] = branches


def _apart(branches: list[Json], run: Run) -> bool:
    """Whether no value can fit two of the branches, as far as types and constants say."""
    if len(branches) > 32:
        return False
    seen = [_seen(one, run) for one in branches]
    return all(_differ(a, b) for i, a in enumerate(seen) for b in seen[i + 1 :])


def _seen(node: Json, run: Run) -> dict[str, Json]:
    """What a branch says at its top, through a reference."""
    for _ in range(4):
        kw = node.kw if isinstance(node, Work) else node if isinstance(node, dict) else {}
        if not isinstance(kw.get("$ref"), str):
            return kw
        found = run.refs.target(kw["$ref"])
        if found is None:
            return {}
        node = found[1]
    return {}


def _differ(a: dict[str, Json], b: dict[str, Json]) -> bool:
    one, other = _values(a), _values(b)
    if one is not None and other is not None:
        return not one & other
    mine, theirs = types_of(a.get("type")), types_of(b.get("type"))
    if mine and theirs and not _meet(mine, theirs):
        return True
    if mine != ("object",) or theirs != ("object",):
        return False
    needed = {*a.get("required", ())} & {*b.get("required", ())}
    for name in needed:
        first = a.get("properties", {}).get(name)
        second = b.get("properties", {}).get(name)
        if isinstance(first, dict) and isinstance(second, dict):
            one, other = _values(first), _values(second)
            if one is not None and other is not None and not one & other:
                return True
    return False


def _meet(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    wide = {"number" if kind == "integer" else kind for kind in a}
    return bool(wide & {"number" if kind == "integer" else kind for kind in b})


def _values(kw: dict[str, Json]) -> set[str] | None:
    """The values that a schema lists, as texts in which 1 and 1.0 are one; None if none."""
    listed = [kw["const"]] if "const" in kw else kw.get("enum")
    if not isinstance(listed, list) or any(isinstance(one, (dict, list)) for one in listed):
        return None
    return {
        canonical(int(one)) if isinstance(one, float) and one.is_integer() else canonical(one)
        for one in listed
    }


def alone(work: Work, run: Run) -> None:
    """A union with nothing beside it: what stood there goes into every branch."""
    if "anyOf" not in work.kw or not run.demands("lone unions"):
        return
    branches = joined_branches("anyOf", work)
    rest = {key: value for key, value in work.kw.items() if key not in ("anyOf", "$defs")}
    possible = [one for one in branches if not _against(rest, one)] or branches
    real = [one for one in possible if not _is_null(one)] or possible[:1]
    null = any(_is_null(one) for one in possible) and not _is_null(real[0])
    said = f"{len(branches)} schemas"
    if len(real) == 1:  # of null and another, the other is left: null is said by a word
        del work.kw["anyOf"]
        run.changed(work, "anyOf", said, "joined")
        conjoin(work, real[0], below(work.home("anyOf"), "anyOf", branches.index(real[0])), run)
        if null:
            _with_null(work)
    elif rest or null:
        run.changed(work, "anyOf", said, "without neighbours")
        made = [_beside(one, i, rest, work, run) for i, one in enumerate(real)]
        if null:
            _with_null(made[0])
        work.kw.clear()
        work.kw["anyOf"] = made


def _beside(branch: Json, i: int, rest: JsonObject, work: Work, run: Run) -> Work:
    """A branch with what stood beside the union."""
    made = Work({}, work.at)
    conjoin(made, branch, below(work.at, "anyOf", i), run)
    conjoin(made, work.only(rest), work.at, run)
    return made


def collapsed(work: Work, run: Run, *, at_root: bool) -> None:
    """A union of one schema and null where a target has neither unions nor null: without null."""
    if "anyOf" not in work.kw or run.dialect.allowed("anyOf", at_root):
        return
    branches = joined_branches("anyOf", work)
    real = [one for one in branches if not _is_null(one)]
    if len(real) != 1:
        return
    nulls = len(branches) > 1
    verdict: Verdict = "narrower" if nulls else "equal"
    run.changed(work, "anyOf", f"{len(branches)} schemas", "without null", verdict)
    del work.kw["anyOf"]
    conjoin(work, real[0], work.at, run)


def _against(rest: dict[str, Json], branch: Json) -> bool:
    """Whether a branch can't hold beside the rest, as far as types and values say."""
    kw = branch.kw if isinstance(branch, Work) else branch
    if not isinstance(kw, dict):
        return branch is False
    mine, theirs = types_of(rest.get("type")), types_of(kw.get("type"))
    if mine and theirs and not common_types(mine, theirs):
        return True
    for types, other in ((mine, kw), (theirs, rest)):
        listed = [other["const"]] if "const" in other else other.get("enum")
        if types and listed and not any(of_type(v, kind) for v in listed for kind in types):
            return True
    return False


def _with_null(work: Work) -> None:
    """Let null fit as well, by the word that later goes wherever the rest goes."""
    work.kw["nullable"] = True


def _is_null(node: Json) -> bool:
    kw = node.kw if isinstance(node, Work) else node
    if not isinstance(kw, dict):
        return False
    if any(key not in ANNOTATIONS and key not in ("type", "enum", "const") for key in kw):
        return False
    return kw.get("type") == "null" or kw.get("enum") == [None] or kw.get("const", 0) is None


def flattened(work: Work, run: Run) -> None:
    """A root without unions: its branches as one object with the properties of all.

    Required is what every branch requires; the union itself is told.
    """
    for keyword in ("anyOf", "oneOf"):
        if keyword not in work.kw:
            continue
        branches = [one for one in joined_branches(keyword, work) if _an_object(one, run)]
        one = len(branches) == 1
        run.drop(work, keyword, "equal" if one else "wider", quietly=one)
        made = [_settled(one, work, run) for one in branches]
        if made:
            whole = made[0] if len(made) == 1 else _one_of_all(made, run)
            conjoin(work, whole, work.at, run)


def _an_object(node: Json, run: Run) -> bool:
    if node is False:
        return False
    kinds = types_of(_seen(node, run).get("type"))
    return not kinds or "object" in kinds


def _settled(node: Json, work: Work, run: Run) -> Work:
    """A branch with its references and unions in it, as an object."""
    one = Work({"type": "object"}, work.at)
    conjoin(one, node, work.at, run)
    opened = settle(one, run, at_root=True)
    flattened(one, run)
    run.close(opened)
    return one


def _one_of_all(branches: list[Work], run: Run) -> Work:
    made = Work({"type": "object"}, branches[0].at)
    names = list(dict.fromkeys(n for one in branches for n in one.kw.get("properties", {})))
    closed = all(one.kw.get("additionalProperties") is False for one in branches)
    properties = {}
    for name in names:
        having = [one for one in branches if name in one.kw.get("properties", {})]
        schemas = [
            value
            if not isinstance(value := one.kw["properties"][name], dict)
            else Work(value, below(one.home("properties"), "properties", name))
            for one in having
        ]
        if any(one not in having and one.kw.get("additionalProperties") is not False
               for one in branches) and not all(accepts_any(one) for one in schemas):  # fmt: skip
            run.changed(made, below("properties", name), "of some branches", "for all", "narrower")
        properties[name] = schemas[0] if _alike(schemas) else {"anyOf": schemas}
    if properties:
        made.kw["properties"] = properties
    needed = [one.kw.get("required", []) for one in branches]
    if common := [name for name in needed[0] if all(name in one for one in needed)]:
        made.kw["required"] = common
    if closed:
        made.kw["additionalProperties"] = False
    return made


def _alike(schemas: list[Json]) -> bool:
    return len({canonical(plain(one)) for one in schemas}) == 1
