"""What an answer says, whoever reads it: texts, calls, tokens, and why it ended."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Call", "Said", "Spent", "arguments", "total_of"]


class Call(NamedTuple):
    """A tool call: its name and what its arguments are, as a value."""

    name: str
    input: Any


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens as users are billed: `input` with what a cache knew, `output` with all thinking."""

    input: int | None = None
    output: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """One candidate. `finish` is the wire's own word; a refusal counts as text.

    `refused`: the wire says in a field of its own that the text is a refusal.
    """

    text: str = ""
    calls: list[Call] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    finish: str | None = None
    thinking: str = ""
    refused: bool = False


def arguments(text: Any) -> Any:
    """The value of argument text: {} if it is blank, the text itself if it is no JSON."""
    if not isinstance(text, str):
        return text or {}
    try:
        return json.loads(text, strict=False) or {}
    except (ValueError, RecursionError):
        return text.strip() or {}


def total_of(*figures: int | None) -> int | None:
    """The sum of the figures that are there; None if none is."""
    known = [n for n in figures if n is not None]
    return sum(known) if known else None
