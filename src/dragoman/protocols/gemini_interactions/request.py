"""Requests of Interactions: options, tools, choice, format, and the whole body.

Reference: google-genai 3.4, `CreateModelInteraction`, `GenerationConfig`, `Tool`,
`TextResponseFormat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...history.passes.survey import Tools
from ...losses import Report
from ...message import ChatRequest, Msg, Options, ResponseFormat, ServerTool, Tool, ToolChoice
from ...message.known_tools import read_entries
from ...message.request import new_request
from ...text.json_text import Json, JsonObject
from ..base import Names, Room
from ..chat_like import messages as chat_messages
from ..reasoning import choose_display, moot, resolve_thinking
from ..request_fields import fitting_schema, format_unsaid, option_value, options, usual_tier
from ..schemas import parameters
from .fields import CONFIG, LEVELS, OPTIONS, TIER, TIERS
from .messages import TOP, input_as_read, read_input

# of `thinking_summaries`
_SHOWN = {"none": "none", "auto": "auto", "concise": "auto", "detailed": "auto", "updates": "auto"}
_NEUTRAL = ("off", "on", "auto", "none")  # which are no levels of this API's


# --- options ---


def write_config(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    """Write `generation_config` and `service_tier`, if options need them."""
    fields = options(request, {**OPTIONS, TIER: TIER, "thoughts": ""}, caps, report)
    if fields.get(TIER) == "default":
        fields[TIER] = "standard"
        report.add_loss("option.range", request.options, TIER, "default", "sent as standard")
    usual_tier(fields, "standard", request, report)
    if TIER in fields and fields[TIER] not in TIERS:
        what = f"service tier {fields.pop(TIER)}"
        report.add_loss("option.unsupported", request.options, TIER, what=what)
    if (level := _level(request, caps, report)) is not None:
        fields["thinking_level"] = level
    if word := choose_display(request, _SHOWN, caps.thinks != "never", report):
        fields["thinking_summaries"] = word
    tier = {TIER: fields.pop(TIER)} if TIER in fields else {}
    return {**tier, CONFIG: fields} if fields else tier


def _level(request: ChatRequest, caps: Capabilities, report: Report) -> str | None:
    """Return the level of thinking; there is none for `off`, and `minimal` is the nearest."""
    thinking = resolve_thinking(request, caps, report, budgets=False, levels=LEVELS)
    if thinking is None:
        return None
    if thinking.off:
        name = "reasoning" if request.options.reasoning is not None else "reasoning_budget"
        report.add_loss("reasoning.always", request.options, name, "off", "sent as minimal")
        return "minimal"
    if thinking.effort is None:
        moot(request, report)
    return thinking.effort


def _read_options(fields: JsonObject, config: JsonObject) -> Options:
    values: dict[str, Any] = {}
    for name, key in OPTIONS.items():
        is_listed = name != "stop" or isinstance(config.get(key), list)
        if is_listed and (value := option_value(name, config.get(key))) is not None:
            values[name] = value
            del config[key]
    level = config.get("thinking_level")
    if isinstance(level, str) and level and level not in _NEUTRAL:
        values["reasoning"] = config.pop("thinking_level")
    if config.get("thinking_summaries") in ("none", "auto"):
        values["thoughts"] = config.pop("thinking_summaries")
    if isinstance(fields.get(TIER), str) and fields[TIER]:
        values[TIER] = fields.pop(TIER)
    try:
        return Options(**values)
    except InvalidMessage:  # a lone surrogate, or a number that JSON lacks
        for name, value in values.items():
            if name == TIER:
                fields[TIER] = value
            else:
                config[_key(name)] = _value(value)
        return Options()


_THINKING = {"reasoning": "thinking_level", "thoughts": "thinking_summaries"}


def _key(name: str) -> str:
    return OPTIONS.get(name) or _THINKING[name]


def _value(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


# --- tools ---

_KINDS = {
    "google_search": "web_search",
    "url_context": "web_fetch",
    "code_execution": "code_execution",
    "file_search": "file_search",
}
_STORES = "file_search_store_names"
_DESCRIBED = "described"  # the note of a function with an empty description


def write_tools(room: Room, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Write functions and the provider's own tools, in their order."""
    entries: list[JsonObject] = []
    for tool in tools:
        if isinstance(tool, Tool):
            entries.append(_write_function(tool, caps, report))
        elif tool.kind == "own":
            if entry := chat_messages.own_tool(tool, caps):
                entries.append(entry)
        elif tool.kind == "file_search" and not _has_stores(tool, caps):
            report.add_loss("server_tool.unsupported", tool, what="file_search without stores")
        else:
            chat_messages.report_unsupported(
                tool, report, *(("stores",) if tool.kind == "file_search" else ())
            )
            entries.append(chat_messages.replay(_server_tool(tool), tool, caps, report))
    return entries


