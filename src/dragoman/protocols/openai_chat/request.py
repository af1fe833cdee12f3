"""Requests of Chat Completions but for their messages: options, thinking, tools, choice, format.

Each reader takes out of the body what the tree can hold, and its writer puts it back; notes tell
which of several spellings it was. Reference: OpenAI API, "Create chat completion", request body;
requests of some forty hosts.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from ..._core.jsontext import Json, JsonObject, canonical
from ..._core.passes.roles import RoledHistory
from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...losses import Report
from ...message import ChatRequest, Options, ServerTool, Tool, ToolChoice
from ...message.blocks import noted
from ...message.request import NO_OPTIONS, model_origin, new_request
from ..chat_request import (
    allowed_tools,
    format_as_read,
    function_name,
    read_choice,
    read_choice_value,
    read_envelope,
    read_format,
    read_function,
    tool_as_read,
    write_choice,
    write_envelope,
)
from ..chat_shape import are_objects, filled, issuer_extras, issuer_fields, replay, unsaid
from ..reasoning import Asked
from ..request_fields import option_value
from .blocks import cache_mark, read_cache_mark
from .dialect import Dialect
from .messages import read_messages

# option -> where it may stand in a body, the usual place first; a path leads into an object
OptionPlaces: TypeAlias = Mapping[str, tuple[str, ...]]
_OPTION_PLACES: dict[str, tuple[str, ...]] = {
    "max_tokens": ("max_completion_tokens", "max_tokens"),
    **{name: (name,) for name in (
        "temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty",
        "repetition_penalty", "seed", "n", "logprobs", "top_logprobs", "service_tier", "stop",
    )},
    "user": ("user", "safety_identifier"),  # the newer of them last: not every host knows it
    "reasoning_budget": ("reasoning.max_tokens", "thinking_budget", "thinking.budget_tokens"),
}  # fmt: skip


# read of any host, and written only in dialects that name a key
_HOST_OPTIONS = {"top_k", "repetition_penalty", "reasoning_budget"}


# where thinking is asked for, and what the values there mean; others are efforts
_SWITCH = {True: "on", False: "off"}


_EFFORT = {"none": "off"}


_THINKING_PLACES: dict[str, dict[Any, str]] = {
    "reasoning_effort": _EFFORT,
    "reasoning.effort": _EFFORT,
    "thinking.type": {"enabled": "on", "disabled": "off", "adaptive": "on"},
    "reasoning.enabled": _SWITCH,
    "enable_thinking": _SWITCH,
    "chat_template_kwargs.enable_thinking": _SWITCH,
    "chat_template_kwargs.thinking": _SWITCH,
}


# fields of a request that are no options; many requests have no others
_OTHER_FIELDS = frozenset({"messages", "model", "stream", "tools", "tool_choice",
                           "response_format", "stream_options", "parallel_tool_calls"})  # fmt: skip


# values of `tool_choice` and the modes that they mean, the usual one of each mode first
CHOICES = {"auto": "auto", "none": "none", "required": "required", "any": "required"}


_LEGACY_CHOICES = {"auto": "auto", "none": "none"}  # of `function_call`


def read_request(
    body: JsonObject, dialect: Dialect, places: OptionPlaces
) -> tuple[ChatRequest, RoledHistory | None]:
    """The request that the body makes, and the roles of its messages if all of them are usual."""
    issuer = dialect.issuers[0]
    other_fields = dict(body)
    notes: JsonObject = {}
    entries, model, stream = read_envelope(other_fields, notes)
    options = read_options(other_fields, notes, places)
    messages, history = read_messages(entries, issuer, model_origin(issuer, model))
    req = new_request(messages)
    req.tools = read_tools(other_fields, notes, dialect)
    req.tool_choice = _read_choice(other_fields, notes)
    req.options = options
    req.response_format = read_format(other_fields, notes)
    req.stream = stream
    req.model = model
    if other_fields or notes:
        req.extras = issuer_extras(issuer, other_fields, notes)
    return req, history


def body_as_read(
    req: ChatRequest,
    fields: Collection[str],
    elements: list[Json],
    dialect: Dialect,
    places: OptionPlaces,
) -> JsonObject:
    """The body around `elements`, with these fields as `read_request` found them."""
    body, notes = write_envelope(req, fields, elements, dialect.issuers[0])
    for name, value in req.options.given():
        if name in fields:
            _write_option(body, name, value, notes, places)
    if req.tools and "tools" in fields:
        _tools_as_read(body, [*req.tools], notes, dialect)
    if req.tool_choice is not None and "tool_choice" in fields:
        _choice_as_read(body, req.tool_choice, notes.get("tool_choice"))
    if req.response_format is not None and "response_format" in fields:
        format_as_read(body, req.response_format, notes)
    return body


def option_places(dialect: Dialect) -> OptionPlaces:
    """Where options stand in the requests of this dialect: in its own place first."""
    keys = {**dialect.keys, "max_tokens": dialect.max_tokens_key}
    return {
        name: (keys[name], *(place for place in places if place != keys[name]))
        if name in keys
        else places
        for name, places in _OPTION_PLACES.items()
    }


def option_keys(dialect: Dialect, places: OptionPlaces) -> dict[str, str]:
    """The key of each option that composed requests of this dialect may have."""
    names = [name for name in places if name not in _HOST_OPTIONS or name in dialect.keys]
    return {name: places[name][0] for name in names}


def read_options(body: JsonObject, notes: JsonObject, places: OptionPlaces) -> Options:
    """The options, which are taken out of the body; what no option can hold stays there."""
    if body.keys() <= _OTHER_FIELDS:
        return NO_OPTIONS
    other_fields, new_notes = dict(body), dict(notes)
    fields: dict[str, Any] = {}
    for name, paths in places.items():
        for path in paths:
            if path.partition(".")[0] not in body:
                continue
            value = option_value(name, _get(other_fields, path))
            if value is not None:
                if type(_pop(other_fields, path)) is str and name == "stop":
                    new_notes["stop"] = "text"
                fields[name] = value
                if path != paths[0]:
                    new_notes[name] = path
                break
    _read_thinking(other_fields, fields, new_notes)
    try:
        options = Options(**fields)
    except InvalidMessage:  # text or numbers that no JSON can spell
        return Options()
    body.clear()
    body.update(other_fields)
    notes.update(new_notes)
    return options


def _read_thinking(body: JsonObject, fields: dict[str, Any], notes: JsonObject) -> None:
    """The first place that asks for thinking; others that ask for no more are noted."""
    repeated: JsonObject = {}
    for path, meanings in _THINKING_PLACES.items():
        if path.partition(".")[0] not in body:
            continue
        value = _get(body, path)
        kind = bool if meanings is _SWITCH else str
        if not isinstance(value, kind) or value == "":
            continue
        effort = meanings.get(value, value)
        if "reasoning" not in fields:
            fields["reasoning"] = effort
            notes["reasoning"] = path if value != "adaptive" else f"{path} adaptive"
        elif effort not in ("on", "off") or (effort == "off") != (fields["reasoning"] == "off"):
            continue
        else:
            repeated[path] = value
        _pop(body, path)
    if repeated:
        notes["thinking"] = repeated


def _write_option(
    body: JsonObject, name: str, value: Any, notes: JsonObject, places: OptionPlaces
) -> None:
    """Put an option where it was read from."""
    if name == "stop":
        body["stop"] = value[0] if notes.get("stop") == "text" else list(value)
    elif name == "reasoning":
        path, _, spelling = notes["reasoning"].partition(" ")
        values = {effort: value for value, effort in reversed(_THINKING_PLACES[path].items())}
        _put(body, path, spelling or values.get(value, value))
        for other_path, repeated in notes.get("thinking", {}).items():
            _put(body, other_path, repeated)
    else:
        _put(body, notes.get(name, places[name][0]), value)


def respell(body: JsonObject, options: Options, notes: JsonObject, places: OptionPlaces) -> None:
    """Put options that were changed under the keys that they were read from."""
    for name, _ in options.given():
        usual, *others = places.get(name, ("",))
        key = notes.get(name)
        if key in others and "." not in key and usual in body:
            body[key] = body.pop(usual)


def option_path(name: str, notes: JsonObject, places: OptionPlaces) -> str:
    """Where an option stood in the body that it was read from."""
    if name == "reasoning":
        path: str = notes.get(name, "reasoning_effort").partition(" ")[0]
        return path
    return "stop" if name == "stop" else notes.get(name, places[name][0])


def _get(body: Json, path: str) -> Json:
    for key in path.split("."):
        body = body.get(key) if isinstance(body, dict) else None
    return body


def _pop(body: JsonObject, path: str) -> Json:
    """Take a value out, in copies of the objects around it; those that it leaves empty go too."""
    key, _, below = path.partition(".")
    if not below:
        return body.pop(key, None)
    if not isinstance(body.get(key), dict):
        return None
    remaining = body[key] = dict(body[key])
    value = _pop(remaining, below)
    if not remaining:
        del body[key]
    return value


def _put(body: JsonObject, path: str, value: Json) -> None:
    """Set a value, in copies of the objects around it."""
    key, _, below = path.partition(".")
    if below:
        body[key] = dict(body.get(key) or {})
        _put(body[key], below, value)
    else:
        body[key] = value


BUDGET_FORMS = ("object", "switch")  # the ways to ask for thinking that have a field for a budget


_DEFAULT_EFFORT = "medium"  # what the API takes for models that think unasked


def thinking_fields(asked: Asked, caps: Capabilities) -> JsonObject:
    """The top-level fields that ask for thinking."""
    effort: JsonObject = {} if asked.effort is None else {"reasoning_effort": asked.effort}
    match caps.form.split():
        case [] | ["effort"]:
            if asked.off:
                return {"reasoning_effort": "none"}
            # who thinks only when asked has to be asked for something
            asks = caps.thinks == "asked" and caps.efforts != ("on",)
            return effort or ({"reasoning_effort": _DEFAULT_EFFORT} if asks else {})
        case ["thinking"]:
            return {"thinking": {"type": "disabled" if asked.off else "enabled"}, **effort}
        case ["adaptive"]:
            return {"thinking": {"type": "disabled" if asked.off else "adaptive"}}
        case ["object"]:
            if asked.effort is not None:
                return {"reasoning": {"effort": asked.effort}}
            if asked.budget is not None:
                return {"reasoning": {"max_tokens": asked.budget}}
            return {"reasoning": {"enabled": not asked.off}}
        case ["switch"]:
            budget = {} if asked.budget is None else {"thinking_budget": asked.budget}
            return {"enable_thinking": not asked.off, **effort, **budget}
        case ["template", *key]:
            switch = key[0] if key else "enable_thinking"
            return {"chat_template_kwargs": {switch: not asked.off}, **effort}
        case _:
            return {}


def read_tools(body: JsonObject, notes: JsonObject, dialect: Dialect) -> list[Tool | ServerTool]:
    """The tools, which are taken out of the body, and those that a switch of the body turns on."""
    tools: list[Tool | ServerTool] = []
    try:
        if are_objects(body.get("tools")):
            tools = [_read_tool(entry, dialect) for entry in body["tools"]]
            del body["tools"]
        elif "tools" not in body and are_objects(body.get("functions")):
            for function in body["functions"]:
                tool = read_function(function, {}, {}, dialect.issuers[0])
                tool.read_from = function
                tools.append(tool)
            del body["functions"]
            notes["tools"] = "functions"
    except InvalidMessage:  # a tool that no JSON can spell, or without a name
        tools = []
    return [*tools, *_read_switches(body, dialect)] if dialect.switches else tools


def _read_tool(entry: JsonObject, dialect: Dialect) -> Tool | ServerTool:
    issuer, function = dialect.issuers[0], entry.get("function")
    tool: Tool | ServerTool | None
    name = function.get("name") if isinstance(function, dict) else None
    if isinstance(name, str) and entry.get("type") == "function":
        other_fields = {key: entry[key] for key in entry if key not in ("type", "function")}
        hint, key = read_cache_mark(other_fields)
        notes: JsonObject = {"cache": key} if key else {}
        tool = read_function(entry["function"], other_fields, notes, issuer)
        tool.cache = hint
    else:
        templates = dialect.server_tools.items()
        declared = (_read_server_tool(kind, data, entry, dialect) for kind, data in templates)
        tool = next((tool for tool in declared if tool is not None), None)
    if tool is None:
        tool = ServerTool("own", extras={issuer: entry})
    tool.read_from = entry
    return tool


def _tools_as_read(
    body: JsonObject, tools: list[Tool | ServerTool], notes: JsonObject, dialect: Dialect
) -> None:
    """Put the tools where they were read from."""
    issuer = dialect.issuers[0]
    functions, entries = [], []
    for tool in tools:
        other_fields, tool_notes = issuer_fields(tool, issuer)
        if type(tool) is Tool:
            entry = tool_as_read(tool, issuer)
            if tool.cache is not None:
                entry.update(cache_mark(tool.cache, tool_notes["cache"]))
            functions.append(entry["function"])
            if notes.get("tools") != "functions":
                entries.append(entry)
        elif type(tool) is ServerTool and tool.kind == "own":
            entries.append(other_fields)
        elif tool_notes:
            body.update(_server_tool_as_read(tool, dialect))
        else:
            entries.append(_server_tool_as_read(tool, dialect))
    if notes.get("tools") == "functions":
        body["functions"] = functions
    if entries:
        body["tools"] = entries


# Server tools: a dialect has a template for the declaration of each kind, or for the switches in
# the body that turn it on, and says at which path in them the fields of a ServerTool stand.


def write_server_tool(
    tool: ServerTool,
    templates: Mapping[str, JsonObject],
    caps: Capabilities,
    dialect: Dialect,
    report: Report,
) -> JsonObject:
    """The declaration of the tool, or its switches; empty if the templates have none."""
    if tool.kind not in templates:
        return {}
    data, names = _fill_template(templates[tool.kind], tool, dialect)
    unsaid(tool, report, *names)
    return replay(data, tool, caps, report)


def _fill_template(
    template: JsonObject, tool: ServerTool, dialect: Dialect
) -> tuple[JsonObject, list[str]]:
    """(the template with the tool's fields, the names of those that have a path in it)."""
    data = copy.deepcopy(template)
    names: list[str] = []
    for name, value in tool.given():
        if path := dialect.server_fields.get(f"{tool.kind}.{name}"):
            names.append(name)
            place = {"type": "approximate", **value} if isinstance(value, dict) else value
            _put(data, path, list(place) if isinstance(place, tuple) else place)
    return data, names


def _read_switches(body: JsonObject, dialect: Dialect) -> list[ServerTool]:
    """The tools that fields of the body turn on, which are taken out of it."""
    tools: list[ServerTool] = []
    for kind, template in dialect.switches.items():
        keys = {*template, *(path.partition(".")[0] for name, path in dialect.server_fields.items()
                             if name.startswith(f"{kind}."))}  # fmt: skip
        switches = {key: body[key] for key in keys if key in body}
        if (tool := _read_server_tool(kind, template, switches, dialect)) is not None:
            tool.extras = {**(tool.extras or {}), noted(dialect.issuers[0]): {"place": "body"}}
            tools.append(tool)
            for key in switches:
                del body[key]
    return tools


def _server_tool_as_read(tool: Any, dialect: Dialect) -> JsonObject:
    """The declaration or the switches as they were read."""
    template = dialect.server_tools.get(tool.kind) or dialect.switches[tool.kind]
    other_fields, _ = issuer_fields(tool, dialect.issuers[0])
    return filled(_fill_template(template, tool, dialect)[0], other_fields)


def _read_server_tool(
    kind: Any, template: JsonObject, data: JsonObject, dialect: Dialect
) -> ServerTool | None:
    """The tool of a declaration or of switches; None where those would not come back equal."""
    unknown = _subtract(data, template)
    if unknown is None:
        return None
    fields: dict[str, Any] = {}
    for name, path in dialect.server_fields.items():
        tool_kind, _, field = name.partition(".")
        if tool_kind == kind and (value := _pop(unknown, path)) is not None:
            if isinstance(value, dict):
                value = {key: value[key] for key in value if key != "type"}
            fields[field] = tuple(value) if isinstance(value, list) else value
    try:
        tool = ServerTool(kind, **fields, extras={dialect.issuers[0]: unknown} if unknown else None)
    except InvalidMessage:
        return None
    return tool if canonical(_server_tool_as_read(tool, dialect)) == canonical(data) else None


def _subtract(data: JsonObject, template: JsonObject) -> JsonObject | None:
    """What `data` has beyond the template; None if it lacks anything of that."""
    unknown = dict(data)
    for key, value in template.items():
        if isinstance(value, dict) and isinstance(data.get(key), dict):
            remaining = _subtract(data[key], value)
            if remaining is None:
                return None
            unknown[key] = remaining
            if not remaining:
                del unknown[key]
        elif key in data and data[key] == value and type(data[key]) is type(value):
            del unknown[key]
        else:
            return None
    return unknown


def _read_choice(body: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """The choice, which is taken out of the body; one that no ToolChoice holds stays there."""
    if "tool_choice" in body or "function_call" not in body:
        value = body.get("tool_choice")
        return read_choice(body, notes, read_choice_value(value, CHOICES) or _read_allowed(value))
    legacy = body["function_call"]
    fields: dict[str, Any] | None = None
    if isinstance(legacy, str) and legacy in _LEGACY_CHOICES:
        fields = {"mode": legacy}
    elif name := function_name(legacy):
        fields = {"mode": "tool", "name": name}
    note = "function_call"
    return read_choice(body, notes, None if fields is None else (fields, note), note)


def _read_allowed(value: Json) -> tuple[dict[str, Any], None] | None:
    """`{"type": "allowed_tools", "allowed_tools": {"mode", "tools"}}`, and no more."""
    allowed: Any = value.get("allowed_tools") if isinstance(value, dict) else None
    tools = allowed.get("tools") if isinstance(allowed, dict) else None
    if not are_objects(tools):
        return None
    mode, names = allowed.get("mode"), tuple(function_name(tool.get("function")) for tool in tools)
    usual = mode in ("auto", "required") and all(names) and value == allowed_tools(mode, names)
    return ({"mode": mode, "allowed": names}, None) if usual else None


def _choice_as_read(body: JsonObject, choice: ToolChoice, note: str | None) -> None:
    """Put the choice where it was read from."""
    if note != "function_call":
        write_choice(body, choice, CHOICES, note)
        return
    body[note] = {"name": choice.name} if choice.mode == "tool" else choice.mode
    if choice.parallel is not None:
        body["parallel_tool_calls"] = choice.parallel
