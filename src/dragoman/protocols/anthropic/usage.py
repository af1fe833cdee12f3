"""Token counts of an answer, read and written.

Reference: Anthropic API, "Create a Message", `usage`.
"""

from __future__ import annotations

from ...message import Usage
from ...text.json_text import JsonObject
from ..answers import read_counts
from ..chat_like.messages import without

FIGURES = {
    "input_tokens": "input",
    "cache_read_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
    "output_tokens": "output",
}


_DETAILS = "output_tokens_details"


_THINKING = "thinking_tokens"


def read_usage(data: JsonObject, issuer: str, in_stream: bool) -> Usage:
    """Read the figures; those that cannot be written back are extras. Streams may have nulls."""
    usage, unknown = read_counts(data, FIGURES)
    details = unknown.get(_DETAILS)
    if isinstance(details, dict) and type(details.get(_THINKING)) is int:
        usage.reasoning = details[_THINKING]
        unknown[_DETAILS] = without(details, _THINKING)
        if not unknown[_DETAILS]:
            del unknown[_DETAILS]
    if in_stream:
        unknown = {key: value for key, value in unknown.items() if value is not None}
    if unknown or not data:
        usage.extras = {issuer: unknown}
    return usage


def write_figures(usage: Usage, fields: JsonObject) -> JsonObject:
    """Return the known figures, with the `fields` that this wire has beside them."""
    figures = {key: getattr(usage, name) for key, name in FIGURES.items()}
    data = {key: value for key, value in figures.items() if value is not None} | fields
    if usage.reasoning is not None:
        data[_DETAILS] = {_THINKING: usage.reasoning, **fields.get(_DETAILS, {})}
    return data
