"""Why a provider refused what was written: whose block it is that the error names, and what to do.

Errors name places in a body that nobody has written by hand. This finds the place, and through the
source map what it was made of; `check` has the rule and the fix where it knows one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigError, ProviderError
from ..message import Written
from ..pieces import fault
from ..shown import Shown, clipped
from .check import check
from .hinted import hinted, narrowed
from .named import named, texts_of
from .paths import inside, spelled
from .refusal import Refusal
from .sources import Source, sourcemap, written_of

__all__ = ["Explanation", "explain"]

_MOST = 500
_WORD = re.compile(r"[a-z]{4,}")
_USUAL = frozenset({"this", "that", "with", "without", "model", "must", "takes", "only", "request",
                    "does", "value", "field", "supported", "there", "have", "other"})  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Shown):
    """Why the provider refused it.

    `where` is the path in what was given, `at` the one in the body; both are empty where the error
    names nothing and nothing was found. `whose` is who says it (`turn 2 of assistant Bob`), `what`
    the thing (`thinking block 1, issued by anthropic`). `why` is the rule with its source and date,
    `fix` what to do, both empty where no rule is known; `error` is what the provider said.
    """

    where: str = ""
    whose: str = ""
    what: str = ""
    why: str = ""
    fix: str = ""
    error: str = ""
    at: str = ""
    code: str = ""

    def __str__(self) -> str:
        place = ", ".join(one for one in (self.whose, self.what) if one)
        head = f"{self.where} ({place}): " if self.where else "the error names no place: "
        rest = " ".join(one for one in (self.why and f"{self.why}.", self.fix) if one)
        return f"{head}{self.error}" + (f" -- {rest}" if rest else "")


def explain(error: ProviderError | Any, written: Written) -> Explanation:
    """Which part of what was given the error speaks of, whose it is, and what to do about it.

    `error` is a ProviderError (`wire.error(status, body)`), or the body or the text of the error
    itself. Ask before `Written.detached`.

    >>> import dragoman
    >>> body = {"model": "gpt-5.5", "temperature": 9, "messages": [{"role": "user", "content": ""}]}
    >>> wire = dragoman.wire("openai", policy="ignore")
    >>> made = wire.write_request(wire.read_request(body))
    >>> explain("Invalid 'temperature': decimal above maximum value.", made).where
    '$.temperature'
    """
    written = written_of(written)
    told = error if isinstance(error, ProviderError) else fault(error)
    refused = _refused(written)
    at, rule = _place(told, written.body, refused)
    said = clipped(told.message, _MOST)
    if not at:
        return Explanation(error=said)
    source = sourcemap(written).of(at) if written.sourced is not None else Source(at)
    if rule is None:
        return Explanation(source.path, source.whose, source.what, error=said, at=at)
    dated = f" ({rule.source}, {rule.since})" if rule.since else f" ({rule.source})"
    return Explanation(
        source.path, source.whose, source.what, rule.rule + (dated if rule.source else ""),
        rule.fix, said, at, rule.code,
    )  # fmt: skip


def _refused(written: Written) -> list[Refusal]:
    try:
        return check(written.body, written.report.target, written.model, written.path)
    except ConfigError:  # a wire of somebody's own, which no name leads to
        return []


def _place(told: ProviderError, body: Any, refused: list[Refusal]) -> tuple[str, Refusal | None]:
    """The path in the body that is meant, and the rule that is broken there."""
    texts = texts_of(told.body, told.message)
    for way in named(texts, body):
        path = spelled(way)
        if (rule := _rule_at(path, refused)) is None:
            path = spelled(narrowed(told.message, body, way))
            rule = _rule_at(path, refused)
        return rule.where if rule is not None and inside(rule.where, path) else path, rule
    ways = [spelled(way) for way in hinted(told.message, body)]
    for path in ways:  # the words may be found in many places: one that breaks a rule is surest
        if (rule := _rule_at(path, refused)) is not None:
            return rule.where, rule
    if not ways:
        meant = [one for one in refused if _speaks(told.message, one, alone=len(refused) == 1)]
        return (meant[0].where, meant[0]) if meant else ("", None)
    return ways[0], None


def _speaks(message: str, rule: Refusal, *, alone: bool) -> bool:
    """Whether an error without a place may mean what breaks this rule.

    Of the only thing that is wrong it does, but not if the rule is one of the request as a whole:
    the words of that must be in the error.
    """
    if rule.where != "$":
        return alone
    told, said = (set(_WORD.findall(text.lower())) - _USUAL for text in (message, rule.rule))
    return len(told & said) > 1


def _rule_at(path: str, refused: list[Refusal]) -> Refusal | None:
    """The rule that is broken at the path, inside of it, or by what it stands in.

    One of the request as a whole stands around everything, and explains no place.
    """
    for one in refused:
        if inside(one.where, path):
            return one
    around = [one for one in refused if one.where != "$" and inside(path, one.where)]
    return max(around, key=lambda one: len(one.where), default=None)
