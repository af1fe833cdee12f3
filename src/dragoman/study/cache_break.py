"""Where a prompt cache misses: two requests over one wire, what of the second is read from it.

Asks bodies only: what was cached in fact, and for how long, the provider alone knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Any

from .._convert import detect
from .._wire import Wire
from ..capabilities import bare
from ..errors import ConfigError, ReadError
from ..jsontext import JsonObject, loads
from ..message import Written
from ..shown import Shown
from ..vendors import wire as wire_of
from .caches import CACHES, CacheRule
from .paths import found
from .prompts import Piece, pieces

__all__ = ["CacheBreak", "cache_break"]

_MODEL = "model"


@dataclass(frozen=True, slots=True, repr=False)
class CacheBreak(Shown):
    """Where the cache of one request ends for another, and what that costs.

    `path` is the first thing in the second request that its provider has not read there (empty:
    what was sent before is sent again as it was), `why` what it is in words. `kept` tokens in front
    of it are found again, `missed` tokens behind it were read before and are read anew; both are
    estimates unless `counted`. `cached` is whether so much is cached at all: `minimum` tokens are,
    where that is known, and on some wires only what a mark stands behind. `unbound` are the places
    in the second request of thinking that its provider refuses or drops behind such a change.
    `rule` is where the provider says so, with its date.
    """

    wire: str
    path: str
    why: str
    kept: int
    missed: int
    counted: bool
    cached: bool
    minimum: int | None
    unbound: tuple[str, ...]
    rule: str

    def __bool__(self) -> bool:
        """Whether anything breaks."""
        return bool(self.path)


def cache_break(
    before: Written | JsonObject | str | bytes,
    after: Written | JsonObject | str | bytes,
    *,
    wire: str | Wire | None = None,
    counter: Any = None,
) -> CacheBreak:
    """Where what `before` left in the provider's cache ends for `after`.

    Both are requests as `write_request` writes them, or bodies; `wire` says whose, if their keys
    alone do not. `counter` is a token counter of `dragoman.token` that counts without an event
    loop; without one the figures are estimates by length.

    >>> asked = {"model": "gpt-5.5", "messages": [{"role": "user", "content": "Hi"}]}
    >>> told = {"role": "system", "content": "It is 9:41."}
    >>> later = {"model": "gpt-5.5", "messages": [told, *asked["messages"]]}
    >>> cache_break(asked, later, wire="openai").path
    '$.messages[0].content'

    Raises ReadError for what is no request, ConfigError for requests of two wires, for a wire
    that is not known, or if the counter needs an event loop.
    """
    old, new = _body(before), _body(after)
    spoken = _wire(wire, before, old, after, new)
    rule = CACHES.get(spoken.room.protocol)
    if rule is None:
        raise ConfigError(
            f"nothing is known of a prompt cache behind {spoken.name}", code="cache.unknown"
        )
    model = _model(after, new)
    olds, news = pieces(old, rule), pieces(new, rule)
    at, field = _first(rule, (old, _model(before, old)), (new, model), olds, news)
    still = _kept(olds, at, rule, bare(model))
    minimum = rule.smallest(bare(model))
    kept = _tokens(news[:still], counter) // rule.unit * rule.unit
    return CacheBreak(
        spoken.name, *_place(field, at, olds, news), kept, _tokens(olds[at:], counter),
        counter is not None, kept > 0 and kept >= (minimum or 0), minimum,
        _unbound(spoken, model, olds, news), rule.told(),
    )  # fmt: skip


def _body(given: Written | JsonObject | str | bytes) -> JsonObject:
    made = given.body if isinstance(given, Written) else given
    if isinstance(made, (str, bytes)):
        read = loads(made)
        made = read if isinstance(read, dict) else {}
    if not isinstance(made, dict) or not made:
        raise ReadError(f"{type(given).__name__} is no request", path="$", code="request.shape")
    return made


def _wire(wire: str | Wire | None, before: Any, old: Any, after: Any, new: Any) -> Wire:
    """The one wire of both."""
    if wire is not None:
        return wire if isinstance(wire, Wire) else wire_of(wire)
    names = [_named(given, body) for given, body in ((before, old), (after, new))]
    if names[0] != names[1]:
        raise ConfigError(
            f"one request is for {names[0]} and the other for {names[1]}", code="cache.wires",
            hint="say whose they are: wire=...",
        )  # fmt: skip
    return wire_of(names[0])


def _named(given: Any, body: JsonObject) -> str:
    if isinstance(given, Written):
        return given.report.target or detect(body, given.path).wire
    return detect(body).wire


def _model(given: Any, body: JsonObject) -> str:
    named = given.model if isinstance(given, Written) else body.get(_MODEL)
    return named if isinstance(named, str) else ""


def _first(
    rule: CacheRule,
    before: tuple[JsonObject, str],
    after: tuple[JsonObject, str],
    olds: list[Piece],
    news: list[Piece],
) -> tuple[int, str]:
    """(so many pieces are the same, the field that starts all of it over or parts of it)."""
    (old, was), (new, now) = before, after
    if was != now:
        return 0, _MODEL
    for field in rule.over:
        if found(old, f"$.{field}") != found(new, f"$.{field}"):
            return 0, field
    same = sum(1 for _ in takewhile(_alike, zip(olds, news, strict=False)))
    if any(found(old, f"$.{field}") != found(new, f"$.{field}") for field in rule.messages):
        asides = sum(1 for _ in takewhile(lambda piece: piece.part != rule.order[-1], olds))
        if asides < same:
            choice = (f for f in rule.messages if found(old, f"$.{f}") != found(new, f"$.{f}"))
            return asides, next(choice)
    return same, ""


def _alike(pair: tuple[Piece, Piece]) -> bool:
    one, other = pair
    return (one.part, one.said) == (other.part, other.said)


def _place(field: str, at: int, olds: Sequence[Piece], news: Sequence[Piece]) -> tuple[str, str]:
    """The path of the first difference, and what it is."""
    if field:
        return f"$.{field}", f"{field} is another one"
    if at == len(olds):
        return "", "what was sent before is sent again as it was"
    if at == len(news):
        return "", "nothing follows what is found"
    if news[at].part != olds[at].part:
        return news[at].path, f"{olds[at].part} is shorter than it was"
    return news[at].path, f"{news[at].part} is another one from here on"


def _kept(olds: list[Piece], at: int, rule: CacheRule, model: str) -> int:
    """So many pieces are found again: up to the last place where the provider keeps an entry."""
    exact = any(fnmatchcase(model, pattern) for pattern in rule.exact)
    if not (rule.marked or exact):
        return at
    for i in range(at - 1, -1, -1):
        if olds[i].marked or (exact and olds[i].ends):
            return i + 1
    return 0


def _tokens(some: list[Piece], counter: Any) -> int:
    if counter is None:
        return sum(piece.tokens for piece in some)
    return sum(
        counter.count_sync([{"role": "system", "content": piece.said}] if piece.tool
                           else [piece.message])
        for piece in some
    )  # fmt: skip


def _unbound(spoken: Wire, model: str, olds: list[Piece], news: list[Piece]) -> tuple[str, ...]:
    """Where signed thinking stands in `news` that was sent before, behind another prefix.

    Neither options nor marks are compared, nor is other thinking. Messages API docs, Preserved
    thinking.
    """
    if spoken.can(model or None).binding == "none":
        return ()
    was = [piece for piece in olds if not _thinks(piece)]
    thoughts = {piece.said for piece in olds if _thinks(piece)}
    gone: list[str] = []
    at, same = 0, True
    for piece in news:
        if _thinks(piece):
            if not same and piece.said in thoughts:
                gone.append(piece.path)
            continue
        same = same and at < len(was) and _alike((was[at], piece))
        at += 1
    return tuple(gone)


def _thinks(piece: Piece) -> bool:
    """Whether it is thinking with a proof of its own."""
    content = piece.message.get("content")
    block = content[0] if isinstance(content, list) and content else piece.message
    if not isinstance(block, dict):
        return False
    inner = block.get("reasoningContent")
    if isinstance(inner, dict):
        text = inner.get("reasoningText")
        return "redactedContent" in inner or bool(isinstance(text, dict) and text.get("signature"))
    if block.get("type") == "redacted_thinking":
        return True
    return block.get("type") == "thinking" and bool(block.get("signature"))
