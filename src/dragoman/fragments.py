"""Which call a streamed fragment belongs to, where calls are told as Chat Completions tells them.

By its id, else by its index, else to the call before it. Knows no wire and no JSON.
"""

from __future__ import annotations

from .pieces import Balance

__all__ = ["Fragments"]


class _Slot:
    """One call that is being streamed."""

    __slots__ = ("balance", "id", "index", "name", "nth")

    def __init__(self, nth: int, index: int | None) -> None:
        self.nth = nth
        self.index = index
        self.id = self.name = ""
        self.balance = Balance()

    def takes(self, id: str, name: str) -> bool:
        """Whether a fragment with this id and name may go on with the call."""
        if id and self.id:
            return id == self.id
        # without ids, a name behind whole arguments begins the next call
        return not (name and self.name and not id and self.balance.whole)


class Fragments:
    """The calls of one candidate, in the order in which they began."""

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._by_id: dict[str, _Slot] = {}

    def call(self, id: str, name: str, index: object, text: str) -> int:
        """The place of the call that goes on; empty texts say nothing, an index may be missing.

        `text` is what the fragment adds to the arguments, `{}` for arguments that came whole.
        """
        slot = self._slot(id, name, index if type(index) is int else None)
        slot.id = slot.id or id
        slot.name = slot.name or name
        if id:
            self._by_id.setdefault(id, slot)
        if text:
            slot.balance.add(text)
        return slot.nth

    def _slot(self, id: str, name: str, index: int | None) -> _Slot:
        slot = self._by_id.get(id) if id else None
        if slot is None or (None not in (index, slot.index) and slot.index != index):
            slot = self._by_index.get(index) if index is not None else None
            if slot is None and index is None and self._slots:
                slot = self._slots[-1]
            if slot is not None and not slot.takes(id, name):
                slot = None
        if slot is None:
            slot = _Slot(len(self._slots), index)
            self._slots.append(slot)
            if index is not None:
                self._by_index[index] = slot
        return slot
