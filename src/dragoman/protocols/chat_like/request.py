"""Requests of the shape of Chat Completions: top-level fields, tools, choice and format.

Each reader is followed by its writer. Readers take what the tree can hold out of the body; the rest
remains there and becomes extras.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

from ...capabilities import Capabilities
from ...errors import InvalidMessage, WriteError
from ...losses import Report
from ...message import ChatRequest, ResponseFormat, ServerTool, Tool, ToolChoice
from ...message.known_tools import read_entries
from ...text.json_text import Json, JsonObject
from ..request_fields import format_name
from ..schemas import parameters
from . import messages as chat_messages


def function_tool(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """Write `{"type": "function", "function": {"name", "description", "parameters"}}`."""
    schema, strict = parameters(tool, caps, report)
    if tool.cache is not None and not caps.cached_tools:
        report.add_loss("tool.cache", tool, "cache")
    function = function_fields(tool, tool.description, schema, strict)
    entry = {"type": "function", "function": function}
    return chat_messages.replay(entry, tool, caps, report)


def write_tool(tool: Tool | ServerTool, caps: Capabilities, report: Report) -> JsonObject:
    """Write a function, or a tool that only its own provider knows, in that provider's form.

    Raises:
        WriteError: For a tool of another provider.
    """
    if isinstance(tool, Tool):
        return function_tool(tool, caps, report)
    entry = chat_messages.own_tool(tool, caps) if tool.kind == "own" else {}
    if not entry:
        raise WriteError(f"{tool.type} tools have no place here", path="$.tools", code="tool.type")
    return entry


_FUNCTION_FIELDS = {"description": str, "parameters": dict, "strict": bool}


# the fields of a ToolChoice, and a note on its spelling
ChoiceValue: TypeAlias = tuple[dict[str, Any], str | None]

_FORMATS: dict[str, Any] = {"text": "text", "json_object": "json"}
_SCHEMA_FIELDS = {"schema": dict, "name": str, "description": str, "strict": bool}


def read_envelope(body: JsonObject, notes: JsonObject) -> tuple[list[Json], str | None, bool]:
    """Take the messages, the model and `stream` out of the body."""
    entries: list[Json] = []
    if isinstance(body.get("messages"), list):
        entries = body.pop("messages")
    else:
        notes["messages"] = "absent"
    model = body.pop("model") if isinstance(body.get("model"), str) and body["model"] else None
    stream = body.pop("stream") if isinstance(body.get("stream"), bool) else None
    if stream is False:  # the default, given explicitly
        notes["stream"] = "false"
    return entries, model, bool(stream)


def write_envelope(
    req: ChatRequest, fields: Collection[str], elements: list[Json], issuer: str
) -> tuple[JsonObject, JsonObject]:
    """Write the fields among `fields` that `read_envelope` read, around `elements`.

    Returns:
        The body, and the notes of the request.
    """
    body, notes = chat_messages.issuer_fields(req, issuer)
    if elements or "messages" not in notes:
        body["messages"] = elements
    if req.model and "model" in fields:
        body["model"] = req.model
    if "stream" in fields and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body, notes


def read_tools(body: JsonObject, issuer: str, strict: bool = True) -> list[Tool | ServerTool]:
    """Take the tools out of the body; entries that `read_tool` refuses are kept unchanged."""
    if not chat_messages.are_objects(body.get("tools")):
        return []
    return read_entries(body.pop("tools"), lambda entries: _read_tools(entries, issuer, strict))


def _read_tools(entries: list[JsonObject], issuer: str, strict: bool) -> list[Tool | ServerTool]:
    tools: list[Tool | ServerTool] = []
    for entry in entries:
        try:
            tool = read_tool(entry, issuer, strict)
        except InvalidMessage:  # half of a surrogate pair
            tool = ServerTool("own", extras={issuer: entry})
            tool.read_from = entry
        tools.append(tool)
    return tools


def read_tool(entry: JsonObject, issuer: str, strict: bool = True) -> Tool | ServerTool:
    """Read one entry of `tools`: a function, whose type may be missing, or a provider's tool.

    Args:
        entry: The entry.
        issuer: The issuer of its extra fields.
        strict: Whether functions may have the field `strict`.

    Raises:
        InvalidMessage: For a function that JSON cannot express: it has a lone surrogate.
    """
    function = entry.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    tool: Tool | ServerTool
    if isinstance(name, str) and name and entry.get("type", "function") == "function":
        notes: JsonObject = {} if "type" in entry else {"typed": False}
        other_fields = {key: entry[key] for key in entry if key not in ("type", "function")}
        tool = read_function(entry["function"], other_fields, notes, issuer, strict)
    else:
        tool = ServerTool("own", extras={issuer: entry})
    tool.read_from = entry
    return tool


def read_function(
    function: JsonObject, fields: JsonObject, notes: JsonObject, issuer: str, strict: bool = True
) -> Tool:
    """Read a function tool: `{"name", "description", "parameters", "strict"}`.

    Args:
        function: The object under `function`.
        fields: The fields beside it.
        notes: Gets notes on its spelling.
        issuer: The issuer of its extra fields.
        strict: Whether functions may have the field `strict`.

    Raises:
        InvalidMessage: For one without a name.
    """
    tool = Tool(function.get("name"))  # type: ignore[arg-type]  # raises if it is no text
    unknown = {key: value for key, value in function.items() if key != "name"}
    for key, cls in _FUNCTION_FIELDS.items():
        if isinstance(unknown.get(key), cls) and (strict or key != "strict"):
            setattr(tool, key, unknown.pop(key))
        elif key == "description":
            notes["described"] = False
    if unknown:
        fields["function"] = unknown
    tool.extras = chat_messages.issuer_extras(issuer, fields, notes)
    return tool


def tool_as_read(tool: Tool | ServerTool, issuer: str, strict: bool = True) -> JsonObject:
    """Return the entry of `tools` that `read_tool` read."""
    other_fields, notes = chat_messages.issuer_fields(tool, issuer)
    if type(tool) is not Tool:
        return other_fields
    description = tool.description if notes.get("described", True) else None
    function = function_fields(tool, description, tool.schema, tool.strict if strict else None)
    entry: JsonObject = {"type": "function"} if notes.get("typed", True) else {}
    entry["function"] = function
    return chat_messages.fill_fields(entry, other_fields)


def function_fields(
    tool: Tool, description: str | None, schema: Json, strict: bool | None
) -> JsonObject:
    """Return `{"name", "description", "parameters", "strict"}` without those that are not given."""
    fields = {"name": tool.name, "description": description, "parameters": schema, "strict": strict}
    return {key: value for key, value in fields.items() if value is not None}


def read_choice_value(value: Json, modes: Mapping[str, str]) -> ChoiceValue | None:
    """Read `tool_choice`: return the fields of a ToolChoice, and a note on its spelling.

    Args:
        value: A word, or an object that only names the function that must be called.
        modes: The mode of each word; the first word for a mode is the usual one.

    Returns:
        None if the value has another form.
    """
    if isinstance(value, str) and value in modes:
        mode = modes[value]
        return {"mode": mode}, None if value == _mode_word(mode, modes) else value
    if isinstance(value, dict) and value.keys() - {"type"} == {"function"}:
        name = function_name(value["function"])
        if name and value.get("type", "function") == "function":
            return {"mode": "tool", "name": name}, None if "type" in value else "untyped"
    return None


def function_name(function: Json) -> str:
    """Return the name in `{"name"}`; an empty text if the object has any other field."""
    if isinstance(function, dict) and len(function) == 1:
        name = function.get("name")
        return name if isinstance(name, str) else ""
    return ""


def _mode_word(mode: str, modes: Mapping[str, str]) -> str | None:
    return next((value for value, meaning in modes.items() if meaning == mode), None)


def read_choice(
    body: JsonObject, notes: JsonObject, value: ChoiceValue | None, key: str = "tool_choice"
) -> ToolChoice | None:
    """Take the choice and `parallel_tool_calls` out of the body.

    `value` is the result of `read_choice_value` for the field `key`.
    """
    fields, note = value or ({"mode": "auto"}, "unsaid")
    parallel = body.get("parallel_tool_calls")
    if isinstance(parallel, bool):
        fields["parallel"] = parallel
    elif value is None:
        return None
    try:
        choice = ToolChoice(**fields)
    except InvalidMessage:  # half of a surrogate pair
        return None
    if value is not None:
        del body[key]
    if choice.parallel is not None:
        del body["parallel_tool_calls"]
    if note:
        notes["tool_choice"] = note
    return choice


def freeform_names(tools: Iterable[Tool | ServerTool]) -> frozenset[str]:
    """Return the names of the tools whose calls hold text."""
    return frozenset(tool.name for tool in tools if type(tool) is Tool and tool.freeform)


def _named_tool(name: str | None, freeform: Collection[str]) -> JsonObject:
    """Write `{"type", "function" or "custom": {"name"}}`."""
    kind = "custom" if name in freeform else "function"
    return {"type": kind, kind: {"name": name}}


def allowed_tools(mode: str, names: Iterable[str], freeform: Collection[str] = ()) -> JsonObject:
    """Write `{"type": "allowed_tools", ...}` for `names`; those in `freeform` take text."""
    tools = [_named_tool(name, freeform) for name in names]
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}


def write_choice(
    body: JsonObject,
    choice: ToolChoice,
    modes: Mapping[str, str],
    note: str | None = None,
    freeform: Collection[str] = (),
) -> None:
    """Put the choice into the body; a mode without a word is the default and needs none.

    Args:
        body: The body, which is changed.
        choice: The choice.
        modes: The mode of each word; the first word for a mode is the usual one.
        note: The spelling of a choice that was read from this wire.
        freeform: The names of tools that take text.
    """
    if choice.allowed:
        body["tool_choice"] = allowed_tools(choice.mode, choice.allowed, freeform)
    elif choice.mode == "tool":
        body["tool_choice"] = _named_tool(choice.name, freeform)
        if note == "untyped":
            del body["tool_choice"]["type"]
    elif note != "unsaid" and (word := note or _mode_word(choice.mode, modes)):
        body["tool_choice"] = word
    if choice.parallel is not None:
        body["parallel_tool_calls"] = choice.parallel


def read_format(
    body: JsonObject, notes: JsonObject, lone_type: bool = True
) -> ResponseFormat | None:
    """Take `response_format` out of the body, except for what a ResponseFormat cannot hold.

    `lone_type`: a `text` or `json_object` with further fields is kept unchanged.
    """
    value = body.get("response_format")
    if not isinstance(value, dict) or not isinstance(kind := value.get("type"), str):
        return None
    other_fields = {key: value[key] for key in value if key != "type"}
    form: ResponseFormat | None = None
    if kind in _FORMATS and not (lone_type and other_fields):
        form = ResponseFormat(_FORMATS[kind])
    elif kind == "json_schema" and isinstance(value.get("json_schema"), dict):
        form = _read_schema(other_fields, notes)
    if form is not None:
        del body["response_format"]
        if other_fields:
            body["response_format"] = other_fields
    return form


def _read_schema(other_fields: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """Take the format of `json_schema` out of the fields; unknown ones remain."""
    unknown = dict(other_fields["json_schema"])
    fields = {
        key: unknown.pop(key)
        for key, cls in _SCHEMA_FIELDS.items()
        if isinstance(unknown.get(key), cls)
    }
    if "schema" not in fields:
        return None
    try:
        form = ResponseFormat("schema", **fields)
    except InvalidMessage:  # half of a surrogate pair
        return None
    if absent := [key for key in ("name", "description") if key not in fields]:
        notes["format"] = " ".join(absent)
    del other_fields["json_schema"]
    if unknown:
        other_fields["json_schema"] = unknown
    return form


def write_format(form: ResponseFormat, absent: str = "", name: str | None = None) -> JsonObject:
    """Write `{"type": "json_schema", "json_schema": {"name", "schema", ...}}`, or the type alone.

    Args:
        form: The format.
        absent: The fields that the format lacked when it was read (the note `format` of the
            request).
        name: A name that the wire takes, where the format has no usable one.
    """
    if form.kind != "schema":
        return {"type": next(word for word, kind in _FORMATS.items() if kind == form.kind)}
    schema: JsonObject = {
        "name": name or form.name,
        "schema": form.schema,
        "description": form.description,
        "strict": form.strict,
    }
    left_out = [*absent.split(), *(["strict"] if form.strict is None else [])]
    schema = {key: value for key, value in schema.items() if key not in left_out}
    return {"type": "json_schema", "json_schema": schema}


def format_as_read(body: JsonObject, form: ResponseFormat, notes: JsonObject) -> None:
    """Take the format of `json_schema` out of the fields; unknown fields remain there."""
    data = write_format(form, notes.get("format", ""))
    body["response_format"] = chat_messages.fill_fields(data, body.get("response_format", {}))


def claims_chat(
    body: Json,
    path: str | None,
    endpoint: str,
    fields: Collection[str],
    messages: Mapping[str, Collection[str]],
    parts: Mapping[str, Collection[str]],
    texts: Collection[str] = (),
) -> bool:
    """Whether a body has only known fields, functions under their key, and known messages.

    Args:
        body: The body.
        path: The path that it was posted to, if that is known.
        endpoint: The path that the protocol uses.
        fields: The known fields of the body.
        messages: The known fields of messages, for each role.
        parts: The known fields of parts beside `type`, for each type.
        texts: The types of parts whose field of the same name is text.
    """
    if not isinstance(body, dict) or body.keys() - fields:
        return False
    if path and not path.partition("?")[0].rstrip("/").endswith(endpoint):
        return False
    tools, entries = body.get("tools"), body.get("messages")
    for tool in tools if isinstance(tools, list) else ():
        # other wires name functions beside their type
        if not isinstance(tool, dict):
            return False
        if tool.get("type", "function") == "function" and "function" not in tool:
            return False
    for entry in entries if chat_messages.are_objects(entries) else [{}]:
        role, content = entry.get("role"), entry.get("content")
        if not isinstance(role, str) or role not in messages or entry.keys() - messages[role]:
            return False
        if not (content is None or isinstance(content, (str, list))):
            return False
        items = content if isinstance(content, list) else ()
        if not all(_is_part(part, parts, texts) for part in items):
            return False
    return True


def _is_part(part: Json, parts: Mapping[str, Collection[str]], texts: Collection[str]) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind not in parts or part.keys() - {"type", *parts[kind]}:
        return False
    return kind not in texts or isinstance(part.get(kind), str)


def spelled_format(form: ResponseFormat, report: Report) -> JsonObject:
    """Write `{"type": "json_schema", "json_schema": {...}}`, or the type alone; report the rest."""
    if form.kind != "schema":
        return write_format(form)
    return write_format(form, "" if form.description else "description", format_name(form, report))
