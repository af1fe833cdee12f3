"""The body of a request around its messages: options, thinking, tools, tool choice, format.

Each reader takes out of the body what the tree can hold; the rest stays in the extras, and notes
record the spelling. The writer after it is used for composed requests and for requests that go back
as they were read. Reference: Anthropic API, "Create a Message"; docs, "Adaptive thinking",
"Effort", "Extended thinking".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, Options, Origin, ResponseFormat, ServerTool, Tool, ToolChoice
from ...message.known_history import ReadSingly, read_elements
from ...message.known_tools import ParsedBody, read_entries
from ...message.request import new_request
from ...text.json_text import Json, JsonObject, field_at, put_field, take_field
from .. import request_fields
from ..base import Names, PreparedRequest, Room
from ..chat_like import messages as chat_messages
from ..chat_like.messages import issuer_extras, without
from ..reasoning import (
    USUAL_BUDGET,
    ThinkingRequest,
    barred_by_history,
    fit_budget,
    fit_still_effort,
    resolve_thinking,
)
from ..reasoning import choose_display as request_shown
from ..schemas import parameters
from . import messages
from .betas import BETAS, read_betas
from .blocks import cache_control, take_cache
from .fields import EFFORTS, FIELDS, OPTIONS, TIERS
from .server_tools import SERVER_TOOLS

# kinds of `thinking` that only decide whether the model thinks
_THINKING = {"adaptive": "on", "enabled": "on", "disabled": "off", "between_tools": "off"}
# `thinking.display`: how much of it is shown
_SHOWN = {
    "none": "omitted",
    "auto": "summarized",
    "concise": "summarized",
    "detailed": "summarized",
    "updates": "updates",
}
# Only short notes between calls are shown, not the thinking: anthropic-sdk-python 1.1 (2026-08-26)
_UPDATES_BETA = "thinking-display-updates-2026-08-18"
_DISPLAYED = {"omitted": "none", "summarized": "auto", "updates": "updates"}
# The API ignores -1 for these in requests; other APIs refuse it.
_NONE_AT_MINUS_ONE = ("top_p", "top_k")


def _read_options(body: JsonObject, notes: JsonObject) -> Options:
    """Take the options out of the body."""
    values: dict[str, Any] = {}
    for name, path in OPTIONS.items():
        data = field_at(body, path)
        is_lone = name == "stop" and isinstance(data, str)
        value = None if is_lone else request_fields.option_value(name, data)
        if value is not None and not (name in _NONE_AT_MINUS_ONE and value == -1):
            values[name] = value
            take_field(body, path)
    kind = field_at(body, "thinking.type")
    if isinstance(kind, str) and kind in _THINKING:
        if kind == "enabled" and type(field_at(body, "thinking.budget_tokens")) is int:
            values["reasoning_budget"] = take_field(body, "thinking.budget_tokens")
        else:
            values["reasoning"], notes["thinking"] = _THINKING[kind], kind
        take_field(body, "thinking.type")
    effort = field_at(body, "output_config.effort")
    if isinstance(effort, str) and effort and values.get("reasoning") != "off":
        values["reasoning"] = take_field(body, "output_config.effort")
        notes["effort"] = True
    display = field_at(body, "thinking.display")
    if isinstance(display, str) and display in _DISPLAYED:
        values["thoughts"] = _DISPLAYED[display]
        take_field(body, "thinking.display")
    return Options(**values)


def _options_as_read(body: JsonObject, options: Options, kept: Names, notes: JsonObject) -> None:
    """Put the options of `kept` where they were in the body."""
    for name, value in options.list_values():
        if name not in kept:
            continue
        if name in OPTIONS:
            put_field(body, OPTIONS[name], list(value) if isinstance(value, tuple) else value)
        elif name == "reasoning_budget":
            put_field(body, "thinking.type", "enabled")
            put_field(body, "thinking.budget_tokens", value)
        elif name == "reasoning":
            if "thinking" in notes:
                put_field(body, "thinking.type", notes["thinking"])
            if "effort" in notes:
                put_field(body, "output_config.effort", value)
        elif name == "thoughts":
            put_field(body, "thinking.display", _SHOWN[value])


def write_options(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    """Return the options in this API's ranges, except the maximum of the answer and thinking."""
    keys = {**OPTIONS, "thoughts": ""} if displays(caps) else OPTIONS
    body = request_fields.options(request, keys, caps, report)
    body.pop("max_tokens", None)
    if not body:
        return body
    request_fields.within(
        body, "temperature", "temperature", FIELDS.ranges["temperature"], request, report
    )
    if body.get("service_tier", "auto") not in TIERS:
        report.add_loss(
            "option.refused", request.options, "service_tier", what=body["service_tier"]
        )
        del body["service_tier"]
    stops = body.get("stop_sequences", [])
    # 400 "stop_sequences: each stop sequence must contain non-whitespace"
    if texts := [text for text in stops if not text.isspace()]:
        body["stop_sequences"] = texts
    else:
        body.pop("stop_sequences", None)
    if len(texts) < len(stops):
        report.add_loss("option.range", request.options, "stop", did="without blank ones")
    if OPTIONS["user"] in body:
        put_field(body, OPTIONS["user"], body.pop(OPTIONS["user"]))
    return body


