"""Messages, requests and responses as versioned JSON of this package, and back.

    {"dragoman": 1, "kind": "messages", "value": [...]}

Version 1 is the only one so far; a later version will read all earlier ones. Nothing here opens a
file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, TypeAlias

from ..errors import InvalidMessage, StreamError
from ..text.json_text import JsonObject, check
from ..text.redaction import show
from .answer import Candidate, ChatResponse, Finish, FinishReason, Status, Usage
from .blocks import CacheHint, plain_value
from .check import (
    build,
    check_choice,
    check_fields,
    instance,
    list_checks,
    optional_text,
    text,
    wrong_type,
)
from .msg import Msg
from .options import NO_OPTIONS, Options
from .request import AsRead, ChatRequest
from .response_format import ResponseFormat
from .tools import Grammar, Namespace, ServerTool, Tool, ToolChoice

VERSION = 1
Storable: TypeAlias = Msg | list[Msg] | ChatRequest | ChatResponse


def dump(value: Storable) -> JsonObject:
    """Return a value as plain JSON with its version.

    Args:
        value: Messages, a request or a response.

    Returns:
        A JSON object for `load`.

    Raises:
        InvalidMessage: Something cannot be stored, such as metadata that is not JSON.
    """
    try:
        kind, data = _dump_value(value)
    except RecursionError as error:
        fault = "nested too deeply to be stored"
        raise InvalidMessage(fault, path="$.value", code="json.deep") from error
    check(data, "$.value")
    return {"dragoman": VERSION, "kind": kind, "value": data}


def _dump_value(value: object) -> tuple[str, Any]:
    match value:
        case Msg():
            return "message", value.to_dict()
        case ChatRequest():
            return "request", _request(value)
        case ChatResponse():
            return "response", _response(value)
        case list() if all(isinstance(item, Msg) for item in value):
            return "messages", [item.to_dict() for item in value]
    text = f"{type(value).__name__} is nothing that can be stored"
    hint = "a Msg, a list of Msg, a ChatRequest or a ChatResponse"
    raise InvalidMessage(text, path="$", hint=hint, code="stored.type")


def _request(req: ChatRequest) -> JsonObject:
    data: JsonObject = {"messages": [msg.to_dict() for msg in req.messages]}
    for f in fields(ChatRequest)[1:]:
        value = getattr(req, f.name)
        if value is None or value is False or value in ([], NO_OPTIONS):
            continue
        if f.name == "read":
            data["read"] = _as_read(value, req)
        elif f.name == "tools":
            data["tools"] = [_plain_part(tool) for tool in value]
        elif f.name == "options":
            data["options"] = plain_value(dict(value.list_values()))
        else:
            data[f.name] = _plain_part(value)
    return data


def _as_read(read: AsRead, req: ChatRequest) -> JsonObject:
    """Note which of the messages and fields are unedited since they were read."""
    unedited = [i for i, m in enumerate(req.messages) if read.holds(m)]
    data = {
        "protocol": read.protocol,
        "issuer": read.issuer,
        "messages": unedited,
        "fields": sorted(read.list_unchanged(req.asks())),
    }
    edited = None if read.has_grown(req.messages) else True
    return {**data, **_drop_none(model=read.model, edited=edited, state=read.state or None)}


def _plain_part(value: Any) -> Any:
    """Return a part of a request or answer as plain JSON, without empty fields."""
    if not isinstance(value, _PARTS):
        return plain_value(value)
    rows = [f for f in fields(value) if f.name != "type" or isinstance(value, ServerTool)]
    items = ((f.name, getattr(value, f.name), f.default is False) for f in rows)
    unsaid: tuple[Any, ...] = (None, ())
    return {
        name: plain_value(item)
        for name, item, is_switch in items
        if item not in unsaid and (item or not is_switch)
    }


_PARTS = (Tool, ServerTool, ToolChoice, ResponseFormat, Finish, Usage)


def _response(resp: ChatResponse) -> JsonObject:
    data: JsonObject = {
        "candidates": [
            {"msg": c.msg.to_dict(), "finish": _plain_part(c.finish), **_drop_none(extras=c.extras)}
            for c in resp.candidates
        ],
        "usage": _plain_part(resp.usage),
        "status": resp.status,
    }
    if resp.error is not None:
        error = {name: getattr(resp.error, name) for name in _ERROR}
        data["error"] = {name: value for name, value in error.items() if value not in (None, "")}
    return {**data, **_drop_none(model=resp.model, id=resp.id, extras=resp.extras)}


_ERROR = ("message", "status", "type", "code", "hint", "body", "request_id", "retry_after")
_ERROR_TEXTS = ("message", "type", "code", "hint", "request_id")


def _drop_none(**values: Any) -> JsonObject:
    return {key: plain_value(value) for key, value in values.items() if value is not None}


def load(data: Mapping[str, Any]) -> Storable:
    """Read a value that `dump` stored.

    Args:
        data: The JSON object.

    Returns:
        Messages, a request or a response.

    Raises:
        InvalidMessage: The object is wrong or of an unknown version; `path` names the place.
    """
    if not isinstance(data, Mapping) or "dragoman" not in data:
        fault = "no stored value: the key dragoman is missing"
        raise InvalidMessage(fault, path="$", code="stored.type")
    if data["dragoman"] != VERSION:
        text = f"version {show(data['dragoman'])} is not known"
        hint = "read it with a newer release"
        raise InvalidMessage(text, path="$.dragoman", hint=hint, code="stored.version")
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in _LOADERS:
        raise InvalidMessage(f"unknown kind {show(kind)}", path="$.kind", code="stored.type")
    return _LOADERS[kind](data.get("value"), "$.value")


def _object(value: Any, path: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise wrong_type("an object", value, path, "stored.type")
    return value


def _items(value: Any, path: str) -> list[tuple[Any, str]]:
    """Return (item, path) for each item of a list."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise wrong_type("a list", value, path, "stored.type")
    return [(item, f"{path}[{i}]") for i, item in enumerate(value)]