def _has_stores(tool: ServerTool, caps: Capabilities) -> bool:
    return bool(tool.stores) or _STORES in chat_messages.own_extras(tool, caps)


def _write_function(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    schema, _ = parameters(tool, caps, report)
    if tool.cache is not None:
        report.add_loss("tool.cache", tool, "cache")
    return chat_messages.replay(_function(tool, schema), tool, caps, report)


def _function(tool: Tool, schema: Json) -> JsonObject:
    """Write `{"type": "function", "name", "description", "parameters"}`."""
    entry: JsonObject = {"type": "function", "name": tool.name}
    if tool.description:
        entry["description"] = tool.description
    return entry if schema is None else {**entry, "parameters": schema}


def _server_tool(tool: ServerTool) -> JsonObject:
    kind = next(kind for kind, name in _KINDS.items() if name == tool.kind)
    return {"type": kind, _STORES: list(tool.stores)} if tool.stores else {"type": kind}


def _read_tool(entry: JsonObject, issuer: str) -> Tool | ServerTool:
    """Read one entry of `tools`; an unknown tool is kept unchanged."""
    kind, name = entry.get("type"), entry.get("name")
    fields = {key: value for key, value in entry.items() if key != "type"}
    notes: JsonObject = {}
    tool: Tool | ServerTool
    try:
        if kind == "function" and isinstance(name, str) and name:
            tool = Tool(fields.pop("name"))
            if isinstance(fields.get("description"), str):
                tool.description = fields.pop("description")
                notes = {} if tool.description else {_DESCRIBED: True}
            if isinstance(fields.get("parameters"), dict):
                tool.parameters = fields.pop("parameters")
        elif isinstance(kind, str) and kind in _KINDS:
            tool = ServerTool(_KINDS[kind])  # type: ignore[arg-type]  # one of the kinds
            if kind == "file_search" and _are_texts(fields.get(_STORES)):
                tool.stores = tuple(fields.pop(_STORES))
        else:
            tool, fields = ServerTool("own"), entry
    except InvalidMessage:  # half of a surrogate pair
        tool, fields = ServerTool("own"), entry
    tool.read_from = entry
    tool.extras = chat_messages.issuer_extras(issuer, fields, notes)
    return tool


def _are_texts(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(i, str) for i in value)


def _tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    fields, notes = chat_messages.issuer_fields(tool, issuer)
    if type(tool) is Tool:
        described = {"description": ""} if _DESCRIBED in notes else {}
        return {**_function(tool, tool.schema), **described, **fields}
    assert type(tool) is ServerTool  # the only other type
    return fields if tool.kind == "own" else {**_server_tool(tool), **fields}


# --- the choice among tools ---

_MODES = {"auto": "auto", "any": "required", "none": "none", "validated": "auto"}
_VALIDATED = "validated"  # calls have to match their schemas, where there are any


def write_choice(choice: ToolChoice, strict: bool = False) -> Json:
    """Write a mode, or `{"allowed_tools": {...}}`; `strict`: calls must match their schemas."""
    names = [choice.name] if choice.name is not None else list(choice.allowed)
    mode = {"required": "any", "tool": "any"}.get(choice.mode, choice.mode)
    mode = _VALIDATED if strict and mode == "auto" else mode
    return {"allowed_tools": {"mode": mode, "tools": names}} if names and mode != "none" else mode


def _read_choice(config: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """Take the choice out of the config, if it is only a mode and names."""
    value = config.get("tool_choice")
    data = value.get("allowed_tools") if isinstance(value, dict) and len(value) == 1 else None
    names: tuple[Any, ...] = ()
    mode = value
    if isinstance(data, dict):
        if data.keys() != {"mode", "tools"} or not _are_texts(data["tools"]):
            return None
        mode, names = data["mode"], tuple(data["tools"])
    if not isinstance(mode, str) or mode not in _MODES or (names and mode == "none"):
        return None
    meaning: Any = _MODES[mode]
    try:
        if names and mode == "any" and len(names) == 1:
            choice = ToolChoice("tool", names[0])
        else:
            choice = ToolChoice(meaning, allowed=names)
    except InvalidMessage:  # half of a surrogate pair
        return None
    del config["tool_choice"]
    if mode == _VALIDATED:
        notes["mode"] = mode
        notes["words"] = [f"{CONFIG}.tool_choice"]
    return choice


def _choice_as_read(choice: ToolChoice, notes: JsonObject) -> Json:
    value = write_choice(choice)
    if notes.get("mode") != _VALIDATED or choice.mode != "auto":
        return value
    if isinstance(value, dict):
        return {"allowed_tools": {**value["allowed_tools"], "mode": _VALIDATED}}
    return _VALIDATED


# --- the format of the answer ---

_JSON, _PLAIN = "application/json", "text/plain"


def write_format(form: ResponseFormat, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Write `[{"type": "text", "mime_type", "schema"}]`, a list that may hold others, too."""
    schema = None
    if form.kind == "schema":
        format_unsaid(form, report)
        schema = fitting_schema(form, caps, report).schema
    return [_format(form, schema)]


def _format(form: ResponseFormat, schema: Json) -> JsonObject:
    entry: JsonObject = {"type": "text", "mime_type": _PLAIN if form.kind == "text" else _JSON}
    return entry if schema is None else {**entry, "schema": schema}


def _read_format(fields: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """Read `response_format` if it is a single text format; otherwise it stays where it is."""
    value = fields.get("response_format")
    entry = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(entry, dict) or entry.get("type") != "text":
        return None
    mime, schema = entry.get("mime_type"), entry.get("schema")
    try:
        if mime == _JSON and entry.keys() == {"type", "mime_type", "schema"}:
            form = ResponseFormat("schema", schema)
        elif mime in (_JSON, _PLAIN) and entry.keys() == {"type", "mime_type"}:
            form = ResponseFormat("json" if mime == _JSON else "text")
        else:
            return None
    except InvalidMessage:  # no schema
        return None
    del fields["response_format"]
    if entry is value:
        notes["format"] = "object"
    return form


# --- the whole body ---


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """Read the request that the body makes."""
    fields: JsonObject = dict(body)
    notes: JsonObject = {}
    model = fields.pop("model") if _is_text(fields.get("model")) else None
    msgs: list[Msg] = []
    if _is_text(fields.get("system_instruction")):
        msgs.append(Msg.create_unchecked("", fields.pop("system_instruction"), "system"))
        msgs[0].spelling = TOP
    read = read_input(fields.get("input"), room.issuer, model)
    if read is not None:
        del fields["input"]
        msgs += read[0]
        notes |= {} if read[1] == "steps" else {"input": read[1]}
    else:
        notes["input"] = "absent"
    entries = fields.pop("tools") if chat_messages.are_objects(fields.get("tools")) else []
    tools = read_entries(
        entries, lambda entries: [_read_tool(entry, room.issuer) for entry in entries]
    )
    config = dict(fields[CONFIG]) if isinstance(fields.get(CONFIG), dict) else {}
    request = new_request(msgs)
    request.tools, request.model = tools, model
    request.options = _read_options(fields, config)
    request.tool_choice = _read_choice(config, notes)
    request.response_format = _read_format(fields, notes)
    if isinstance(fields.get(CONFIG), dict):
        if config or not fields[CONFIG]:
            fields[CONFIG] = config
        else:
            del fields[CONFIG]
    if isinstance(fields.get("stream"), bool):
        request.stream = fields.pop("stream")
        notes |= {} if request.stream else {"stream": "false"}
    request.extras = chat_messages.issuer_extras(room.issuer, fields, notes)
    return request


def _is_text(value: Json) -> bool:
    """Whether it is a text that is not empty and has no lone surrogates."""
    if not isinstance(value, str) or not value:
        return False
    return value.isascii() or value.encode("utf-8", "ignore").decode() == value


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """Write the body with the fields in `kept` as `read_request` read them, and extra fields."""
    body, notes = chat_messages.issuer_fields(req, room.issuer)
    form = notes.get("input", "steps")
    if elements or form != "absent":
        body["input"] = input_as_read(elements, form)
    first = req.messages[0] if req.messages else None
    if "system" in kept and first is not None and first.spelling == TOP:
        body["system_instruction"] = first.content
    if req.model and "model" in kept:
        body["model"] = req.model
    config: JsonObject = {}
    for name, value in req.options.list_values():
        if name in kept and name == TIER:
            body[TIER] = value
        elif name in kept and (name in OPTIONS or name in _THINKING):
            config[_key(name)] = _value(value)
    if req.tool_choice is not None and "tool_choice" in kept:
        config["tool_choice"] = _choice_as_read(req.tool_choice, notes)
    if config:
        body[CONFIG] = {**config, **body.get(CONFIG, {})}
    if req.tools and "tools" in kept:
        body["tools"] = [_tool_as_read(tool, room.issuer) for tool in req.tools]
    if req.response_format is not None and "response_format" in kept:
        entry = _format(req.response_format, req.response_format.schema)
        body["response_format"] = entry if notes.get("format") == "object" else [entry]
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body
