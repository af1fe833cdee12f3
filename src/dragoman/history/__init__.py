"""Msgs -> Msgs, before any wire: who speaks, what stays of a long history, the system prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..suggestions.import_names import listing, refusing
from .speakers import ByName, ByRole, NameField, Rewrite, Speakers, Tagged, clean_names
from .split import split_history
from .system_prompt import SystemPrompt
from .truncate.clear_results import ClearToolResults
from .truncate.plan import Truncation
from .truncate.strategies import DropOldest, KeepFirst
from .truncate.summarize import Summarize

__all__ = [
    "ByName",
    "ByRole",
    "ClearToolResults",
    "DropOldest",
    "KeepFirst",
    "NameField",
    "Rewrite",
    "Speakers",
    "Summarize",
    "SystemPrompt",
    "Tagged",
    "Truncation",
    "clean_names",
    "split_history",
]

if not TYPE_CHECKING:  # to which a name that there is not stays an error
    __getattr__ = refusing(__name__)
    __dir__ = listing(globals(), __all__)
