"""The fields of a request under `parameters`, read and written.

Options, thinking, tools and the switches of the provider's own tools, tool choice, response format.
`write_parameters` composes them, `body_as_read` writes a whole body as it was read.

Reference: Model Studio, "Qwen API via DashScope", `input` and `parameters`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ... import message as tree
from ...errors import InvalidMessage
from ...losses import Report
from ...message import ChatRequest, Msg, Options, Origin, ServerTool, Tool, ToolChoice
from ...text.json_text import Json, JsonObject
from .. import request_fields
from ..base import Names, PreparedRequest, Room
from ..chat_like import messages as chat_messages
from ..chat_like import request as chat_request
from ..chat_like.messages import are_objects
from ..reasoning import ThinkingRequest, moot, resolve_thinking
from .blocks import cache_field, read_cache
from .fields import OPTIONS
from .messages import read_message

_EFFORTS = ("low", "medium", "high", "xhigh", "max")


# the provider's own tools -> the switches that turn them on
SWITCHES = {"web_search": "enable_search", "code_execution": "enable_code_interpreter"}
SEARCH, SITES = "search_options", "assigned_site_list"

_MODES = {"auto": "auto", "none": "none", "required": "required"}


def write_parameters(
    prepared: PreparedRequest, tools: list[JsonObject], report: Report
) -> JsonObject:
    """Write the `parameters` of a request with these tools."""
    request, caps = prepared.request, prepared.caps
    params: JsonObject = {"result_format": "message"}
    if request.stream:
        # older models answer with snapshots of everything so far unless this is set
        params["incremental_output"] = True
    if tools:
        params["tools"] = tools
    keys = {name: keys[0] for name, keys in OPTIONS.items()}
    params.update(request_fields.options(request, keys, caps, report))
    _write_thinking(params, prepared, report)
    if (tool_choice := request_fields.choice(prepared, report, tools)) is not None:
        tool_choice = _fitting_choice(tool_choice, request.tool_choice, report)
        chat_request.write_choice(params, tool_choice, _MODES)
    if (form := request_fields.response_format(request, caps, report)) is not None:
        params["response_format"] = chat_request.spelled_format(form, report)
    for tool in prepared.server_tools:
        if tool.kind != "own":  # unlike those, it is an entry of the tools
            _switch_on(params, tool)
            chat_messages.report_unsupported(tool, report, "domains")
            chat_messages.replay(params, tool, caps, report)
    return params


def _write_thinking(params: JsonObject, prepared: PreparedRequest, report: Report) -> None:
    """Write a switch, and beside it an effort or a budget, as the model takes them."""
    thinking = resolve_thinking(prepared.request, prepared.caps, report, levels=_EFFORTS)
    if thinking is None:
        return
    if prepared.caps.thinks != "always":  # a model that always thinks has no switch
        params["enable_thinking"] = not thinking.off
    elif thinking == ThinkingRequest():
        moot(prepared.request, report)
    if thinking.effort is not None:
        params["reasoning_effort"] = thinking.effort
    if thinking.budget is not None:
        params["thinking_budget"] = thinking.budget


def _fitting_choice(choice: ToolChoice, source: object, report: Report) -> ToolChoice:
    """Return the choice as the service takes it: it can neither force any call nor limit tools."""
    mode = choice.mode
    if choice.allowed:
        report.add_loss("tool_choice.lowered", source, "allowed", did="all tools are offered")
    if mode == "required":
        report.add_loss("tool_choice.lowered", source, "mode", what=mode, did="auto")
        mode = "auto"
    return ToolChoice(mode, choice.name, parallel=choice.parallel)


def read_tools(params: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """Take the tools out of the `parameters`, including those that are switched on."""
    tools: list[Tool | ServerTool] = []
    entries = params.get("tools")
    if are_objects(entries):
        # a tool without a name, or with text that JSON cannot express
        with suppress(InvalidMessage):
            tools = [_read_tool(entry, issuer) for entry in entries]
            del params["tools"]
    for kind, switch in SWITCHES.items():
        if params.get(switch) is True:
            del params[switch]
            tool = ServerTool(kind)  # type: ignore[arg-type]  # one of the kinds
            if kind == "web_search":
                _read_search(tool, params, issuer)
            tools.append(tool)
    return tools


def _read_tool(entry: JsonObject, issuer: str) -> Tool | ServerTool:
    function = entry.get("function")
    tool: Tool | ServerTool
    if isinstance(function, dict) and entry.get("type") == "function":
        other_fields = {key: entry[key] for key in entry if key not in ("type", "function")}
        notes: JsonObject = {}
        if (schema := _read_list_schema(function.get("parameters"))) is not None:
            function = {**function, "parameters": schema}
            notes["parameters"] = "list"
        cache = read_cache(other_fields)
        tool = chat_request.read_function(function, other_fields, notes, issuer)
        tool.cache = cache
    else:
        tool = ServerTool("own", extras={issuer: entry})
    tool.read_from = entry
    return tool


def _read_list_schema(value: Any) -> JsonObject | None:
    """Read `[{"name", "type", "description", "required"}]`, older clients' form of parameters."""
    if not are_objects(value) or not all(isinstance(item.get("name"), str) for item in value):
        return None
    properties = {
        item["name"]: {k: v for k, v in item.items() if k not in ("name", "required")}
        for item in value
    }
    required = [item["name"] for item in value if item.get("required") is True]
    schema = {"type": "object", "properties": properties, "required": required}
    same = _write_list_schema(schema) == value
    return schema if same and all(item.get("required", True) is True for item in value) else None


