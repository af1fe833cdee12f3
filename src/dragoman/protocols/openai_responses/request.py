"""The fields of a request beside its messages: options, tools, choice, format, and the whole body.

Each is composed for the API, read from a body, and written back as it was read. `text.format` is
flat: the schema stands beside its name.

Reference: OpenAI API, "Create a model response", request body.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf, isfinite
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ..._core.passes.roles import Tools
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, Msg, Options, ResponseFormat, ServerTool, Tool, ToolChoice
from .. import chat_shape
from ..base import Names, Room
from ..chat_request import function_fields, read_choice, read_format, write_format
from ..reasoning import Asked, asked, moot
from ..request_fields import option_value, options, usual_tier, within
from .dialect import Dialect
from .messages import read_input

ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"
TOP = "top string"  # the spelling of the system prompt that stands in `instructions`


# --- options ---


def _is_text(value: Json) -> bool:
    """Whether it is a text without halves of characters, which names nothing, and not empty."""
    if not isinstance(value, str) or not value:
        return False
    return value.isascii() or value.encode("utf-8", "ignore").decode() == value


# option -> the keys that it may have, the usual one first
OPTIONS: dict[str, tuple[str, ...]] = {
    "max_tokens": ("max_output_tokens",),
    **{name: (name,) for name in ("temperature", "top_p", "top_logprobs", "service_tier")},
    "user": ("safety_identifier", "user"),  # `user` is the older key
}

_KEYS = {name: keys[0] for name, keys in OPTIONS.items()} | {"logprobs": "logprobs"}

# The API answers 400 to less: integer_below_min_value.
_LEAST_TOKENS = 16

_LONGEST_USER = 128

_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")  # ReasoningEffort of the SDK

_NEUTRAL_EFFORTS = ("off", "on", "auto")  # which are no efforts of this API's


def generation(
    request: ChatRequest, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    """The options that stand in the body itself; `logprobs` is one of them until it is included."""
    fields = options(request, _KEYS, caps, report)
    within(fields, "max_output_tokens", "max_tokens", (_LEAST_TOKENS, inf), request, report)
    within(fields, "top_p", "top_p", (0, 1), request, report)
    usual_tier(fields, "default", request, report)
    user = fields.pop(_KEYS["user"], None)
    if user is not None and len(user) > _LONGEST_USER:
        what = f"user of {len(user)} characters"
        report.lost("option.refused", request.options, "user", what=what, did="left out")
    elif user is not None:
        fields[dialect.user_key] = user
    return fields


def effort(request: ChatRequest, caps: Capabilities, report: Report) -> str | None:
    """The `effort` of `reasoning`; None where nothing is asked for."""
    thinking = asked(request, caps, report, budgets=False, levels=_EFFORTS)
    if thinking is None:
        return None
    if thinking.off:
        return "none"
    if thinking == Asked() and caps.thinks == "asked" and request.options.reasoning != "auto":
        return "medium"  # what the API takes for models that think unasked
    if thinking.effort is None:
        moot(request, report)
    return thinking.effort


def _read_options(fields: JsonObject, notes: JsonObject) -> Options:
    values: dict[str, Any] = {}
    for name, keys in OPTIONS.items():
        for key in keys:
            value = option_value(name, fields.get(key))
            is_number = type(value) is int or (type(value) is float and isfinite(value))
            if is_number or _is_text(value):
                values[name] = fields.pop(key)
                notes |= {name: key} if key != keys[0] else {}
                break
    include = fields.get("include")
    if isinstance(include, list) and include.count(LOGPROBS) == 1:
        values["logprobs"] = True
        notes["logprobs"] = include.index(LOGPROBS)
        _set_or_drop(fields, "include", [name for name in include if name != LOGPROBS])
    reasoning: Any = fields.get("reasoning")
    level = reasoning.get("effort") if isinstance(reasoning, dict) else None
    if _is_text(level) and level not in _NEUTRAL_EFFORTS:
        values["reasoning"] = "off" if level == "none" else level
        _set_or_drop(fields, "reasoning", _without(reasoning, ("effort",)))
    return Options(**values)


def _write_option(body: JsonObject, name: str, value: Any, notes: JsonObject) -> None:
    if name == "reasoning":
        level = "none" if value == "off" else value
        body["reasoning"] = {**body.get("reasoning", {}), "effort": level}
    elif name == "logprobs" and value and "logprobs" in notes:
        include = list(body.get("include", ()))
        include.insert(notes["logprobs"], LOGPROBS)
        body["include"] = include
    elif name in OPTIONS:
        body[notes.get(name, _KEYS[name])] = value


def _without(data: JsonObject, keys: Collection[str]) -> JsonObject:
    return {key: value for key, value in data.items() if key not in keys}


def _set_or_drop(fields: JsonObject, key: str, value: Any) -> None:
    """Leave of a field what was not read of it, if anything."""
    if value:
        fields[key] = value
    else:
        del fields[key]


# --- tools ---

_LOCATION = ("city", "country", "region", "timezone")

_SEARCHES = ("web_search", "web_search_preview", "web_search_2025_08_26",
             "web_search_preview_2025_03_11")  # fmt: skip

_FILTERS = {
    "domains": ("allowed_domains",),
    "blocked_domains": ("blocked_domains", "excluded_domains", "excludeDomains"),  # by host
}

# notes: under which key the domains stood, and that the description was empty
_BLOCKED_KEY, _EMPTY = "blocked_domains", "description"


def _function(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """The declaration of a function.

    `strict` is always said: where it is absent the API tries to be strict and fills in optional
    arguments.
    """
    schema, strict = chat_shape.parameters(tool, caps, report)
    fields = function_fields(tool, tool.description or None, schema, bool(strict))
    if tool.cache is not None:
        report.lost("tool.cache", tool, "cache")
    return chat_shape.replay({"type": "function", **fields}, tool, caps, report)


def write_tools(room: Room, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Functions, and the host's own tools, in their order."""
    entries: list[JsonObject] = []
    for tool in tools:
        if isinstance(tool, Tool):
            entries.append(_function(tool, caps, report))
        elif (entry := server_tool(tool, caps, room.dialect, report)) is not None:
            entries.append(entry)
    return entries


