"""The body of a request around its messages: options, thinking, tools, tool choice, format.

Each reader takes out of the body what the tree can hold; the rest stays in the extras, and notes
record places and spellings. The writers are used for composed requests and for requests that go
back as they were read. Reference: Amazon Bedrock API reference, "InferenceConfiguration",
"OutputConfig", "ServiceTier", "ToolConfiguration"; the makers' own fields in
`additionalModelRequestFields`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from ... import message as tree
from ...capabilities import Capabilities
from ...errors import InvalidMessage, ReadError, WriteError
from ...history.passes.survey import Tools
from ...losses import Report
from ...losses.codes.code import Kind
from ...message import ChatRequest, Msg, Options, ResponseFormat, ServerTool, Tool, ToolChoice
from ...text.json_text import Json, JsonObject, arguments, field_at, loads, put_field, take_field
from .. import reasoning, request_fields
from ..base import Names, PreparedRequest, Room
from ..chat_like import messages as chat_messages
from ..chat_like.messages import (
    are_objects,
    fill_fields,
    issuer_extras,
    issuer_fields,
    replay,
    without,
)
from ..reasoning import ThinkingRequest
from ..schemas import parameters
from . import messages
from .blocks import cache_point, read_cache_point
from .dialect import read_path
from .fields import FIELDS, MODEL_FIELDS, OPTIONS

# Claude's `thinking.display`: how much of its thinking is shown
_SHOWN = {
    "none": "omitted",
    "auto": "summarized",
    "concise": "summarized",
    "detailed": "summarized",
    "updates": "summarized",
}
_DISPLAYED = {"omitted": "none", "summarized": "auto"}

# `form` of other makers' models -> the path of their word for thinking; none turns it off
_WORD_FIELDS = {
    "effort": f"{MODEL_FIELDS}.reasoning_effort",
    "reasoning": f"{MODEL_FIELDS}.reasoning.effort",
    "config": f"{MODEL_FIELDS}.reasoning_config",
}

# where thinking is turned on and off: Claude's place, its other name, Nova's
_SWITCHES = FIELDS.special["reasoning"]
_SWITCH_WORDS = {"enabled": "on", "adaptive": "on", "disabled": "off"}

# options that are composed for every maker: those of `inferenceConfig`, and separate ones
_COMPOSED = {name: name for name in ("top_k", "service_tier")} | {
    name: paths[0].partition(".")[2]
    for name, paths in OPTIONS.items()
    if paths[0].startswith("inferenceConfig.")
}


# all words that any maker's models take here; service model: OutputConfig.effort
_LEVELS = ("low", "medium", "high", "xhigh", "max")
_TIERS = ("priority", "default", "flex", "reserved")  # service model: ServiceTierType


def read_options(body: JsonObject, notes: JsonObject) -> Options:
    """Take the options out of the body."""
    values: dict[str, Any] = {}
    words = {path: field_at(body, path) for path in _SWITCHES}
    switch = next(
        (path for path, word in words.items() if isinstance(word, str) and word in _SWITCH_WORDS),
        None,
    )
    word = words[switch] if switch is not None else ""
    for name, paths in OPTIONS.items():
        if name in ("reasoning", "reasoning_budget") and word == "disabled":
            continue
        for path in paths:
            if (value := _option(name, field_at(body, path))) is not None:
                values[name] = value
                take_field(body, path)
                if path != paths[0]:
                    notes[name] = {"at": path}
                break
    if switch is not None:
        take_field(body, switch)
        # a budget and an effort both need the switch beside them; the switch alone is enough
        name = "reasoning_budget" if "reasoning_budget" in values else "reasoning"
        if name not in values:
            values["reasoning"], notes["reasoning"] = _SWITCH_WORDS[word], {"at": None}
        notes.setdefault(name, {})["with"] = {switch: word}
    return Options(**values)


def _option(name: str, value: Json) -> Any:
    """Return the neutral value of a field; None if the option cannot hold it."""
    if name == "thoughts":
        return _DISPLAYED.get(value) if isinstance(value, str) else None
    is_odd = value == "" or (name == "stop" and isinstance(value, str))
    return None if is_odd else request_fields.option_value(name, value)


def _noted_place(name: str, notes: JsonObject) -> tuple[str | None, dict[str, str]]:
    """Return the path of an option, and the switch beside it with its word."""
    note = notes.get(name, {})
    return note.get("at", OPTIONS[name][0]), note.get("with", {})


def option_paths(options: Options, notes: JsonObject) -> Iterator[tuple[str, str]]:
    """Return each option with the path that it was read from; the parent's path beside a switch."""
    for name, _ in options.list_values():
        if name in OPTIONS:
            path, switches = _noted_place(name, notes)
            switch = next(iter(switches), "")
            parent = switch.rpartition(".")[0]
            if path is None:
                yield name, switch
            else:
                yield name, parent if parent and path.startswith(f"{parent}.") else path


