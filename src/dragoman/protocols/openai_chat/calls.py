"""Tool calls, whole and in fragments.

Reference: OpenAI API, "Chat completion chunk", `delta.tool_calls`; recorded streams.
"""

from __future__ import annotations

from typing import Any

from ...fragments import Fragments
from ...message import RawBlock, ToolUseBlock
from ...message.blocks import ContentBlock, answered

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
