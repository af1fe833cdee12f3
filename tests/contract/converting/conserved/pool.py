"""The facts of a target, each to be taken once: what is taken is no longer there for another."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from .facts import Body, Fact, Table, facts
from .said import CHOICES
from .spelled import canonical
from .texts import Texts

__all__ = ["LABELS", "THOUGHTS", "Pool", "results", "strings"]

LABELS, THOUGHTS = "(labels)", "(thoughts)"  # seats of texts that nobody says
_NAMES = frozenset({"tool_name", "call_name", "choice_name", "result_name"})
_TEXTS = {"text": "", "result": "", "speaker": "", "label": LABELS, "thinking": THOUGHTS}


class Pool:
    """What a target says. `ids` and `names` map its spelling to that of the source.

    `streams`: the path or a header asks for a stream; `path` may hold the model.
    """

    def __init__(
        self,
        table: Table,
        body: Body,
        ids: Mapping[str, str],
        names: Mapping[str, str],
        path: str,
        headers: Mapping[str, str],
    ) -> None:
        self.path = unquote(path)
        self.streams = "stream" in path.lower() or "enable" in headers.values()
        self._ids, self._names = ids, names
        self._facts: dict[tuple[str, str], Counter[str]] = {}
        self._texts: dict[str, Texts] = {}
        for fact in facts(table, body):
            self._put(fact)

    def _put(self, fact: Fact) -> None:
        kind, scope, value = fact.kind, fact.scope, fact.value
        if kind in _TEXTS:
            for text in strings(value):
                self._texts.setdefault(_TEXTS[kind] or scope, Texts()).add(text)
            if kind == "result" or scope == "tool":
                self._count("result", "", results(value))
            if isinstance(value, dict) and value.keys() == {"error"}:
                self._count("option", "error", [canonical(True)])
            return
        if kind in _NAMES:
            value = self._names.get(value, value)
        elif kind in ("id", "result_id"):
            value = self._ids.get(value, value)
        elif kind == "choice":
            if value == "ANY" or (value == "any" and self.path.endswith("/interactions")):
                self._count("required_right", "", [canonical(True)])
            value = CHOICES.get(str(value), value)
        self._count(kind, scope, [canonical(value)])

    def _count(self, kind: str, scope: str, keys: list[str]) -> None:
        self._facts.setdefault((kind, scope), Counter()).update(keys)

    def one(self, kind: str, scope: str, value: Any) -> bool:
        """Whether just this is said; it is used up."""
        return self.used(kind, scope, canonical(value))

    def used(self, kind: str, scope: str, key: str) -> bool:
        """The same, of a value as canonical JSON."""
        found = self._facts.get((kind, scope))
        if found is None or found[key] <= 0:
            return False
        found[key] -= 1
        return True

    def values(self, kind: str, scope: str = "") -> list[Any]:
        """All values of a kind that stand there, used up or not."""
        return [json.loads(key) for key in self._facts.get((kind, scope), ())]

    def left(self, kind: str, scope: str) -> list[Any]:
        """All values of a kind that nothing has used up."""
        found: Counter[str] = self._facts.get((kind, scope), Counter())
        return [json.loads(key) for key, n in found.items() if n > 0]

    def said(self, text: str, seat: str) -> bool:
        """Whether somebody in this seat says the text; it is used up."""
        texts = self._texts.get(seat)
        return texts is not None and texts.take(text)

    def said_anywhere(self, text: str) -> bool:
        """Whether anybody says the text."""
        return any(texts.take(text) for texts in self._texts.values())


def strings(value: Any) -> Iterator[str]:
    """The texts inside of JSON; numbers and flags as they are spelled."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)
    elif value is not None:
        yield json.dumps(value)


def results(value: Any) -> list[str]:
    """Ways of saying a result as JSON: itself, as text, or under its only key."""
    if isinstance(value, str):
        try:  # where no flag says it, a failed call is told so in front
            value = json.loads(value.removeprefix("Error: "))
        except (ValueError, RecursionError):
            return []
    made = [canonical(value)]
    if isinstance(value, dict) and len(value) == 1 and value.keys() & {"output", "result", "error"}:
        (inner,) = value.values()
        made += results(inner) if isinstance(inner, str) else [canonical(inner)]
    return made
