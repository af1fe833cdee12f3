"""Cut a history to a token budget: which messages go, in what order, without splitting a pair.

A strategy is a generator (`plan`): it yields candidate histories and is sent their token counts.
It knows no wire and no tokenizer; whoever drives it formats and counts.
"""

from __future__ import annotations

from .plan import (
    Asked,
    Candidates,
    Cut,
    Keeping,
    Made,
    Pin,
    Plan,
    Truncation,
    left_out,
    overflow,
    replaced,
    strategic,
    units,
)
from .search import Counted
from .strategies import ClearToolResults, DropOldest, KeepFirst, Summarize, without_oldest

__all__ = [
    "Asked",
    "Candidates",
    "ClearToolResults",
    "Counted",
    "Cut",
    "DropOldest",
    "KeepFirst",
    "Keeping",
    "Made",
    "Pin",
    "Plan",
    "Summarize",
    "Truncation",
    "left_out",
    "overflow",
    "replaced",
    "strategic",
    "units",
    "without_oldest",
]
