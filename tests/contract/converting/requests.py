"""Laws 2 and 3 for requests: recorded ones, converted to every other wire.

A model of another provider's is replaced by the target's own.

Each is one that the provider takes, or a WriteError whose code is listed; and no leaf of it is lost
without being named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import dragoman
from dragoman.errors import WriteError
from tests.contract.judges import judge_request

from .conserved import Fact, facts, silent
from .conserved.tables import TABLES
from .recorded import BROKEN, Asked, asked

__all__ = ["REFUSABLE", "SHARE", "Requests", "requests"]

# codes of what may be refused across wires, at most eight, and which share of a pair may be
REFUSABLE = frozenset({
    "state.server_side",  # goes on from what only the source's provider keeps
    "messages.empty", "placement.unsupported",  # nothing that the target could be asked
    "model.endpoint", "tools.need_responses",  # another endpoint of the same provider takes it
})  # fmt: skip
SHARE = 0.02
FEW = 2  # which may be, of however few


@dataclass(slots=True)
class Requests:
    """What became of the requests of one pair of wires."""

    count: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by code of the WriteError
    invalid: list[tuple[str, str]] = field(default_factory=list)  # (id, fault)
    silent: list[tuple[str, str]] = field(default_factory=list)  # (id, leaf)
    raised: list[tuple[str, str]] = field(default_factory=list)  # (id, error): never allowed

    @property
    def fine(self) -> bool:
        """Whether nothing is wrong."""
        return not (self.invalid or self.silent or self.raised) and self.few

    @property
    def few(self) -> bool:
        """Whether few were refused, and for reasons that are listed."""
        most = max(FEW, SHARE * self.count)
        return sum(self.refused.values()) <= most and self.refused.keys() <= REFUSABLE


def requests(source: str, targets: list[str], every: int = 1) -> dict[str, Requests]:
    """Every recorded request of a wire that was answered, for each of the others."""
    made = {target: Requests() for target in targets if target != source}
    for one in asked(source, every):
        known = facts(TABLES[source], one.body)
        for target, tally in made.items():
            tally.count += 1
            _convert(source, target, one, known, tally)
    return made


def _convert(source: str, target: str, one: Asked, known: list[Fact], tally: Requests) -> None:
    try:
        out = dragoman.convert(one.body, source, target, path=one.path, policy="ignore")
        losses = [(loss.kind, loss.where) for loss in out.losses]
    except WriteError as error:
        tally.refused[error.code] += 1
        return
    except BROKEN as error:
        tally.raised.append((one.id, f"{type(error).__name__}: {error}"[:200]))
        return
    path = out.path if target == "bedrock-converse" else None  # where the model stands there
    tally.invalid += [(one.id, fault) for fault in judge_request(target, out.body, path)]
    tally.silent += [
        (one.id, leaf)
        for leaf in silent(
            source, one.body, target, out.body, losses, out.ids, out.names, out.path, out.headers,
            known,
        )
    ]  # fmt: skip


def grouped(found: list[tuple[str, str]]) -> Iterator[tuple[int, str, str, str]]:
    """(count, what, id and words of the first), the most frequent first: indices left out."""
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, str]] = {}
    for id, words in found:
        what = _shape(words)
        counts[what] += 1
        first.setdefault(what, (id, words))
    for what, count in counts.most_common():
        yield count, what, *first[what]


def _shape(words: Any) -> str:
    head = str(words).partition(": ")[0]
    return "".join(c for c in head if not c.isdigit())
