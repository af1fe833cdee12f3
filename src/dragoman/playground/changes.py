"""Two requests of one session, one after the other: what is new, and what the cache finds again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

from ..errors import DragomanError, ReadError
from ..study import cache_break, diff
from ..study.sameness import Difference
from .exchange import Exchange
from .long_texts import LongTexts

Shown: TypeAlias = dict[str, Any]

_MOST = 200  # differences that are told one by one


def link(exchanges: Sequence[Exchange]) -> None:
    """Tell each exchange which one stands before it in its session.

    That is the one that it says it follows; else the last of the same session; in a recording that
    tells of no sessions, the last one of the same wire.
    """
    by_name = {exchange.name: exchange for exchange in exchanges if exchange.name}
    untold = not any(exchange.session or exchange.follows for exchange in exchanges)
    last: dict[tuple[str, str], Exchange] = {}
    for exchange in exchanges:
        if exchange.body is None:
            continue
        key = (exchange.session, exchange.wire)
        before = by_name.get(exchange.follows)
        if before is None and (exchange.session or untold):
            before = last.get(key)
        if before is not None and before.body is not None and before.wire == exchange.wire:
            exchange.previous = before.id
        last[key] = exchange


def changes(before: Exchange, after: Exchange, texts: LongTexts) -> Shown:
    """What the later request says otherwise, and where the prompt cache of the earlier one ends.

    Raises ReadError where one of them has no request.
    """
    if before.body is None or after.body is None or after.home is None:
        raise ReadError("there are no two requests to compare", code="page.changes")
    left, right = before.request, after.request
    assert left is not None, "a body was read"
    assert right is not None, "a body was read"
    differences = diff(left, right)
    counts = Counter(difference.change for difference in differences)
    return {
        "before": before.id, "after": after.id, "wire": after.wire, "counts": dict(counts),
        "differences": [_difference(one, texts) for one in differences[:_MOST]],
        "cache": _cache(before, after),
    }  # fmt: skip


def _difference(difference: Difference, texts: LongTexts) -> Shown:
    shown = asdict(difference)
    return {**shown, "was": texts.text(difference.was), "now": texts.text(difference.now)}


def _cache(before: Exchange, after: Exchange) -> Shown:
    assert before.body is not None, "it was looked at before"
    assert after.body is not None, "it was looked at before"
    try:
        found = cache_break(before.body, after.body, wire=after.home)
    except DragomanError as error:  # a protocol of which no cache is known
        return {"unknown": error.message}
    names = ("path", "why", "kept", "missed", "counted", "cached", "minimum", "unbound", "rule")
    return {name: getattr(found, name) for name in names}