def _messages(value: Any, path: str) -> list[Msg]:
    return [Msg.from_dict(item, item_path) for item, item_path in _items(value, path)]


def _node(cls: type[Any], value: Any, path: str) -> Any:
    return build(cls, _object(value, path), path)


def _of_answer(cls: type[Any], value: Any, path: str) -> Any:
    """Build a node of an answer, and check each field by its annotation."""
    node = _node(cls, value, path)
    check_fields(node, path, _ANSWER_CHECKS[cls])
    return node


def _is_made(value: object, path: str) -> None:
    """Accept the value: the node was built, and checked, before its parent."""


_ANSWER_CHECKS = {
    cls: list_checks(
        cls,
        {
            "FinishReason": partial(check_choice, FinishReason),
            "Status": partial(check_choice, Status),
            **dict.fromkeys(
                ("Msg", "Finish", "Usage", "list[Candidate]", "ProviderError"), _is_made
            ),
        },
    )
    for cls in (Usage, Finish, Candidate, ChatResponse)
}


def _load_request(value: Any, path: str) -> ChatRequest:
    values = dict(_object(value, path))
    if "tools" in values:
        values["tools"] = [_tool(*item) for item in _items(values["tools"], f"{path}.tools")]
    if "options" in values:
        values["options"] = Options.of(_object(values["options"], f"{path}.options"))
    for key, cls in (("tool_choice", ToolChoice), ("response_format", ResponseFormat)):
        if key in values:
            values[key] = _node(cls, values[key], f"{path}.{key}")
    values["messages"] = _messages(values.get("messages"), f"{path}.messages")
    read = values.pop("read", None)
    request: ChatRequest = build(ChatRequest, values, path)
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
    for index, index_path in _items(value.get("messages"), f"{path}.messages"):
        if type(index) is not int or not 0 <= index < len(req.messages):
            raise InvalidMessage("no index of a message", path=index_path, code="stored.type")
        unedited.append(req.messages[index])
    names = [name for name, _ in _items(value.get("fields"), f"{path}.fields")]
    fields_read = {name: item for name, item in req.asks().items() if name in names}
    state = [name for name, _ in _items(value.get("state", []), f"{path}.state")]
    for name in state:
        text(name, f"{path}.state")
    return AsRead(
        value["protocol"],
        value["issuer"],
        unedited,
        fields_read,
        value.get("model"),
        edited,
        tuple(state),
    )


def _tool(value: Any, path: str) -> Tool | ServerTool:
    if (server_tool := ServerTool.of(_object(value, path), path)) is not None:
        return server_tool
    values = dict(value)
    if isinstance(values.get("cache"), Mapping):
        values["cache"] = build(CacheHint, values["cache"], f"{path}.cache")
    for key, cls in (("grammar", Grammar), ("namespace", Namespace)):
        if isinstance(values.get(key), Mapping):
            values[key] = build(cls, values[key], f"{path}.{key}")
    tool: Tool = build(Tool, values, path)
    return tool


def _load_response(value: Any, path: str) -> ChatResponse:
    values = dict(_object(value, path))
    items = _items(values.get("candidates", []), f"{path}.candidates")
    values["candidates"] = [_candidate(*item) for item in items]
    if "error" in values:
        values["error"] = _error(_object(values["error"], f"{path}.error"), f"{path}.error")
    values["usage"] = _of_answer(Usage, values.get("usage", {}), f"{path}.usage")
    response: ChatResponse = _of_answer(ChatResponse, values, path)
    if isinstance(response.error, StreamError):
        response.error.response = response
    return response


def _candidate(value: Any, path: str) -> Candidate:
    values = dict(_object(value, path))
    values["msg"] = Msg.from_dict(values.get("msg", {}), f"{path}.msg")
    values["finish"] = _of_answer(Finish, values.get("finish", {}), f"{path}.finish")
    candidate: Candidate = _of_answer(Candidate, values, path)
    return candidate


def _error(value: Mapping[str, Any], path: str) -> StreamError:
    texts = {name: value.get(name, "") for name in _ERROR_TEXTS}
    for name, entry in texts.items():
        text(entry, f"{path}.{name}")
    status = value.get("status")
    instance(status, int, f"{path}.status")
    delay = value.get("retry_after")
    instance(delay, (int, float), f"{path}.retry_after")
    return StreamError(
        texts.pop("message"), status=status, body=value.get("body"), retry_after=delay, **texts
    )


_LOADERS: dict[str, Callable[[Any, str], Storable]] = {
    "message": Msg.from_dict,
    "messages": _messages,
    "request": _load_request,
    "response": _load_response,
}