def _write_list_schema(schema: JsonObject) -> list[JsonObject]:
    return [
        {"name": name, **fields, **({"required": True} if name in schema["required"] else {})}
        for name, fields in schema["properties"].items()
    ]


def _read_search(tool: ServerTool, params: JsonObject, issuer: str) -> None:
    """Give the tool its `search_options`: the domains, and extras for what no node can hold."""
    if isinstance(params.get(SEARCH), dict):
        search = dict(params.pop(SEARCH))
        sites = search.get(SITES)
        if sites and isinstance(sites, list) and all(isinstance(site, str) for site in sites):
            tool.domains = tuple(search.pop(SITES))
        if search or not tool.domains:
            tool.extras = {issuer: {SEARCH: search}}


def _switch_on(params: JsonObject, tool: ServerTool) -> None:
    params[SWITCHES[tool.kind]] = True
    if tool.domains:
        params[SEARCH] = {SITES: list(tool.domains)}


def _tools_as_read(params: JsonObject, tools: Iterable[Tool | ServerTool], issuer: str) -> None:
    """Put the tools and switches into the `parameters` that they were read from."""
    entries: list[Json] = []
    for tool in tools:
        if type(tool) is ServerTool and tool.kind != "own":
            _switch_on(params, tool)
            chat_messages.fill_fields(params, chat_messages.issuer_fields(tool, issuer)[0])
            continue
        entry = chat_request.tool_as_read(tool, issuer)
        if type(tool) is Tool:
            entry = {**cache_field(tool.cache), **entry}
            notes = chat_messages.issuer_fields(tool, issuer)[1]
            if tool.schema is not None and notes.get("parameters") == "list":
                entry["function"]["parameters"] = _write_list_schema(tool.schema)
        entries.append(entry)
    if entries:
        params["tools"] = entries


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """Read the request; without headers, its parameters decide whether it is streamed."""
    issuer, other_fields = room.issuer, dict(body)
    notes: JsonObject = {}
    model = other_fields.get("model")
    model = other_fields.pop("model") if isinstance(model, str) and model else None
    messages = _read_input(other_fields, notes, issuer, model)
    params = chat_messages.read_object(body.get("parameters"))
    unknown = dict(params)
    req = ChatRequest(
        messages,
        tools=read_tools(unknown, issuer),
        tool_choice=_read_choice(unknown, notes),
        options=_read_options(unknown, notes),
        response_format=_read_format(unknown, notes),
        model=model,
        stream=_read_stream(unknown, notes, headers),
    )
    if unknown:
        other_fields["parameters"] = unknown
    elif params:
        del other_fields["parameters"]
    req.extras = chat_messages.issuer_extras(issuer, other_fields, notes)
    return req


def _read_input(body: JsonObject, notes: JsonObject, issuer: str, model: str | None) -> list[Msg]:
    """Take the messages, or the prompt instead of them, out of the `input`."""
    fields = dict(chat_messages.read_object(body.get("input")))
    if isinstance(fields.get("messages"), list):
        origin = Origin(issuer, model)
        messages = chat_messages.read_messages(
            fields.pop("messages"), lambda entry, index: read_message(entry, issuer, origin, index)
        )
    elif isinstance(fields.get("prompt"), str) and "messages" not in fields:
        messages = [Msg.create_unchecked("", fields.pop("prompt"), "user")]
        notes["messages"] = "prompt"
    else:
        notes["messages"] = "absent"
        return []
    body["input"] = fields
    if not fields:
        del body["input"]
    return messages


