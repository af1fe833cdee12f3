"""Every formatter by name: the generic `Formatter`, the bases, and AgentScope's names.

Names are resolved on use, so importing this loads no vendor. `__init__.pyi` spells the signatures
out for type checkers; it is generated from the registry.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._core.format.base import FormatterBase, TruncatedFormatterBase, WrittenMessages
from .._core.format.fit_history import Fitted, Receipt, fit_history, fit_history_sync
from .._core.format.session import Changed, Session, SessionMessages
from .._core.format.wired import WireFormatter
from .._core.wording import Told
from ..vendors import NAMED
from .generic import Formatter

__all__ = [  # noqa: PLE0604 - the registry's names are strings
    "Changed",
    "Fitted",
    "Formatter",
    "FormatterBase",
    "Receipt",
    "Session",
    "SessionMessages",
    "Told",
    "TruncatedFormatterBase",
    "WireFormatter",
    "WrittenMessages",
    "fit_history",
    "fit_history_sync",
    *NAMED,
]


def __getattr__(name: str) -> Any:
    home = NAMED.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"..vendors.{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
