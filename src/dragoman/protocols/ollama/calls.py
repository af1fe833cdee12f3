"""Calls of a request's assistant messages, read into blocks, and said again as they were read.

`read_call` and `call_as_read` are each other's inverse. Reference: ollama api/types.go, ToolCall.
"""

from __future__ import annotations

from ...jsontext import Json, JsonObject
from ...message import RawBlock, ToolUseBlock
from ...message.blocks import noted
from ...pieces.arguments import parsed
from ...pieces.calls import MADE

__all__ = ["UNTYPED", "call_as_read", "read_call"]

UNTYPED = "untyped"  # the spelling of a call without its `type`, which nobody has to say

_CALL = ("id", "function")
_FUNCTION = ("name", "arguments")


def read_call(told: Json, issuer: str, made_id: str) -> ToolUseBlock | RawBlock:
    """One entry of `tool_calls`; `made_id` is for a call without one, as most clients send it."""
    function = told.get("function") if isinstance(told, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not (isinstance(told, dict) and isinstance(function, dict) and isinstance(name, str)):
        return RawBlock(issuer, told, "call", by="client", spelling="call")
    id, given = told.get("id"), function.get("arguments")
    block = ToolUseBlock(made_id, name)
    rest = {key: value for key, value in told.items() if key not in _CALL}
    inner = {key: value for key, value in function.items() if key not in _FUNCTION}
    words = []
    if isinstance(id, str) and id:
        block.id = id
    else:
        words.append(MADE)
        if "id" in told:
            rest["id"] = id
    if rest.get("type") == "function":
        del rest["type"]
    elif "type" not in rest:
        words.append(UNTYPED)
    if isinstance(given, dict):
        block.input = given
    elif isinstance(given, str):  # the server takes objects alone, other hosts of this wire both
        block.raw_input, block.input = given, parsed(given)
    elif "arguments" in function:
        inner["arguments"] = given
    if inner:
        rest["function"] = inner
    block.spelling = " ".join(words) or None
    notes = {} if "arguments" in function else {"arguments": "absent"}
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    block.extras = own or None
    return block


def call_as_read(block: ToolUseBlock | RawBlock, issuer: str) -> Json:
    """The entry of `tool_calls` that `read_call` made the block of."""
    if type(block) is RawBlock:
        return block.data
    assert type(block) is ToolUseBlock  # the other one of the two
    extras = block.extras or {}
    own = extras.get(issuer, {})
    words = (block.spelling or "").split()
    function: JsonObject = {"name": block.name, "arguments": given(block)}
    if "arguments" in extras.get(noted(issuer), {}):
        del function["arguments"]
    made: JsonObject = {} if MADE in words else {"id": block.id}
    if UNTYPED not in words:
        made["type"] = "function"
    made.update(own)
    made["function"] = {**function, **own.get("function", {})}
    return made


def given(block: ToolUseBlock) -> Json:
    """The arguments as they stood there: an object, or the text of one."""
    return block.input if block.raw_input is None else block.raw_input
