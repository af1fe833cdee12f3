"""Holds fields against each other: which may not stand together, which need another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .check_fields import placed
from .paths import MISSING, Step, spelled
from .refusal import Refusal
from .rules import FIELDS, LAST, TOGETHER, Together

__all__ = ["last_refusals", "together_refusals"]


def together_refusals(body: Any, hosts: tuple[str, ...]) -> Iterator[Refusal]:
    """What the rows refuse of pairs of fields."""
    for host in hosts:
        rules = FIELDS.get(host)
        for row in TOGETHER.get(host, ()) if rules is not None else ():
            assert rules is not None  # or there were no rows
            for home, value in placed(body, row.home, loose=rules.loose):
                if isinstance(value, dict):
                    for way, said in _wrong(value, row, rules.loose):
                        yield Refusal(
                            spelled((*home, *way)), said, rules.source, rules.since, row.fix,
                            "field.together",
                        )  # fmt: skip


def _wrong(
    home: Any, row: Together, loose: bool
) -> Iterator[tuple[tuple[Step, ...], str]]:  # fmt: skip
    for way, one in placed(home, row.field, loose=loose):
        for _, other in placed(home, row.other, loose=loose):
            if one is MISSING or one is None:
                continue
            there = other is not MISSING and other is not None
            if row.how == "never" and there:
                yield way, f"{row.field}: it may not stand beside {row.other}"
            elif row.how == "needs" and not (there and other):
                yield way, f"{row.field}: it needs {row.other}"
            elif row.how == "below" and _number(one) and _number(other) and one >= other:
                yield way, f"{row.field}: it must be below {row.other}, and {one} is not"


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def last_refusals(body: Any, hosts: tuple[str, ...]) -> Iterator[Refusal]:
    """A last turn that nobody may answer."""
    for host in hosts:
        row, rules = LAST.get(host), FIELDS.get(host)
        listed = body.get(row.home) if row is not None else None
        if row is None or rules is None or not isinstance(listed, list) or not listed:
            continue
        last = listed[-1]
        if isinstance(last, dict) and last.get("role") == row.role and not last.get(row.unless):
            said = f"the last message may be the {row.role}'s only with `{row.unless}`: true"
            where = spelled((row.home, len(listed) - 1))
            yield Refusal(where, said, rules.source, rules.since, row.fix, "turn.last")
