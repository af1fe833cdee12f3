"""RecordForm: what every form of records gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...text.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class RecordForm:
    """A form of records.

    Attributes:
        name: Its name, for `--form` and `--to`.
        signs: Keys of which a record of this form has at least one, and no body of a wire has any.
        claims: Whether a record that has one of them is of this form.
    """

    name: str
    signs: frozenset[str]
    claims: Callable[[JsonObject], bool]
