"""Tool calls, whole and in fragments.

Reference: OpenAI API, "Chat completion chunk", `delta.tool_calls`; recorded streams.
"""

from __future__ import annotations

from typing import Any

from ...fragments import Fragments
from ...message import RawBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered, noted

__all__ = ["Calls", "call"]

_KNOWN = {"id", "type", "function", "index"}


class Calls:
    """The calls of one candidate, in the order in which they began."""

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._fragments = Fragments()

    def fragment(self, told: dict[str, Any]) -> tuple[int, ContentBlock]:
        """(which call, what the fragment adds to it)."""
        block = call(told, self._issuer, whole=False)
        index = told.get("index")
        if type(block) is not ToolUseBlock:
            return self._fragments.call(str(told.get("id") or ""), "", index, ""), block
        text = block.raw_input or ("{}" if block.input else "")
        return self._fragments.call(block.id, block.name, index, text), block


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
        block.extras = {issuer: rest}  # such as a signature, which has to come back
    aside: dict[str, Any] = {}
    if more := {k: v for k, v in function.items() if k not in ("name", "arguments")}:
        aside["function"] = more
    if whole:
        _spelled(told, function, aside, block, issuer)
    if aside:
        block.extras = {**(block.extras or {}), answered(issuer): aside}
    return block


def _spelled(
    told: dict[str, Any],
    function: dict[str, Any],
    aside: dict[str, Any],
    block: ToolUseBlock,
    issuer: str,
) -> None:
    """What a whole call has otherwise than others: an index, no id, no type, no text."""
    aside |= {key: told[key] for key in ("index",) if key in told}
    if "type" in told and told["type"] != "function":
        aside["type"] = told["type"]
    if "id" in told and not told["id"]:
        aside["id"] = told["id"]
    absent = [key for key in ("id", "type", "function") if key not in told]
    absent += [key for key in ("name", "arguments") if key not in function]
    empty = {key: function[key] for key in ("name", "arguments")
             if key in function and function[key] in (None, {}) and key not in absent}  # fmt: skip
    if empty:
        aside["function"] = {**aside.get("function", {}), **empty}
    if absent:
        block.extras = {**(block.extras or {}), noted(issuer): {"absent": absent}}


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError("a name or id is text")
    return value
