"""Tool calls as DashScope sends them: fragments of one index, or snapshots of whole calls.

Behind its first fragment a call has `"id": ""`, and no name or an empty or null one; models hosted
here say id and name again. Reference: Model Studio, "Function calling"; recorded streams.
"""

from __future__ import annotations

from typing import Any

from ...fragments import Fragments
from ...jsontext import JsonObject
from ...message import ToolUseBlock
from ...message.blocks import answered

__all__ = ["Calls"]

_KNOWN = {"id", "type", "function", "index"}


class Calls:
    """The calls of one choice, in the order in which they began."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._fragments = Fragments()
        self._known: dict[str | int, int] = {}  # id or index -> which call, for snapshots
        self._met: set[str] = set()  # ids of this event, for one may stand on two calls
        self._said: dict[int, str] = {}  # the arguments of each call, while they may be snapshots

    def read(self, told: JsonObject, place: int, snapshot: bool) -> tuple[int, ToolUseBlock, bool]:
        """(which call, what is added to it, whether that replaces what it was).

        `place` is where it stands in its list, which counts in snapshots without an index.
        """
        function = told.get("function")
        if function is None:
            function = {}
        block = ToolUseBlock(_text(told.get("id")), _text(function.get("name")))
        said = function.get("arguments")
        if isinstance(said, dict):
            block.input = said
        elif said is not None:
            block.raw_input = _text(said)
        nth = self._nth(told.get("index"), block, place, snapshot)
        before = self._said.get(nth)
        again = False
        if snapshot and block.raw_input is not None:
            again = not block.raw_input.startswith(before or "")
            self._said[nth] = block.raw_input
            if before and not again:
                block.raw_input = block.raw_input[len(before) :]
        else:
            self._said.setdefault(nth, "")
        self._aside(told, function, block, new=before is None)
        return nth, block, again

    def _nth(self, told: Any, block: ToolUseBlock, place: int, snapshot: bool) -> int:
        index = told if type(told) is int else place if snapshot else None
        text = block.raw_input or ("{}" if block.input else "")
        if index is None or not snapshot:
            return self._fragments.call(block.id, block.name, index, text)
        id = block.id
        if place == 0:
            self._met.clear()
        if id in self._met:
            id = f"{id} {place}"
        if id:
            self._met.add(id)
        nth = self._known.get(id or index)
        if nth is None:
            nth = self._fragments.call(id, block.name, index, text)
        self._known.setdefault(index, nth)
        if id:
            self._known[id] = nth
        return nth

    def _aside(
        self, told: JsonObject, function: JsonObject, block: ToolUseBlock, *, new: bool
    ) -> None:
        rest = {key: value for key, value in told.items() if key not in _KNOWN}
        if rest:
            block.extras = {self._issuer: rest}
        aside: JsonObject = {}
        if new:
            aside = {key: told[key] for key in ("index",) if key in told}
            if told.get("type") != "function":
                aside["type"] = told.get("type")
            if "id" in told and not block.id:
                aside["id"] = told["id"]
        more = {k: v for k, v in function.items() if k not in ("name", "arguments")}
        if more:
            aside["function"] = more
        if aside:
            block.extras = {**(block.extras or {}), answered(self._issuer): aside}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("a name or id is text")
    return value
