"""Tools, the choice of one and the format of the answer, read and said again as they were read.

Each reader has its inverse: what it takes out of the body, the other one puts back. Reference:
Mistral API, "Tool", "ToolChoice", "ResponseFormat".
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

_FORMATS = {"text": "text", "json_object": "json"}


_SCHEMA = {"schema": dict, "name": str, "description": str, "strict": bool}


def read_tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The tools, taken out of `rest`."""
    told = rest.get("tools")
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    del rest["tools"]
    return [_tool(one, issuer) for one in told]


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
    if isinstance(inner.get("strict"), bool):
        made.strict = inner.pop("strict")
    if "type" not in told:
        notes["typed"] = False
    rest = {key: value for key, value in told.items() if key not in ("type", "function")}
    if inner:
        rest["function"] = inner
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def tools_as_read(tools: Iterable[Tool | ServerTool], issuer: str) -> list[Json]:
    """The list that `read_tools` made the tools of."""
    return [_as_read(tool, issuer) for tool in tools]


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
    if tool.strict is not None:
        function["strict"] = tool.strict
    made: JsonObject = {"function": function}
    if notes.get("typed", True):
        made["type"] = "function"
    return filled(made, own)


def read_choice(rest: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """`tool_choice` and `parallel_tool_calls`, taken out of `rest`."""
    told = rest.get("tool_choice")
    picked: dict[str, Any] | None = None
    if isinstance(told, str) and told in ("auto", "none", "required", "any"):
        picked = {"mode": "required" if told == "any" else told}
        if told == "required":  # any is how our own writer says it
            notes["tool_choice"] = told
    elif isinstance(told, dict):
        picked = _picked(told, notes)
    if picked is not None:
        del rest["tool_choice"]
    parallel = rest.get("parallel_tool_calls")
    if isinstance(parallel, bool):
        del rest["parallel_tool_calls"]
        if picked is None:
            picked, notes["tool_choice"] = {"mode": "auto"}, "unsaid"
        picked["parallel"] = parallel
    return ToolChoice(**picked) if picked is not None else None


def _picked(told: JsonObject, notes: JsonObject) -> dict[str, Any] | None:
    """An object that says no more than which function must be called; its type is no must."""
    function = told.get("function")
    if told.keys() - {"type", "function"} or told.get("type", "function") != "function":
        return None
    if not isinstance(function, dict) or function.keys() != {"name"}:
        return None
    name = function["name"]
    if not isinstance(name, str) or not name:
        return None
    if "type" not in told:
        notes["tool_choice"] = "untyped"
    return {"mode": "tool", "name": name}


def say_choice(body: JsonObject, choice: ToolChoice, note: str | None) -> None:
    """Put the choice back."""
    if choice.parallel is not None:
        body["parallel_tool_calls"] = choice.parallel
    if choice.mode == "tool":
        typed = {} if note == "untyped" else {"type": "function"}
        body["tool_choice"] = {**typed, "function": {"name": choice.name}}
    elif note != "unsaid":
        usual = "any" if choice.mode == "required" else choice.mode
        body["tool_choice"] = note or usual


def read_format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """`response_format`, taken out of `rest` but for what nobody models of it."""
    told = rest.get("response_format")
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(told, dict) or not isinstance(kind, str):
        return None
    beside = {key: value for key, value in told.items() if key != "type"}
    inner = told.get("json_schema")
    made: ResponseFormat | None = None
    if kind in _FORMATS:
        made = ResponseFormat(_FORMATS[kind])  # type: ignore[arg-type]  # one of two kinds
    elif kind == "json_schema" and isinstance(inner, dict):
        given = {key: inner[key] for key, of in _SCHEMA.items() if isinstance(inner.get(key), of)}
        if "schema" in given:
            made = ResponseFormat("schema", **given)
            more = {key: value for key, value in inner.items() if key not in given}
            beside = {**beside, "json_schema": more} if more else _without(beside)
            if absent := [key for key in ("name", "description") if key not in given]:
                notes["format"] = " ".join(absent)
    if made is not None:
        del rest["response_format"]
        if beside:
            rest["response_format"] = beside
    return made


def _without(beside: JsonObject) -> JsonObject:
    return {key: value for key, value in beside.items() if key != "json_schema"}


def say_format(body: JsonObject, form: ResponseFormat, absent: str) -> None:
    """Put the format back, around what of it stands in the body already."""
    made: JsonObject
    if form.kind != "schema":
        made = {"type": next(key for key, kind in _FORMATS.items() if kind == form.kind)}
    else:
        said = {"name": form.name, "schema": form.schema, "description": form.description,
                "strict": form.strict}  # fmt: skip
        gone = {*absent.split(), *(["strict"] if form.strict is None else [])}
        inner = {key: value for key, value in said.items() if key not in gone}
        made = {"type": "json_schema", "json_schema": inner}
    body["response_format"] = filled(made, body.get("response_format", {}))


# option -> its key here
OPTIONS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "seed": "random_seed",
    "stop": "stop",
    "n": "n",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
    "top_k": "top_k",
    "repetition_penalty": "repetition_penalty",
    "service_tier": "service_tier",
}


_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"}


_MODE = "prompt_mode"  # an older way to ask for thinking


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
        tool_choice=read_choice(rest, notes),
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
    stop = given.get("stop")
    if isinstance(stop, str):
        notes["stop"] = "text"
    elif stop is not None:
        given["stop"] = tuple(stop)
    effort = rest.get("reasoning_effort")
    if isinstance(effort, str) and effort and effort != "off":
        given["reasoning"] = "off" if effort == "none" else rest["reasoning_effort"]
        del rest["reasoning_effort"]
    elif rest.get(_MODE) == "reasoning":
        del rest[_MODE]
        given["reasoning"], notes["reasoning"] = "on", _MODE
    return Options(**given)


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    if name == "service_tier":
        return isinstance(value, str)
    if name == "stop":
        listed = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        return isinstance(value, str) or bool(listed)
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
        if name in kept:
            _say_option(body, name, value, notes.get(name))
    if req.tools and "tools" in kept:
        body["tools"] = tools_as_read(req.tools, issuer)
    if req.tool_choice is not None and "tool_choice" in kept:
        say_choice(body, req.tool_choice, notes.get("tool_choice"))
    if req.response_format is not None and "response_format" in kept:
        say_format(body, req.response_format, notes.get("format", ""))
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body


def _say_option(body: JsonObject, name: str, value: Any, note: str | None) -> None:
    if name == "stop":
        body["stop"] = value[0] if note == "text" else list(value)
    elif name in OPTIONS:
        body[OPTIONS[name]] = value
    elif note == _MODE:
        body[_MODE] = "reasoning"
    elif name == "reasoning":
        body["reasoning_effort"] = "none" if value == "off" else value