def _is_claude(caps: Capabilities) -> bool:
    return caps.form.startswith("claude")


# beside this thinking, Nova 2 refuses all limits and sampling (inspect_ai issue 3767)
_UNLIMITED: JsonObject = {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}}


def write_options(body: JsonObject, prepared: PreparedRequest, report: Report) -> None:
    """Put the options and the response format into the body."""
    request, caps = prepared.request, prepared.caps
    keys = {**_COMPOSED, "thoughts": ""} if _is_claude(caps) else _COMPOSED
    inference = request_fields.options(request, keys, caps, report)
    for key, name in (("temperature", "temperature"), ("topP", "top_p")):
        request_fields.within(inference, key, name, FIELDS.ranges[name], request, report)
    tier = inference.pop("service_tier", None)
    if tier is not None and tier not in _TIERS:
        what = f"service tier {tier}"
        report.add_loss("option.unsupported", request.options, "service_tier", what=what)
        tier = None
    thinking = _thinking_fields(prepared, inference.get("maxTokens"), report)
    _write_display(thinking, request, caps, report)
    if thinking == _UNLIMITED:
        for name in ("max_tokens", "temperature", "top_p", "top_k"):
            if inference.pop(_COMPOSED[name], None) is not None:
                what = f"{name} at effort high"
                report.add_loss("option.refused", request.options, name, what=what)
    top_k = inference.pop("top_k", None)
    makers: JsonObject = {}
    if top_k is not None and caps.form == "nova":
        makers["inferenceConfig"] = {"topK": top_k}
    elif top_k is not None and _is_claude(caps):
        makers["top_k"] = top_k
    elif top_k is not None:
        report.add_loss("option.unsupported", request.options, "top_k", what="top_k")
    makers.update(thinking)
    form = request_fields.response_format(request, caps, report)
    if form is not None and form.kind == "schema":
        note: JsonObject = {} if form.description else {"absent": ("description",)}
        _put_format(body, form, request_fields.format_name(form, report), note)
        if form.strict is not None:
            did = "a schema is always kept to here"
            kind: Kind | None = "expected" if form.strict else None
            report.add_loss("format.lowered", form, "strict", did=did, kind=kind)
    parts = {"inferenceConfig": inference, MODEL_FIELDS: makers}
    body.update((key, part) for key, part in parts.items() if part)
    if tier is not None:
        body["serviceTier"] = {"type": tier}


