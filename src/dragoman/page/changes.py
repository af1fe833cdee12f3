"""Two consecutive requests of one session: what is new, and what the cache finds again."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, TypeAlias

from ..analysis import cache_break, diff
from ..analysis.sameness import Difference, Item, items, tools
from ..errors import DragomanError, ReadError
from ..message import ChatRequest
from ..text.json_text import Json
from .exchange import PageExchange
from .long_texts import LongTexts

Shown: TypeAlias = dict[str, Any]

_MOST = 200  # differences that are shown one by one
_WORDS = 2_000  # words of two texts that are compared word by word; longer ones are by lines
_LINES = 4_000  # lines of two texts that are compared at all
_AROUND = 80  # characters of unchanged text that are shown on each side of a change
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def link(exchanges: Sequence[PageExchange]) -> None:
    """Set for each exchange the previous one of its session.

    That is the one that it names as such; else the last of the same session; in a recording without
    sessions, the last one of the same wire.
    """
    by_name = {exchange.name: exchange for exchange in exchanges if exchange.name}
    untold = not any(exchange.session or exchange.follows for exchange in exchanges)
    last: dict[tuple[str, str], PageExchange] = {}
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


def changes(before: PageExchange, after: PageExchange, texts: LongTexts) -> Shown:
    """How the later request differs, and where the prompt cache of the earlier one ends.

    Raises ReadError if one of them has no request.
    """
    if before.body is None or after.body is None or after.home is None:
        raise ReadError("there are no two requests to compare", code="page.changes")
    left, right = before.request, after.request
    assert left is not None, "a body was read"
    assert right is not None, "a body was read"
    differences = diff(left, right)
    counts = Counter(difference.change for difference in differences)
    return {
        "before": before.id,
        "after": after.id,
        "wire": after.wire,
        "counts": dict(counts),
        "differences": _show_differences(differences[:_MOST], left, right, texts),
        "cache": _cache(before, after),
    }


def _show_differences(
    differences: Sequence[Difference], left: ChatRequest, right: ChatRequest, texts: LongTexts
) -> list[Shown]:
    """Each difference with its `parts`: unchanged, old and new text, in order."""
    before, after = _by_place(left), _by_place(right)
    told = []
    for one in differences:
        pieces = parts(before.get(one.left, one.was), after.get(one.right, one.now))
        shown = {"change": one.change, "kind": one.kind, "left": one.left, "right": one.right}
        told.append({**shown, "parts": [[how, texts.text(text)] for how, text in pieces]})
    return told


def _by_place(request: ChatRequest) -> dict[str, str]:
    """The texts of all items of a request, by their paths."""
    return {item.where: _words(item) for item in reversed([*tools(request), *items(request)])}


def _words(item: Item) -> str:
    match item.kind, item.value:
        case "call" | "tool", [str(name), *rest]:
            return "\n".join([name, *map(_laid_out, filter(None, rest))])
        case "result", list(values):
            return "\n".join(map(_laid_out, values))
        case _, value:
            return _laid_out(value)


def _laid_out(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def parts(was: str, now: str) -> list[tuple[str, str]]:
    """(`same`, `was` or `now`, text) of two texts in order; of unchanged text only the ends.

    >>> parts("the night train", "the day train")
    [('same', 'the '), ('was', 'night'), ('now', 'day'), ('same', ' train')]
    """
    if not was or not now:
        return [(how, text) for how, text in (("was", was), ("now", now)) if text]
    left, right = was.splitlines(keepends=True), now.splitlines(keepends=True)
    start = _alike(left, right)
    end = _alike(left[start:][::-1], right[start:][::-1])
    head, tail = "".join(left[:start]), "".join(left[len(left) - end :])
    found = [
        ("same", head),
        *_apart(left[start : len(left) - end], right[start : len(right) - end]),
    ]
    found = [(how, text) for how, text in (*found, ("same", tail)) if text]
    last = len(found) - 1
    return [
        (how, _near(text, i > 0, i < last) if how == "same" else text)
        for i, (how, text) in enumerate(found)
    ]


def _alike(left: Sequence[str], right: Sequence[str]) -> int:
    """How many elements both have in common at their beginning."""
    pairs = zip(left, right, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def _apart(left: list[str], right: list[str]) -> list[tuple[str, str]]:
    """The differing parts: by words; by lines if the words are many; whole if the lines are."""
    words = [_WORD.findall("".join(left)), _WORD.findall("".join(right))]
    if sum(map(len, words)) <= _WORDS:
        left, right = words
    elif len(left) + len(right) > _LINES:
        return [("was", "".join(left)), ("now", "".join(right))]
    found: list[tuple[str, str]] = []
    was = now = ""
    for tag, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        same = "".join(left[a:b]) if tag == "equal" else ""
        if same.strip():
            found += [("was", was), ("now", now), ("same", same)]
            was = now = ""
        else:  # a space between two words that were both replaced belongs to both
            was += "".join(left[a:b])
            now += "".join(right[c:d])
    return [*found, ("was", was), ("now", now)]


def _near(text: str, behind: bool, before: bool) -> str:
    """Of an unchanged text the part after a change, and the part before the next one."""
    if len(text) <= _AROUND * (behind + before) + 3:
        return text
    start, end = text[:_AROUND].rpartition(" ")[0], text[-_AROUND:].partition(" ")[2]  # whole words
    return (start if behind else "") + " … " + (end if before else "")


def _cache(before: PageExchange, after: PageExchange) -> Shown:
    assert before.body is not None, "it was looked at before"
    assert after.body is not None, "it was looked at before"
    try:
        found = cache_break(before.body, after.body, wire=after.home)
    except DragomanError as error:  # the protocol's cache is not known
        return {"unknown": error.message}
    names = ("path", "why", "kept", "missed", "counted", "cached", "minimum", "unbound", "rule")
    return {name: getattr(found, name) for name in names}
