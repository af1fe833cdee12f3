"""One difference between two readings, and a named reason for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .recorded import Exchange

__all__ = ["Difference", "Reason", "payloads"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One field of one stream: what they say, what we say."""

    exchange: Exchange
    field: str
    theirs: Any
    ours: Any

    def __str__(self) -> str:
        said = f"theirs {self.theirs!s:.300}, ours {self.ours!s:.300}"
        return f"{self.exchange.id}: {self.field}: {said}"

    @property
    def name(self) -> str:
        """The field without its candidate: `again.0.text` is `text`."""
        return self.field.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Reason:
    """A named reason; `holds` looks at the difference and its events, not only at the field."""

    name: str
    holds: Callable[[Difference], bool]


def payloads(exchange: Exchange) -> Iterator[dict[str, Any]]:
    """The payloads of the events that are objects."""
    return (payload for _, payload in exchange.events or () if isinstance(payload, dict))
