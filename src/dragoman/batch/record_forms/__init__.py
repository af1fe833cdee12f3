"""The forms of records besides the bodies of a wire: exchanges, and the training data of others.

A form is a file with the same three functions: `claims` says whether a record has the form, by its
keys at the top, `read` and `write` go between a record and a Conversation.
"""

from __future__ import annotations

from ...text.json_text import JsonObject
from . import (
    alpaca,
    bedrock_tuning,
    exchange,
    gemini_tuning,
    hugging_face,
    openai_tuning,
    sharegpt,
)
from .form import RecordForm

__all__ = ["EXCHANGE", "FORMS", "MESSAGES", "RecordForm", "find_form"]

EXCHANGE = RecordForm("exchange", frozenset({"request"}), exchange.claims)
MESSAGES = RecordForm(
    "hf-messages",
    frozenset(),
    hugging_face.claims_messages,
    hugging_face.read,
    hugging_face.write_messages,
)

_ROWS = (
    EXCHANGE,
    RecordForm(
        "openai-tuning",
        frozenset({"preferred_output"}),
        openai_tuning.claims,
        openai_tuning.read,
        openai_tuning.write,
    ),
    RecordForm(
        "gemini-tuning",
        frozenset({"completions"}),
        gemini_tuning.claims,
        gemini_tuning.read,
        gemini_tuning.write,
    ),
    RecordForm(
        "bedrock-tuning",
        frozenset({"schemaVersion"}),
        bedrock_tuning.claims,
        bedrock_tuning.read,
        bedrock_tuning.write,
    ),
    RecordForm(
        "sharegpt", frozenset({"conversations"}), sharegpt.claims, sharegpt.read, sharegpt.write
    ),
    RecordForm("alpaca", frozenset({"instruction"}), alpaca.claims, alpaca.read, alpaca.write),
    MESSAGES,
    RecordForm(
        "hf-prompt-completion",
        frozenset({"completion"}),
        hugging_face.claims_completion,
        hugging_face.read,
        hugging_face.write_completion,
    ),
    RecordForm(
        "hf-preference",
        frozenset({"chosen", "rejected"}),
        hugging_face.claims_preference,
        hugging_face.read,
        hugging_face.write_preference,
    ),
)
FORMS: dict[str, RecordForm] = {form.name: form for form in _ROWS}

_SIGNS = frozenset[str]().union(*(form.signs for form in _ROWS))


def find_form(record: JsonObject) -> RecordForm | None:
    """The form of a record; None for one that may be the body of a wire."""
    if _SIGNS.isdisjoint(record):
        return None
    signed = (form for form in _ROWS if not form.signs.isdisjoint(record))
    return next((form for form in signed if form.claims(record)), None)
