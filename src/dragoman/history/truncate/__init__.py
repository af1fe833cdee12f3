"""Cut a history to a token budget: which messages go, in what order, without splitting a pair.

A strategy is a generator (`plan`): it yields candidate histories and is sent their token counts.
It knows no wire and no tokenizer; its caller formats and counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...suggestions.import_names import refusing
from .clear_results import ClearToolResults
from .plan import (
    Candidates,
    Cut,
    Keeping,
    Pin,
    Plan,
    Replacement,
    StrategyCall,
    Truncation,
    check_strategy,
    find_omitted,
    find_replacements,
    overflow,
    units,
)
from .search import Counted
from .strategies import DropOldest, KeepFirst, without_oldest
from .summarize import Summarize

__all__ = [
    "Candidates",
    "ClearToolResults",
    "Counted",
    "Cut",
    "DropOldest",
    "KeepFirst",
    "Keeping",
    "Pin",
    "Plan",
    "Replacement",
    "StrategyCall",
    "Summarize",
    "Truncation",
    "check_strategy",
    "find_omitted",
    "find_replacements",
    "overflow",
    "units",
    "without_oldest",
]

if not TYPE_CHECKING:  # to which a name that there is not stays an error
    __getattr__ = refusing(__name__)
