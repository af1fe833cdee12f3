"""Tools of a request, read into the tree, and said again as they were read.

Reference: ollama api/types.go, Tool.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ...errors import InvalidMessage
from ...message import ChatRequest, Options, ResponseFormat, ServerTool, Tool
from ...message.blocks import noted
from .messages import read_messages


def read_tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The `tools` of a body, taken out of it; a list of anything else stays there."""
    told = rest.get("tools")
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    try:
        made = [_tool(one, issuer) for one in told]
    except InvalidMessage:  # a tool that no JSON can say again
        return []
    del rest["tools"]
    return made


def _tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    function = told.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    typed = told.get("type") == "function"
    if not (isinstance(function, dict) and isinstance(name, str) and name) or (
        "type" in told and not typed
    ):
        return ServerTool("own", extras={issuer: told})
    made = Tool(name)
    inner = {key: value for key, value in function.items() if key != "name"}
    notes: JsonObject = {} if typed else {"typed": False}
    if isinstance(inner.get("description"), str):
        made.description = inner.pop("description")
    else:
        notes["described"] = False
    if isinstance(inner.get("parameters"), dict):
        made.parameters = inner.pop("parameters")
    if isinstance(inner.get("strict"), bool):
        made.strict = inner.pop("strict")
    rest = {key: value for key, value in told.items() if key not in ("type", "function")}
    if inner:
        rest["function"] = inner
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    """The tool's declaration as it was read."""
    own = dict((tool.extras or {}).get(issuer, {}))
    if type(tool) is ServerTool:
        return own
    assert type(tool) is Tool  # the other one of the two
    notes = (tool.extras or {}).get(noted(issuer), {})
    function: JsonObject = {"name": tool.name}
    if notes.get("described", True):
        function["description"] = tool.description
    if tool.parameters is not None:
        function["parameters"] = tool.parameters
    if tool.strict is not None:
        function["strict"] = tool.strict
    function.update(own.pop("function", {}))
    made: JsonObject = {"type": "function"} if notes.get("typed", True) else {}
    return {**made, "function": function, **own}


# what stands under `options`, and what stands beside it
OPTIONS = {
    "max_tokens": "num_predict",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "repetition_penalty": "repeat_penalty",
    "seed": "seed",
    "stop": "stop",
}


BESIDE = {"logprobs": "logprobs", "top_logprobs": "top_logprobs"}


_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"}


_SWITCH = {True: "on", False: "off"}


MARKS = frozenset({"options", "keep_alive", "format", "think", "truncate", "shift"})


# keys of the requests of other protocols, which nobody sends here
_OTHERS = ("max_tokens", "max_completion_tokens", "tool_choice", "response_format", "system",
           "temperature", "top_p", "stop", "input", "contents", "n", "seed", "reasoning_effort",
           "inferenceConfig", "provider", "stream_options", "stop_sequences")  # fmt: skip


def read_request(body: JsonObject, issuer: str) -> ChatRequest:
    """The request that the body makes."""
    rest = dict(body)
    notes: JsonObject = {}
    model = rest.pop("model") if isinstance(rest.get("model"), str) and rest["model"] else None
    listed = rest.get("messages")
    if isinstance(listed, list):
        del rest["messages"]
    else:
        listed, notes["messages"] = [], "absent"
    made = ChatRequest(
        read_messages(listed, issuer, model),
        tools=read_tools(rest, issuer),
        options=_options(rest),
        response_format=_format(rest),
        model=model,
        stream=_stream(rest, notes),
    )
    own = {name: kept for name, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _stream(rest: JsonObject, notes: JsonObject) -> bool:
    """Whether it is streamed, which goes without saying."""
    told = rest.get("stream")
    if isinstance(told, bool):
        del rest["stream"]
        return told
    notes["stream"] = "unsaid"
    return True


def _options(rest: JsonObject) -> Options:
    """The options, taken out of the body; what no option can hold stays there."""
    told = rest.get("options")
    left = dict(told) if isinstance(told, dict) else {}
    given: dict[str, Any] = {
        name: left.pop(key) for name, key in OPTIONS.items() if _fits(name, left.get(key))
    }
    if "stop" in given:
        given["stop"] = tuple(given["stop"])
    beside = {name: rest[key] for name, key in BESIDE.items() if _fits(name, rest.get(key))}
    think = rest.get("think")
    if isinstance(think, bool):
        beside["reasoning"] = _SWITCH[think]
    elif isinstance(think, str) and think not in ("", "on", "off"):
        beside["reasoning"] = think
    try:
        made = Options(**given, **beside)
    except InvalidMessage:  # text or numbers that no JSON can say again
        return Options()
    for name in beside:
        del rest[BESIDE.get(name, "think")]
    if given:
        rest["options"] = left
        if not left:
            del rest["options"]
    return made


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    if name == "stop":
        return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)
    if not isinstance(value, (int, float) if name in _REAL else int) or isinstance(value, bool):
        return False
    return name != "max_tokens" or value > 0  # -1 and -2 mean: as many as there is room for


def _format(rest: JsonObject) -> ResponseFormat | None:
    told = rest.get("format")
    if told == "json":
        del rest["format"]
        return ResponseFormat("json")
    if not isinstance(told, dict):
        return None
    try:
        made = ResponseFormat("schema", told)
    except InvalidMessage:  # text that no JSON can say again
        return None
    del rest["format"]
    return made


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(issuer, {}))
    notes = extras.get(noted(issuer), {})
    if elements or "messages" not in notes:
        body["messages"] = elements
    if req.model and "model" in kept:
        body["model"] = req.model
    if req.tools and "tools" in kept:
        body["tools"] = [tool_as_read(tool, issuer) for tool in req.tools]
    if req.response_format is not None and "response_format" in kept:
        form = req.response_format
        body["format"] = form.schema if form.kind == "schema" else form.kind
    if "stream" not in notes or "stream" not in kept:
        body["stream"] = req.stream  # which has a meaning where it is left out
    said = {name: value for name, value in req.options.given() if name in kept}
    if "reasoning" in said:
        level = said["reasoning"]
        body["think"] = level == "on" if level in ("on", "off") else level
    for name in BESIDE.keys() & said.keys():
        body[BESIDE[name]] = said[name]
    inner = {OPTIONS[name]: value for name, value in said.items() if name in OPTIONS}
    if "stop" in inner:
        inner["stop"] = list(inner["stop"])
    if inner:
        body["options"] = {**inner, **body.get("options", {})}
    return body


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this can be a request of `/api/chat`.

    A body of a model and messages alone is that of several protocols: it takes a key, or a shape
    of a message, that the others lack.
    """
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    if path:
        return path.partition("?")[0].rstrip("/").endswith("/api/chat")
    if any(key in body for key in _OTHERS):
        return False
    listed = [one for one in body["messages"] if isinstance(one, dict)]
    if any(isinstance(one.get("content"), list) for one in listed):
        return False
    return not MARKS.isdisjoint(body) or any(map(_native, listed))


def _native(message: JsonObject) -> bool:
    """Whether only this protocol has messages of this shape."""
    if "images" in message or "tool_name" in message:
        return True
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("arguments"), dict):
            return True
    return False
