"""Tool calls as hosts stream them: which fragment belongs to which call.

A fragment says so by its id, else by its index, else by coming right behind the others.
Reference: OpenAI API, "Chat completion chunk", `delta.tool_calls`; recorded streams.
"""

from __future__ import annotations

from typing import Any

from ...message import RawBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered
from ...pieces import Balance

__all__ = ["Calls", "call"]

_KNOWN = {"id", "type", "function", "index"}


class _Slot:
    """One call that is being streamed."""

    __slots__ = ("balance", "id", "index", "name", "nth")

    def __init__(self, nth: int, index: Any) -> None:
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


class Calls:
    """The calls of one candidate, in the order in which they began."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._slots: list[_Slot] = []
        self._by_index: dict[Any, _Slot] = {}
        self._by_id: dict[str, _Slot] = {}

    def fragment(self, told: dict[str, Any]) -> tuple[int, ContentBlock]:
        """(which call, what the fragment adds to it)."""
        block = call(told, self._issuer, whole=False)
        if type(block) is not ToolUseBlock:
            slot = self._slot(str(told.get("id") or ""), "", told.get("index"))
            return slot.nth, block
        slot = self._slot(block.id, block.name, told.get("index"))
        slot.id = slot.id or block.id
        slot.name = slot.name or block.name
        if block.id:
            self._by_id.setdefault(block.id, slot)
        if block.raw_input:
            slot.balance.add(block.raw_input)
        elif block.input:
            slot.balance.add("{}")  # it came as an object, whole
        return slot.nth, block

    def _slot(self, id: str, name: str, index: Any) -> _Slot:
        known = type(index) is int
        slot = self._by_id.get(id) if id else None
        if slot is None or (known and type(slot.index) is int and slot.index != index):
            slot = self._by_index.get(index) if known else None
            if slot is None and not known and self._slots:
                slot = self._slots[-1]
            if slot is not None and not slot.takes(id, name):
                slot = None
        if slot is None:
            slot = _Slot(len(self._slots), index)
            self._slots.append(slot)
            if known:
                self._by_index[index] = slot
        return slot


def call(told: dict[str, Any], issuer: str, whole: bool) -> ContentBlock:
    """One entry of `tool_calls`: a function call, or a custom tool's as it came."""
    function = told.get("function")
    if not isinstance(function, dict):
        if "function" in told and function is not None:
            raise TypeError("a call's function is an object")
        if whole or "custom" in told:
            id = told.get("id")
            return RawBlock(issuer, told, "call", id if isinstance(id, str) else None, "client")
        function = {}
    said = function.get("arguments")
    block = ToolUseBlock(_text(told.get("id")), _text(function.get("name")))
    if isinstance(said, str):
        block.raw_input = said
    elif isinstance(said, dict):
        block.input = said
    elif said is not None:
        raise TypeError("arguments are text")
    rest = {key: value for key, value in told.items() if key not in _KNOWN}
    if rest:
        block.extras = {issuer: rest}  # such as Gemini's signature, which has to come back
    aside = {key: told[key] for key in ("index",) if whole and key in told}
    aside |= {"function": {key: value for key, value in function.items()
                           if key not in ("name", "arguments")}}  # fmt: skip
    if whole and told.get("type") != "function":
        aside["type"] = told.get("type")
    if not aside["function"]:
        del aside["function"]
    if aside:
        block.extras = {**(block.extras or {}), answered(issuer): aside}
    return block


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("a name or id is text")
    return value
