"""Msgs -> Msgs, before any wire: who speaks, what stays of a long history, the system prompt."""

from .history import ByName
from .prompt import SystemPrompt
from .speakers import ByRole, NameField, Rewrite, Speakers, clean_names
from .split import split_history
from .tagged import Tagged
from .truncate import ClearToolResults, DropOldest, KeepFirst, Summarize, Truncation

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
