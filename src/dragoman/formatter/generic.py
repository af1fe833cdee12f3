"""The generic Formatter: any wire, by name, as a Wire, or of a Vendor of your own."""

from __future__ import annotations

from typing import Unpack

from .._core.exchange.wire import Wire
from .._core.format.wired import FormatterOptions, WireFormatter
from ..capabilities import Facts
from ..vendors import Vendor, wire


class Formatter(WireFormatter):
    """A formatter for any wire, by name, as a Wire, or of a Vendor of your own.

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
