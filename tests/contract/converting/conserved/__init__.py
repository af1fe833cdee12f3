"""Law 2: every leaf of a body stands in what was made of it, or under the path of a loss.

`silent` is the whole judge. `tables` says of each wire where it says what; `facts` takes a body
apart by such a table, `pool` looks the facts of one body up in those of another, `covered` knows
the paths of losses. No room and no wire of the package is asked anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from .covered import Covered
from .facts import Body, Fact, facts
from .pool import Pool
from .schemas import lacking
from .tables import TABLES
from .taken import take, take_anywhere

__all__ = ["Body", "Fact", "facts", "silent"]


def silent(
    source: str,
    body: Body,
    target: str,
    made: Body,
    losses: Iterable[tuple[str, str]] = (),
    ids: Mapping[str, str] | None = None,
    names: Mapping[str, str] | None = None,
    path: str = "",
    headers: Mapping[str, str] | None = None,
    known: list[Fact] | None = None,
) -> list[str]:
    """What of `body` is neither in `made` nor covered: `<path>: <kind> <value>`, most of it empty.

    `losses` are (kind, where); `ids` and `names` map what the target spells to what the source
    says; `path` and `headers` are sent beside the target's body. `known`: the facts of `body`, for
    whoever has them already.
    """
    covered = Covered(losses)
    pool = Pool(TABLES[target], made, ids or {}, names or {}, path, headers or {})
    found = facts(TABLES[source], body) if known is None else known
    waiting = [fact for fact in found if not covered.drops(fact.path)]
    # a long text first: a short one may stand in it by chance
    left = {id(fact) for fact in sorted(waiting, key=_length) if not take(pool, fact)}
    missed = [fact for fact in waiting if id(fact) in left]
    lost = []
    for fact in missed:
        if fact.kind == "schema":
            told = partial(covered.told, under=fact.path)
            lost += [f"{path}: schema {words:.100}" for path, words in lacking(pool, fact, told)]
        elif _told_elsewhere(fact, found, covered):
            continue
        elif not (covered.moves(fact.path) and take_anywhere(pool, fact)):
            lost.append(f"{fact.path}: {fact.kind} {fact.value!r:.100}")
    return lost


def _told_elsewhere(fact: Fact, found: list[Fact], covered: Covered) -> bool:
    """Whether it says no more than others do that are named as lost.

    A tool, all of whose settings are; and that there shall be thinking, where how much is.
    """
    if fact.kind == "server":
        inner = [one.path for one in found if one.path.startswith(f"{fact.path}.")]
        return bool(inner) and all(map(covered.drops, inner))
    asked = [one.path for one in found if one.kind in ("effort", "budget")]
    return fact.kind == "thinks" and any(map(covered.drops, asked))


def _length(fact: Fact) -> int:
    return -len(fact.value) if isinstance(fact.value, str) else 0
