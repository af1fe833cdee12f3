"""Cut a history to a token budget: which messages go, in what order, without splitting a pair.

A strategy is a generator (`plan`): it yields candidate histories and is sent their token counts.
It knows no wire and no tokenizer; its caller formats and counts.
"""

from __future__ import annotations

from .clear_results import ClearToolResults
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
from .strategies import DropOldest, KeepFirst, without_oldest
from .summarize import Summarize

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
