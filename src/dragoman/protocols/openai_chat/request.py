"""Requests of Chat Completions but for their messages: options, thinking, tools, choice, format.

Each reader takes out of the body what the tree can hold, and its writer puts it back; notes tell
which of several spellings it was. Reference: OpenAI API, "Create chat completion", request body;
requests of some forty hosts.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...history.passes.survey import RoledHistory
from ...losses import Report
from ...message import ChatRequest, Grammar, Options, ServerTool, Tool, ToolChoice
from ...message.blocks import NOTES, name_notes
from ...message.request import NO_OPTIONS, model_origin, new_request
from ...text.json_text import Json, JsonObject, canonical, field_at, put_field, take_field
from ..base import Names, Room
from ..chat_like import request as chat_request
from ..chat_like.messages import (
    are_objects,
    fill_fields,
    issuer_extras,
    issuer_fields,
    replay,
    report_unsupported,
)
from ..reasoning import USUAL_BUDGET, ThinkingRequest, choose_display, fit_budget
from ..request_fields import option_value
from .blocks import CUSTOM, cache_mark, read_cache_mark
from .dialect import Dialect, OptionPlaces
from .messages import read_messages

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


# of `reasoning.exclude`, which keeps thinking out of the answer
_SHOWN = {
    "none": "true",
    "auto": "false",
    "concise": "false",
    "detailed": "false",
    "updates": "false",
}


# whether a stream ends with the figures of usage; a word of this protocol alone, for in others it
# always does
USAGE = "stream_options.include_usage"


# fields of a request that are no options; many requests have no others
_OTHER_FIELDS = frozenset(
    {
        "messages",
        "model",
        "stream",
        "tools",
        "tool_choice",
        "response_format",
        "stream_options",
        "parallel_tool_calls",
    }
)


# values of `tool_choice` and the modes that they mean, the usual one of each mode first
CHOICES = {"auto": "auto", "none": "none", "required": "required", "any": "required"}


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """The request that the body makes."""
    return read_with_history(room, body)[0]


def read_with_history(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> tuple[ChatRequest, RoledHistory | None]:
    """The same, and the roles of its messages: this reader finds the usual ones as it goes."""
    dialect: Dialect = room.dialect
    issuer = dialect.issuers[0]
    other_fields = dict(body)
    notes: JsonObject = {}
    entries, model, stream = chat_request.read_envelope(other_fields, notes)
    if field_at(other_fields, USAGE) is True:  # as other wires do anyway; not that there be none
        notes["usage"] = take_field(other_fields, USAGE)
    options = _read_options(other_fields, notes, dialect.option_places)
    messages, history = read_messages(entries, issuer, model_origin(issuer, model))
    req = new_request(messages)
    req.tools = _read_tools(other_fields, notes, dialect)
    req.tool_choice = _read_choice(other_fields, notes, chat_request.freeform_names(req.tools))
    req.options = options
    req.response_format = chat_request.read_format(other_fields, notes)
    req.stream = stream
    req.model = model
    if other_fields or notes:
        req.extras = issuer_extras(issuer, other_fields, notes)
    return req, history


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """The body around `elements`, with the fields of `kept` as `read_request` found them."""
    body, notes = chat_request.write_envelope(req, kept, elements, room.issuer)
    if "usage" in notes and ("stream" in kept or req.stream):
        put_field(body, USAGE, notes["usage"])
    for name, value in req.options.given():
        if name not in kept:
            continue
        if name == "stop":
            body["stop"] = value[0] if notes.get("stop") == "text" else list(value)
        elif name == "reasoning":
            _thinking_as_read(body, value, notes)
        elif name == "thoughts":
            put_field(body, option_path(name, notes, room.dialect), value == "none")
        else:
            put_field(body, option_path(name, notes, room.dialect), value)
    if req.tools and "tools" in kept:
        _tools_as_read(body, [*req.tools], notes, room.dialect)
    if req.tool_choice is not None and "tool_choice" in kept:
        freeform = chat_request.freeform_names(req.tools)
        _choice_as_read(body, req.tool_choice, notes.get("tool_choice"), freeform)
    if req.response_format is not None and "response_format" in kept:
        chat_request.format_as_read(body, req.response_format, notes)
    return body


def asks_usage(request: ChatRequest) -> bool:
    """Whether whoever made the request wants the usage of a stream in a chunk of its own."""
    return any(
        fields.get("usage") is True if issuer.endswith(NOTES) else field_at(fields, USAGE) is True
        for issuer, fields in (request.extras or {}).items()
    )


def ask_usage(room: Room, body: JsonObject, request: ChatRequest, report: Report) -> None:
    """Ask for the usage of a stream, unless the body that was read, or the user, says of it."""
    if type(field_at(body, USAGE)) is bool:
        return
    read = request.read
    if read is None or read.protocol != room.protocol:
        if room.dialect.usage_field:
            put_field(body, room.dialect.usage_field, True)
            report.lost("usage.asked", request, "stream")
        return
    notes = (request.extras or {}).get(name_notes(read.issuer), {})
    if "usage" in notes:
        put_field(body, USAGE, notes["usage"])


def _read_options(body: JsonObject, notes: JsonObject, places: OptionPlaces) -> Options:
    """The options, which are taken out of the body; what no option can hold stays there."""
    if body.keys() <= _OTHER_FIELDS:
        return NO_OPTIONS
    other_fields, new_notes = dict(body), dict(notes)
    fields: dict[str, Any] = {}
    for name, paths in places.items():
        for path in paths:
            if path.partition(".")[0] not in body:
                continue
            value = _option(name, field_at(other_fields, path))
            if value is not None:
                if type(take_field(other_fields, path)) is str and name == "stop":
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


def _option(name: str, value: Json) -> Any:
    """The neutral value of a field; None for what the option cannot hold."""
    if name == "thoughts":
        return ("none" if value else "auto") if isinstance(value, bool) else None
    return option_value(name, value)


def _read_thinking(body: JsonObject, fields: dict[str, Any], notes: JsonObject) -> None:
    """The first place that asks for thinking; others that ask for no more are noted."""
    repeated: JsonObject = {}
    for path, meanings in _THINKING_PLACES.items():
        if path.partition(".")[0] not in body:
            continue
        value = field_at(body, path)
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
        take_field(body, path)
    if repeated:
        notes["thinking"] = repeated


def _thinking_as_read(body: JsonObject, effort: str, notes: JsonObject) -> None:
    """Put the effort where it was read from."""
    path, spelling = _read_place(notes)
    values = {effort: value for value, effort in reversed(_THINKING_PLACES[path].items())}
    put_field(body, path, spelling or values.get(effort, effort))
    repeated = notes.get("thinking")
    for other_path, value in repeated.items() if isinstance(repeated, dict) else ():
        put_field(body, other_path, value)


def _read_place(notes: JsonObject) -> tuple[str, str]:
    """(where the effort was read from, its spelling there if that is no effort); else the usual."""
    note = notes.get("reasoning")
    path, _, spelling = note.partition(" ") if isinstance(note, str) else ("", "", "")
    return (path, spelling) if path in _THINKING_PLACES else ("reasoning_effort", "")


def respell(room: Room, body: JsonObject, req: ChatRequest) -> None:
    """Put options that were changed under the keys that they were read from."""
    dialect: Dialect = room.dialect
    _, notes = issuer_fields(req, room.issuer)
    for name, _ in req.options.given():
        usual, *others = dialect.option_places.get(name, ("",))
        key = notes.get(name)
        if key in others and "." not in key and usual in body:
            body[key] = body.pop(usual)


def option_path(name: str, notes: JsonObject, dialect: Dialect) -> str:
    """Where an option stood in the body that it was read from."""
    if name == "reasoning":
        path, _ = _read_place(notes)
        return path
    return "stop" if name == "stop" else notes.get(name, dialect.option_places[name][0])


EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")  # ReasoningEffort of the SDK
# the ways to ask for thinking that have a field for a budget
BUDGET_FORMS = ("object", "switch", "thinking budget")
_DEFAULT_EFFORT = "medium"  # what the API takes for models that think unasked


def fit_thinking(
    asked: ThinkingRequest, caps: Capabilities, options: Options, report: Report
) -> ThinkingRequest | None:
    """The same, with a budget below the answer's maximum where one must be named.

    None where there is no room for any.
    """
    if caps.form != "thinking budget" or asked.off:
        return asked
    budget = fit_budget(asked.budget or USUAL_BUDGET, options.max_tokens, options, report)
    return None if budget is None else replace(asked, budget=budget)


def write_shown(
    body: JsonObject, path: str, request: ChatRequest, thinks: bool, report: Report
) -> None:
    """Say at `path` whether thinking stays out of the answer, where that was asked for."""
    if word := choose_display(request, _SHOWN, thinks, report):
        put_field(body, path, word == "true")


def thinking_fields(asked: ThinkingRequest, caps: Capabilities) -> JsonObject:
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
        case ["thinking", "budget"]:
            tokens = {} if asked.budget is None else {"budget_tokens": asked.budget}
            return {"thinking": {"type": "disabled" if asked.off else "enabled", **tokens}}
        case ["adaptive"]:
            return {"thinking": {"type": "disabled" if asked.off else "adaptive"}}
        case ["object"]:
            if asked.effort is not None:
                return {"reasoning": {"effort": asked.effort}}
            if asked.budget is not None:
                return {"reasoning": {"max_tokens": asked.budget}}
            return {"reasoning": {"enabled": not asked.off}}
        case ["enabled"]:
            return {"reasoning": {"enabled": not asked.off}, **effort}
        case ["switch"]:
            budget = {} if asked.budget is None else {"thinking_budget": asked.budget}
            return {"enable_thinking": not asked.off, **effort, **budget}
        case ["template", *key]:
            switch = key[0] if key else "enable_thinking"
            return {"chat_template_kwargs": {switch: not asked.off}, **effort}
        case _:
            return {}


def _read_tools(body: JsonObject, notes: JsonObject, dialect: Dialect) -> list[Tool | ServerTool]:
    """The tools, which are taken out of the body, and those that a switch of the body turns on."""
    tools: list[Tool | ServerTool] = []
    try:
        if are_objects(body.get("tools")):
            tools = [_read_tool(entry, dialect) for entry in body["tools"]]
            del body["tools"]
        elif "tools" not in body and are_objects(body.get("functions")):
            for function in body["functions"]:
                tool = chat_request.read_function(function, {}, {}, dialect.issuers[0])
                tool.read_from = function
                tools.append(tool)
            del body["functions"]
            notes["tools"] = "functions"
    except InvalidMessage:  # a tool that no JSON can spell, or without a name
        tools = []
    return [*tools, *_read_switches(body, dialect)] if dialect.switches else tools


def _read_tool(entry: JsonObject, dialect: Dialect) -> Tool | ServerTool:
    issuer, function = dialect.issuers[0], entry.get("function")
    tool: Tool | ServerTool
    name = function.get("name") if isinstance(function, dict) else None
    if isinstance(name, str) and entry.get("type") == "function":
        other_fields = {key: entry[key] for key in entry if key not in ("type", "function")}
        hint, key = read_cache_mark(other_fields)
        notes: JsonObject = {"cache": key} if key else {}
        tool = chat_request.read_function(entry["function"], other_fields, notes, issuer)
        tool.cache = hint
    elif (freeform := _read_freeform_tool(entry, issuer)) is not None:
        tool = freeform
    else:
        templates = dialect.server_tools.items()
        declared = (_read_server_tool(kind, data, entry, dialect) for kind, data in templates)
        tool = next(filter(None, declared), None) or ServerTool("own", extras={issuer: entry})
    tool.read_from = entry
    return tool


def _read_freeform_tool(entry: JsonObject, issuer: str) -> Tool | None:
    """`{"type": "custom", "custom": {"name", "description", "format"}}`; None for any other."""
    custom = entry.get(CUSTOM)
    if entry.get("type") != CUSTOM or len(entry) != 2 or not isinstance(custom, dict):
        return None
    name, description = custom.get("name"), custom.get("description", "")
    if not isinstance(name, str) or not name or not isinstance(description, str):
        return None
    unknown = {key: custom[key] for key in custom if key not in ("name", "description")}
    notes: JsonObject = {"described": False} if "description" not in custom else {}
    tool = Tool(name, description, freeform=True)
    if (grammar := _read_grammar(unknown.get("format"))) is not None:
        tool.grammar = grammar
        del unknown["format"]
    tool.extras = issuer_extras(issuer, {CUSTOM: unknown} if unknown else {}, notes)
    return tool


_GRAMMAR = frozenset({"syntax", "definition"})


def _read_grammar(data: Json) -> Grammar | None:
    """The grammar of a freeform tool's format; None if it has none, or more than that."""
    grammar = data.get("grammar") if isinstance(data, dict) and len(data) == 2 else None
    if not isinstance(grammar, dict) or grammar.keys() != _GRAMMAR:
        return None
    values = grammar["definition"], grammar["syntax"]
    if not isinstance(data, dict) or data.get("type") != "grammar":
        return None
    return Grammar(*values) if all(isinstance(value, str) for value in values) else None


