"""One code of losses: its meaning, its log level, what to do about it, and what decides it."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias, get_args

from ..._old_names import keeps_old_names

Kind: TypeAlias = Literal["dropped", "degraded", "moved", "repaired", "added", "expected"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# from losses that change the answer to those without any effect
Weight: TypeAlias = Literal["major", "minor", "trivial"]
WEIGHTS: tuple[Weight, ...] = get_args(Weight)


LEVELS: dict[Kind, int] = {
    "dropped": logging.WARNING,
    "degraded": logging.WARNING,
    "moved": logging.INFO,
    "repaired": logging.WARNING,
    "added": logging.INFO,
    "expected": logging.DEBUG,
}
_WEIGHTS: dict[Kind, Weight] = {
    "dropped": "major",
    "degraded": "minor",
    "moved": "trivial",
    "repaired": "minor",
    "added": "trivial",
    "expected": "trivial",
}
_WORD = re.compile(r"\w+")


@keeps_old_names
@dataclass(frozen=True, slots=True)
class Code:
    """One code of losses.

    Args:
        name: The code.
        meaning: What it means, as a sentence.
        fix: What a user can do about it.
        asks: The fields of Capabilities that decide it, the likeliest first; none if the history
            itself or a wish of the user decides.
        level: The log level; that of the kind unless given.
        kind: The kind of loss.
        weight: How much it matters; the weight of the kind unless given.
        trivial_fields: Names of fields whose loss is trivial.
    """

    name: str
    meaning: str
    fix: str = ""
    asks: tuple[str, ...] = ()
    level: int = -1
    kind: Kind = field(kw_only=True)
    weight: Weight | Literal[""] = field(default="", kw_only=True)
    trivial_fields: frozenset[str] = field(default=frozenset(), kw_only=True)

    def __post_init__(self) -> None:
        if self.level < 0:
            object.__setattr__(self, "level", LEVELS[self.kind])

    def weigh(self, field: str) -> Weight:
        """The weight of a loss.

        Args:
            field: The field of the node that is lost; empty if it is the node itself.
        """
        if self.trivial_fields and not self.trivial_fields.isdisjoint(_WORD.findall(field)):
            return "trivial"
        return self.weight or _WEIGHTS[self.kind]


# in the tables a row has no name: its key is the code
dropped = partial(Code, "", kind="dropped")
degraded = partial(Code, "", kind="degraded")
moved = partial(Code, "", kind="moved")
repaired = partial(Code, "", kind="repaired")
added = partial(Code, "", kind="added")
expected = partial(Code, "", kind="expected")
