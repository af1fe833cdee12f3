"""Why something is lost: the source and the date of the fact that decided it.

What is asked of a code's capabilities in turn, the likeliest first: the formatter's own settings,
then facts from the last list to the first, then what the protocol says by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..capabilities import About, Capabilities, Facts
from ..codes import CODES

__all__ = ["Asked", "rule"]

_SET = "capabilities set for this formatter"


@dataclass(frozen=True, slots=True)
class Asked:
    """For whom facts are asked: a bare model, under which names of the wire, in which states."""

    model: str | None
    wires: frozenset[str]
    states: frozenset[str]


def rule(
    code: str,
    about: About,
    own: Capabilities,
    known: Sequence[Facts],
    asked: Asked,
    changes: Mapping[str, Any],
) -> str:
    """The rule behind a loss, `source (date)`; empty where the history or a wish decides alone."""
    asks = [ask for ask in CODES[code].asks if about.concerns(ask)]
    for ask in asks:
        if about.named(changes, ask):
            return _SET
        for facts in reversed(known):
            found = facts.deciding(ask, about, asked.model, asked.wires, asked.states)
            if found is not None:
                return _dated(found.source_of(ask), found.since)
        if ask == "options" and about.field and about.listed(own.options, ask):
            break  # the protocol itself says so of this option
    return _dated(own.source, own.since) if CODES[code].asks else ""


def _dated(source: str, since: str) -> str:
    return f"{source} ({since})" if source and since else source