def _thinking_fields(prepared: PreparedRequest, maximum: int | None, report: Report) -> JsonObject:
    """Return the fields that ask for thinking; `maximum`: that of the answer, if one is set."""
    request, caps = prepared.request, prepared.caps
    wish = reasoning.resolve_thinking(request, caps, report, levels=_LEVELS)
    if wish is None:
        return {}
    effort = wish.effort
    if _is_claude(caps):
        return _claude_thinking(wish, prepared, maximum, report)
    if caps.form == "nova" and wish.off:
        return {"reasoningConfig": {"type": "disabled"}}
    if effort is None and not wish.off and caps.thinks == "on_request" and caps.efforts:
        effort = caps.efforts[0]  # it has no word for thinking without a level
        field = reasoning.reasoning_field(request.options)
        report.add_loss("option.range", request.options, field, did=f"sent as {effort}")
    if caps.form == "nova":
        return {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": effort}}
    word = "none" if wish.off else effort
    if caps.form in _WORD_FIELDS and word is not None:
        body: JsonObject = {}
        put_field(body, _WORD_FIELDS[caps.form], word)
        fields: JsonObject = body[MODEL_FIELDS]
        return fields
    is_default = wish.off if caps.thinks == "on_request" else wish == ThinkingRequest()
    if is_default:  # the model does so by default
        reasoning.moot(request, report)
    else:
        reasoning.report_unsupported(request, report)
    return {}


def _claude_thinking(
    wish: ThinkingRequest, prepared: PreparedRequest, maximum: int | None, report: Report
) -> JsonObject:
    """Return `thinking`, and the effort in `output_config`."""
    if wish.off:
        return {"thinking": {"type": "disabled"}}
    budget = wish.budget
    if budget is None and prepared.caps.form == "claude-budget":
        budget = reasoning.USUAL_BUDGET
    if budget is None:
        fields: JsonObject = {"thinking": {"type": "adaptive"}}
        if wish.effort is not None:
            fields["output_config"] = {"effort": wish.effort}
        return fields
    # the last turn of the assistant before results must begin with its thinking
    options = prepared.request.options
    if reasoning.barred_by_history(options, prepared.history, report):
        return {}
    fitting = reasoning.fit_budget(budget, maximum, options, report)
    return {} if fitting is None else {"thinking": {"type": "enabled", "budget_tokens": fitting}}


def _write_display(
    fields: JsonObject, request: ChatRequest, caps: Capabilities, report: Report
) -> None:
    """Write how much of Claude's thinking is shown, inside of `thinking`."""
    if not _is_claude(caps):
        return
    thinking: JsonObject | None = fields.get("thinking")
    if thinking is None:
        on = caps.form == "claude" and caps.thinks in ("always", "default")
    else:
        on = thinking["type"] != "disabled"
    if word := reasoning.choose_display(request, _SHOWN, on, report):
        fields["thinking"] = {"type": "adaptive", **(thinking or {}), "display": word}


def fit_still_efforts(
    body: JsonObject, request: ChatRequest, issuer: str, caps: Capabilities, report: Report
) -> None:
    """Lower the efforts beside Claude's thinking that is turned off, at any of their places."""
    if field_at(body, f"{MODEL_FIELDS}.thinking.type") == "disabled":
        for path in (f"{MODEL_FIELDS}.output_config.effort", "outputConfig.effort"):
            reasoning.fit_still_effort(body, path, request, issuer, caps, report)


_FORMAT = "outputConfig.textFormat"
_SCHEMA = f"{_FORMAT}.structure.jsonSchema"


def _read_format(body: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """Read `{"type": "json_schema", "structure": {"jsonSchema": {"schema": text, ...}}}`."""
    data = field_at(body, _SCHEMA)
    if field_at(body, f"{_FORMAT}.type") != "json_schema" or not isinstance(data, dict):
        return None
    fields = {key: data[key] for key in ("name", "description") if isinstance(data.get(key), str)}
    text = data.get("schema")
    try:
        schema = loads(text) if isinstance(text, str) else None
        if not isinstance(schema, dict):
            return None
        form = ResponseFormat("schema", schema, **fields)
        note: JsonObject = {} if arguments(schema) == text else {"schema": text}
    except (ReadError, InvalidMessage):
        return None
    if absent := [key for key in ("name", "description") if key not in fields]:
        note["absent"] = absent
    if note:
        notes["format"] = note
    for path in (f"{_FORMAT}.type", *(f"{_SCHEMA}.{key}" for key in ("schema", *fields))):
        take_field(body, path)
    return form


def _put_format(body: JsonObject, form: ResponseFormat, name: str | None, note: JsonObject) -> None:
    """Put the schema into the body, where it is a text; `note`: its spelling."""
    put_field(body, f"{_FORMAT}.type", "json_schema")
    put_field(body, f"{_SCHEMA}.schema", note.get("schema") or arguments(form.schema))
    for key, value in (("name", name), ("description", form.description)):
        if key not in note.get("absent", ()):
            put_field(body, f"{_SCHEMA}.{key}", value)


# Nova user guide, "Built-in tools"
_SYSTEM_TOOLS = {"web_search": "nova_grounding", "code_execution": "nova_code_interpreter"}
_TOOLS, _CHOICE = "toolConfig.tools", "toolConfig.toolChoice"


def write_tool_config(room: Room, prepared: PreparedRequest, report: Report) -> JsonObject:
    """Write `{"tools", "toolChoice"}`; empty if there is nothing to declare."""
    requested, caps = prepared.request.tool_choice, prepared.caps
    withheld = caps.none_by == "withholding" and requested is not None and requested.mode == "none"
    tool_choice = None if withheld else request_fields.choice(prepared, report, prepared.tools)
    offered = prepared.offered or request_fields.stubs(prepared, report)
    tools = room.declare(offered, caps, report)
    if not tools:
        return {}
    return {"tools": tools} | ({} if tool_choice is None else {"toolChoice": _choice(tool_choice)})


def write_tools(room: Room, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Write `toolSpec` and `systemTool` objects, each with its cache point."""
    entries: list[JsonObject] = []
    for tool in tools:
        if type(tool) is Tool:
            schema, strict = parameters(tool, caps, report)
            spec = _function(tool, tool.description or None, schema, strict)
            entries.append({"toolSpec": replay(spec, tool, caps, report)})
            if tool.cache is not None and caps.cached_tools:
                entries.append(cache_point(tool.cache))
            elif tool.cache is not None:
                report.add_loss("tool.cache", tool, "cache")
            continue
        assert type(tool) is ServerTool  # the only other type
        if tool.kind == "own" and (entry := chat_messages.own_tool(tool, caps)):
            entries.append(entry)
            continue
        if tool.kind not in _SYSTEM_TOOLS:
            raise WriteError(f"{tool.kind} is no system tool", path="$.tools", code="tool.type")
        chat_messages.report_unsupported(tool, report)
        system_tool = replay({"name": _SYSTEM_TOOLS[tool.kind]}, tool, caps, report)
        entries.append({"systemTool": system_tool})
    return entries


def _function(
    tool: Tool, description: str | None, schema: JsonObject | None, strict: bool | None
) -> JsonObject:
    """Write `{"name", "description", "inputSchema": {"json"}, "strict"}` without None values."""
    json_schema = None if schema is None else {"json": schema}
    spec = {
        "name": tool.name,
        "description": description,
        "inputSchema": json_schema,
        "strict": strict,
    }
    return {key: value for key, value in spec.items() if value is not None}


def read_tools(body: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """Take the tools out of the body; a cache point becomes a hint on the tool before it."""
    if not are_objects(field_at(body, _TOOLS)):
        return []
    tools: list[Tool | ServerTool] = []
    for entry in take_field(body, _TOOLS):
        last = tools[-1] if tools else None
        hint = read_cache_point(entry)
        if hint is not None and type(last) is Tool and last.cache is None:
            last.cache = hint
        else:
            tools.append(_read_tool(entry, issuer))
    return tools


def _read_tool(data: JsonObject, issuer: str) -> Tool | ServerTool:
    """Read a function or a system tool; any other entry is kept unchanged."""
    spec: Any
    key, spec = next(iter(data.items())) if len(data) == 1 else ("", None)
    name = spec.get("name") if isinstance(spec, dict) else None
    tool: Tool | ServerTool | None = None
    if key == "systemTool" and isinstance(name, str):
        kinds: list[Any] = [kind for kind, word in _SYSTEM_TOOLS.items() if word == name]
        extras = issuer_extras(issuer, without(spec, "name"), {})
        tool = ServerTool(kinds[0], extras=extras) if kinds else None
    elif key == "toolSpec" and isinstance(name, str) and name:
        with suppress(InvalidMessage):  # half of a surrogate pair
            tool = _read_function(spec, issuer)
    if tool is None:
        tool, spec = ServerTool("own", extras={issuer: data}), data
    tool.read_from = spec
    return tool


def _read_function(spec: JsonObject, issuer: str) -> Tool:
    tool = Tool(spec["name"])
    fields = without(spec, "name")
    if isinstance(fields.get("description"), str):
        tool.description = fields.pop("description")
    if isinstance(field_at(fields, "inputSchema.json"), dict):
        tool.parameters = take_field(fields, "inputSchema.json")
    if isinstance(fields.get("strict"), bool):
        tool.strict = fields.pop("strict")
    # the API treats an empty description as none, and the note records it
    notes = {"described": True} if "description" in spec and not tool.description else {}
    tool.extras = issuer_extras(issuer, fields, notes)
    return tool


def tools_as_read(tools: Iterable[Tool | ServerTool], issuer: str) -> list[Json]:
    """Return the list that `read_tools` read."""
    entries: list[Json] = []
    for tool in tools:
        fields, notes = issuer_fields(tool, issuer)
        if type(tool) is Tool:
            description = tool.description if tool.description or notes else None
            spec = _function(tool, description, tool.schema, tool.strict)
            entries.append({"toolSpec": fill_fields(spec, fields)})
            if tool.cache is not None:
                entries.append(cache_point(tool.cache))
        elif type(tool) is ServerTool and tool.kind != "own":
            entries.append({"systemTool": {"name": _SYSTEM_TOOLS[tool.kind], **fields}})
        else:
            entries.append(fields)
    return entries


def read_choice(body: JsonObject) -> ToolChoice | None:
    """Take `{"auto": {}}`, `{"any": {}}` or `{"tool": {"name"}}` out of the body."""
    data = field_at(body, _CHOICE)
    tool_choice: ToolChoice | None = None
    if data in ({"auto": {}}, {"any": {}}):
        tool_choice = ToolChoice("auto" if "auto" in data else "required")
    elif isinstance(data, dict) and data.keys() == {"tool"} and isinstance(data["tool"], dict):
        name = data["tool"].get("name")
        if isinstance(name, str) and name and len(data["tool"]) == 1:
            tool_choice = ToolChoice("tool", name)
    if tool_choice is not None:
        take_field(body, _CHOICE)
    return tool_choice


def _choice(tool_choice: ToolChoice) -> JsonObject:
    """Return the object that `read_choice` reads."""
    if tool_choice.mode == "tool":
        return {"tool": {"name": tool_choice.name}}
    return {"any" if tool_choice.mode == "required" else "auto": {}}


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """Read the request; the path names its model, and shows whether a stream is wanted."""
    issuer, body = room.issuer, dict(body)
    notes: JsonObject = {}
    model, stream = read_path(path)
    model_id = body.get("modelId")  # an argument of the SDKs, which some clients send along
    if isinstance(model_id, str) and model_id and model in (None, model_id):
        model = body.pop("modelId")
        notes["model"] = "body"
    origin = tree.Origin(issuer, model)
    msgs: list[Msg] = []
    if (prompt := messages.read_system(body.get("system"), issuer)) is not None:
        del body["system"]
        msgs.append(prompt)
    if isinstance(body.get("messages"), list):
        msgs += [messages.read_message(entry, issuer, origin) for entry in body.pop("messages")]
    else:
        notes["messages"] = "absent"
    request = ChatRequest(
        msgs,
        tools=read_tools(body, issuer),
        tool_choice=read_choice(body),
        options=read_options(body, notes),
        response_format=_read_format(body, notes),
        model=model,
        stream=stream,
    )
    request.extras = issuer_extras(issuer, body, notes)
    return request


def _as_read(name: str, value: Any) -> Json:
    """Return the value that `_option` read."""
    if name == "thoughts":
        return _SHOWN[value]
    return list(value) if isinstance(value, tuple) else value


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """Write the body with the fields in `kept` as `read_request` read them, and extra fields."""
    issuer = room.issuer
    body, notes = issuer_fields(req, issuer)
    if elements or "messages" not in notes:
        body["messages"] = elements
    prompt = req.messages[0] if req.messages else None
    if prompt is not None and "system" in kept and messages.at_top(prompt):
        body["system"] = messages.content_as_read(prompt, issuer)
    if req.model and "model" in kept and notes.get("model") == "body":
        body["modelId"] = req.model
    for name, value in req.options.list_values():
        if name in kept and name in OPTIONS:
            path, switches = _noted_place(name, notes)
            if path is not None:
                put_field(body, path, _as_read(name, value))
            for switch, word in switches.items():
                put_field(body, switch, word)
    if req.tools and "tools" in kept:
        put_field(body, _TOOLS, tools_as_read(req.tools, issuer))
    if req.tool_choice is not None and "tool_choice" in kept:
        put_field(body, _CHOICE, _choice(req.tool_choice))
    if (form := req.response_format) is not None and "response_format" in kept:
        _put_format(body, form, form.name, notes.get("format", {}))
    return body
