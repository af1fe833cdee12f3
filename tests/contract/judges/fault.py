"""What a judge finds: a fault with a rule, a place and a sentence.

Also the few careful readers that let a rule look into a body of any shape without
falling over it. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
Json: TypeAlias = Any  # a body under judgement may be anything at all
LAYERS = ("json", "types", "pairs")


def spell(path: Path) -> str:
    """Write a path as a reader would: messages[2].tool_calls[0].id."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.lstrip(".") or "(body)"


@dataclass(frozen=True)
class Fault:
    """One thing that the provider would refuse. `rule` names it for exemptions and tests."""

    rule: str
    path: Path
    text: str

    @property
    def layer(self) -> str:
        """json, types, pairs, or rules for all that only the provider's documents say."""
        head = self.rule.partition(".")[0]
        return head if head in LAYERS else "rules"

    def __str__(self) -> str:
        return f"{spell(self.path)}: {self.text} [{self.rule}]"


def objects(value: Json) -> Iterator[tuple[int, dict[str, Json]]]:
    """The members of a list that are JSON objects, with their index."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield index, item


def members(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def mapping(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def label(value: Json) -> str:
    """An id or a kind as something to compare, whatever JSON it is."""
    return value if isinstance(value, str) else f"<{value!r}>"


def look(body: Json, path: Path) -> Json:
    """The value at a path, or None when the path leads nowhere."""
    for step in path:
        try:
            body = body[step]
        except (KeyError, IndexError, TypeError):
            return None
    return body


def brief(value: object, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
