"""The forms of records besides bodies of a wire: lines of batches, training data, sessions.

A form is a file with the same three functions: `claims` says whether a record has the form, by its
keys at the top, `read` and `write` go between a record and a Conversation. Exchanges and lines of
batches hold bodies, and `conversion` goes from those to others.
"""

from __future__ import annotations

import re

from ...text.json_text import Json
from . import (
    alpaca,
    atif,
    batch_lines,
    bedrock_tuning,
    exchange,
    gemini_tuning,
    hugging_face,
    openai_tuning,
    sessions,
    sharegpt,
    stored,
)
from .form import RecordForm

__all__ = ["EXCHANGE", "FORMS", "MESSAGES", "SESSIONS", "STORED", "RecordForm", "find_form"]

EXCHANGE = RecordForm("exchange", frozenset({"request"}), exchange.claims)
STORED = RecordForm("messages", frozenset({"dragoman"}), stored.claims, stored.read, stored.write)
SESSIONS = RecordForm("session-log", frozenset({"info"}), sessions.claims, sessions.read)
MESSAGES = RecordForm(
    "hf-messages",
    frozenset(),
    hugging_face.claims_messages,
    hugging_face.read,
    hugging_face.write_messages,
)

_LINE = batch_lines.LineForm
_LABEL = re.compile(r"[a-z0-9_-]{1,63}")
_ROWS = (
    # the narrower ones first
    RecordForm(
        "openai-responses-batch",
        batch_lines.SIGNS,
        batch_lines.claims_responses,
        line=_LINE("openai/openai-responses", "openai-responses"),
    ),
    RecordForm(
        "openai-batch",
        batch_lines.SIGNS,
        batch_lines.claims_openai,
        line=_LINE("openai", "openai-chat"),
    ),
    RecordForm(
        "mistral-batch",
        batch_lines.SIGNS,
        batch_lines.claims_mistral,
        line=_LINE("mistral", "mistral"),
    ),
    RecordForm(
        "anthropic-batch",
        batch_lines.SIGNS,
        batch_lines.claims_anthropic,
        # the API reference, "Create a Message Batch", `custom_id` (2026-11-29)
        line=_LINE("anthropic", "anthropic", ids=re.compile(r"[a-zA-Z0-9_-]{1,64}")),
    ),
    RecordForm(
        "gemini-batch", batch_lines.SIGNS, batch_lines.claims_gemini, line=_LINE("gemini", "gemini")
    ),
    RecordForm(
        "bedrock-invoke-batch",
        batch_lines.SIGNS,
        batch_lines.claims_invoke,
        line=_LINE("bedrock/anthropic", "bedrock-converse"),
    ),
    RecordForm(
        "bedrock-batch",
        batch_lines.SIGNS,
        batch_lines.claims_bedrock,
        line=_LINE(
            "bedrock", "bedrock-converse", readers={"anthropic_version": "bedrock/anthropic"}
        ),
    ),
    RecordForm(
        "vertex-claude-batch",
        batch_lines.SIGNS,
        batch_lines.claims_vertex_claude,
        line=_LINE("vertex/anthropic", "anthropic", bucket=True),
    ),
    RecordForm(
        "vertex-batch",
        batch_lines.SIGNS,
        batch_lines.claims_vertex,
        # the request comes back; a key of labels may have 1,000 values (ContentRecords)
        line=_LINE("vertex", "gemini", bucket=True, ids=_LABEL, needs_id=False),
    ),
    EXCHANGE,
    STORED,
    RecordForm("atif", frozenset({"schema_version"}), atif.claims, atif.read, atif.write),
    SESSIONS,
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


def find_form(record: Json) -> RecordForm | None:
    """The form of a record; None for one that may be the body of a wire."""
    if not isinstance(record, dict):
        return STORED if STORED.claims(record) else None
    if _SIGNS.isdisjoint(record):
        return None
    signed = (form for form in _ROWS if not form.signs.isdisjoint(record))
    return next((form for form in signed if form.claims(record)), None)
