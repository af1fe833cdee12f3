"""Holds our facts of models against the tables that installed packages carry.

    python -m tests.facts

Lists each difference with both sources. What we know better stands in `better.json` with its
reason; a difference that does not stand there makes it fail, and a person decides who is right. A
line of `better.json` that no longer holds for anything is named too, where its table was read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import dragoman
from dragoman.capabilities import Fact

from .tables import OURS, TABLES, Claim, NotInstalled

BETTER = Path(__file__).with_name("better.json")


@dataclass(frozen=True, slots=True)
class Better:
    """Where we know better: patterns of the wire, the model and what it is about, and why."""

    table: str
    wire: str
    model: str
    about: str
    why: str

    def holds(self, claim: Claim) -> bool:
        """Whether it speaks of this claim."""
        return (
            claim.table.startswith(self.table)
            and fnmatchcase(claim.wire, self.wire)
            and fnmatchcase(claim.model.lower(), self.model)
            and fnmatchcase(claim.about, self.about)
        )


@dataclass(frozen=True, slots=True)
class Difference:
    """A claim, what we say instead, and where that comes from."""

    claim: Claim
    ours: str | bool
    source: str

    def __str__(self) -> str:
        claim = self.claim
        return (
            f"{claim.wire}: {claim.model}: {claim.about}: {claim.theirs} by {claim.table},"
            f" {self.ours} by {self.source}"
        )


def better(path: Path = BETTER) -> list[Better]:
    """The lines of the file."""
    return [Better(**line) for line in json.loads(path.read_text(encoding="utf-8"))]


def differences(claims: Iterable[Claim]) -> Iterator[Difference]:
    """The claims that our facts do not share."""
    for claim in claims:
        wire = dragoman.wire(claim.wire)
        facts = wire.list_facts(claim.model)
        ours = OURS[claim.about](wire.can(claim.model))
        if claim.about == "known":
            ours = bool(facts)
        if ours != claim.theirs:
            yield Difference(claim, ours, _source(facts) or "the protocol")


def _source(facts: list[Fact]) -> str:
    return "; ".join(f"{fact.source} ({fact.since})" for fact in facts if fact.changes)


def run(
    tables: Mapping[str, Callable[[], Iterable[Claim]]],
    known: list[Better],
    say: Callable[[str], object] = print,
) -> int:
    """Compares, says what differs, and counts what stands in no list."""
    used: set[Better] = set()
    found = claims = 0
    read: list[str] = []
    for name, table in tables.items():
        try:
            given = list(table())
        except NotInstalled as error:
            say(f"skipped: {error}")
            continue
        read.append(name)
        claims += len(given)
        for difference in differences(given):
            excuse = next((one for one in known if one.holds(difference.claim)), None)
            if excuse is None:
                found += 1
                say(str(difference))
            else:
                used.add(excuse)
    for one in known:
        if one not in used and any(one.table.startswith(name) for name in read):
            say(f"no longer needed: {one.table}, {one.wire}, {one.model}, {one.about}")
    say(f"{claims} claims, {found} differences that stand in no list")
    return found


if __name__ == "__main__":
    sys.exit(1 if run(TABLES, better()) else 0)