def write_maximum(request: ChatRequest, caps: Capabilities, budget: int, report: Report) -> int:
    """Return the maximum of the answer, which includes its thinking."""
    maximum = request.options.max_tokens
    if maximum is not None:
        return maximum
    maximum = caps.max_tokens + budget
    if budget and caps.budgets:
        maximum = min(maximum, caps.budgets[-1] + 1)
    if budget < caps.max_output:  # 400 "max_tokens: 16384 > 8192, which is the maximum allowed"
        maximum = min(maximum, caps.max_output)
    report.add_loss("max_tokens.default", request, "options.max_tokens", did=str(maximum))
    return maximum


def requested_thinking(prepared: PreparedRequest, report: Report) -> ThinkingRequest | None:
    """Return what to ask of the model, as far as the history allows thinking.

    With a budget it thinks from the start of a round of tools or not at all: 400 "a final
    `assistant` message must start with a thinking block".
    """
    request, caps = prepared.request, prepared.caps
    thinking = resolve_thinking(request, caps, report, levels=EFFORTS)
    if not thinking_budget(thinking, caps):
        return thinking
    return None if barred_by_history(request.options, prepared.history, report) else thinking


def thinking_budget(thinking: ThinkingRequest | None, caps: Capabilities) -> int:
    """Return the tokens of a thinking budget; 0 if the model decides, or does not think.

    A negative budget leaves it to the model.
    """
    if thinking is None or thinking.off:
        return 0
    if thinking.budget is not None and thinking.budget > 0:
        return thinking.budget
    return USUAL_BUDGET if caps.form == "budget" else 0


def write_thinking(
    body: JsonObject, thinking: ThinkingRequest, prepared: PreparedRequest, report: Report
) -> None:
    """Put the thinking that is asked for into the body."""
    form, options = prepared.caps.form, prepared.request.options
    if thinking.off:
        body["thinking"] = {"type": "between_tools" if form == "between_tools" else "disabled"}
        if form == "between_tools" and prepared.offered:
            did = "between tool calls alone"
            report.add_loss("reasoning.always", options, "reasoning", what="off", did=did)
        return
    budget = thinking_budget(thinking, prepared.caps)
    fitting = fit_budget(budget, body["max_tokens"], options, report) if budget else None
    if not budget:
        body["thinking"] = {"type": "adaptive"}
    elif fitting is not None:
        body["thinking"] = {"type": "enabled", "budget_tokens": fitting}
    if thinking.effort is not None:
        body["output_config"] = {"effort": thinking.effort, **body.get("output_config", {})}
    if "thinking" in body:  # docs, "Extended thinking"
        request_fields.within(body, "top_p", "top_p", (0.95, 1.0), prepared.request, report)


_ALONE = "Anthropic docs, Thinking: between_tools (2026-10-08)"


def displays(caps: Capabilities) -> bool:
    """Whether the host has `thinking.display`: the API itself does, hosts that copy it do not."""
    return "anthropic" in caps.reads


def write_display(
    body: JsonObject, request: ChatRequest, caps: Capabilities, report: Report
) -> None:
    """Write how much of the thinking is shown, inside of `thinking`."""
    if not displays(caps):
        return
    thinking = body.get("thinking")
    by_default = caps.form == "adaptive" and caps.thinks in ("always", "default")
    off = isinstance(thinking, dict) and thinking.get("type") in ("disabled", "between_tools")
    if off and thinking == {"type": "between_tools"} and request.options.thoughts:
        report.add_loss(
            "option.refused", request.options, "thoughts", "display", "left out", _ALONE
        )
        return
    on = (thinking is not None or by_default) and not off
    if word := request_shown(request, _SHOWN, on, report):
        body["thinking"] = {"type": "adaptive", **(thinking or {}), "display": word}


