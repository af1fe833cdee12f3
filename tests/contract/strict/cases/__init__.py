"""Bodies that providers refuse, one file a wire: each a whole body, changed in a few places.

A case names the rule that it breaks, the place where that is said, and the hard case that tells of
it (by its number; empty where only the documents do). What it is changed from is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Case"]


@dataclass(frozen=True)
class Case:
    """`bad` breaks exactly the rules named, the first of them at `at`; `good` breaks none.

    Both are changes of the wire's BASE. `model` and `host`: whom the body goes to.
    """

    rule: str
    at: str
    bad: Mapping[str, Any]
    hard: str = ""
    good: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    host: str = ""

    def __str__(self) -> str:
        return f"{self.hard or 'docs'}-{self.rule}-{self.at}"
