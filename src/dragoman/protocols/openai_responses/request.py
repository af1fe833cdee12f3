"""Requests of the Responses API: options, tools, choice, format, and the whole body.

Each part is composed for the API, read from a body, and written back as it was read. `text.format`
is flat: the schema is beside its name.

Reference: OpenAI API, "Create a model response", request body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from math import inf, isfinite
from operator import itemgetter
from typing import Any

from ...capabilities import Capabilities
from ...history.passes.survey import Tools
from ...losses import Report
from ...message import (
    ChatRequest,
    Grammar,
    Msg,
    Namespace,
    Options,
    ResponseFormat,
    ServerTool,
    Tool,
)
from ...message.blocks import FOUND, is_found, name_notes
from ...message.known_history import read_elements
from ...message.known_tools import ParsedBody, ToolEntries, join_known, read_entries
from ...message.request import new_request
from ...text.json_text import Json, JsonObject
from ..base import Names, Room
from ..chat_like import messages as chat_messages
from ..chat_like.request import function_fields, read_choice, read_format, write_format
from ..reasoning import ThinkingRequest, choose_display, moot, resolve_thinking
from ..request_fields import option_value, options, usual_tier, within
from ..schemas import parameters
from .dialect import Dialect
from .fields import FIELDS, OPTIONS
from .messages import InputReading, brings_tools
from .tool_choice import choice_value, write_choice

ENCRYPTED = "reasoning.encrypted_content"
LOGPROBS = "message.output_text.logprobs"
TOP = "top string"  # the spelling of a system prompt that was in `instructions`


# --- options ---


_KEYS = {**FIELDS.keys, "logprobs": "logprobs"}

_SUMMARISES = "openai-responses"  # a host that knows this issuer's fields takes `reasoning.summary`
_SUMMARIES = {
    "auto": "auto",
    "concise": "concise",
    "detailed": "detailed",
    "none": "",
    "updates": "concise",
}

_EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")  # ReasoningEffort of the SDK

_NEUTRAL_EFFORTS = ("off", "on", "auto")  # which this API does not have


def generation(
    request: ChatRequest, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    """Return the options at the top of the body; `logprobs` is one of them until it is included."""
    keys = {**_KEYS, **dialect.keys}
    if _SUMMARISES in caps.reads:
        keys["thoughts"] = ""
    fields = options(request, keys, caps, report)
    within(fields, "max_output_tokens", "max_tokens", (dialect.least_tokens, inf), request, report)
    within(fields, "top_p", "top_p", FIELDS.ranges["top_p"], request, report)
    usual_tier(fields, "default", request, report)
    user = fields.pop(_KEYS["user"], None)
    if user is not None and len(user) > dialect.longest_user:
        what = f"user of {len(user)} characters"
        report.add_loss("option.refused", request.options, "user", what=what, did="left out")
    elif user is not None:
        fields[dialect.user_key] = user
    return fields


def reasoning(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    """Return `reasoning`: the effort, and whether the answer summarises its thinking."""
    level = _effort(request, caps, report)
    fields: JsonObject = {} if level is None else {"effort": level}
    if _SUMMARISES in caps.reads:
        on = caps.thinks != "never" and level != "none"
        if word := choose_display(request, _SUMMARIES, on, report):
            fields["summary"] = word
    return fields


def _effort(request: ChatRequest, caps: Capabilities, report: Report) -> str | None:
    """Return the `effort` of `reasoning`; None if nothing is asked for."""
    thinking = resolve_thinking(request, caps, report, budgets=False, levels=_EFFORTS)
    if thinking is None:
        return None
    if thinking.off:
        return "none"
    if (
        thinking == ThinkingRequest()
        and caps.thinks == "on_request"
        and request.options.reasoning != "auto"
    ):
        return "medium"  # what the API assumes for models that think by default
    if thinking.effort is None:
        moot(request, report)
    return thinking.effort


def _read_options(fields: JsonObject, notes: JsonObject, dialect: Dialect) -> Options:
    values: dict[str, Any] = {}
    further = {name: (key,) for name, key in dialect.keys.items()}
    for name, keys in (OPTIONS | further).items():
        for key in keys:
            if key not in fields:
                continue
            value = option_value(name, fields[key])
            is_number = type(value) is int or (type(value) is float and isfinite(value))
            if is_number or chat_messages.is_text(value):
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
    if chat_messages.is_text(level) and level not in _NEUTRAL_EFFORTS:
        values["reasoning"] = "off" if level == "none" else level
        _set_or_drop(fields, "reasoning", _without(reasoning, ("effort",)))
    reasoning = fields.get("reasoning")
    told = reasoning.get("summary") if isinstance(reasoning, dict) else None
    if isinstance(told, str) and _SUMMARIES.get(told) == told:
        values["thoughts"] = told
        _set_or_drop(fields, "reasoning", _without(reasoning, ("summary",)))
    return Options(**values)


def _write_option(
    body: JsonObject, name: str, value: Any, notes: JsonObject, dialect: Dialect
) -> None:
    if name == "reasoning":
        level = "none" if value == "off" else value
        body["reasoning"] = {**body.get("reasoning", {}), "effort": level}
    elif name == "thoughts":
        body["reasoning"] = {**body.get("reasoning", {}), "summary": value}
    elif name == "logprobs" and value and "logprobs" in notes:
        include = list(body.get("include", ()))
        include.insert(notes["logprobs"], LOGPROBS)
        body["include"] = include
    elif name in OPTIONS or name in dialect.keys:
        body[notes.get(name) or dialect.keys.get(name) or _KEYS[name]] = value


def _without(data: JsonObject, keys: Collection[str]) -> JsonObject:
    return {key: value for key, value in data.items() if key not in keys}


def _set_or_drop(fields: JsonObject, key: str, value: Any) -> None:
    """Keep what was not read of a field, if anything."""
    if value:
        fields[key] = value
    else:
        del fields[key]


# --- tools ---

_LOCATION = ("city", "country", "region", "timezone")

_SEARCHES = (
    "web_search",
    "web_search_preview",
    "web_search_2025_08_26",
    "web_search_preview_2025_03_11",
)

_FILTERS = {
    "domains": ("allowed_domains",),
    # the key depends on the host
    "blocked_domains": ("blocked_domains", "excluded_domains", "excludeDomains"),
}

# notes: the key of the domains, and that the description was empty
_BLOCKED_KEY, _EMPTY = "blocked_domains", "description"


def _function(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """Write the declaration of a function.

    `strict` is always written: without it the API tries to be strict and fills in optional
    arguments.
    """
    schema, strict = parameters(tool, caps, report)
    fields = function_fields(tool, tool.description or None, schema, bool(strict))
    if tool.cache is not None:
        report.add_loss("tool.cache", tool, "cache")
    return chat_messages.replay({"type": "function", **fields}, tool, caps, report)


def _freeform_tool(tool: Tool, caps: Capabilities, report: Report) -> JsonObject:
    """Write the declaration of a tool whose calls hold text."""
    if tool.cache is not None:
        report.add_loss("tool.cache", tool, "cache")
    return chat_messages.replay(_custom(tool, tool.description or None), tool, caps, report)


def _custom(tool: Tool, description: str | None) -> JsonObject:
    """Write `{"type": "custom", "name", "description", "format"}`."""
    entry: JsonObject = {"type": "custom", "name": tool.name}
    if description is not None:
        entry["description"] = description
    if (grammar := tool.grammar) is not None:
        entry["format"] = {
            "type": "grammar",
            "syntax": grammar.syntax,
            "definition": grammar.definition,
        }
    return entry


def _group_tools(rows: Iterable[tuple[Namespace | None, Json]], as_read: bool) -> list[Json]:
    """Write the entries of tools; adjacent tools of one namespace share an entry."""
    entries: list[Json] = []
    for namespace, group in groupby(rows, itemgetter(0)):
        tools = [entry for _, entry in group]
        if namespace is None:
            entries += tools
            continue
        said = {"description": namespace.description}
        if namespace.description is None:  # which the API requires
            said = {} if as_read else {"description": ""}
        entries.append({"type": "namespace", "name": namespace.name, **said, "tools": tools})
    return entries


def write_tools(room: Room, tools: Tools, caps: Capabilities, report: Report) -> list[JsonObject]:
    """Write functions and the host's own tools, in their order."""
    rows: list[tuple[Namespace | None, Json]] = []
    for tool in tools:
        if isinstance(tool, Tool):
            write = _freeform_tool if tool.freeform else _function
            rows.append((tool.namespace, write(tool, caps, report)))
        elif (entry := server_tool(tool, caps, room.dialect, report)) is not None:
            rows.append((None, entry))
    return _group_tools(rows, as_read=False)


