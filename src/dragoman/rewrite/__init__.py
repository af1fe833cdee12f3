"""Msgs -> Msgs, before any wire: who speaks, what stays of a long history, the system prompt."""

from __future__ import annotations

from .prompt import SystemPrompt
from .speakers import ByName, ByRole, NameField, Rewrite, Speakers, Tagged, clean_names
from .split import split_history
from .truncate.plan import Truncation
from .truncate.strategies import ClearToolResults, DropOldest, KeepFirst, Summarize

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
