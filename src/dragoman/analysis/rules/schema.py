"""The types of the rules: rows that describe, without code, what one wire refuses in a body.

A path in a rule is written without `$.`; `[]` means every element of a list. Lists of words (types,
values, keys) are one text, separated by blanks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ...protocols.body_fields import FieldTable


@dataclass(frozen=True, slots=True)
class Rule:
    """What the value at `path` of a body must be, if there is one; null passes unless `needed`.

    Args:
        path: The place in the body.
        types: The JSON types that are allowed (number, integer, text, boolean, list, object).
        least: The least number.
        most: The largest number.
        fewest: The least number of elements of a list or an object.
        longest: The largest number of elements of a list.
        words: The only texts that are allowed.
        keys: The only keys that an object may have.
        closed: The only keys that it may have are those of the protocol's table of fields.
        like: A pattern that the whole text must match.
        form: That pattern in words.
        needed: Whether the value must be there.
        absent: Nothing may be there but false.
        models: Patterns of the names of those models to which alone the rule applies.
        but: Patterns of models to which it does not apply.
        fix: What to do instead.
    """

    path: str
    types: str = ""
    least: float | None = None
    most: float | None = None
    fewest: int = 0
    longest: int | None = None
    words: str = ""
    keys: str = ""
    closed: bool = False
    like: str = ""
    form: str = ""
    needed: bool = False
    absent: bool = False
    models: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    fix: str = ""


def each(
    paths: str, types: str, least: float | None = None, most: float | None = None
) -> tuple[Rule, ...]:
    """One rule for each of several paths; the arguments are those of `Rule`."""
    return tuple(Rule(path, types, least, most) for path in paths.split())


@dataclass(frozen=True, slots=True)
class Together:
    """How `field` and `other` of one object, at the path `home` (empty: the body), go together.

    `how`: "never" both; one "needs" the other (not empty, not false); or its number must be "below"
    the other's.
    """

    home: str
    field: str
    how: Literal["never", "needs", "below"]
    other: str
    fix: str


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last element of the list `home` may be no turn of `role` without the field `unless`."""

    home: str
    role: str
    unless: str
    fix: str


@dataclass(frozen=True, slots=True)
class Schema:
    """The JSON Schema at `path` of each `home` must be of this dialect.

    With `when`, only where the value at this path of the same home is true; elsewhere the dialect
    is `otherwise` (empty: any schema).
    """

    home: str
    path: str
    dialect: str
    when: str = ""
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest number of something, and where it is documented."""

    most: int
    source: str
    since: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What one protocol or host refuses: where that is documented, and when it was looked up.

    `strict_tools`: how many tools may be strict. `loose`: numbers may be text, and keys may be
    written in snake_case (the JSON of protocol buffers).
    """

    source: str
    since: str
    fields: tuple[Rule, ...]
    together: tuple[Together, ...] = ()
    last_turn: LastTurn | None = None
    schemas: tuple[Schema, ...] = ()
    strict_tools: Limit | None = None
    loose: bool = False


def add_fields(rules: Rules, table: FieldTable) -> Rules:
    """Return the rules with one for each field in a protocol's table, all in the order of it.

    Args:
        rules: The rules of a protocol for what is inside of the fields.
        table: The protocol's table of fields.
    """
    order = {row.path.partition(".")[0]: i for i, row in reversed([*enumerate(table.rows)])}
    own = (
        Rule(
            row.path,
            row.types,
            row.least,
            row.most,
            row.fewest,
            row.longest,
            row.words,
            closed=row.closed,
            needed=row.needed,
            fix=row.fix,
        )
        for row in table.rows
        if row.types
    )
    ranked = sorted((*own, *rules.fields), key=lambda rule: order.get(_top(rule.path), -1))
    return close_objects(replace(rules, fields=tuple(ranked)), table)


def _top(path: str) -> str:
    return path.partition(".")[0].removesuffix("[]")


def close_objects(rules: Rules, table: FieldTable) -> Rules:
    """Return the rules with the keys of the protocol's table for objects that are closed."""
    fields = (
        replace(rule, keys=" ".join(table.list_keys(rule.path))) if rule.closed else rule
        for rule in rules.fields
    )
    return replace(rules, fields=tuple(fields))


@dataclass(frozen=True, slots=True)
class RefusedLoss:
    """A loss that means a refusal.

    Args:
        code: The code of the loss.
        rule: The rule as a sentence, where the meaning of the code describes the writer's remedy.
        on: The protocols and vendors to which it applies (all by default). A host may be named with
            its protocol, `openai/openai-chat`.
        but: Those to which it does not apply.
        by_fact: Only where a fact of a model or a host decides the loss; without one, the writer
            is merely careful with models that it does not know.
        own: Protocols that document the refusal; there it applies without a fact.
        known: Only where the host is known, because many hosts accept more than the protocol's own.
        harmless: (last key of the place, value) that states nothing but the default.
    """

    code: str
    rule: str = ""
    on: str = ""
    but: str = ""
    by_fact: bool = False
    own: str = ""
    known: bool = False
    harmless: tuple[tuple[str, object], ...] = ()

    def is_decided(self, hosts: frozenset[str], by_fact: bool) -> bool:
        """Whether enough is known of what decides it."""
        return by_fact or not self.by_fact or not hosts.isdisjoint(self.own.split())

    def counts(self, hosts: frozenset[str]) -> bool:
        """Whether it is a refusal on these hosts."""
        on = not self.on or not hosts.isdisjoint(self.on.split())
        return on and hosts.isdisjoint(self.but.split())
