"""Tools, the choice of one, the format of the answer and thinking: read, and said again.

Each reader has its inverse: what it takes out of the body, the other one puts back. Reference:
Cohere API, "Chat": `tools`, `strict_tools`, `tool_choice`, `response_format`, `thinking`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ...errors import InvalidMessage
from ...message import ChatRequest, Options, Origin, ResponseFormat, ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from ..chat_shape import filled, read_messages
from .messages import read_message

CHOICES = {"REQUIRED": "required", "NONE": "none"}


_FORMATS = {"text": "text", "json_object": "json"}


_SCHEMA = ("json_schema", "schema")  # the second one in some of the documents' samples


def read_tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The tools, taken out of `rest`. `strict_tools` is said by each of the functions."""
    told = rest.get("tools")
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    del rest["tools"]
    made = [_tool(one, issuer) for one in told]
    functions = [one for one in made if type(one) is Tool]
    if functions and isinstance(rest.get("strict_tools"), bool):
        strict = rest.pop("strict_tools")
        for one in functions:
            one.strict = strict
    return made


def _tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    function = told.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    if isinstance(name, str) and name and told.get("type", "function") == "function":
        try:
            return _function(told, told["function"], issuer)
        except InvalidMessage:  # half of a surrogate pair
            pass
    return ServerTool("own", extras={issuer: told})


def _function(told: JsonObject, function: JsonObject, issuer: str) -> Tool:
    made = Tool(function["name"])
    inner = {key: value for key, value in function.items() if key != "name"}
    notes: JsonObject = {}
    if isinstance(inner.get("description"), str):
        made.description = inner.pop("description")
    else:
        notes["described"] = False
    if isinstance(inner.get("parameters"), dict):
        made.parameters = inner.pop("parameters")
    if "type" not in told:
        notes["typed"] = False
    rest = {key: value for key, value in told.items() if key not in ("type", "function")}
    if inner:
        rest["function"] = inner
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def say_tools(body: JsonObject, tools: Iterable[Tool | ServerTool], issuer: str) -> None:
    """Put the tools back."""
    body["tools"] = [_as_read(tool, issuer) for tool in tools]
    strict = [one.strict for one in tools if type(one) is Tool and one.strict is not None]
    if strict:
        body["strict_tools"] = strict[0]


def _as_read(tool: Tool | ServerTool, issuer: str) -> JsonObject:
    own = (tool.extras or {}).get(issuer, {})
    if type(tool) is ServerTool:
        return own
    assert type(tool) is Tool  # the other one of the two
    notes = (tool.extras or {}).get(noted(issuer), {})
    function: JsonObject = {"name": tool.name}
    if notes.get("described", True):
        function["description"] = tool.description
    if tool.parameters is not None:
        function["parameters"] = tool.parameters
    made: JsonObject = {"function": function}
    if notes.get("typed", True):
        made["type"] = "function"
    return filled(made, own)


def read_choice(rest: JsonObject) -> ToolChoice | None:
    """`tool_choice`, taken out of `rest`; its absence is the model's own choice."""
    told = rest.get("tool_choice")
    if not isinstance(told, str) or told not in CHOICES:
        return None
    del rest["tool_choice"]
    return ToolChoice(CHOICES[told])  # type: ignore[arg-type]  # one of two modes


def read_format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """`response_format`, taken out of `rest` but for what nobody models of it."""
    told = rest.get("response_format")
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(kind, str) or kind not in _FORMATS:
        return None
    beside = {key: value for key, value in told.items() if key != "type"}
    made = ResponseFormat(_FORMATS[kind])  # type: ignore[arg-type]  # one of two kinds
    key = next((key for key in _SCHEMA if isinstance(beside.get(key), dict)), None)
    if key is not None and kind == "json_object":
        made = ResponseFormat("schema", beside.pop(key))
        if key != _SCHEMA[0]:
            notes["format"] = key
    del rest["response_format"]
    if beside:
        rest["response_format"] = beside
    return made


