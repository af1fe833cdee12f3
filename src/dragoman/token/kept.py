"""Where counts are kept: by the content of what was counted, and never more than so many.

Knows keys and figures, no counter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias, cast

from ..errors import ConfigError
from ..shown import shown
from .base import figure
from .content import content_key

__all__ = ["LISTS", "Json", "Kept", "Parts"]

Json: TypeAlias = dict[str, Any]

_MOST = 1 << 53  # what no message takes; larger ones overflow the arithmetic
LISTS = 16  # lists whose figure is kept: of tools, and whole ones where a count is no sum


def part(tokens: object) -> Any:
    """A figure that is added to others. Raises ConfigError if no sum can be made with it."""
    made = figure(tokens)
    if abs(made) < _MOST:  # which NaN is not
        return made
    raise ConfigError(
        f"a token counter gave {shown(made)} for a part of a sum", code="token.figure"
    )


class Kept:
    """Figures by key in two generations: when the young one is full, the old one is forgotten."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._young: dict[Hashable, int] = {}
        self._old: dict[Hashable, int] = {}

    def get(self, key: Hashable) -> int | None:
        """The figure, or None; what is asked for is forgotten last."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: Hashable, tokens: int) -> int:
        """Keep a figure and give it back."""
        if len(self._young) >= self._size and key not in self._young:
            self._old, self._young = self._young, {}
        self._young[key] = tokens
        return tokens


class Parts:
    """The figures of messages and of lists of tools, of one kind: exact ones, or estimates."""

    def __init__(self, size: int) -> None:
        self._messages = Kept(size)
        self._tools = Kept(LISTS)

    def each(self, messages: list[Json], count: Callable[[Json], int]) -> list[int]:
        """The figures of all messages; `count` makes the unknown ones."""
        found = []
        for message in messages:
            key = content_key(message)
            tokens = self._messages.get(key)
            if tokens is None:
                tokens = self._messages.put(key, part(count(message)))
            found.append(tokens)
        return found

    def overhead(self, tools: list[Json] | None, count: Callable[[list[Json] | None], int]) -> int:
        """The figure of a list of tools; `count` makes it if it is unknown."""
        key = content_key(tools)
        tokens = self._tools.get(key)
        return self._tools.put(key, part(count(tools))) if tokens is None else tokens

    def known(self, messages: list[Json]) -> list[int] | None:
        """The figures, or None if one would have to be made."""
        found = [self._messages.get(content_key(message)) for message in messages]
        return None if None in found else cast("list[int]", found)

    def total(self, messages: list[Json], tools: list[Json] | None) -> int | None:
        """The sum, or None if a figure would have to be made."""
        aside, parts = self._tools.get(content_key(tools)), self.known(messages)
        return None if aside is None or parts is None else max(0, aside + sum(parts))
