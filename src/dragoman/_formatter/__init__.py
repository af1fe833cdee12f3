"""Formatters: a wire, rewrites and a limit; a formatter and a model client do not know each other.

`base` knows hooks and budgets but no wire, `wired` binds a wire (`asking` has the rest of a
request, `reading` the way back, `session` remembers one conversation), `fitting` cuts a history
alone.
"""

from .base import FormatterBase, TruncatedFormatterBase, WrittenMessages
from .fitting import Fitted, Receipt, fit_history, fit_history_sync
from .session import Changed, Session, SessionMessages
from .wired import FormatterOptions, WireFormatter

__all__ = [
    "Changed",
    "Fitted",
    "FormatterBase",
    "FormatterOptions",
    "Receipt",
    "Session",
    "SessionMessages",
    "TruncatedFormatterBase",
    "WireFormatter",
    "WrittenMessages",
    "fit_history",
    "fit_history_sync",
]