def _read_choice(params: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """Take the choice out of the `parameters`; an unknown one stays there."""
    value = chat_request.read_choice_value(params.get("tool_choice"), _MODES)
    is_untyped = value is not None and value[1] == "untyped"
    return chat_request.read_choice(params, notes, None if is_untyped else value)


def _read_format(params: JsonObject, notes: JsonObject) -> tree.ResponseFormat | None:
    """Read the format; one with fields that no ResponseFormat can hold stays unchanged."""
    fields = {"response_format": params.get("response_format")}
    format_notes: JsonObject = {}
    form = chat_request.read_format(fields, format_notes)
    if form is None or fields:
        return None
    del params["response_format"]
    notes.update(format_notes)
    return form


def _read_stream(params: JsonObject, notes: JsonObject, headers: Mapping[str, str] | None) -> bool:
    """Read whether it is streamed: by a header, or by parameters that only a stream may have."""
    value = params.get("stream")
    stream = value if isinstance(value, bool) else params.get("incremental_output") is True
    if headers:
        lower = {name.lower(): text.lower() for name, text in headers.items()}
        is_enabled = lower.get("x-dashscope-sse") == "enable"
        stream = is_enabled or "event-stream" in lower.get("accept", "")
    if value is stream:  # which the service tolerates
        del params["stream"]
        notes["stream"] = "told"
    return stream


def _read_options(params: JsonObject, notes: JsonObject) -> Options:
    """Take the options out of the `parameters`; all stay if JSON cannot express one of them."""
    fields: dict[str, Any] = {}
    keys_read: list[str] = []
    spelled: JsonObject = {}
    for name, keys in OPTIONS.items():
        for key in keys:
            if (value := request_fields.option_value(name, params.get(key))) is not None:
                fields[name] = value
                keys_read.append(key)
                if key != keys[0]:
                    spelled[name] = key
                break
    if isinstance(params.get("stop"), str):
        spelled["stop"] = "text"
    switch, effort = params.get("enable_thinking"), params.get("reasoning_effort")
    if isinstance(effort, str) and effort not in ("", "on", "off") and switch is not False:
        fields["reasoning"] = effort
        spelled["reasoning"] = "effort switch" if switch is True else "effort"
        keys_read += ["reasoning_effort", *(["enable_thinking"] if switch is True else [])]
    elif isinstance(switch, bool):
        fields["reasoning"] = "on" if switch else "off"
        keys_read.append("enable_thinking")
    try:
        values = Options(**fields)
    except InvalidMessage:  # text or numbers that JSON cannot express
        return Options()
    for key in keys_read:
        del params[key]
    notes.update(spelled)
    return values


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """Write the body with the fields in `kept` as `read_request` read them, and extra fields."""
    body, notes = chat_messages.issuer_fields(req, room.issuer)
    if req.model and "model" in kept:
        body["model"] = req.model
    if elements or notes.get("messages") != "absent":
        messages = _input_as_read(elements, notes.get("messages"))
        body["input"] = {**messages, **chat_messages.read_object(body.get("input"))}
    unknown = chat_messages.read_object(body.get("parameters"))
    params = {**_parameters_as_read(req, kept, notes, room.issuer), **unknown}
    if "stream" not in kept:  # it belongs only to streams, whose events it turns into pieces
        params.pop("incremental_output", None)
        params |= {"incremental_output": True} if req.stream else {}
    elif "stream" in notes:
        params["stream"] = req.stream
    if params or unknown:
        body["parameters"] = params
    return body


def _input_as_read(elements: list[Json], note: str | None) -> JsonObject:
    """Return the messages, or the prompt if that was read and is still a text of the user."""
    match elements:
        case [{"role": "user", "content": str(text), **other_fields}] if note == "prompt":
            return {"messages": elements} if other_fields else {"prompt": text}
    return {"messages": elements}


def _parameters_as_read(
    req: ChatRequest, kept: Names, notes: JsonObject, issuer: str
) -> JsonObject:
    params: JsonObject = {}
    if "tools" in kept:
        _tools_as_read(params, req.tools, issuer)
    if req.tool_choice is not None and "tool_choice" in kept:
        chat_request.write_choice(params, req.tool_choice, _MODES, notes.get("tool_choice"))
    for name, value in req.options.list_values():
        if name not in kept:
            continue
        if name == "stop":
            params["stop"] = value[0] if notes.get("stop") == "text" else list(value)
        elif name == "reasoning":
            note = notes.get("reasoning", "")
            params |= {"reasoning_effort": value} if note else {"enable_thinking": value == "on"}
            params |= {"enable_thinking": True} if "switch" in note else {}
        elif name in OPTIONS:
            params[notes.get(name, OPTIONS[name][0])] = value
    if req.response_format is not None and "response_format" in kept:
        absent = notes.get("format", "")
        params["response_format"] = chat_request.write_format(req.response_format, absent)
    return params


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this can be a request of text or multimodal generation."""
    if not isinstance(body, dict) or not isinstance(value := body.get("input"), dict):
        return False
    if not (isinstance(value.get("messages"), list) or isinstance(value.get("prompt"), str)):
        return False
    if path:
        return "/services/aigc/" in path
    return isinstance(body.get("model"), str) and not body.keys() & {"messages", "contents"}
