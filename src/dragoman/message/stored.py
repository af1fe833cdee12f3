"""Messages, requests and responses as versioned JSON of our own; `loaded` has the way back.

    {"dragoman": 1, "kind": "messages", "value": [...]}

Version 1 is the only one so far; a later version reads all earlier ones. Text is the caller's:
nothing here opens a file.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeAlias

from ..errors import InvalidMessage
from ..jsontext import JsonObject, check
from .answer import ChatResponse, Finish, Usage
from .as_read import AsRead
from .msg import Msg
from .options import ResponseFormat
from .plain import plain_value
from .request import ChatRequest
from .server_tools import ServerTool
from .tools import Tool, ToolChoice

__all__ = ["VERSION", "Storable", "dump"]

VERSION = 1
Storable: TypeAlias = Msg | list[Msg] | ChatRequest | ChatResponse


def dump(value: Storable) -> JsonObject:
    """The value as plain JSON with its version.

    Raises InvalidMessage for what cannot be stored, such as metadata that is no JSON.
    """
    try:
        kind, made = _dumped(value)
    except RecursionError as error:
        raise InvalidMessage(
            "nested too deeply to be stored", path="$.value", code="json.deep"
        ) from error
    check(made, "$.value")
    return {"dragoman": VERSION, "kind": kind, "value": made}


def _dumped(value: object) -> tuple[str, Any]:
    match value:
        case Msg():
            return "message", value.to_dict()
        case ChatRequest():
            return "request", _request(value)
        case ChatResponse():
            return "response", _response(value)
        case list() if all(isinstance(item, Msg) for item in value):
            return "messages", [item.to_dict() for item in value]
    raise InvalidMessage(
        f"{type(value).__name__} is nothing that can be stored",
        path="$",
        hint="a Msg, a list of Msg, a ChatRequest or a ChatResponse",
        code="stored.type",
    )


def _request(req: ChatRequest) -> JsonObject:
    made: JsonObject = {"messages": [msg.to_dict() for msg in req.messages]}
    for f in fields(ChatRequest):
        value = getattr(req, f.name)
        if f.name == "messages" or value is None or value == [] or value is False:
            continue
        if f.name == "read":
            made["read"] = _as_read(value, req)
            continue
        if f.name == "tools":
            made["tools"] = [_plain(tool) for tool in value]
        elif f.name == "options":
            if value.given():
                made["options"] = {name: plain_value(v) for name, v in value.given()}
        else:
            made[f.name] = _plain(value)
    return made


def _as_read(read: AsRead, req: ChatRequest) -> JsonObject:
    """Which of the messages and fields are still as they were read."""
    held = [i for i, m in enumerate(req.messages) if read.holds(m)]
    made = {"protocol": read.protocol, "issuer": read.issuer, "messages": held,
            "fields": sorted(read.kept(req.asks()))}  # fmt: skip
    edited = None if read.grown(req.messages) else True
    return {**made, **_given(model=read.model, edited=edited, state=read.state or None)}


def _plain(value: Any) -> Any:
    if isinstance(value, (Tool, ServerTool, ToolChoice, ResponseFormat, Finish, Usage)):
        kept = isinstance(value, ServerTool)
        return {
            f.name: plain_value(inner)
            for f in fields(value)
            if (inner := getattr(value, f.name)) is not None
            and inner != ()
            and (f.name != "type" or kept)
        }
    return plain_value(value)


def _response(resp: ChatResponse) -> JsonObject:
    made: JsonObject = {
        "candidates": [
            {"msg": c.msg.to_dict(), "finish": _plain(c.finish), **_given(extras=c.extras)}
            for c in resp.candidates
        ],
        "usage": _plain(resp.usage),
        "status": resp.status,
    }
    if resp.error is not None:
        told = {name: getattr(resp.error, name) for name in _ERROR}
        made["error"] = {name: value for name, value in told.items() if value not in (None, "")}
    return {**made, **_given(model=resp.model, id=resp.id, extras=resp.extras)}


_ERROR = ("message", "status", "type", "code", "hint", "body")


def _given(**values: Any) -> JsonObject:
    return {key: plain_value(value) for key, value in values.items() if value is not None}
