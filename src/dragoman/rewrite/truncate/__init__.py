"""Cut a history to a token budget: which messages go, in what order, without splitting a pair.

A strategy is a generator (`plan`): it yields candidate histories and is sent their token counts.
It knows no wire and no tokenizer; whoever drives it formats and counts.
"""

from .figures import Counted
from .keeping import Keeping, Pin, overflow
from .oldest import DropOldest, KeepFirst, without_oldest
from .plan import Asked, Candidates, Cut, Made, Plan, Truncation, replaced, strategic
from .results import ClearToolResults
from .summary import Summarize
from .units import left_out, units

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
