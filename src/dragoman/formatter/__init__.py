"""Every formatter by name: the generic `Formatter`, the bases, and AgentScope's names.

Names are resolved on use, so importing this loads no vendor. `__init__.pyi` spells the signatures
out for type checkers; it is generated from the registry.
"""

from __future__ import annotations

from importlib import import_module
from inspect import Parameter
from typing import TYPE_CHECKING, Unpack

from ..capabilities import Facts
from ..codec.wire import Wire
from ..history.wording import Wording
from ..suggestions.import_names import find_or_refuse, listing
from ..vendors import Vendor, wire
from .agentscope import FORMATTERS
from .base import FormatterBase, TruncatedFormatterBase, WrittenMessages
from .fitting import Fitted, Receipt, fit_history, fit_history_sync
from .session import Changed, Session, SessionMessages
from .wire_formatter import FormatterOptions, WireFormatter, signature

if TYPE_CHECKING:
    from typing import Any

__all__ = [  # noqa: PLE0604 - the registry's names are strings
    "Changed",
    "Fitted",
    "Formatter",
    "FormatterBase",
    "Receipt",
    "Session",
    "SessionMessages",
    "Wording",
    "TruncatedFormatterBase",
    "WireFormatter",
    "WrittenMessages",
    "fit_history",
    "fit_history_sync",
    *FORMATTERS,
]


class Formatter(WireFormatter):
    """A formatter for any wire.

    Args:
        wire_: The name of a wire or vendor, a Wire, or a Vendor of your own.
        facts: Which models the wire serves, where they are another vendor's; None takes the
            wire's own.
        **options: The keywords of WireFormatter.

    >>> from dragoman.message import Msg
    >>> Formatter("openai-chat").format_sync([Msg.user("Where is Paris?")])
    [{'role': 'user', 'content': 'Where is Paris?'}]
    """

    def __init__(
        self,
        wire_: Wire | Vendor | str,
        *,
        facts: Facts | str | None = None,
        **options: Unpack[FormatterOptions],
    ) -> None:
        super().__init__(wire(wire_, facts=facts), **options)

    __init__.__signature__ = signature(  # type: ignore[attr-defined]  # for `help` and `inspect`
        Parameter("wire_", Parameter.POSITIONAL_OR_KEYWORD, annotation="Wire | Vendor | str")
    )


def __getattr__(name: str) -> Any:
    home = FORMATTERS.get(name)
    if home is None:
        return find_or_refuse(__name__, name)
    value = getattr(import_module(f".agentscope.{home}", __name__), name)
    globals()[name] = value
    return value


__dir__ = listing(globals(), __all__)
