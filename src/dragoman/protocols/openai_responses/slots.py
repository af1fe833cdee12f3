"""The items of a streamed answer: which event belongs to which, and what was told of each.

An event names its item by its place; some hosts give an item another id in every event, others
count all items as the first or leave the place out. Makes no pieces.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, TypeAlias

from ...jsontext import Json, JsonObject
from ...message.blocks import ContentBlock

__all__ = ["ID", "Slot", "Slots", "begun"]

ID = "id:"  # begins the note on a first piece of how its item is called

Path: TypeAlias = tuple[str | int, ...]


class Slot:
    """One item: its place among the blocks of the message, and what is known of it."""

    __slots__ = ("at", "chances", "grown", "id", "item", "kind", "marks", "said", "settled",
                 "texts", "whole")  # fmt: skip

    def __init__(self, at: int, kind: str, id: str | None, item: JsonObject) -> None:
        self.at = at
        self.kind = kind
        self.id = id
        self.item = item  # as it was announced, or is by now
        self.whole = False  # its end was told
        self.grown: set[int] = set()  # places of its texts of which something was told
        self.texts: dict[tuple[str, int], list[str]] = {}  # thoughts: the paragraphs of each field
        self.said: dict[Path, list[str]] = {}  # what grows in an item that stays as it is
        self.marks: dict[int, list[Json]] = {}  # annotations of its texts
        self.chances: dict[int, list[Json]] = {}  # and their log probabilities
        self.settled: dict[int, ContentBlock] = {}  # blocks that were told whole

    def filled(self) -> JsonObject:
        """The item so far, with what has grown."""
        made: JsonObject = self.item
        for path, texts in self.said.items():
            made = _with(made, path, "".join(texts))
        return made

    def completed(self, item: JsonObject) -> JsonObject:
        """A whole item, with the annotations and probabilities that only the stream told."""
        content = item.get("content")
        if not (self.marks or self.chances) or not isinstance(content, list):
            return item
        parts = [
            self.noted(at, told) if isinstance(told, dict) else told
            for at, told in zip(self.places(len(content)), content, strict=True)
        ]
        return {**item, "content": parts}

    def places(self, count: int) -> list[int]:
        """The places of an item's parts; some servers count them on from item to item."""
        told = sorted(self.grown)
        if not told or told[-1] < count:
            return list(range(count))
        return [*told, *range(told[-1] + 1, told[-1] + 1 + count)][:count]

    def noted(self, at: int, told: JsonObject) -> JsonObject:
        """The same for one part of a message."""
        streamed = {"annotations": self.marks.get(at), "logprobs": self.chances.get(at)}
        more = {key: value for key, value in streamed.items() if value and not told.get(key)}
        return {**told, **more} if more else told


def begun(slot: Slot) -> str:
    """The note on the first piece of an item: who writes it on needs its id before its end."""
    return f"{ID}{slot.id or ''}"


