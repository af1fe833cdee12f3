"""Declared tools and the choice among them, as far as wires share the demands.

Each wire reads its own keys; this file sees names and their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..judges.fault import Json, Path, brief
from .rule import Book, Broken, Rule

__all__ = ["Named", "Names"]

Named = tuple[Json, Path]  # a name, and where it stands


@dataclass(frozen=True)
class Names:
    """The demands of one wire on the names of tools."""

    form: re.Pattern[str]
    pattern: Rule
    once: Rule
    alone: Rule
    declared: Rule | None  # None: no choice names a tool here

    @classmethod
    def of(cls, book: Book, form: str, source: str, choice: str, named: bool = True) -> Names:
        """Written down in the wire's book; `choice`: the source of what a choice may name."""
        known = "a choice names a declared tool"
        return cls(
            re.compile(form),
            book.rule("tool_name", f"a tool's name is {form}", source),
            book.rule("tool_twice", "a tool is declared once", choice),
            book.rule("choice_alone", "a choice of tools needs tools", choice),
            book.rule("choice_unknown", known, choice) if named else None,
        )

    def spelled(self, found: Sequence[Named]) -> Iterator[Broken]:
        """Names, declared or called, that the wire does not take."""
        for name, at in found:
            if not isinstance(name, str) or not self.form.fullmatch(name):
                yield self.pattern.at(at, brief(name))

    def offered(self, tools: Sequence[Named]) -> Iterator[Broken]:
        """Names of declared tools."""
        yield from self.spelled(tools)
        seen: set[str] = set()
        for name, at in tools:
            if isinstance(name, str) and name in seen:
                yield self.once.at(at, brief(name))
            seen.add(str(name))

    def chosen(
        self, tools: Sequence[Named], others: bool, chosen: Sequence[Named], at: Path
    ) -> Iterator[Broken]:
        """What a choice names; `others`: there are tools that have no name of their own."""
        if not tools and not others:
            yield self.alone.at(at)
            return
        known = {name for name, _ in tools if isinstance(name, str)}
        for name, place in chosen:
            if self.declared and (not isinstance(name, str) or name not in known):
                yield self.declared.at(place, brief(name))