def freeform_tool(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """The declaration of a tool whose calls hold text."""
    return replay(_custom(tool, tool.description or None), tool, caps, report)


def _custom(tool: Tool, description: str | None) -> JsonObject:
    custom: JsonObject = {"name": tool.name}
    if description is not None:
        custom["description"] = description
    if (grammar := tool.grammar) is not None:
        fields = {"syntax": grammar.syntax, "definition": grammar.definition}
        custom["format"] = {"type": "grammar", "grammar": fields}
    return {"type": CUSTOM, CUSTOM: custom}


def _freeform_as_read(tool: Tool, issuer: str) -> JsonObject:
    """The entry that `_read_freeform_tool` read."""
    other_fields, notes = issuer_fields(tool, issuer)
    entry = _custom(tool, tool.description if notes.get("described", True) else None)
    return fill_fields(entry, other_fields)


def _tools_as_read(
    body: JsonObject, tools: list[Tool | ServerTool], notes: JsonObject, dialect: Dialect
) -> None:
    """Put the tools where they were read from."""
    issuer = dialect.issuers[0]
    functions, entries = [], []
    legacy = notes.get("tools") == "functions"
    for tool in tools:
        tool_notes = issuer_fields(tool, issuer)[1]
        if type(tool) is Tool and tool.freeform:
            entry = _freeform_as_read(tool, issuer)
        elif type(tool) is Tool:
            entry = chat_request.tool_as_read(tool, issuer)
            if tool.cache is not None:
                entry.update(cache_mark(tool.cache, tool_notes["cache"]))
            functions.append(entry["function"])
        else:
            entry = _server_tool_as_read(tool, dialect)
        if type(tool) is ServerTool and tool.kind != "own" and tool_notes:
            body.update(entry)
        elif type(tool) is ServerTool or not legacy:
            entries.append(entry)
    if legacy:
        body["functions"] = functions
    if entries:
        body["tools"] = entries


# Server tools: a dialect has a template for the declaration of each kind, or for the switches in
# the body that turn it on, and says at which path in them the fields of a ServerTool stand.


def write_server_tool(
    room: Room, tool: ServerTool, caps: Capabilities, report: Report, switch: bool = False
) -> JsonObject:
    """The declaration of the tool, or its `switch` in the body; empty if the dialect has none."""
    templates = room.dialect.switches if switch else room.dialect.server_tools
    if tool.kind not in templates:
        return {}
    data, names = _fill_template(templates[tool.kind], tool, room.dialect)
    report_unsupported(tool, report, *names)
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
            put_field(data, path, list(place) if isinstance(place, tuple) else place)
    return data, names


def _read_switches(body: JsonObject, dialect: Dialect) -> list[ServerTool]:
    """The tools that fields of the body turn on, which are taken out of it."""
    tools: list[ServerTool] = []
    for kind, template in dialect.switches.items():
        keys = {
            *template,
            *(
                path.partition(".")[0]
                for name, path in dialect.server_fields.items()
                if name.startswith(f"{kind}.")
            ),
        }
        switches = {key: body[key] for key in keys if key in body}
        if (tool := _read_server_tool(kind, template, switches, dialect)) is not None:
            tool.extras = {**(tool.extras or {}), name_notes(dialect.issuers[0]): {"place": "body"}}
            tools.append(tool)
            for key in switches:
                del body[key]
    return tools


def _server_tool_as_read(tool: Any, dialect: Dialect) -> JsonObject:
    """The declaration or the switches as they were read."""
    other_fields, _ = issuer_fields(tool, dialect.issuers[0])
    if tool.kind == "own":
        return other_fields
    template = dialect.server_tools.get(tool.kind) or dialect.switches[tool.kind]
    return fill_fields(_fill_template(template, tool, dialect)[0], other_fields)


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
        if tool_kind == kind and (value := take_field(unknown, path)) is not None:
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


_CHOICE_FIELDS = ("tool_choice", "function_call", "parallel_tool_calls")


def _read_choice(
    body: JsonObject, notes: JsonObject, freeform: Collection[str]
) -> ToolChoice | None:
    """The choice, which is taken out of the body; one that no ToolChoice holds stays there."""
    if body.keys().isdisjoint(_CHOICE_FIELDS):
        return None
    if "tool_choice" in body or "function_call" not in body:
        value = body.get("tool_choice")
        choice = chat_request.read_choice_value(value, CHOICES)
        if choice is not None and choice[0].get("name") in freeform:
            choice = None  # it names a function, and there is none
        choice = choice or _read_custom(value, freeform) or _read_allowed(value, freeform)
        return chat_request.read_choice(body, notes, choice)
    note, legacy = "function_call", body["function_call"]
    value = None
    if legacy in ("auto", "none"):
        value = {"mode": legacy}, note
    elif name := chat_request.function_name(legacy):
        value = {"mode": "tool", "name": name}, note
    return chat_request.read_choice(body, notes, value, note)


def _read_custom(value: Json, freeform: Collection[str]) -> tuple[dict[str, Any], None] | None:
    """`{"type": "custom", "custom": {"name"}}`."""
    if not isinstance(value, dict) or value.keys() != {"type", CUSTOM} or value["type"] != CUSTOM:
        return None
    name = chat_request.function_name(value[CUSTOM])
    return ({"mode": "tool", "name": name}, None) if name in freeform else None


def _read_allowed(value: Json, freeform: Collection[str]) -> tuple[dict[str, Any], None] | None:
    """`{"type": "allowed_tools", "allowed_tools": {"mode", "tools"}}`, and no more."""
    allowed: Any = value.get("allowed_tools") if isinstance(value, dict) else None
    tools = allowed.get("tools") if isinstance(allowed, dict) else None
    if not are_objects(tools):
        return None
    mode = allowed.get("mode")
    kinds = ("function", CUSTOM)
    names = tuple(
        next(filter(None, (chat_request.function_name(tool.get(kind)) for kind in kinds)), "")
        for tool in tools
    )
    usual = mode in ("auto", "required") and all(names)
    usual = usual and value == chat_request.allowed_tools(mode, names, freeform)
    return ({"mode": mode, "allowed": names}, None) if usual else None


def _choice_as_read(
    body: JsonObject, choice: ToolChoice, note: str | None, freeform: Collection[str]
) -> None:
    """Put the choice where it was read from."""
    if note != "function_call":
        chat_request.write_choice(body, choice, CHOICES, note, freeform)
        return
    body[note] = {"name": choice.name} if choice.mode == "tool" else choice.mode
    if choice.parallel is not None:
        body["parallel_tool_calls"] = choice.parallel