class Slots:
    """The items of one answer, in the order of their places."""

    def __init__(self) -> None:
        self._all: list[Slot] = []
        self._by_index: dict[Any, Slot] = {}
        self._by_id: dict[str, Slot] = {}
        self._base = 0  # of the places of this response, where it follows another one
        self._taken: set[int] = set()
        self._end = 0  # behind all places that are taken
        self._shared = False  # two items said that they stand in one place

    def __iter__(self) -> Iterator[Slot]:
        return iter(sorted(self._all, key=lambda slot: slot.at))

    def restart(self) -> None:
        """Another response begins in the same stream: its items stand behind."""
        self._base = self._end
        self._by_index.clear()
        self._by_id.clear()
        self._all.clear()

    def of(self, event: JsonObject, kind: str) -> Slot:
        """The item of this kind that an event speaks of; one that nobody announced is new."""
        index = event.get("output_index")
        slot = self._by_index.get(index)
        if slot is not None and slot.kind == kind and not self._shared:
            return slot
        id = event.get("item_id")
        named = self._by_id.get(id) if isinstance(id, str) else None
        if named is not None and named.kind == kind:
            return named
        if slot is not None and slot.kind == kind:
            return slot
        if index is None and (last := self._last(kind)) is not None:
            return last
        return self._open(index, kind, id, {})

    def added(self, event: JsonObject, item: JsonObject) -> Slot:
        """The item that an event announces."""
        index, id, kind = event.get("output_index"), item.get("id"), str(item.get("type"))
        slot = self._by_index.get(index)
        if slot is not None and slot.kind == kind and not slot.whole and slot.id in (None, id):
            slot.item = item
            self._name(slot, id)
            return slot
        return self._open(index, kind, id, item)

    def done(self, event: JsonObject, item: JsonObject) -> Slot:
        """The item whose end an event tells."""
        index, id, kind = event.get("output_index"), item.get("id"), str(item.get("type"))
        slot = self._by_index.get(index)
        named = self._by_id.get(id) if isinstance(id, str) else None
        if slot is None or slot.kind != kind or self._shared:
            if named is not None and named.kind == kind:
                slot = named
            elif slot is None or slot.kind != kind:
                slot = self._last(kind) if index is None else None
        if slot is None or (slot.whole and slot.id != id):
            slot = self._open(index, kind, id, {})
        self._name(slot, id)
        slot.item, slot.whole = item, True
        return slot

    def matched(self, output: list[Any]) -> list[tuple[Slot, Any]]:
        """(slot, item) of a whole answer: by id, else by place, else by order, else new."""
        left = {slot.at: slot for slot in self}
        ids = {id for item in output if isinstance(id := _get(item, "id"), str)}
        named: dict[Any, deque[Slot]] = {}
        others: dict[Any, deque[Slot]] = {}  # of each kind those that no item names
        for slot in left.values():
            named.setdefault((slot.kind, slot.id), deque()).append(slot)
            if slot.id not in ids:
                others.setdefault(slot.kind, deque()).append(slot)
        made: list[tuple[Slot, Any]] = []
        for at, item in enumerate(output):
            kind, id = str(_get(item, "type")), _get(item, "id")
            found = _first(named.get((kind, id)), left) if isinstance(id, str) else None
            if found is None:
                there = left.get(self._base + at)
                found = there if there is not None and there.kind == kind else None
            found = found or _first(others.get(kind), left) or self._open(at, kind, id, {})
            left.pop(found.at, None)
            found.whole = True
            made.append((found, item))
        return made

    def _last(self, kind: str) -> Slot | None:
        return next((one for one in self._all if one.kind == kind and not one.whole), None)

    def _open(self, index: Any, kind: str, id: Any, item: JsonObject) -> Slot:
        known = type(index) is int and index >= 0
        at = self._base + index if known else max(self._end, self._base)
        if at in self._taken:
            self._shared = True
            at = self._end
        slot = Slot(at, kind, None, item)
        self._taken.add(at)
        self._end = max(self._end, at + 1)
        self._all.append(slot)
        if known:
            self._by_index[index] = slot
        self._name(slot, id)
        return slot

    def _name(self, slot: Slot, id: Any) -> None:
        if isinstance(id, str) and id:
            slot.id = id
            self._by_id[id] = slot


def _get(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, dict) else None


def _first(slots: deque[Slot] | None, left: dict[int, Slot]) -> Slot | None:
    """The first of the slots that no item has taken."""
    while slots:
        if slots[0].at in left:
            return slots[0]
        slots.popleft()
    return None


def _with(told: Any, path: Path, text: str) -> Any:
    """The value with the text at the path, and with the objects and lists on the way."""
    if not path:
        return text
    step, *rest = path
    made: Any
    if isinstance(step, int):
        made = list(told) if isinstance(told, list) else []
        made.extend("" for _ in range(step + 1 - len(made)))
        there = made[step]
    else:
        made = dict(told) if isinstance(told, dict) else {}
        there = made.get(step)
    made[step] = _with(there, tuple(rest), text)
    return made
