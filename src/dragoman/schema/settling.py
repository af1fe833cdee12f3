"""References that may not stay, and `allOf` where a dialect has none: joined into one schema.

A schema that leads back to itself is written into itself a few times, then cut off.
"""

from __future__ import annotations

from .merge import conjoin
from .refs import named
from .words import below
from .work import Run, Work

__all__ = ["UNROLL", "settle"]

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