def needed_betas(body: JsonObject) -> list[str]:
    """Return the betas without which the API refuses a value that the body has."""
    return [_UPDATES_BETA] if field_at(body, "thinking.display") == "updates" else []


def fit_still_fields(
    body: JsonObject, request: ChatRequest, issuer: str, caps: Capabilities, report: Report
) -> None:
    """Fit the provider's own fields to thinking that is turned off: effort, and fields beside it.

    Docs, "Thinking": no other field is allowed beside `between_tools`.
    """
    fit_still_effort(body, "output_config.effort", request, issuer, caps, report)
    thinking = body.get("thinking")
    if isinstance(thinking, dict) and thinking.get("type") == "between_tools":
        for key in thinking.keys() - {"type"}:
            field = f"extras.{issuer}.thinking.{key}"
            report.add_loss("option.refused", request, field, key, "left out", _ALONE)
        body["thinking"] = {"type": "between_tools"}


def drop_unbound_thinking(body: JsonObject) -> list[str]:
    """Make the provider drop thinking that fails its check; return the betas that this needs."""
    # the default of every model that binds thinking, written because it encloses the switch
    body.setdefault("thinking", {"type": "adaptive"})
    put_field(body, "thinking.block_binding", {"prefix_mismatch_behavior": "drop_block"})
    return ["thinking-binding-controls-2026-08-01"]


FORMAT_PATHS = ("output_config.format", "output_format")  # the second is the older place


