"""Every formatter by name: the generic `Formatter`, the bases, and AgentScope's names.

Names are resolved on use, so importing this loads no vendor.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._formatter import (
    Fitted,
    FormatterBase,
    Receipt,
    TruncatedFormatterBase,
    WireFormatter,
    WrittenMessages,
    fit_history,
    fit_history_sync,
)
from ._wire import Wire
from .capabilities import Facts
from .vendors import NAMED, Vendor, wire

__all__ = [  # noqa: PLE0604 - the registry's names are strings
    "Fitted",
    "Formatter",
    "FormatterBase",
    "Receipt",
    "TruncatedFormatterBase",
    "WireFormatter",
    "WrittenMessages",
    "fit_history",
    "fit_history_sync",
    *NAMED,
]


class Formatter(WireFormatter):
    """A formatter for any wire, by name, as a Wire, or of a Vendor of your own.

    >>> from dragoman.message import Msg
    >>> Formatter("openai-chat").format_sync([Msg.user("Where is Paris?")])
    [{'role': 'user', 'content': 'Where is Paris?'}]

    Further keywords: `model`, `speakers`, `rewrites`, `token_counter`, `max_tokens`, `truncate`,
    `policy`, `can`, `fetch`, `media_saver`, `prompt`, `told`.
    """

    def __init__(
        self, wire_: Wire | Vendor | str, *, facts: Facts | str | None = None, **options: Any
    ) -> None:
        super().__init__(wire(wire_, facts=facts), **options)


def __getattr__(name: str) -> Any:
    home = NAMED.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".vendors.{home}", __package__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