def server_tool(
    tool: ServerTool, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject | None:
    """The host's own `web_search`, `code_interpreter` or `file_search`; None if it lacks stores.

    A tool of the host's that nobody models goes back as it was read.
    """
    if tool.kind == "own":
        return chat_shape.own_extras(tool, caps) or None
    stores = tool.stores or "vector_store_ids" in chat_shape.own_extras(tool, caps)
    if tool.kind == "file_search" and not stores:
        report.lost("server_tool.unsaid", tool, what="file_search without stores")
        return None
    # where a host knows both, it takes one of the two, and the allowed ones say more
    blocked_key = "" if tool.domains else dialect.blocked_domains
    fields = {"web_search": ("domains", "location"), "file_search": ("stores",)}.get(tool.kind, ())
    if tool.kind == "web_search":
        for name in tool.location or ():
            if name not in _LOCATION:
                report.lost("server_tool.field", tool, f"location.{name}", what=name)
        fields += ("blocked_domains",) if blocked_key else ()
    chat_shape.unsaid(tool, report, *fields)
    return chat_shape.replay(_server_tool(tool, blocked_key), tool, caps, report)


def _server_tool(tool: ServerTool, blocked_key: str) -> JsonObject:
    """The host's tool; `blocked_key`: where its filters have the domains that it must not read."""
    if tool.kind == "code_execution":
        return {"type": "code_interpreter", "container": {"type": "auto"}}
    if tool.kind == "file_search":
        return {"type": "file_search", "vector_store_ids": list(tool.stores)}
    body: JsonObject = {"type": "web_search"}
    filters: JsonObject = {"allowed_domains": list(tool.domains)} if tool.domains else {}
    if tool.blocked_domains and blocked_key:
        filters[blocked_key] = list(tool.blocked_domains)
    if filters:
        body["filters"] = filters
    if location := tool.location:
        fields = {name: location[name] for name in _LOCATION if name in location}
        body["user_location"] = {"type": "approximate", **fields}
    return body


def read_tool(data: JsonObject, issuer: str) -> Tool | ServerTool:
    """One entry of `tools`; a tool that nobody models is kept as it came."""
    kind = data.get("type")
    fields, notes = _without(data, ("type",)), {}
    tool: Tool | ServerTool = ServerTool("own")
    if kind == "function" and _is_text(data.get("name")):
        tool = Tool(fields.pop("name"))
        for name, cls in (("description", str), ("parameters", dict), ("strict", bool)):
            if isinstance(fields.get(name), cls):
                setattr(tool, name, fields.pop(name))
        if tool.description == "" and data.get("description") == "":
            notes[_EMPTY] = True
    elif kind in _SEARCHES:
        tool = _read_search(data, fields, notes)
    elif kind == "code_interpreter" and _has_type(data.get("container"), "auto"):
        tool = ServerTool("code_execution")
        _set_or_drop(fields, "container", _without(data["container"], ("type",)))
    elif kind == "file_search" and _are_texts(data.get("vector_store_ids")):
        tool = ServerTool("file_search", stores=tuple(fields.pop("vector_store_ids")))
    else:
        fields = data
    tool.read_from = data
    tool.extras = chat_shape.issuer_extras(issuer, fields, notes)
    return tool


def _read_search(data: JsonObject, fields: JsonObject, notes: JsonObject) -> ServerTool:
    tool = ServerTool("web_search")
    if data["type"] != "web_search":
        fields["type"] = data["type"]  # an edition of the tool, which has its own ways
    filters = {**data["filters"]} if isinstance(data.get("filters"), dict) else {}
    for name, keys in _FILTERS.items():
        key = next((key for key in keys if _are_texts(filters.get(key))), None)
        if key is not None:
            setattr(tool, name, tuple(filters.pop(key)))
            _set_or_drop(fields, "filters", filters)
            notes |= {name: key} if name == _BLOCKED_KEY else {}
    place: Any = data.get("user_location")
    if _has_type(place, "approximate"):
        location = {name: place[name] for name in _LOCATION if isinstance(place.get(name), str)}
        if location:
            tool.location = location
            _set_or_drop(fields, "user_location", _without(place, ("type", *location)))
    return tool


def _has_type(data: Json, kind: str) -> bool:
    return isinstance(data, dict) and data.get("type") == kind


def _are_texts(data: Json) -> bool:
    return isinstance(data, list) and bool(data) and all(isinstance(text, str) for text in data)


def _tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    """The declaration that `read_tool` made the tool of."""
    fields, notes = chat_shape.issuer_fields(tool, issuer)
    if isinstance(tool, Tool):
        description = tool.description if tool.description or _EMPTY in notes else None
        body = function_fields(tool, description, tool.parameters, tool.strict)
        return {"type": "function", **body, **fields}
    if tool.kind == "own":
        return fields
    body = _server_tool(tool, notes.get(_BLOCKED_KEY, ""))
    for key, value in fields.items():
        both = isinstance(body.get(key), dict) and isinstance(value, dict)
        body[key] = {**body[key], **value} if both else value
    return body


# --- the choice among tools ---


def write_choice(choice: ToolChoice) -> JsonObject:
    """`tool_choice`: a mode, one function, or some of the tools; and `parallel_tool_calls`."""
    value: Any = choice.mode
    if choice.mode == "tool":
        value = _function_name(choice.name)
    elif choice.allowed and choice.mode != "none":
        tools = [_function_name(name) for name in choice.allowed]
        value = {"type": "allowed_tools", "mode": choice.mode, "tools": tools}
    fields = {"tool_choice": value}
    if choice.parallel is not None:
        fields["parallel_tool_calls"] = choice.parallel
    return fields


def _function_name(name: str | None) -> JsonObject:
    return {"type": "function", "name": name}


def _choice_value(data: Json) -> tuple[dict[str, Any], None] | None:
    """The choice, if it says no more than which functions may be called, or must."""
    if isinstance(data, str):
        return ({"mode": data}, None) if data in ("auto", "none", "required") else None
    if not isinstance(data, dict):
        return None
    if name := _read_function_name(data):
        return {"mode": "tool", "name": name}, None
    mode, tools = data.get("mode"), data.get("tools")
    if data.get("type") != "allowed_tools" or len(data) != 3 or mode not in ("auto", "required"):
        return None
    names = tuple(map(_read_function_name, tools)) if isinstance(tools, list) else ()
    return ({"mode": mode, "allowed": names}, None) if names and all(names) else None


def _read_function_name(data: Json) -> str:
    """The function that an object names, if it does no more than that."""
    alone = _has_type(data, "function") and len(data) == 2 and _is_text(data.get("name"))
    return data["name"] if alone else ""


# --- the format of the text ---


def flat_format(data: JsonObject) -> JsonObject:
    """A format of Chat Completions as this API has it: without an object for the schema."""
    return {"type": data["type"], **data.get("json_schema", {})}


def _read_format(fields: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """`text.format`; what it says beyond the neutral form stays where it stands."""
    text: Any = fields.get("text")
    data: Any = text.get("format") if isinstance(text, dict) else None
    if not isinstance(data, dict):
        return None
    kind, unread = data.get("type"), _without(data, ("type",))
    nested = {"type": kind, "json_schema": unread} if kind == "json_schema" else data
    body = {"response_format": nested}
    form = read_format(body, notes, lone_type=False)
    if form is not None:
        if "format" in notes:
            notes["format"] = notes["format"].split()
        unread = body.get("response_format", {})
        unread = unread.get("json_schema", {}) if kind == "json_schema" else unread
        others = _without(text, ("format",))
        _set_or_drop(fields, "text", {**others, "format": unread} if unread else others)
    return form


# --- the whole body ---


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """The request that the body makes."""
    fields, notes = dict(body), {}
    model = fields.pop("model") if _is_text(fields.get("model")) else None
    msgs: list[Msg] = []
    if isinstance(fields.get("instructions"), str) and fields["instructions"]:
        msgs.append(Msg.trusted("", fields.pop("instructions"), "system"))
        msgs[0].spelling = TOP
    input = fields.get("input")
    if isinstance(input, list):
        msgs += read_input(fields.pop("input"), room.dialect, model)
    elif isinstance(input, str):
        msgs.append(Msg.trusted("", fields.pop("input"), "user"))
        notes["input"] = "string"
    else:
        notes["input"] = "absent"
    entries = fields.pop("tools") if chat_shape.are_objects(fields.get("tools")) else ()
    tools = [read_tool(entry, room.issuer) for entry in entries]
    request = ChatRequest(msgs, tools=tools, model=model)
    request.options = _read_options(fields, notes)
    choice = _choice_value(fields.get("tool_choice"))
    request.tool_choice = read_choice(fields, notes, choice)
    request.response_format = _read_format(fields, notes)
    if isinstance(fields.get("stream"), bool):
        request.stream = fields.pop("stream")
        notes |= {} if request.stream else {"stream": "false"}
    request.extras = chat_shape.issuer_extras(room.issuer, fields, notes)
    return request


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    body, notes = chat_shape.issuer_fields(req, room.issuer)
    if elements or notes.get("input") != "absent":
        body["input"] = elements
    if notes.get("input") == "string" and len(elements) == 1:
        content = elements[0].get("content")
        if elements[0] == {"role": "user", "content": content} and isinstance(content, str):
            body["input"] = content
    first = req.messages[0] if req.messages else None
    if "system" in kept and first is not None and first.spelling == TOP:
        body["instructions"] = first.content
    if req.model and "model" in kept:
        body["model"] = req.model
    for name, value in req.options.given():
        if name in kept:
            _write_option(body, name, value, notes)
    if req.tools and "tools" in kept:
        body["tools"] = [_tool_as_read(tool, room.issuer) for tool in req.tools]
    if req.tool_choice is not None and "tool_choice" in kept:
        choice = write_choice(req.tool_choice)
        body.update(_without(choice, ("tool_choice",)) if "tool_choice" in notes else choice)
    if req.response_format is not None and "response_format" in kept:
        text = body.get("text", {})
        data = flat_format(write_format(req.response_format, " ".join(notes.get("format", ()))))
        body["text"] = {**text, "format": {**data, **text.get("format", {})}}
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body
