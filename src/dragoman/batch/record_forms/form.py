"""RecordForm: what every form of records gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...losses import Report
from ...text.json_text import JsonObject
from .batch_lines import LineForm
from .conversation import Conversation


@dataclass(frozen=True, slots=True)
class RecordForm:
    """A form of records.

    Attributes:
        name: Its name, for `--form` and `--to`.
        signs: Keys of which a record of this form has at least one, and bodies of wires as a rule
            none; empty if a record of it also has the keys of a body.
        claims: Whether a record is of this form, by its keys at the top.
        read: Reads what a record holds; None for an exchange, which depends on its wire.
        write: Writes it, and gives the losses; None for an exchange.
        line: The lines of a provider's batch files; None for other forms. `read` and `write` are
            then None.
    """

    name: str
    signs: frozenset[str]
    claims: Callable[[Any], bool]
    read: Callable[[Any], Conversation] | None = None
    write: Callable[[Conversation], tuple[JsonObject, list[Report]]] | None = None
    line: LineForm | None = None

    @property
    def is_written(self) -> bool:
        """Whether records can be written in this form."""
        return self.write is not None or self.line is not None