def say_format(body: JsonObject, form: ResponseFormat, key: str | None) -> None:
    """Put the format back, around what of it stands in the body already."""
    made: JsonObject = {"type": "text" if form.kind == "text" else "json_object"}
    if form.kind == "schema":
        made[key or _SCHEMA[0]] = form.schema
    body["response_format"] = {**made, **body.get("response_format", {})}


def read_thinking(rest: JsonObject, given: dict[str, Any], notes: JsonObject) -> None:
    """`thinking`, taken out of `rest`: on, off, or within a budget."""
    told = rest.get("thinking")
    if not isinstance(told, dict) or not told:
        return
    kind, budget = told.get("type"), told.get("token_budget")
    beside = {k: value for k, value in told.items() if k not in ("type", "token_budget")}
    if type(budget) is int and budget > 0 and kind in (None, "enabled"):
        given["reasoning_budget"] = budget
        if kind is None:
            if "type" in told:
                beside["type"] = None
            notes["thinking"] = "untyped"
    elif kind in ("enabled", "disabled"):
        given["reasoning"] = "on" if kind == "enabled" else "off"
        beside |= {"token_budget": budget} if "token_budget" in told else {}
    else:
        return
    del rest["thinking"]
    if beside:
        rest["thinking"] = beside


def say_thinking(body: JsonObject, name: str, value: Any, note: str | None) -> None:
    """Put one of the options of thinking back."""
    made: JsonObject = {}
    if name == "reasoning_budget":
        made["token_budget"] = value
        if note != "untyped":
            made["type"] = "enabled"
    else:
        made["type"] = "disabled" if value == "off" else "enabled"
    body["thinking"] = {**made, **body.get("thinking", {})}


# option -> its key here
OPTIONS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "p",
    "top_k": "k",
    "seed": "seed",
    "stop": "stop_sequences",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "logprobs": "logprobs",
}


_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty"}


def read_request(body: JsonObject, issuer: str) -> ChatRequest:
    """The request that the body makes."""
    rest = dict(body)
    notes: JsonObject = {}
    listed = rest.get("messages")
    if isinstance(listed, list):
        del rest["messages"]
    else:
        listed, notes["messages"] = [], "absent"
    model = rest.pop("model") if isinstance(rest.get("model"), str) and rest["model"] else None
    origin = Origin(issuer, model)
    stream = rest.pop("stream") if isinstance(rest.get("stream"), bool) else None
    if stream is False:  # which goes without saying
        notes["stream"] = "said"
    made = ChatRequest(
        read_messages(listed, lambda told, at: read_message(told, issuer, origin, at)),
        tools=read_tools(rest, issuer),
        tool_choice=read_choice(rest),
        options=_options(rest, notes),
        response_format=read_format(rest, notes),
        model=model,
        stream=bool(stream),
    )
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _options(rest: JsonObject, notes: JsonObject) -> Options:
    given: dict[str, Any] = {}
    for name, key in OPTIONS.items():
        if key in rest and _fits(name, rest[key]):
            given[name] = rest.pop(key)
    if "stop" in given:
        given["stop"] = tuple(given["stop"])
    read_thinking(rest, given, notes)
    return Options(**given)


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    if name == "stop":
        listed = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        return bool(listed)
    kinds = (int, float) if name in _REAL else (int,)
    return isinstance(value, kinds) and not isinstance(value, bool)


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
    for name, value in req.options.given():
        if name not in kept:
            continue
        if name in OPTIONS:
            body[OPTIONS[name]] = list(value) if name == "stop" else value
        else:
            say_thinking(body, name, value, notes.get("thinking"))
    if req.tools and "tools" in kept:
        say_tools(body, req.tools, issuer)
    if req.tool_choice is not None and "tool_choice" in kept:
        words = {mode: word for word, mode in CHOICES.items()}
        body["tool_choice"] = words[req.tool_choice.mode]
    if req.response_format is not None and "response_format" in kept:
        say_format(body, req.response_format, notes.get("format"))
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body
