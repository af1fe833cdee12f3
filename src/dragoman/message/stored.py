"""Messages, requests and responses as versioned JSON of our own, and back.

    {"dragoman": 1, "kind": "messages", "value": [...]}

Version 1 is the only one so far; a later version reads all earlier ones. Text is the caller's:
nothing here opens a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeAlias

from .._core.jsontext import JsonObject, check
from .._core.redaction import shown
from ..errors import InvalidMessage, StreamError
from .answer import Candidate, ChatResponse, Finish, Usage
from .blocks import CacheHint
from .check import build, instance, optional_text, text
from .msg import Msg
from .plain import plain_value
from .request import AsRead, ChatRequest, Options, ResponseFormat
from .tools import ServerTool, Tool, ToolChoice

VERSION = 1


Storable: TypeAlias = Msg | list[Msg] | ChatRequest | ChatResponse


def dump(value: Storable) -> JsonObject:
    """The value as plain JSON with its version.

    Raises InvalidMessage for what cannot be stored, such as metadata that is no JSON.
    """
    try:
        kind, data = _dumped(value)
    except RecursionError as error:
        raise InvalidMessage(
            "nested too deeply to be stored", path="$.value", code="json.deep"
        ) from error
    check(data, "$.value")
    return {"dragoman": VERSION, "kind": kind, "value": data}


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
    data: JsonObject = {"messages": [msg.to_dict() for msg in req.messages]}
    for f in fields(ChatRequest):
        value = getattr(req, f.name)
        if f.name == "messages" or value is None or value == [] or value is False:
            continue
        if f.name == "read":
            data["read"] = _as_read(value, req)
            continue
        if f.name == "tools":
            data["tools"] = [_plain(tool) for tool in value]
        elif f.name == "options":
            if value.given():
                data["options"] = {name: plain_value(v) for name, v in value.given()}
        else:
            data[f.name] = _plain(value)
    return data


def _as_read(read: AsRead, req: ChatRequest) -> JsonObject:
    """Which of the messages and fields are still as they were read."""
    unedited = [i for i, m in enumerate(req.messages) if read.holds(m)]
    data = {"protocol": read.protocol, "issuer": read.issuer, "messages": unedited,
            "fields": sorted(read.kept(req.asks()))}  # fmt: skip
    edited = None if read.grown(req.messages) else True
    return {**data, **_given(model=read.model, edited=edited, state=read.state or None)}


def _plain(value: Any) -> Any:
    if isinstance(value, (Tool, ServerTool, ToolChoice, ResponseFormat, Finish, Usage)):
        keep_type = isinstance(value, ServerTool)
        return {
            f.name: plain_value(item)
            for f in fields(value)
            if (item := getattr(value, f.name)) is not None
            and item != ()
            and (f.name != "type" or keep_type)
        }
    return plain_value(value)


def _response(resp: ChatResponse) -> JsonObject:
    data: JsonObject = {
        "candidates": [
            {"msg": c.msg.to_dict(), "finish": _plain(c.finish), **_given(extras=c.extras)}
            for c in resp.candidates
        ],
        "usage": _plain(resp.usage),
        "status": resp.status,
    }
    if resp.error is not None:
        error = {name: getattr(resp.error, name) for name in _ERROR}
        data["error"] = {name: value for name, value in error.items() if value not in (None, "")}
    return {**data, **_given(model=resp.model, id=resp.id, extras=resp.extras)}


_ERROR = ("message", "status", "type", "code", "hint", "body")


def _given(**values: Any) -> JsonObject:
    return {key: plain_value(value) for key, value in values.items() if value is not None}


def load(data: Mapping[str, Any]) -> Storable:
    """The value that `dump` stored. Raises InvalidMessage naming the path of what is wrong."""
    if not isinstance(data, Mapping) or "dragoman" not in data:
        raise InvalidMessage("no stored value: the key dragoman is missing", path="$",
                             code="stored.type")  # fmt: skip
    if data["dragoman"] != VERSION:
        raise InvalidMessage(
            f"version {shown(data['dragoman'])} is not known", path="$.dragoman",
            hint="read it with a newer release", code="stored.version",
        )  # fmt: skip
    value: Any = data.get("value")
    match data.get("kind"):
        case "message":
            return Msg.from_dict(value, "$.value")
        case "messages":
            return _messages(value, "$.value")
        case "request":
            return _load_request(_object(value, "$.value"))
        case "response":
            return _load_response(_object(value, "$.value"))
        case _:
            pass
    raise InvalidMessage(
        f"unknown kind {shown(data.get('kind'))}", path="$.kind", code="stored.type"
    )


def _object(value: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidMessage(
            f"must be an object, not {type(value).__name__}", path=path, code="stored.type"
        )
    return value


def _list(value: Any, path: str) -> Sequence[Any]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise InvalidMessage(
            f"must be a list, not {type(value).__name__}", path=path, code="stored.type"
        )
    return value


def _messages(value: Any, path: str) -> list[Msg]:
    items = enumerate(_list(value, path))
    return [Msg.from_dict(item, f"{path}[{i}]") for i, item in items]


def _load_request(value: Mapping[str, Any]) -> ChatRequest:
    fields_ = {key: item for key, item in value.items() if key != "messages"}
    path = "$.value"
    if "tools" in fields_:
        fields_["tools"] = [
            _tool(_object(tool, f"{path}.tools[{i}]"), f"{path}.tools[{i}]")
            for i, tool in enumerate(_list(fields_["tools"], f"{path}.tools"))
        ]
    if "options" in fields_:
        fields_["options"] = Options.of(_object(fields_["options"], f"{path}.options"))
    for key, cls in (("tool_choice", ToolChoice), ("response_format", ResponseFormat)):
        if key in fields_:
            data = _object(fields_[key], f"{path}.{key}")
            fields_[key] = build(cls, dict(data), f"{path}.{key}")
    messages = _messages(value.get("messages"), f"{path}.messages")
    read = fields_.pop("read", None)
    request: ChatRequest = build(ChatRequest, {"messages": messages, **fields_}, path)
    if read is not None:
        request.read = _load_read(_object(read, f"{path}.read"), request, f"{path}.read")
    return request


def _load_read(value: Mapping[str, Any], req: ChatRequest, path: str) -> AsRead:
    for key in ("protocol", "issuer"):
        text(value.get(key), f"{path}.{key}")
    optional_text(value.get("model"), f"{path}.model")
    edited = value.get("edited", False)
    instance(edited, bool, f"{path}.edited")
    unedited = []
    for i, index in enumerate(_list(value.get("messages"), f"{path}.messages")):
        if type(index) is not int or not 0 <= index < len(req.messages):
            raise InvalidMessage(
                "no index of a message", path=f"{path}.messages[{i}]", code="stored.type"
            )
        unedited.append(req.messages[index])
    names = _list(value.get("fields"), f"{path}.fields")
    fields = {name: field_value for name, field_value in req.asks().items() if name in names}
    state = _list(value.get("state", []), f"{path}.state")
    for name in state:
        text(name, f"{path}.state")
    return AsRead(value["protocol"], value["issuer"], unedited, fields, value.get("model"),
                  edited, tuple(state))  # fmt: skip


def _tool(value: Mapping[str, Any], path: str) -> Tool | ServerTool:
    if (server_tool := ServerTool.of(value, path)) is not None:
        return server_tool
    values = dict(value)
    if isinstance(values.get("cache"), Mapping):
        values["cache"] = build(CacheHint, dict(values["cache"]), f"{path}.cache")
    tool: Tool = build(Tool, values, path)
    return tool


def _load_response(value: Mapping[str, Any]) -> ChatResponse:
    fields_ = dict(value)
    path = "$.value"
    candidates = []
    for i, item in enumerate(_list(fields_.pop("candidates", []), f"{path}.candidates")):
        item_path = f"{path}.candidates[{i}]"
        values = dict(_object(item, item_path))
        values["msg"] = Msg.from_dict(values.get("msg", {}), f"{item_path}.msg")
        values["finish"] = build(
            Finish,
            dict(_object(values.get("finish", {}), f"{item_path}.finish")),
            f"{item_path}.finish",
        )
        candidates.append(build(Candidate, values, item_path))
    if "error" in fields_:
        fields_["error"] = _error(_object(fields_["error"], f"{path}.error"), f"{path}.error")
    fields_["usage"] = build(
        Usage, dict(_object(fields_.get("usage", {}), f"{path}.usage")), f"{path}.usage"
    )
    response: ChatResponse = build(ChatResponse, {"candidates": candidates, **fields_}, path)
    if isinstance(response.error, StreamError):
        response.error.response = response
    return response


def _error(value: Mapping[str, Any], path: str) -> StreamError:
    texts = {name: value.get(name, "") for name in ("message", "type", "code", "hint")}
    for name, entry in texts.items():
        text(entry, f"{path}.{name}")
    instance(value.get("status"), int, f"{path}.status")
    return StreamError(
        texts.pop("message"), status=value.get("status"), body=value.get("body"), **texts
    )
