"""Calls of custom tools, which both of OpenAI's wires have, as the other one has them.

They are opaque to the tree: plain text goes in, and no schema says which. Reference: OpenAI API,
"Create chat completion", `tool_calls`; "Create a model response", `custom_tool_call`.
"""

from __future__ import annotations

from typing import Any

from ..jsontext import Json, JsonObject
from ..losses import Report
from ..message import Msg, RawBlock, TextBlock, ToolResultBlock
from ..message.blocks import ContentBlock

__all__ = ["messages"]

_CALL, _OUTPUT = "custom_tool_call", "custom_tool_call_output"
_BARE = {"type", "call_id", "name", "input", "output"}
_OF_ANSWERS = {"id", "status"}  # which a call may go back without
_SPELLED = {"openai-chat": "call", "openai-responses": None}


def messages(msgs: list[Msg], issuer: str, issued: str, report: Report) -> list[Msg]:
    """The messages with calls of custom tools, and their results, as this wire has them."""
    made: list[Msg] = []
    called: set[str] = set()
    for m in msgs:
        content: Any = m.content
        if type(content) is str:
            made.append(m)
            continue
        blocks = [_said(block, issuer, issued, called) for block in content]
        if all(new is old for new, old in zip(blocks, content, strict=True)):
            made.append(m)
            continue
        for new, old in zip(blocks, content, strict=True):
            if new is not old:
                report.made(new, old)
        made.append(Msg.trusted(m.name, blocks, m.role, m))
        report.made(made[-1], m)
    return made if called else msgs


def _said(block: ContentBlock, issuer: str, issued: str, called: set[str]) -> ContentBlock:
    """The block, or what says the same here; `called` learns the ids of calls."""
    if type(block) is ToolResultBlock and block.id in called and issued == "openai-responses":
        output = _output(block)
        told = {"type": _OUTPUT, "call_id": block.id, "output": output}
        return block if output is None else RawBlock(issued, told, "result", block.id, "client")
    if type(block) is not RawBlock or block.issuer != issuer or not isinstance(block.data, dict):
        return block
    told, id = block.data, block.pair or ""
    if block.role == "call" and id:
        made = _chat_call(told) if issued == "openai-chat" else _item(told)
        if made is not None:
            called.add(id)
            return RawBlock(issued, made, "call", id, "client", spelling=_SPELLED[issued])
    elif block.role == "result" and id in called and told.get("type") == _OUTPUT:
        said = told.get("output")
        if isinstance(said, str) and told.keys() - _OF_ANSWERS <= _BARE:
            return ToolResultBlock(id, output=said)
        if isinstance(said, list) and all(map(_is_text, said)):
            return ToolResultBlock(id, output=[TextBlock(one["text"]) for one in said])
    return block


def _is_text(part: Json) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "text"} and (
        part["type"] == "input_text" and isinstance(part["text"], str)
    )  # fmt: skip


def _output(block: ToolResultBlock) -> Json:
    """The text or the texts of a result; None if there is more in it."""
    said = block.output
    if not isinstance(said, list):
        return said or ""
    if not all(type(one) is TextBlock and one.extras is None for one in said):
        return None
    return [{"type": "input_text", "text": getattr(one, "text", "")} for one in said]


def _item(told: JsonObject) -> JsonObject | None:
    """`custom_tool_call`, of a call as Chat has it."""
    inner = told.get("custom")
    if told.keys() != {"id", "type", "custom"} or not isinstance(inner, dict):
        return None
    if inner.keys() != {"name", "input"}:
        return None
    return {"type": _CALL, "call_id": told["id"], **inner}


def _chat_call(told: JsonObject) -> JsonObject | None:
    """A call as Chat has it, of a `custom_tool_call`."""
    if told.get("type") != _CALL or not {"call_id", "name", "input"} <= told.keys():
        return None
    if not told.keys() - _OF_ANSWERS <= _BARE:
        return None
    inner = {"name": told["name"], "input": told["input"]}
    return {"id": told["call_id"], "type": "custom", "custom": inner}
