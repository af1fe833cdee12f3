"""Token counts of an answer, read here and written by the answer's writer.

Reference: OpenAI API, "The response object": `usage.input_tokens` includes the tokens read from and
written to the cache, `output_tokens` includes the reasoning, at all recorded hosts.
"""

from __future__ import annotations

from ...message import Usage
from ...text.json_text import JsonObject
from .. import answers
from ..chat_like.messages import issuer_extras
from .blocks import ABSENT

# the figures -> the fields of Usage
FIGURES = {
    "input_tokens": "input",
    "input_tokens_details": {
        "cached_tokens": "cache_read",
        "cache_write_tokens": "cache_write",
        "audio_tokens": "audio_in",
    },
    "output_tokens": "output",
    "output_tokens_details": {"reasoning_tokens": "reasoning", "audio_tokens": "audio_out"},
    "total_tokens": "total",
}


def read_usage(data: JsonObject, issuer: str) -> Usage:
    """Read the figures and make them disjoint; those that cannot be written back stay in extras."""
    usage = answers.read_figures(data, FIGURES)
    unknown, absent = answers.beyond_figures(data, answers.figures(usage, FIGURES))
    usage.extras = issuer_extras(issuer, unknown, {ABSENT: absent} if absent else {})
    return usage
