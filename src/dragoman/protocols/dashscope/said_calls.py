"""Calls of a stream as DashScope sends them: fragments that an index holds together.

The first fragment has id and name; behind it the id is empty and there is no name. Reference:
Model Studio, "Function calling"; recorded streams.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import JsonObject
from ...message import ToolUseBlock
from ...message.total import total
from ...pieces.piece import Key
from ...pieces.rest import argument_text, rest
from ...shapes import filled
from .said import Sayer

__all__ = ["SaidCalls"]


class _Call:
    __slots__ = ("begun", "index", "nth", "parts")

    def __init__(self, nth: int) -> None:
        self.nth = nth
        self.index: JsonObject = {"index": nth}
        self.begun = False
        self.parts: list[ToolUseBlock] = []  # which wait until its name is known


class SaidCalls:
    """The calls of one choice."""

    def __init__(self, say: Sayer, candidate: int) -> None:
        self._say = say
        self._candidate = candidate
        self._calls: dict[Key, _Call] = {}

    def feed(self, key: Key, block: ToolUseBlock, whole: bool) -> list[JsonObject]:
        """The fragments that a piece of the call makes."""
        call = self._calls.get(key)
        if call is None:
            call = self._calls[key] = _Call(len(self._calls))
        if not call.begun:
            if whole:
                call.parts.clear()
            call.parts.append(block)
            return [self._first(call)] if any(one.name for one in call.parts) else []
        more: Any = rest(total(call.parts), block) if whole else block
        if more is None:
            self._say.report.lost("answer.unsaid", block, "input", "other arguments")
            return []
        call.parts.append(more)
        if more is not block:
            self._say.report.made(more, block)
        text = argument_text(more)
        told = self._say.fields(more)
        for name in ("index", "type", "id"):
            told.pop(name, None)
        if not text and not told:
            return []
        return [self._fragment(call, text, told)]

    def finish(self) -> list[JsonObject]:
        """The calls that nobody named, and an empty object for those without arguments."""
        made = [self._first(call) for call in self._calls.values() if not call.begun]
        if not self._say.own:
            made += [self._fragment(call, "{}", {}) for call in self._calls.values()
                     if not any(argument_text(one).strip() for one in call.parts)]  # fmt: skip
        return made

    def _first(self, call: _Call) -> JsonObject:
        block: Any = total(call.parts)
        told = self._say.fields(block)
        call.begun = True
        made: JsonObject = {"type": "function"}
        if self._say.own:
            call.index = {"index": told.pop("index")} if "index" in told else {}
            if told.get("type", "") is None:
                del made["type"], told["type"]
            if block.id:
                told.pop("id", None)
        if block.id or not self._say.own:
            made["id"] = block.id or f"call_{self._candidate}_{call.nth}"
        function: JsonObject = {"name": block.name, "arguments": argument_text(block)}
        return filled({**call.index, **made, "function": function}, told)

    def _fragment(self, call: _Call, text: str, told: JsonObject) -> JsonObject:
        made: JsonObject = {**call.index, "id": "", "type": "function"}
        return filled({**made, "function": {"arguments": text}}, told)
