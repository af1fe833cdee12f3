"""Token figures of the Messages API, which are disjoint by themselves.

Reference: Anthropic API, "Create a Message", `usage`: `input_tokens` is without cache, and
`output_tokens` with thinking. Of a stream, later figures replace earlier ones.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import Usage

__all__ = ["usage"]

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
    if rest:
        made.extras = {issuer: rest}
    return made


def _details(told: JsonObject) -> tuple[int | None, JsonObject]:
    count = told.get("thinking_tokens")
    if type(count) is not int:
        return None, told
    return count, {key: value for key, value in told.items() if key != "thinking_tokens"}
