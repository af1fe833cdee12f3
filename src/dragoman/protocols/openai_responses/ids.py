"""Item ids: which of them go back, and what an item is without its own.

The API looks an item up by its id where it keeps answers, and holds reasoning and what followed it
together by their ids: 400 `Item 'rs_...' of type 'reasoning' was provided without its required
following item`, and the reverse. Without ids it does not look. So the ids of one answer go back
all together or not at all. `call_id` is another thing, and always goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from ...jsontext import JsonObject
from ...losses import Report
from ...message import Msg, ThinkingBlock
from ...seats import Seated
from .dialect import Dialect
from .outputs import bare

__all__ = ["Ids"]

_SHAPE = re.compile(r"[A-Za-z0-9_-]{1,64}")
# `Expected an ID that begins with 'fc'.` (invalid_id_prefix)
_PREFIXES = {"message": "msg", "reasoning": "rs", "function_call": "fc",
             "function_call_output": "fc"}  # fmt: skip
# what an item's own fields stand on: its block, or the whole message
Nodes: TypeAlias = tuple[Any, ...]
_USERS = ("user", "system", "developer")


class Ids:
    """The ids of the items of one input; `out` is the list that they are written to."""

    def __init__(
        self,
        out: list[JsonObject],
        seated: Seated,
        dialect: Dialect,
        report: Report,
        stored: bool,
    ) -> None:
        self.stored = stored and dialect.stores
        self._full = dialect.said == "full"
        self._short = dialect.said == "string"
        self._out = out
        self._seated = seated
        self._report = report
        self._nodes: dict[int, Nodes] = {}  # the place of an item with an id, and what bears it
        self._seen: set[str] = set()
        self._gaps: set[int] = set()  # places before which something of an answer is missing
        self._present: set[int] | None = None

    def kept(self, kind: str, own: JsonObject, nodes: Nodes, at: int) -> JsonObject:
        """The own fields of the item at place `at`, without an id that cannot go back."""
        given = own.get("id")
        if not given:
            return {name: own[name] for name in own if name != "id"} if "id" in own else own
        right = isinstance(given, str) and _SHAPE.fullmatch(given) and given not in self._seen
        if right and (self._full or (self.stored and given.startswith(_PREFIXES.get(kind, "")))):
            self._seen.add(given)
            self._nodes[at] = nodes
            return own
        return self.unsaid(kind, own, nodes)

    def made(self, kind: str) -> str:
        """An id of our own for the next item, where a host wants one and never looks it up."""
        found = f"{_PREFIXES[kind]}_{len(self._out)}"
        while found in self._seen:
            found += "_"
        return found

    def gap(self, m: Msg, first: int) -> None:
        """Note that thinking of this message was left out, if its items from `first` on have ids.

        An item whose reasoning is gone cannot be looked up.
        """
        if not any(at in self._nodes for at in range(first, len(self._out))):
            return
        if self._present is None:
            self._present = {id(self._report.source(b)) for b in _thoughts(self._seated.msgs)}
        source = self._report.source(m)
        before = [source] if isinstance(source, Msg) else []
        if any(id(block) not in self._present for block in _thoughts(before)):
            self._gaps.add(first)

    def dropped(self) -> None:
        """Note that an item was left out where the next one will stand."""
        self._gaps.add(len(self._out))

    def settle(self) -> None:
        """Take the ids from answers that are not whole, and reasoning that is nothing without."""
        if self._full or not self._nodes:
            return
        changes: dict[int, list[JsonObject]] = {}
        for start, end in _answers(self._out):
            here = [at for at in range(start, end) if at in self._nodes]
            if here and not self._whole(start, end):
                changes.update((at, self._stripped(at)) for at in here)
        if changes:
            rows = (changes.get(at, (item,)) for at, item in enumerate(self._out))
            self._out[:] = [item for row in rows for item in row]

    def _whole(self, start: int, end: int) -> bool:
        if any(at in self._gaps for at in range(start, end + 1)):
            return False
        answer = self._out[start:end]
        if all(item.get("type") != "reasoning" for item in answer):
            return True
        return answer[-1].get("type") != "reasoning" and all("id" in item for item in answer)

    def _stripped(self, at: int) -> list[JsonObject]:
        """What the item says without its id."""
        item, nodes = self._out[at], self._nodes[at]
        kind = item["type"]
        if kind == "reasoning" and not item.get("encrypted_content"):
            self._report.lost("thinking.unsigned", nodes[0])
            return []
        left = self.unsaid(kind, item, nodes)
        return bare(left, self._short) if kind == "message" else [left]

    def unsaid(self, kind: str, own: JsonObject, nodes: Nodes) -> JsonObject:
        """The own fields without the id, and without the status that a thing without one lacks."""
        names = ("id", "status") if kind in ("message", "reasoning") else ("id",)
        for name in names:
            for node, issuer in _bearing(nodes, name) if name in own else ():
                self._report.lost("id.unsaid", node, f"extras.{issuer}.{name}")
        return {name: value for name, value in own.items() if name not in names}


def _bearing(nodes: Nodes, name: str) -> list[tuple[Any, str]]:
    """The first node whose own fields hold the name, and whose fields those are."""
    for node in nodes:
        if found := [(node, issuer) for issuer, own in (node.extras or {}).items() if name in own]:
            return found
    return []


def _thoughts(msgs: list[Msg]) -> Iterator[ThinkingBlock]:
    for m in msgs:
        if not isinstance(m.content, str):
            yield from (block for block in m.content if type(block) is ThinkingBlock)


def _answers(out: list[JsonObject]) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of items that the model made."""
    start = 0
    for at in range(len(out) + 1):
        if at == len(out) or not _came_out(out[at]):
            if at > start:
                yield start, at
            start = at + 1


def _came_out(item: JsonObject) -> bool:
    kind = item.get("type", "message")
    if kind == "message":
        return item.get("role") not in _USERS
    return not (isinstance(kind, str) and kind.endswith("_output"))
