"""What DashScope takes under `parameters`: options, thinking, tool choice, response format.

Knows nothing of messages but their texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ...errors import InvalidMessage
from ...losses import Report
from ...message import ChatRequest, Msg, Options, ResponseFormat, ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from ..base import PreparedRequest
from ..chat_shape import replay, unsaid
from ..reasoning import Asked, asked, moot
from ..request_fields import choice, demand_json_word, format_name, options, response_format
from .blocks import marked, unmarked
from .messages import read_messages

_KEYS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "repetition_penalty": "repetition_penalty",
    "seed": "seed",
    "stop": "stop",
    "n": "n",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
}


_SWITCHES: dict[str, JsonObject] = {
    "web_search": {"enable_search": True},
    "code_execution": {"enable_code_interpreter": True},
}


def parameters(
    prepared: PreparedRequest, tools: list[JsonObject], said: list[JsonObject], report: Report
) -> JsonObject:
    """The `parameters` of a request whose messages are `said`."""
    request, caps = prepared.request, prepared.caps
    made: JsonObject = {"result_format": "message"}
    if request.stream:
        # older models answer with snapshots of everything so far unless this is set
        made["incremental_output"] = True
    if tools:
        made["tools"] = tools
    given = options(request, _KEYS, caps, report)
    _think(given, prepared, report)
    picked = choice(prepared, report, tools)
    if picked is not None:
        made["tool_choice"] = _choice(picked, request.tool_choice, report)
        if picked.parallel is not None:
            made["parallel_tool_calls"] = picked.parallel
    form = response_format(request, caps, report)
    if form is not None:
        made["response_format"] = _format(form, said, report)
    made.update(given)
    for tool in prepared.server_tools:
        if tool.kind == "own":  # it stands among the tools
            continue
        made.update(_SWITCHES[tool.kind])
        if tool.domains:
            made["search_options"] = {"assigned_site_list": list(tool.domains)}
        unsaid(tool, report, "domains")
        replay(made, tool, caps, report)
    return made


def _think(made: JsonObject, prepared: PreparedRequest, report: Report) -> None:
    """A switch, and beside it an effort or a budget as the model takes them."""
    wanted = asked(prepared.request, prepared.caps, report)
    if wanted is None:
        return
    if prepared.caps.thinks != "always":  # there is no switch where nothing can be switched
        made["enable_thinking"] = not wanted.off
    elif wanted == Asked():
        moot(prepared.request, report)
    if wanted.effort is not None:
        made["reasoning_effort"] = wanted.effort
    if wanted.budget is not None:
        made["thinking_budget"] = wanted.budget


def _choice(picked: ToolChoice, given: object, report: Report) -> Any:
    """The word or function; the service has no word for a call that must be, nor for some tools."""
    if picked.allowed:
        report.lost("tool_choice.lowered", given, "allowed", did="all tools are offered")
    if picked.mode == "required":
        report.lost("tool_choice.lowered", given, "mode", what=picked.mode, did="auto")
        return "auto"
    if picked.mode != "tool":
        return picked.mode
    return {"type": "function", "function": {"name": picked.name}}


def _format(form: ResponseFormat, said: list[JsonObject], report: Report) -> JsonObject:
    if form.kind == "text":
        return {"type": "text"}
    if form.kind == "json":
        demand_json_word(said)
        return {"type": "json_object"}
    made: JsonObject = {"name": format_name(form, report), "schema": form.schema}
    if form.description:
        made["description"] = form.description
    if form.strict is not None:
        made["strict"] = form.strict
    return {"type": "json_schema", "json_schema": made}


_OPTIONS, _SITES = "search_options", "assigned_site_list"


def read_tools(rest: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The tools, taken out of the `parameters` with what is switched on beside them."""
    made: list[Tool | ServerTool] = []
    told = rest.get("tools")
    if isinstance(told, list) and told and all(isinstance(one, dict) for one in told):
        try:
            made = [_tool(one, issuer) for one in told]
            del rest["tools"]
        except InvalidMessage:  # a tool without a name, or whose text no JSON can say again
            made = []
    if rest.get("enable_search") is True:
        made.append(_search(rest, issuer))
    if rest.get("enable_code_interpreter") is True:
        del rest["enable_code_interpreter"]
        made.append(ServerTool("code_execution"))
    return made


