"""What a strict validator finds: a rule that is broken, where, and who says so.

A rule is declared once, with the demand and its source; a wire's rules stand in its Book. Knows
no wire.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..judges.fault import Path, spell

__all__ = ["Asked", "Book", "Broken", "Rule"]


@dataclass(frozen=True)
class Rule:
    """One demand of a provider. `source`: its documents, or the words of its error."""

    name: str
    demand: str
    source: str

    def at(self, path: Path, said: str = "") -> Broken:
        """This rule, broken at a place of the body."""
        return Broken(self, path, said)


@dataclass(frozen=True)
class Broken:
    """A rule that a body breaks, and where in the body."""

    rule: Rule
    path: Path
    said: str = ""

    @property
    def source(self) -> str:
        return self.rule.source

    def __str__(self) -> str:
        said = f" ({self.said})" if self.said else ""
        return f"{spell(self.path)}: {self.rule.demand}{said} [{self.rule.name}]"


@dataclass
class Book:
    """The rules of one wire by name, in the order in which they are written down."""

    wire: str
    rules: dict[str, Rule] = field(default_factory=dict)

    def rule(self, name: str, demand: str, source: str) -> Rule:
        """Write a rule down; it is named after the wire."""
        made = Rule(f"{self.wire}.{name}", demand, source)
        assert made.name not in self.rules, made.name
        self.rules[made.name] = made
        return made


@dataclass(frozen=True)
class Asked:
    """What a body does not say itself.

    `model`: the name in the URL, or the body's own. `host`: who serves the wire, as vendors are
    named; "" is the protocol's own provider. `open_end`: the history may stop at calls that are
    about to be carried out.
    """

    model: str = ""
    host: str = ""
    open_end: bool = False
