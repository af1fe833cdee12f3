"""Messages, requests and responses as versioned JSON of our own; `loaded` has the way back.

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
    rest = {key: inner for key, inner in value.items() if key != "messages"}
    path = "$.value"
    if "tools" in rest:
        rest["tools"] = [
            _tool(_object(tool, f"{path}.tools[{i}]"), f"{path}.tools[{i}]")
            for i, tool in enumerate(_list(rest["tools"], f"{path}.tools"))
        ]
    if "options" in rest:
        rest["options"] = Options.of(_object(rest["options"], f"{path}.options"))
    for key, cls in (("tool_choice", ToolChoice), ("response_format", ResponseFormat)):
        if key in rest:
            said = _object(rest[key], f"{path}.{key}")
            rest[key] = build(cls, dict(said), f"{path}.{key}")
    messages = _messages(value.get("messages"), f"{path}.messages")
    read = rest.pop("read", None)
    made: ChatRequest = build(ChatRequest, {"messages": messages, **rest}, path)
    if read is not None:
        made.read = _load_read(_object(read, f"{path}.read"), made, f"{path}.read")
    return made


def _load_read(value: Mapping[str, Any], req: ChatRequest, path: str) -> AsRead:
    for key in ("protocol", "issuer"):
        text(value.get(key), f"{path}.{key}")
    optional_text(value.get("model"), f"{path}.model")
    edited = value.get("edited", False)
    instance(edited, bool, f"{path}.edited")
    held = []
    for i, at in enumerate(_list(value.get("messages"), f"{path}.messages")):
        if type(at) is not int or not 0 <= at < len(req.messages):
            raise InvalidMessage(
                "no index of a message", path=f"{path}.messages[{i}]", code="stored.type"
            )
        held.append(req.messages[at])
    names = _list(value.get("fields"), f"{path}.fields")
    fields = {name: said for name, said in req.asks().items() if name in names}
    state = _list(value.get("state", []), f"{path}.state")
    for name in state:
        text(name, f"{path}.state")
    return AsRead(value["protocol"], value["issuer"], held, fields, value.get("model"),
                  edited, tuple(state))  # fmt: skip


def _tool(value: Mapping[str, Any], path: str) -> Tool | ServerTool:
    if (own := ServerTool.of(value, path)) is not None:
        return own
    given = dict(value)
    if isinstance(given.get("cache"), Mapping):
        given["cache"] = build(CacheHint, dict(given["cache"]), f"{path}.cache")
    made: Tool = build(Tool, given, path)
    return made


def _load_response(value: Mapping[str, Any]) -> ChatResponse:
    rest = dict(value)
    path = "$.value"
    candidates = []
    for i, item in enumerate(_list(rest.pop("candidates", []), f"{path}.candidates")):
        here = f"{path}.candidates[{i}]"
        given = dict(_object(item, here))
        given["msg"] = Msg.from_dict(given.get("msg", {}), f"{here}.msg")
        given["finish"] = build(
            Finish, dict(_object(given.get("finish", {}), f"{here}.finish")), f"{here}.finish"
        )
        candidates.append(build(Candidate, given, here))
    if "error" in rest:
        rest["error"] = _error(_object(rest["error"], f"{path}.error"), f"{path}.error")
    rest["usage"] = build(
        Usage, dict(_object(rest.get("usage", {}), f"{path}.usage")), f"{path}.usage"
    )
    made: ChatResponse = build(ChatResponse, {"candidates": candidates, **rest}, path)
    if isinstance(made.error, StreamError):
        made.error.response = made
    return made


def _error(value: Mapping[str, Any], path: str) -> StreamError:
    texts = {name: value.get(name, "") for name in ("message", "type", "code", "hint")}
    for name, said in texts.items():
        text(said, f"{path}.{name}")
    instance(value.get("status"), int, f"{path}.status")
    return StreamError(
        texts.pop("message"), status=value.get("status"), body=value.get("body"), **texts
    )
