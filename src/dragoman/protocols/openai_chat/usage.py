"""Token counts of an answer, read and written.

Hosts disagree on which figures include which others; the neutral ones do not overlap. Reference:
OpenAI API, "The chat completion object"; recorded answers of some thirty hosts.
"""

from __future__ import annotations

from ...losses import Report
from ...message import Usage
from ...text.json_text import JsonObject
from .. import answers
from ..chat_like.messages import fill_fields, issuer_extras

# the figures -> the fields of Usage
_FIGURES = {
    "prompt_tokens": "input",
    "completion_tokens": "output",
    "total_tokens": "total",
    "prompt_tokens_details": {
        "cached_tokens": "cache_read",
        "cache_write_tokens": "cache_write",
        "audio_tokens": "audio_in",
    },
    "completion_tokens_details": {"reasoning_tokens": "reasoning", "audio_tokens": "audio_out"},
}


# some hosts have a detail among the figures themselves
_FLAT_DETAILS = {
    "cache_read": ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens"),
    "cache_write": ("cache_creation_input_tokens", "cache_creation_tokens"),
    "reasoning": ("reasoning_tokens",),
}


def read_usage(data: JsonObject, issuer: str, final: bool = False) -> Usage:
    """Read `usage`: `prompt_tokens` minus the cache, `completion_tokens` minus the reasoning.

    Some hosts do not count reasoning in the completion, or the cache in the prompt; the total shows
    which. Figures that do not add up stay in extras. `final`: no other figures will follow.
    """
    usage = answers.read_figures(data, _FIGURES, _FLAT_DETAILS)
    prompt, completion = answers.first_count(data.get("prompt_tokens")), usage.output
    if completion is not None and usage.reasoning:
        outside = usage.reasoning > completion
        if prompt is not None and usage.total is not None:
            outside = outside or usage.total == prompt + completion + usage.reasoning
        usage.output = completion + usage.reasoning if outside else completion
    unknown, absent = answers.beyond_figures(data, answers.figures(usage, _FIGURES))
    if not final:  # a figure that is not known yet is left out
        unknown = {key: value for key, value in unknown.items() if value is not None}
    usage.extras = issuer_extras(issuer, unknown, {"absent": absent} if absent and final else {})
    return usage


def write_usage(
    usage: Usage, extras: JsonObject, notes: JsonObject | None, report: Report
) -> JsonObject:
    """Write `usage`; for an answer of another wire it has the three figures clients require.

    Args:
        usage: The token counts.
        extras: Fields of this wire that are no figures of ours.
        notes: How the answer of this wire spelled them; None for an answer of another wire.
        report: Collects what is added.
    """
    figures = answers.figures(usage, _FIGURES)
    if notes is not None:
        for path in notes.get("absent", ()):
            key, _, detail = path.partition(".")
            if detail:
                figures[key] = {name: n for name, n in figures[key].items() if name != detail}
            else:
                figures.pop(key, None)
        return fill_fields({key: value for key, value in figures.items() if value != {}}, extras)
    if not figures:
        return {}
    for key in ("prompt_tokens", "completion_tokens"):
        if key not in figures:
            figures[key] = 0
            report.add_loss("answer.field", usage, key)
    figures.setdefault("total_tokens", figures["prompt_tokens"] + figures["completion_tokens"])
    return figures
