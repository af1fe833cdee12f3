"""Versioned JSON of our own back as messages, requests and responses: the inverse of `stored`.

Each fault names its path in the stored value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InvalidMessage, StreamError
from ..shown import shown
from .answer import Candidate, ChatResponse, Finish, Usage
from .as_read import AsRead
from .blocks import CacheHint
from .fields import build, instance, optional_text, text
from .msg import Msg
from .options import Options, ResponseFormat
from .request import ChatRequest
from .server_tools import ServerTool
from .stored import VERSION, Storable
from .tools import Tool, ToolChoice

__all__ = ["load"]


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
