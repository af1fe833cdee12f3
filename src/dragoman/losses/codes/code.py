"""One code: what it says, how loudly, what to do about it, and what decides it."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["dropped", "degraded", "moved", "repaired", "added", "expected"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# from what changes the answer to what nobody would miss
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


@dataclass(frozen=True, slots=True)
class Code:
    """One code: its kind, what it means, what a user can do (`fix`), and how loudly it is logged.

    `asks`: the fields of Capabilities that decide it, the likeliest first; none where the history
    itself or a wish of the user does. `level` and `weight`: those of the kind unless they are
    given. `trivial_fields`: names of fields of which the loss is trivial.
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

    def weight_of(self, field: str) -> Weight:
        """How much the loss of a node's field weighs; of the node itself, without one."""
        if self.trivial_fields and not self.trivial_fields.isdisjoint(_WORD.findall(field)):
            return "trivial"
        return self.weight or _WEIGHTS[self.kind]


# how the tables write a row: the name of the code is its key there
dropped = partial(Code, "", kind="dropped")
degraded = partial(Code, "", kind="degraded")
moved = partial(Code, "", kind="moved")
repaired = partial(Code, "", kind="repaired")
added = partial(Code, "", kind="added")
expected = partial(Code, "", kind="expected")
