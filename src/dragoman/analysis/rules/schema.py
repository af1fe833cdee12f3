"""The form of the rules: what one wire refuses in a body, as rows without code.

A path in a rule is spelled without `$.`; `[]` stands for every element of a list. Lists of words
(types, values, keys) are one text with blanks between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rule:
    """What stands at `path` of a body, if anything does: null passes unless it is `needed`.

    `types`: the JSON types that it may have (number, integer, text, boolean, list, object);
    `least` and `most`: of a number; `fewest` and `longest`: elements of a list (`fewest` of an
    object, too); `words`: the only texts; `like`: a pattern that a text must fit as a whole, `form`
    says it in words; `keys`: the only keys of an object. `absent`: nothing may stand there but
    false. `models`: patterns over the names of those alone whom it concerns, without `but`. `fix`:
    what to do instead.
    """

    path: str
    types: str = ""
    least: float | None = None
    most: float | None = None
    fewest: int = 0
    longest: int | None = None
    words: str = ""
    keys: str = ""
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
    """The same rule for each of several paths."""
    return tuple(Rule(path, types, least, most) for path in paths.split())


@dataclass(frozen=True, slots=True)
class Together:
    """`field` and `other` stand in one object, `home` (empty is the body).

    `how`: "never" both, the one "needs" the other (not empty, not false), or its number must be
    "below" the other's.
    """

    home: str
    field: str
    how: Literal["never", "needs", "below"]
    other: str
    fix: str


@dataclass(frozen=True, slots=True)
class LastTurn:
    """What the last element of the list `home` may not be: a turn of `role` without `unless`."""

    home: str
    role: str
    unless: str
    fix: str


@dataclass(frozen=True, slots=True)
class Schema:
    """A JSON Schema at `path` of each `home`, in this dialect.

    With `when` it is in the dialect only where this path of the same home is true, else in the
    dialect `otherwise`; empty is any schema.
    """

    home: str
    path: str
    dialect: str
    when: str = ""
    otherwise: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """The most of something, and where that is written down."""

    most: int
    source: str
    since: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What one protocol or host refuses: where it is written down, and when it was looked up.

    `strict_tools`: how many tools may be strict. `loose`: numbers may be text, keys may be spelled
    in snake_case (JSON of protocol buffers).
    """

    source: str
    since: str
    fields: tuple[Rule, ...]
    together: tuple[Together, ...] = ()
    last_turn: LastTurn | None = None
    schemas: tuple[Schema, ...] = ()
    strict_tools: Limit | None = None
    loose: bool = False


@dataclass(frozen=True, slots=True)
class RefusedLoss:
    """A loss that means a refusal: `on` these protocols and vendors (all without), not on `but`.

    `rule` is the rule in a sentence, where the meaning of the code tells what the writer did
    instead. `by_fact`: only where a fact of a model or a host decides it; without one, the writer
    is but careful of models that it does not know. What `own` protocols document counts all the
    same. `known`: only where it is known who the host is, for many take more than the protocol's
    home does. A host may be named with its protocol, `openai/openai-chat`. `harmless`: (last key of
    the place, value) that says nothing but the default.
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
        """Whether what decides it is enough."""
        return by_fact or not self.by_fact or not hosts.isdisjoint(self.own.split())

    def counts(self, hosts: frozenset[str]) -> bool:
        """Whether it is a refusal there."""
        on = not self.on or not hosts.isdisjoint(self.on.split())
        return on and hosts.isdisjoint(self.but.split())
