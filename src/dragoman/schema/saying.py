"""Every keyword that a dialect lacks: in its other words, told in the description, or left out."""

from __future__ import annotations

import re
from functools import cache

from .arrays import bounded, positions
from .shapes import closed, inferred, open_ended, patterned
from .unions import alone
from .values import typed
from .words import ANNOTATIONS, LENIENT, LISTS, MAPS, SINGLES, accepts_any
from .work import Run, Work

__all__ = ["said", "tell"]

_DEFINITIONS = ("$defs", "definitions")
_CONSTRAINTS = frozenset({
    *MAPS, *LISTS, *SINGLES, "type", "enum", "const", "$ref", "$dynamicRef", "required", "format",
    "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minContains",
    "maxContains", "minProperties", "maxProperties", "dependentRequired",
}) - {*_DEFINITIONS}  # fmt: skip


def said(work: Work, run: Run, *, at_root: bool) -> None:
    """Put the schema into the words of the dialect; what it can't say at all is told."""
    kw, spoken = work.kw, run.dialect
    patterned(work, run)
    positions(work, run)
    bounded(work, run)
    inferred(work, run, at_root)
    if spoken.takes is not None:
        typed(work, run)
    closed(work, run)
    alone(work, run)
    _worded(work, run)
    open_ended(work, run)
    for keyword in [key for key in kw if not spoken.allowed(key, at_root)]:
        if keyword in _DEFINITIONS and spoken.refs == "none":
            del kw[keyword]
            run.changed(work, keyword, "definitions", "inlined")
        else:
            _unsaid(work, keyword, run)
    tell(work, run, at_root=at_root)


def _worded(work: Work, run: Run) -> None:
    """Formats and patterns that the dialect does not know."""
    kw, spoken = work.kw, run.dialect
    named, pattern = kw.get("format"), kw.get("pattern")
    if isinstance(named, str) and spoken.formats is not None and named not in spoken.formats:
        run.drop(work, "format")
    if spoken.patterns and isinstance(pattern, str) and _finder(spoken.patterns).search(pattern):
        run.drop(work, "pattern")


@cache
def _finder(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _unsaid(work: Work, keyword: str, run: Run) -> None:
    value = work.kw[keyword]
    if keyword in ANNOTATIONS or keyword not in _CONSTRAINTS:
        helps = keyword in ("default", "example", "examples")
        run.drop(work, keyword, "equal", quietly=not helps)
    elif keyword in LENIENT and accepts_any(value):
        run.drop(work, keyword, "equal", quietly=True)
    else:
        run.drop(work, keyword, quietly=keyword == "$ref")


def tell(work: Work, run: Run, *, at_root: bool) -> None:
    """The description, with what the schema itself does not say any more."""
    if not work.told:
        return
    bare = run.dialect.refs == "bare" and "$ref" in work.kw
    lone = run.demands("lone unions") and "anyOf" in work.kw
    if bare or lone or not run.dialect.allowed("description", at_root):
        run.untold(work)
        return
    before = work.kw.get("description")
    words = f"({'; '.join(work.told)})"
    work.kw["description"] = f"{before} {words}" if isinstance(before, str) and before else words
    work.told.clear()