def server_tool(
    tool: ServerTool, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject | None:
    """Write the host's own `web_search`, `code_interpreter` or `file_search`.

    A tool of the host's that no node can express is written as it was read.

    Returns:
        None for a `file_search` without stores.
    """
    if tool.kind == "own":
        return chat_messages.own_extras(tool, caps) or None
    stores = tool.stores or "vector_store_ids" in chat_messages.own_extras(tool, caps)
    if tool.kind == "file_search" and not stores:
        report.add_loss("server_tool.unsupported", tool, what="file_search without stores")
        return None
    # some hosts that know both take only one of the two, and the allowed ones are more exact
    lone = tool.domains and not dialect.joint_domains
    blocked_key = "" if lone else dialect.blocked_domains
    fields = {"web_search": ("domains", "location"), "file_search": ("stores",)}.get(tool.kind, ())
    if tool.kind == "web_search":
        for name in tool.location or ():
            if name not in _LOCATION:
                report.add_loss("server_tool.field", tool, f"location.{name}", what=name)
        fields += ("blocked_domains",) if blocked_key else ()
    chat_messages.report_unsupported(tool, report, *fields)
    return chat_messages.replay(_server_tool(tool, blocked_key), tool, caps, report)


def _server_tool(tool: ServerTool, blocked_key: str) -> JsonObject:
    """Write the host's tool; `blocked_key`: the key in its filters for blocked domains."""
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


def read_tools(entries: Sequence[JsonObject], issuer: str) -> list[Tool | ServerTool]:
    """Read the tools that the entries declare; those of a namespace become separate tools."""
    tools: list[Tool | ServerTool] = []
    for entry in entries:
        tools += _read_namespace(entry, issuer) or [read_tool(entry, issuer)]
    return tools


def _read_namespace(data: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """Read the tools of a namespace; none if it has fields besides a name and tools."""
    if not _has_type(data, "namespace") or not data.keys() <= _NAMESPACE:
        return []
    if not chat_messages.is_text(data.get("name")):
        return []
    description = data.get("description")
    if not chat_messages.are_objects(data.get("tools")) or not isinstance(description, str | None):
        return []
    if description is None and "description" in data:
        return []
    tools = [read_tool(entry, issuer) for entry in data["tools"]]
    namespace = Namespace(data["name"], description)
    for tool in tools:
        if type(tool) is not Tool:
            return []
        tool.namespace = namespace
    return tools


_NAMESPACE = frozenset({"type", "name", "description", "tools"})
_GRAMMAR = frozenset({"type", "syntax", "definition"})


def _read_grammar(data: Json) -> Grammar | None:
    """Return the grammar of a freeform tool's format; None if it has none, or other fields."""
    if not isinstance(data, dict) or data.get("type") != "grammar" or data.keys() != _GRAMMAR:
        return None
    syntax, definition = data["syntax"], data["definition"]
    return (
        Grammar(definition, syntax)
        if chat_messages.is_text(syntax) and chat_messages.is_text(definition)
        else None
    )


def read_tool(data: JsonObject, issuer: str) -> Tool | ServerTool:
    """Read one entry of `tools`; an unknown tool is kept unchanged."""
    kind = data.get("type")
    fields, notes = _without(data, ("type",)), {}
    tool: Tool | ServerTool = ServerTool("own")
    if kind == "function" and chat_messages.is_text(data.get("name")):
        tool = Tool(fields.pop("name"))
        for name, cls in (("description", str), ("parameters", dict), ("strict", bool)):
            if isinstance(fields.get(name), cls):
                setattr(tool, name, fields.pop(name))
        if tool.description == "" and data.get("description") == "":
            notes[_EMPTY] = True
    elif kind == "custom" and chat_messages.is_text(data.get("name")):
        tool = Tool(fields.pop("name"), freeform=True)
        if isinstance(fields.get("description"), str):
            tool.description = fields.pop("description")
            notes |= {} if tool.description else {_EMPTY: True}
        if (grammar := _read_grammar(fields.get("format"))) is not None:
            tool.grammar = grammar
            del fields["format"]
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
    tool.extras = chat_messages.issuer_extras(issuer, fields, notes)
    return tool


def _read_search(data: JsonObject, fields: JsonObject, notes: JsonObject) -> ServerTool:
    tool = ServerTool("web_search")
    if data["type"] != "web_search":
        fields["type"] = data["type"]  # a version of the tool with its own behaviour
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
    """Return the declaration that `read_tool` read."""
    fields, notes = chat_messages.issuer_fields(tool, issuer)
    if isinstance(tool, Tool):
        description = tool.description if tool.description or _EMPTY in notes else None
        if tool.freeform:
            return {**_custom(tool, description), **fields}
        body = function_fields(tool, description, tool.parameters, tool.strict)
        return {"type": "function", **body, **fields}
    if tool.kind == "own":
        return fields
    body = _server_tool(tool, notes.get(_BLOCKED_KEY, ""))
    for key, value in fields.items():
        both = isinstance(body.get(key), dict) and isinstance(value, dict)
        body[key] = {**body[key], **value} if both else value
    return body


# --- the format of the text ---


def flat_format(data: JsonObject) -> JsonObject:
    """Convert a format of Chat Completions to this API's, without the object around the schema."""
    return {"type": data["type"], **data.get("json_schema", {})}


def _read_format(fields: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """Read `text.format`; fields that the neutral form lacks remain where they are."""
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


# --- tools among the items of the input ---

_ITEM = "item"  # the note of a tool that came in an item: which one


def _read_tool_items(
    items: list[Any], lists: list[list[Tool | ServerTool]], notes: JsonObject, issuer: str
) -> None:
    """Read the tools of items that bring them into `lists`.

    The notes of the request record where `additional_tools` items were, and their other fields.
    """
    for index, item in enumerate(items):
        if _has_type(item, "tool_search_output") and chat_messages.are_objects(item.get("tools")):
            lists.append([*_found_tools(item["tools"], issuer)])
        if not brings_tools(item):
            continue
        rows = notes.setdefault("additional_tools", [])
        if type(item["tools"]) is ToolEntries:
            item["tools"].place = f"item {len(rows)}"
        read = partial(_read_added, issuer, len(rows))
        lists.append(read_entries(item["tools"], read))
        rows.append([index, _without(item, ("tools",))])


def _read_added(issuer: str, index: int, entries: list[JsonObject]) -> list[Tool | ServerTool]:
    """Read the tools of an item; their notes name the item."""
    tools = read_tools(entries, issuer)
    for tool in tools:
        tool_notes = {**(tool.extras or {}).get(name_notes(issuer), {}), _ITEM: index}
        tool.extras = {**(tool.extras or {}), name_notes(issuer): tool_notes}
    return tools


def _found_tools(entries: list[JsonObject], issuer: str) -> Iterator[Tool | ServerTool]:
    """Return the tools found by a search, to be offered on other wires; here the item has them."""
    for tool in read_tools([_load_tool(entry) for entry in entries], issuer):
        tool_notes = {**(tool.extras or {}).get(name_notes(issuer), {}), FOUND: True}
        tool.extras = {**(tool.extras or {}), name_notes(issuer): tool_notes}
        yield tool


def _load_tool(entry: JsonObject) -> JsonObject:
    """Return a found tool, which needs no search any more; for a namespace all of its tools."""
    loaded = _without(entry, ("defer_loading",))
    if chat_messages.are_objects(loaded.get("tools")):
        loaded["tools"] = [_without(tool, ("defer_loading",)) for tool in loaded["tools"]]
    return loaded


def _tools_as_read(body: JsonObject, tools: Tools, notes: JsonObject, issuer: str) -> None:
    """Put the tools where they were read from: beside the input, or into its items."""
    by_item: dict[int | None, list[tuple[Namespace | None, Json]]] = {}
    for tool in tools:
        if is_found(tool, issuer):
            continue
        index = chat_messages.issuer_fields(tool, issuer)[1].get(_ITEM)
        row = (tool.namespace if type(tool) is Tool else None, _tool_as_read(tool, issuer))
        by_item.setdefault(index, []).append(row)
    if None in by_item:
        body["tools"] = _group_tools(by_item[None], as_read=True)
    for number, (index, others) in enumerate(notes.get("additional_tools", ())):
        item = {**others, "tools": _group_tools(by_item.get(number, ()), as_read=True)}
        body["input"] = [*body["input"][:index], item, *body["input"][index:]]


# --- the whole body ---


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """Read the request that the body makes."""
    turn = body.turn if type(body) is ParsedBody else None
    fields = dict(body)
    notes: JsonObject = {}
    model = fields.pop("model") if chat_messages.is_text(fields.get("model")) else None
    msgs: list[Msg] = []
    if isinstance(fields.get("instructions"), str) and fields["instructions"]:
        msgs.append(Msg.create_unchecked("", fields.pop("instructions"), "system"))
        msgs[0].spelling = TOP
    input = fields.get("input")
    added: list[list[Tool | ServerTool]] = []
    if isinstance(input, list):
        items = fields.pop("input")
        _read_tool_items(items, added, notes, room.issuer)
        start = partial(InputReading, room.dialect, model)
        msgs += read_elements(turn, items, model, start).finish()
    elif isinstance(input, str):
        msgs.append(Msg.create_unchecked("", fields.pop("input"), "user"))
        notes["input"] = "string"
    else:
        notes["input"] = "absent"
    entries = fields.pop("tools") if chat_messages.are_objects(fields.get("tools")) else []
    tools = read_entries(entries, lambda entries: read_tools(entries, room.issuer))
    if added:
        tools = join_known([tools, *added])
    request = new_request(msgs)
    request.tools, request.model = tools, model
    request.options = _read_options(fields, notes, room.dialect)
    choice = choice_value(fields.get("tool_choice"), tools)
    request.tool_choice = read_choice(fields, notes, choice)
    request.response_format = _read_format(fields, notes)
    if isinstance(fields.get("stream"), bool):
        request.stream = fields.pop("stream")
        notes |= {} if request.stream else {"stream": "false"}
    request.extras = chat_messages.issuer_extras(room.issuer, fields, notes)
    return request


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """Write the body with the fields in `kept` as `read_request` read them, and extra fields."""
    body, notes = chat_messages.issuer_fields(req, room.issuer)
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
    for name, value in req.options.list_values():
        if name in kept:
            _write_option(body, name, value, notes, room.dialect)
    if req.tools and "tools" in kept:
        _tools_as_read(body, req.tools, notes, room.issuer)
    if req.tool_choice is not None and "tool_choice" in kept:
        choice = write_choice(req.tool_choice, req.tools)
        body.update(_without(choice, ("tool_choice",)) if "tool_choice" in notes else choice)
    if req.response_format is not None and "response_format" in kept:
        text = body.get("text", {})
        data = flat_format(write_format(req.response_format, " ".join(notes.get("format", ()))))
        body["text"] = {**text, "format": {**data, **text.get("format", {})}}
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body
