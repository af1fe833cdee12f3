"""The forms of records besides the bodies of a wire: exchanges, and the training data of others.

A form is a file with the same three functions: `claims` says whether a record has the form, by its
keys at the top, `read` and `write` go between a record and a Conversation.
"""

from __future__ import annotations

from ...text.json_text import JsonObject
from . import exchange
from .form import RecordForm

__all__ = ["FORMS", "RecordForm", "find_form"]

EXCHANGE = RecordForm("exchange", frozenset({"request"}), exchange.claims)

FORMS: dict[str, RecordForm] = {form.name: form for form in (EXCHANGE,)}

# no body of a wire has one of these keys at its top
_SIGNS = frozenset().union(*(form.signs for form in FORMS.values()))


def find_form(record: JsonObject) -> RecordForm | None:
    """The form of a record; None for one that may be the body of a wire."""
    if _SIGNS.isdisjoint(record):
        return None
    return next((form for form in FORMS.values() if form.claims(record)), None)
