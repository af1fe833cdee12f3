"""A whole answer of Cohere's chat as pieces, and what whole answers share with streams.

Reference: Cohere API, "Chat", response; recorded answers.
"""

from __future__ import annotations

from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Finish, RawBlock, TextBlock, ToolUseBlock
from ...message.answer import FinishReason
from ...message.blocks import ContentBlock, answered
from ...pieces import End, Meta, Part, Piece
from ...retold import UNTYPED
from .cited import attached
from .parts import PLAN, TEXT, read_part
from .usage import usage

__all__ = ["CALL", "CONTENT", "PLANNED", "REASONS", "call", "whole"]

CONTENT, PLANNED, CALL = range(3)

REASONS: dict[str, FinishReason] = {
    "COMPLETE": "stop",
    "STOP_SEQUENCE": "stop",
    "MAX_TOKENS": "length",
    "TOOL_CALL": "tool_calls",
    "ERROR": "error",
    "TIMEOUT": "error",
}
_BODY = ("id", "message", "finish_reason", "usage")
# what is empty, or something else, says nothing, but it stood there
_SAID: dict[str, tuple[type, ...]] = {
    "content": (list, str), "tool_plan": (str,), "tool_calls": (list,), "citations": (list,),
}  # fmt: skip


def whole(body: JsonObject, issuer: str) -> list[Piece]:
    """The pieces of an answer that came whole."""
    rest = {key: value for key, value in body.items() if key not in _BODY}
    made: list[Piece] = []
    if isinstance(body.get("id"), str) and body["id"]:
        made.append(Meta(id=body["id"], issuer=issuer))
    elif "id" in body:
        rest["id"] = body["id"]
    made += _message(body["message"], issuer)
    if isinstance(body.get("usage"), dict) and body["usage"]:
        made.append(usage(body["usage"], issuer))
    elif "usage" in body:
        rest["usage"] = body["usage"]
    raw = body.get("finish_reason")
    if not isinstance(raw, str) and "finish_reason" in body:
        rest["finish_reason"] = raw
    if rest:
        made.append(Meta(rest, issuer=issuer))
    word = raw if isinstance(raw, str) else None
    return [*made, End(Finish(REASONS.get(word or "", "other"), word))]


def _message(told: JsonObject, issuer: str) -> list[Piece]:
    said = {key: told[key] for key, kind in _SAID.items() if key in told and told[key]
            and isinstance(told[key], kind)}  # fmt: skip
    rest = {key: value for key, value in told.items() if key not in ("role", *said)}
    notes = None if "role" in told else {"role": "absent"}
    if notes is None and told["role"] != "assistant":
        rest["role"] = told["role"]
    content, blocks = said.get("content", ()), list[ContentBlock]()
    if isinstance(content, str):
        blocks.append(TextBlock(content, spelling=TEXT))
    else:
        blocks += [read_part(one, issuer, "server") for one in content]
    made = [Part((0, CONTENT, at), block) for at, block in enumerate(blocks)]
    if "tool_plan" in said:
        blocks.append(TextBlock(said["tool_plan"], spelling=PLAN))
        made.append(Part((0, PLANNED, 0), blocks[-1]))
    if unplaced := attached(blocks, said.get("citations", []), issuer):
        rest["citations"] = unplaced
    calls = said.get("tool_calls", ())
    made += [Part((0, CALL, at), _called(one, issuer)) for at, one in enumerate(calls)]
    if not (rest or notes):
        return [*made]
    return [*made, Meta({"message": rest} if rest else None, 0, issuer=issuer, notes=notes)]


def _called(told: Json, issuer: str) -> ContentBlock:
    """One entry of `tool_calls`; what is no call of a function is kept as it came."""
    function = told.get("function") if isinstance(told, dict) else None
    known = isinstance(function, dict) and isinstance(function.get("name"), str)
    if not known or not isinstance(told["function"].get("arguments"), (str, dict)):
        return RawBlock(issuer, told, "call", by="client")
    return call(told, issuer)


def call(told: JsonObject, issuer: str) -> ToolUseBlock:
    """A call, whole or begun. Some relays send no id, and then one is made."""
    function: JsonObject = told.get("function") or {}
    id, said = told.get("id"), function.get("arguments")
    block = ToolUseBlock(id if isinstance(id, str) else "", _text(function.get("name", "")))
    if isinstance(said, str):
        block.raw_input = said
    elif isinstance(said, dict):
        block.input = said
    elif said is not None:
        raise TypeError("arguments are text or an object")
    rest = {key: value for key, value in told.items() if key not in ("id", "type", "function")}
    aside: JsonObject = {} if block.id or "id" not in told else {"id": id}
    if "type" not in told:
        block.spelling = UNTYPED
    elif told["type"] != "function":
        aside["type"] = told["type"]
    if len(function) > 2:
        rest["function"] = {k: v for k, v in function.items() if k not in ("name", "arguments")}
    own = {who: kept for who, kept in ((issuer, rest), (answered(issuer), aside)) if kept}
    block.extras = own or None
    return block


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text was expected")
    return value
