"""One table of words: what every wire means by them, and what goes without saying."""

from __future__ import annotations

from typing import Any

__all__ = ["CHOICES", "FORMATS", "OFF", "QUIET", "quiet"]

# how a wire spells whether a tool must be called -> what it means
CHOICES = {
    "auto": "auto", "AUTO": "auto", "MODE_UNSPECIFIED": "auto",
    "none": "none", "NONE": "none",
    "any": "required", "ANY": "required", "required": "required", "REQUIRED": "required",
    "VALIDATED": "auto", "validated": "auto",
    "tool": "tool", "function": "tool",
}  # fmt: skip

# what form the answer has
FORMATS = {
    "text": "text", "text/plain": "text",
    "json": "json", "json_object": "json", "application/json": "json",
    "json_schema": "schema", "schema": "schema",
}  # fmt: skip

# words, figures and flags that say: do not think
OFF = frozenset({"off", "none", "disabled", "false", "0"})

# settings that are what every wire does when nothing is said: option -> value
QUIET: dict[str, tuple[Any, ...]] = {"error": (False,), "logprobs": (False,)}


def quiet(option: str, value: Any) -> bool:
    """Whether a setting goes without saying."""
    return any(
        value is one or (value == one and type(value) is int) for one in QUIET.get(option, ())
    )