def _tool(told: JsonObject, issuer: str) -> Tool | ServerTool:
    function = told.get("function")
    if not isinstance(function, dict) or told.get("type") != "function":
        return ServerTool("own", extras={issuer: told})
    inner = {key: value for key, value in function.items() if key != "name"}
    rest = {key: value for key, value in told.items() if key not in ("type", "function")}
    notes: JsonObject = {}
    made = Tool(function.get("name"))  # type: ignore[arg-type]  # it says so if it is no text
    if isinstance(inner.get("description"), str):
        made.description = inner.pop("description")
    else:
        notes["described"] = False
    if isinstance(inner.get("parameters"), dict):
        made.parameters = inner.pop("parameters")
    elif (schema := _schema(inner.get("parameters"))) is not None:
        made.parameters, notes["parameters"] = schema, "list"
        del inner["parameters"]
    if isinstance(inner.get("strict"), bool):
        made.strict = inner.pop("strict")
    made.cache = unmarked(rest)
    if inner:
        rest["function"] = inner
    own = {where: kept for where, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _schema(told: Any) -> JsonObject | None:
    """`[{"name", "type", "description", "required"}]`, as older clients declare parameters."""
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return None
    if not all(isinstance(one.get("name"), str) for one in told):
        return None
    properties = {one["name"]: {k: v for k, v in one.items() if k not in ("name", "required")}
                  for one in told}  # fmt: skip
    required = [one["name"] for one in told if one.get("required") is True]
    made = {"type": "object", "properties": properties, "required": required}
    return made if _listed(made) == told and all("required" not in one or one["required"] is True
                                                 for one in told) else None  # fmt: skip


def _listed(schema: JsonObject) -> list[JsonObject]:
    return [
        {"name": name, **told, **({"required": True} if name in schema["required"] else {})}
        for name, told in schema["properties"].items()
    ]


def _search(rest: JsonObject, issuer: str) -> ServerTool:
    del rest["enable_search"]
    made = ServerTool("web_search")
    if isinstance(rest.get(_OPTIONS), dict):
        told = dict(rest.pop(_OPTIONS))
        sites = told.get(_SITES)
        if isinstance(sites, list) and sites and all(isinstance(one, str) for one in sites):
            made.domains = tuple(told.pop(_SITES))
        if told or not made.domains:
            made.extras = {issuer: {_OPTIONS: told}}
    return made


def say_tools(body: JsonObject, tools: Iterable[Tool | ServerTool], issuer: str) -> None:
    """Put the tools and switches into the `parameters` that they were read from."""
    listed: list[Json] = []
    for tool in tools:
        own = dict((tool.extras or {}).get(issuer, {}))
        if type(tool) is Tool:
            listed.append(_said(tool, own, issuer))
        elif type(tool) is ServerTool and tool.kind == "own":
            listed.append(own)
        elif type(tool) is ServerTool and tool.kind == "web_search":
            sites = {_SITES: list(tool.domains)} if tool.domains else {}
            body["enable_search"] = True
            if sites or _OPTIONS in own:
                body[_OPTIONS] = {**sites, **own.get(_OPTIONS, {})}
        else:
            body["enable_code_interpreter"] = True
    if listed:
        body["tools"] = listed


def _said(tool: Tool, own: JsonObject, issuer: str) -> JsonObject:
    notes = (tool.extras or {}).get(noted(issuer), {})
    function: JsonObject = {"name": tool.name}
    if notes.get("described", True):
        function["description"] = tool.description
    if tool.schema is not None:
        listed = notes.get("parameters") == "list"
        function["parameters"] = _listed(tool.schema) if listed else tool.schema
    if tool.strict is not None:
        function["strict"] = tool.strict
    function.update(own.pop("function", {}))
    return {"type": "function", "function": function, **marked(tool.cache), **own}


def read_choice(rest: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """The choice, taken out of the `parameters`; one that says something else stays there."""
    told, parallel = rest.get("tool_choice"), rest.get("parallel_tool_calls")
    picked: dict[str, Any] | None = None
    if isinstance(told, str) and told in ("auto", "none", "required"):
        picked = {"mode": told}
    elif isinstance(told, dict) and {*told} == {"type", "function"} and told["type"] == "function":
        function = told["function"]
        if isinstance(function, dict) and {*function} == {"name"} and function["name"]:
            picked = {"mode": "tool", "name": function["name"]}
    said = picked is not None
    if isinstance(parallel, bool):
        picked = {**(picked or {"mode": "auto"}), "parallel": parallel}
    if picked is None:
        return None
    try:
        made = ToolChoice(**picked)
    except InvalidMessage:  # a name that is none
        return None
    if said:
        del rest["tool_choice"]
    else:
        notes["tool_choice"] = "unsaid"
    if made.parallel is not None:
        del rest["parallel_tool_calls"]
    return made


def say_choice(body: JsonObject, choice: ToolChoice, note: str | None) -> None:
    """Put the choice where it was read from."""
    if choice.parallel is not None:
        body["parallel_tool_calls"] = choice.parallel
    if choice.mode == "tool":
        body["tool_choice"] = {"type": "function", "function": {"name": choice.name}}
    elif note != "unsaid":
        body["tool_choice"] = choice.mode


# option -> its key under `parameters`; of several the first that is there
PLACES: dict[str, tuple[str, ...]] = {
    "max_tokens": ("max_tokens", "max_completion_tokens"),
    **{name: (name,) for name in (
        "temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty",
        "repetition_penalty", "seed", "n", "logprobs", "top_logprobs",
    )},
    "reasoning_budget": ("thinking_budget",),
}  # fmt: skip


_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty"}


_FORMATS = {"text": "text", "json_object": "json"}


def read_request(
    body: JsonObject, issuer: str, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """The request that the body makes."""
    rest = dict(body)
    notes: JsonObject = {}
    model = rest.pop("model") if isinstance(rest.get("model"), str) and rest["model"] else None
    messages = _messages(rest, notes, issuer, model)
    told = rest.get("parameters")
    left = dict(told) if isinstance(told, dict) else {}
    made = ChatRequest(
        messages,
        tools=read_tools(left, issuer),
        tool_choice=read_choice(left, notes),
        options=_options(left, notes),
        response_format=_request_format(left, notes),
        model=model,
        stream=_stream(left, notes, headers),
    )
    if isinstance(told, dict) and told:
        rest["parameters"] = left
        if not left:
            del rest["parameters"]
    own = {name: kept for name, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _messages(rest: JsonObject, notes: JsonObject, issuer: str, model: str | None) -> list[Msg]:
    """The messages, or the prompt in their place, taken out of the `input`."""
    told = rest.get("input")
    if isinstance(told, dict):
        inner = dict(told)
        if isinstance(told.get("messages"), list):
            made = read_messages(inner.pop("messages"), issuer, model)
        elif isinstance(told.get("prompt"), str) and "messages" not in told:
            made = [Msg.trusted("", inner.pop("prompt"), "user")]
            notes["messages"] = "prompt"
        else:
            notes["messages"] = "absent"
            return []
        rest["input"] = inner
        if not inner:
            del rest["input"]
        return made
    notes["messages"] = "absent"
    return []


def _stream(rest: JsonObject, notes: JsonObject, headers: Mapping[str, str] | None) -> bool:
    """Whether it is streamed: a header says so, or else parameters that only a stream may have."""
    told = rest.get("stream")
    wanted = told if isinstance(told, bool) else rest.get("incremental_output") is True
    if headers:
        named = {name.lower(): value.lower() for name, value in headers.items()}
        events = "event-stream" in named.get("accept", "")
        wanted = events or named.get("x-dashscope-sse") == "enable"
    if told is wanted:  # which the service tolerates
        del rest["stream"]
        notes["stream"] = "told"
    return wanted


def _options(rest: JsonObject, notes: JsonObject) -> Options:
    given: dict[str, Any] = {}
    taken: list[str] = []
    said: JsonObject = {}
    for name, keys in PLACES.items():
        key = next((one for one in keys if _fits(name, rest.get(one))), None)
        if key is not None:
            given[name] = rest[key]
            taken.append(key)
            if key != keys[0]:
                said[name] = key
    stop = rest.get("stop")
    listed = [stop] if isinstance(stop, str) else stop
    if isinstance(listed, list) and listed and all(isinstance(one, str) for one in listed):
        given["stop"] = tuple(listed)
        taken.append("stop")
        if isinstance(stop, str):
            said["stop"] = "text"
    switch, effort = rest.get("enable_thinking"), rest.get("reasoning_effort")
    if isinstance(effort, str) and effort not in ("", "on", "off") and switch is not False:
        given["reasoning"] = effort
        said["reasoning"] = "effort switch" if switch is True else "effort"
        taken += ["reasoning_effort", "enable_thinking"] if switch is True else ["reasoning_effort"]
    elif isinstance(switch, bool):
        given["reasoning"] = "on" if switch else "off"
        taken.append("enable_thinking")
    try:
        made = Options(**given)
    except InvalidMessage:  # text or numbers that no JSON can say again
        return Options()
    for key in taken:
        del rest[key]
    notes.update(said)
    return made


def _fits(name: str, value: Any) -> bool:
    if name == "logprobs":
        return isinstance(value, bool)
    return isinstance(value, (int, float) if name in _REAL else int) and not isinstance(value, bool)


def _request_format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    told = rest.get("response_format")
    if not isinstance(told, dict):
        return None
    kind = told.get("type")
    if isinstance(kind, str) and kind in _FORMATS and len(told) == 1:
        del rest["response_format"]
        return ResponseFormat(_FORMATS[kind])  # type: ignore[arg-type]  # one of two kinds
    inner = told.get("json_schema")
    if kind != "json_schema" or not isinstance(inner, dict) or len(told) != 2:
        return None
    fields = {"schema": dict, "name": str, "description": str, "strict": bool}
    given = {key: inner[key] for key, cls in fields.items() if isinstance(inner.get(key), cls)}
    if "schema" not in given or inner.keys() - given.keys():
        return None
    try:
        made = ResponseFormat("schema", **given)
    except InvalidMessage:
        return None
    del rest["response_format"]
    if absent := [key for key in ("name", "description") if key not in given]:
        notes["format"] = " ".join(absent)
    return made


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(issuer, {}))
    notes = extras.get(noted(issuer), {})
    if req.model and "model" in kept:
        body["model"] = req.model
    if elements or notes.get("messages") != "absent":
        inner = body.get("input")
        said = _input_as_read(elements, notes.get("messages"))
        body["input"] = {**said, **(inner if isinstance(inner, dict) else {})}
    told = body.get("parameters")
    there = told if isinstance(told, dict) else {}
    made = {**_parameters(req, kept, notes, issuer), **there}
    if "stream" not in kept:  # it belongs to streams alone, and makes pieces of their events
        made.pop("incremental_output", None)
        made |= {"incremental_output": True} if req.stream else {}
    elif "stream" in notes:
        made["stream"] = req.stream
    if made or there:
        body["parameters"] = made
    return body


def _input_as_read(elements: list[Json], note: str | None) -> JsonObject:
    told = elements[0] if note == "prompt" and len(elements) == 1 else None
    plain = isinstance(told, dict) and told.keys() == {"role", "content"}
    if isinstance(told, dict) and plain and isinstance(told["content"], str):
        return {"prompt": told["content"]} if told["role"] == "user" else {"messages": elements}
    return {"messages": elements}


def _parameters(
    req: ChatRequest, kept: Collection[str], notes: JsonObject, issuer: str
) -> JsonObject:
    made: JsonObject = {}
    if "tools" in kept:
        say_tools(made, req.tools, issuer)
    if req.tool_choice is not None and "tool_choice" in kept:
        say_choice(made, req.tool_choice, notes.get("tool_choice"))
    for name, value in req.options.given():
        if name not in kept:
            continue
        if name == "stop":
            made["stop"] = value[0] if notes.get("stop") == "text" else list(value)
        elif name == "reasoning":
            how = notes.get("reasoning", "")
            made |= {"reasoning_effort": value} if how else {"enable_thinking": value == "on"}
            made |= {"enable_thinking": True} if "switch" in how else {}
        elif name in PLACES:
            made[notes.get(name, PLACES[name][0])] = value
    if req.response_format is not None and "response_format" in kept:
        made["response_format"] = _said_format(req.response_format, notes.get("format", ""))
    return made


def _said_format(form: ResponseFormat, absent: str) -> JsonObject:
    if form.kind != "schema":
        return {"type": next(key for key, kind in _FORMATS.items() if kind == form.kind)}
    inner: JsonObject = {"name": form.name, "schema": form.schema, "description": form.description}
    if form.strict is not None:
        inner["strict"] = form.strict
    return {"type": "json_schema",
            "json_schema": {k: v for k, v in inner.items() if k not in absent.split()}}  # fmt: skip


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this can be a request of text or multimodal generation."""
    if not isinstance(body, dict) or not isinstance(told := body.get("input"), dict):
        return False
    if not (isinstance(told.get("messages"), list) or isinstance(told.get("prompt"), str)):
        return False
    if path:
        return "/services/aigc/" in path
    return isinstance(body.get("model"), str) and not body.keys() & {"messages", "contents"}
