"""Token figures of the Messages API, which are disjoint by themselves.

Reference: Anthropic API, "Create a Message", `usage`: `input_tokens` is without cache, and
`output_tokens` with thinking. Of a stream, later figures replace earlier ones.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...losses import Report
from ...message import Usage

__all__ = ["said_usage", "usage"]

_FIGURES = {
    "input_tokens": "input",
    "cache_read_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
    "output_tokens": "output",
}
_DETAILS = "output_tokens_details"


def usage(told: JsonObject, issuer: str, whole: bool) -> Usage:
    """The figures; what they do not give back stays in extras. In streams null says nothing."""
    made = Usage()
    rest: dict[str, Any] = {}
    for key, value in told.items():
        name = _FIGURES.get(key)
        if name is not None and type(value) is int:
            setattr(made, name, value)
        elif key == _DETAILS and isinstance(value, dict):
            made.reasoning, others = _details(value)
            if others or not value:
                rest[key] = others
        elif whole or value is not None:
            rest[key] = value
    if rest or not told:
        made.extras = {issuer: rest}
    return made


def _details(told: JsonObject) -> tuple[int | None, JsonObject]:
    count = told.get("thinking_tokens")
    if type(count) is not int:
        return None, told
    return count, {key: value for key, value in told.items() if key != "thinking_tokens"}


def said_usage(told: Usage, own: JsonObject, report: Report) -> JsonObject:
    """The figures that are known, as this wire says them, with the fields that it had beside them.

    A total has no place of its own: it is the sum of the others, or a loss.
    """
    made = {
        key: value for key, name in _FIGURES.items() if (value := getattr(told, name)) is not None
    }
    made.update(own)
    if told.reasoning is not None:
        made[_DETAILS] = {"thinking_tokens": told.reasoning, **own.get(_DETAILS, {})}
    summed = sum(getattr(told, name) or 0 for name in _FIGURES.values())
    for name in ("audio_in", "audio_out", "total"):
        value = getattr(told, name)
        if value and not (name == "total" and value == summed):
            report.lost("answer.usage", told, name, what=f"{name}: {value}")
    return made