def _read_format(body: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """Take the schema of the answer out of the body."""
    for path in FORMAT_PATHS:
        data = field_at(body, path)
        if not isinstance(data, dict) or data.keys() != {"type", "schema"}:
            continue
        if data["type"] == "json_schema" and isinstance(data["schema"], dict):
            take_field(body, path)
            if path != FORMAT_PATHS[0]:
                notes["format"] = path
            return ResponseFormat("schema", data["schema"])
    return None


def write_format(body: JsonObject, prepared: PreparedRequest, report: Report) -> None:
    """Put the schema into the body in the form that this API takes."""
    form = request_fields.response_format(prepared.request, prepared.caps, report)
    if form is not None and form.kind == "schema":
        put_field(body, FORMAT_PATHS[0], {"type": "json_schema", "schema": form.schema})
        if form.strict is False:  # a schema is always enforced here
            report.add_loss("format.lowered", form, "strict", did="kept to")
        request_fields.format_unsaid(form, report, "strict" if form.strict is False else "")


# fields that they share with ours, besides the list of domains
_OF_WEB: dict[str, tuple[str, ...]] = {
    "web_search": ("max_uses", "location"),
    "web_fetch": ("max_uses",),
}
_DOMAINS = {"allowed_domains": "domains", "blocked_domains": "blocked_domains"}


def _read_tool(data: JsonObject, issuer: str) -> Tool | ServerTool:
    """Read one entry of `tools`; an unknown tool is the provider's own."""
    kind, name = data.get("type"), data.get("name")
    fields = without(data, "name")
    is_named = isinstance(name, str) and name and isinstance(kind, str | None)
    tool: Tool | ServerTool
    if is_named and kind and name in SERVER_TOOLS and kind.startswith(f"{name}_"):
        tool = _read_server_tool(fields, name, issuer)
    elif is_named and ("type" not in data or kind == "custom"):
        tool = _read_function(fields, str(name), issuer)
    else:
        tool = ServerTool("own", extras={issuer: data})
    tool.read_from = data
    return tool


def _read_function(fields: JsonObject, name: str, issuer: str) -> Tool:
    tool = Tool(name)
    notes: JsonObject = {}
    if "type" in fields:
        notes["type"] = fields.pop("type")
    if isinstance(fields.get("description"), str):
        tool.description = fields.pop("description")
        if not tool.description:
            notes["description"] = "empty"
    if isinstance(fields.get("input_schema"), dict):
        tool.parameters = fields.pop("input_schema")
    if isinstance(fields.get("strict"), bool):
        tool.strict = fields.pop("strict")
    tool.cache = take_cache(fields)
    tool.extras = issuer_extras(issuer, fields, notes)
    return tool


def _write_tool(
    tool: Tool, schema: JsonObject | None, strict: bool | None, notes: JsonObject
) -> JsonObject:
    data = {
        "name": tool.name,
        "type": notes.get("type"),
        "description": tool.description or ("" if "description" in notes else None),
        "input_schema": schema,
        "strict": strict,
        "cache_control": None if tool.cache is None else cache_control(tool.cache),
    }
    return {key: value for key, value in data.items() if value is not None}


def _read_server_tool(fields: JsonObject, name: str, issuer: str) -> ServerTool:
    tool = ServerTool(name)  # type: ignore[arg-type]  # one of the kinds
    if fields["type"] == SERVER_TOOLS[name]:
        del fields["type"]
    if name in _OF_WEB:
        for key, field in _DOMAINS.items():
            if _are_texts(fields.get(key)):
                setattr(tool, field, tuple(fields.pop(key)))
        if type(fields.get("max_uses")) is int and fields["max_uses"] > 0:
            tool.max_uses = fields.pop("max_uses")
        place = fields.get("user_location") if name == "web_search" else None
        if isinstance(place, dict) and place.get("type") == "approximate":
            location = without(place, "type")
            if _are_texts(list(location.values())):
                tool.location = location
                del fields["user_location"]
    tool.extras = issuer_extras(issuer, fields, {})
    return tool


def _are_texts(value: Json) -> bool:
    """Whether the value is a list of texts that is not empty."""
    return isinstance(value, list) and bool(value) and all(type(text) is str for text in value)


def _write_server_tool(tool: ServerTool) -> JsonObject:
    data: JsonObject = {"type": SERVER_TOOLS[tool.kind], "name": tool.kind}
    if tool.kind in _OF_WEB:
        data |= {
            key: list(getattr(tool, field))
            for key, field in _DOMAINS.items()
            if getattr(tool, field)
        }
        if tool.max_uses is not None:
            data["max_uses"] = tool.max_uses
        if tool.location is not None and tool.kind == "web_search":
            data["user_location"] = {"type": "approximate", **tool.location}
    return data


def write_tool(tool: Tool | ServerTool, caps: Capabilities, report: Report) -> JsonObject:
    """Write `{"name", "description", "input_schema"}`, or a tool of the provider's.

    The extras field `type` selects another version of such a tool. An unknown one is written as it
    was read.
    """
    if type(tool) is Tool:
        schema, strict = parameters(tool, caps, report)
        return chat_messages.replay(_write_tool(tool, schema, strict, {}), tool, caps, report)
    assert type(tool) is ServerTool  # the only other type
    if tool.kind == "own":
        return chat_messages.replay({}, tool, caps, report)
    data = _write_server_tool(tool)
    fields = _OF_WEB.get(tool.kind, ())
    if fields:
        fields = (*fields, "domains" if tool.domains else "blocked_domains")
    if tool.domains:  # only one of the two lists is taken, and the allowed domains are more exact
        data.pop("blocked_domains", None)
    chat_messages.report_unsupported(tool, report, *fields)
    return chat_messages.replay(data, tool, caps, report)


def _tool_as_read(tool: Tool | ServerTool, issuer: str) -> Json:
    """Return the entry of `tools` that `_read_tool` read."""
    fields, notes = chat_messages.issuer_fields(tool, issuer)
    if type(tool) is Tool:
        return chat_messages.fill_fields(_write_tool(tool, tool.schema, tool.strict, notes), fields)
    assert type(tool) is ServerTool  # the only other type
    return fields if tool.kind == "own" else {**_write_server_tool(tool), **fields}


# `type` of a tool choice -> its mode
_MODES = {"auto": "auto", "none": "none", "any": "required", "tool": "tool"}
_CHOICE_TYPES = {mode: word for word, mode in _MODES.items()}


def _read_choice(body: JsonObject) -> ToolChoice | None:
    """Take the tool choice out of the body, except for fields that no node can hold."""
    data = body.get("tool_choice")
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(kind, str) or kind not in _MODES:
        return None
    fields = without(data, "type")
    values: dict[str, Any] = {"mode": _MODES[kind]}
    if kind == "tool":
        values["name"] = fields.pop("name", None)
        if not isinstance(values["name"], str):
            return None
    if isinstance(fields.get("disable_parallel_tool_use"), bool):
        values["parallel"] = not fields.pop("disable_parallel_tool_use")
    del body["tool_choice"]
    if fields:
        body["tool_choice"] = fields
    return ToolChoice(**values)


def write_choice(choice: ToolChoice, as_read: bool = False) -> JsonObject:
    """Write `{"type", "name", "disable_parallel_tool_use"}`."""
    data: JsonObject = {"type": _CHOICE_TYPES[choice.mode]}
    if choice.name is not None:
        data["name"] = choice.name
    if choice.parallel is not None and (as_read or choice.mode != "none"):
        data["disable_parallel_tool_use"] = not choice.parallel
    return data


_VERSION = "anthropic_version"


# paths of hosts that have the model in it
_MODEL_PATH = re.compile(
    r"/models?/(?P<model>[^/?]+?)[:/]"
    r"(?:(?P<stream>invoke-with-response-stream|streamRawPredict)|invoke|rawPredict)(?:\?|$)"
)


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """Read the request; its path may name the model, and show that a stream is wanted."""
    issuer = room.issuer
    turn = body.turn if type(body) is ParsedBody else None
    body = dict(body)
    notes: JsonObject = {}
    match = _MODEL_PATH.search(path) if path else None
    model = _read_model(body, match, notes)
    origin = Origin(issuer, model)
    entries: list[Json] = []
    if isinstance(body.get("messages"), list):
        entries = body.pop("messages")
    else:
        notes["messages"] = "absent"
    read = partial(messages.read_message, issuer=issuer, origin=origin)
    msgs = read_elements(turn, entries, origin, partial(ReadSingly, read)).msgs
    if (prompt := messages.read_system(body.get("system"), issuer)) is not None:
        del body["system"]
        msgs.insert(0, prompt)
    tools = body.pop("tools") if chat_messages.are_objects(body.get("tools")) else []
    request = new_request(msgs)
    request.tools = read_entries(
        tools, lambda entries: [_read_tool(entry, issuer) for entry in entries]
    )
    request.tool_choice = _read_choice(body)
    request.options = _read_options(body, notes)
    request.response_format = _read_format(body, notes)
    request.model = model
    request.stream = _read_stream(body, match, notes)
    if isinstance(body.get(_VERSION), str):
        notes[_VERSION] = body.pop(_VERSION)  # of the host's protocol, not part of the request
    read_betas(body, notes, headers)
    request.extras = issuer_extras(issuer, body, notes)
    return request


def _read_model(body: JsonObject, match: re.Match[str] | None, notes: JsonObject) -> str | None:
    model = body.get("model")
    if isinstance(model, str) and model:
        return str(body.pop("model"))
    if match is None or "model" in body:
        return None
    notes["model"] = "path"
    return unquote(match["model"])


def _read_stream(body: JsonObject, match: re.Match[str] | None, notes: JsonObject) -> bool:
    stream = body.get("stream")
    if isinstance(stream, bool):
        del body["stream"]
        if not stream:
            notes["stream"] = "false"
        return stream
    if match is None or "stream" in body or match["stream"] is None:
        return False
    notes["stream"] = "path"
    return True


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """Write the body with the fields in `kept` as `read_request` read them, and extra fields."""
    issuer = room.issuer
    body, notes = chat_messages.issuer_fields(req, issuer)
    if notes.get(BETAS) == "header":
        body.pop(BETAS, None)
    if _VERSION in notes:
        body[_VERSION] = notes[_VERSION]
    if req.model and "model" in kept and "model" not in notes:
        body["model"] = req.model
    prompt = next(filter(messages.at_top, req.messages), None) if "system" in kept else None
    if prompt is not None:
        body["system"] = messages.content_as_read(prompt, issuer)
    if elements or "messages" not in notes:
        body["messages"] = elements
    _options_as_read(body, req.options, kept, notes)
    if req.tools and "tools" in kept:
        body["tools"] = [_tool_as_read(tool, issuer) for tool in req.tools]
    if req.tool_choice is not None and "tool_choice" in kept:
        choice = write_choice(req.tool_choice, as_read=True)
        body["tool_choice"] = choice | body.get("tool_choice", {})
    if req.response_format is not None and "response_format" in kept:
        path = notes.get("format", FORMAT_PATHS[0])
        put_field(body, path, {"type": "json_schema", "schema": req.response_format.schema})
    stream = notes.get("stream")
    if "stream" in kept and stream != "path" and (req.stream or stream == "false"):
        body["stream"] = req.stream
    return body
