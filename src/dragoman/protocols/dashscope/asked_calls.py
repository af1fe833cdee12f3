"""Calls of a request's assistant messages, read into blocks, and said again as they were read.

`read_call` and `call_as_read` are each other's inverse. Reference: Model Studio, "Function
calling".
"""

from __future__ import annotations

from ...jsontext import Json, JsonObject
from ...message import RawBlock, ToolUseBlock
from ...pieces.arguments import parsed
from ...pieces.calls import MADE

__all__ = ["call_as_read", "read_call"]

_CALL = ("id", "function")
_FUNCTION = ("name", "arguments")


def read_call(told: Json, issuer: str, made_id: str) -> ToolUseBlock | RawBlock:
    """One entry of `tool_calls`; `made_id` is for a call that has none."""
    function = told.get("function") if isinstance(told, dict) else None
    given = function.get("arguments") if isinstance(function, dict) else None
    if (
        not isinstance(told, dict)
        or not isinstance(function, dict)
        or not isinstance(function.get("name"), str)
        or not isinstance(given, (str, dict))
    ):
        return RawBlock(issuer, told, "call", by="client", spelling="call")
    block = ToolUseBlock(made_id, function["name"])
    if isinstance(given, str):
        block.raw_input, block.input = given, parsed(given)
    else:
        block.input = given
    rest = {key: value for key, value in told.items() if key not in _CALL}
    words = []
    id = told.get("id")
    if isinstance(id, str) and id:
        block.id = id
    else:
        words.append(MADE)
        if "id" in told:
            rest["id"] = id
    if rest.get("type") == "function":
        del rest["type"]
    elif "type" not in rest:
        words.append("untyped")
    if len(function) > len(_FUNCTION):
        rest["function"] = {k: v for k, v in function.items() if k not in _FUNCTION}
    block.spelling = " ".join(words) or None
    if rest:
        block.extras = {issuer: rest}
    return block


def call_as_read(block: ToolUseBlock | RawBlock, issuer: str) -> Json:
    """The entry of `tool_calls` that `read_call` made the block of."""
    if type(block) is RawBlock:
        return block.data
    assert type(block) is ToolUseBlock  # the other one of the two
    own = (block.extras or {}).get(issuer, {})
    words = (block.spelling or "").split()
    given = block.input if block.raw_input is None else block.raw_input
    made: JsonObject = {} if MADE in words else {"id": block.id}
    if "untyped" not in words:
        made["type"] = "function"
    made.update(own)
    made["function"] = {"name": block.name, "arguments": given, **own.get("function", {})}
    return made
