"""The fields of a request around its messages: options, tools, format, streaming.

`write_options` composes the options, `body_as_read` writes a whole body as it was read.

Reference: ollama docs/api.md, "Chat"; api/types.go, ChatRequest, Options and Tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InvalidMessage
from ...losses import Report
from ...message import ChatRequest, Options, Origin, ResponseFormat, ServerTool, Tool
from ...message.known_tools import read_entries
from ...text.json_text import Json, JsonObject, field_at, put_field, take_field
from ..base import Names, PreparedRequest, Room
from ..chat_like.messages import are_objects, issuer_extras, read_messages
from ..chat_like.request import read_envelope, read_tool, tool_as_read, write_envelope
from ..reasoning import resolve_thinking
from ..request_fields import option_value, options
from .fields import FIELDS, MOST_LOGPROBS, OPTIONS
from .messages import read_message

# the server refuses any other level
_LEVELS = {
    "minimal": "low",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "max",
    "max": "max",
    "ultra": "max",
}

# fields of other protocols' requests, which requests of this one do not have
_OTHERS = (
    "max_tokens",
    "max_completion_tokens",
    "tool_choice",
    "response_format",
    "system",
    "temperature",
    "top_p",
    "stop",
    "input",
    "contents",
    "n",
    "seed",
    "reasoning_effort",
    "inferenceConfig",
    "provider",
    "stream_options",
    "stop_sequences",
)


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """Read the request that a body makes; without a `stream` field it is streamed."""
    issuer, unknown = room.issuer, dict(body)
    notes: JsonObject = {}
    entries, model, stream = read_envelope(unknown, notes)
    notes.pop("stream", None)  # false is no default here
    if not isinstance(body.get("stream"), bool):
        stream, notes["stream"] = True, "unsaid"
    origin = Origin(issuer, model)
    req = ChatRequest(
        read_messages(entries, lambda entry, index: read_message(entry, issuer, origin, index)),
        tools=_read_tools(unknown, issuer),
        options=_read_options(unknown),
        response_format=_read_format(unknown),
        model=model,
        stream=stream,
    )
    req.extras = issuer_extras(issuer, unknown, notes)
    return req


def _read_tools(body: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """Take the `tools` out of the body; a list of anything else stays there."""
    entries = body.get("tools")
    if not are_objects(entries):
        return []
    try:
        tools = read_entries(
            entries, lambda entries: [read_tool(entry, issuer) for entry in entries]
        )
    except InvalidMessage:  # a tool that JSON cannot express
        return []
    del body["tools"]
    return tools


def _read_options(body: JsonObject) -> Options:
    """Take the options out of the body; what no option can hold stays there."""
    fields: dict[str, Any] = {}
    paths: list[str] = []
    for name, path in OPTIONS.items():
        value = option_value(name, data := field_at(body, path))
        # -1 and -2 mean: as many tokens as there is room for
        open_end = name == "max_tokens" and value is not None and value <= 0
        if value is not None and not open_end and not (name == "stop" and isinstance(data, str)):
            fields[name] = value
            paths.append(path)
    think = body.get("think")
    if isinstance(think, bool):
        fields["reasoning"] = "on" if think else "off"
    elif isinstance(think, str) and think not in ("", "on", "off"):
        fields["reasoning"] = think
    if "reasoning" in fields:
        paths.append("think")
    try:
        values = Options(**fields)
    except InvalidMessage:  # text or numbers that JSON cannot express
        return Options()
    for path in paths:
        take_field(body, path)
    return values


def write_options(body: JsonObject, prepared: PreparedRequest, report: Report) -> None:
    """Put the options into the body; thinking and log probabilities as far as the server allows."""
    request, caps = prepared.request, prepared.caps
    requested = request.options
    fields = options(request, OPTIONS, caps, report)
    thinking = resolve_thinking(request, caps, report, budgets=False)
    if thinking is not None:
        level = None if thinking.effort is None else _LEVELS.get(thinking.effort)
        if level != thinking.effort and requested.reasoning is not None:
            did = f"sent as {level}" if level else "thinking is on"
            report.add_loss(
                "option.range", requested, "reasoning", what=requested.reasoning, did=did
            )
        # a level if the model has levels, otherwise a switch
        body["think"] = False if thinking.off else level or True
    if fields.get("top_logprobs", 0) > MOST_LOGPROBS:
        fields["top_logprobs"] = MOST_LOGPROBS
        report.add_loss("option.range", requested, "top_logprobs", did=str(MOST_LOGPROBS))
    for path, value in fields.items():
        put_field(body, path, value)


def _read_format(body: JsonObject) -> ResponseFormat | None:
    value = body.get("format")
    if not (isinstance(value, dict) or value == "json"):
        return None
    try:
        form = ResponseFormat("json") if value == "json" else ResponseFormat("schema", value)
    except InvalidMessage:  # text that JSON cannot express
        return None
    del body["format"]
    return form


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """Write the body with the fields in `kept` as `read_request` read them, and extra fields."""
    body, notes = write_envelope(req, set(kept) - {"stream"}, elements, room.issuer)
    if req.tools and "tools" in kept:
        body["tools"] = [tool_as_read(tool, room.issuer) for tool in req.tools]
    if (form := req.response_format) is not None and "response_format" in kept:
        body["format"] = form.schema if form.kind == "schema" else form.kind
    if "stream" not in notes or "stream" not in kept:
        body["stream"] = req.stream  # its absence has a meaning of its own
    for name, value in req.options.list_values():
        if name in kept and name == "reasoning":
            body["think"] = value == "on" if value in ("on", "off") else value
        elif name in kept and name in OPTIONS:
            put_field(body, OPTIONS[name], list(value) if name == "stop" else value)
    return body


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this can be a request of `/api/chat`.

    A body of only a model and messages could be of several protocols: it needs a key, or a shape of
    a message, that the others lack.
    """
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    if path:
        return path.partition("?")[0].rstrip("/").endswith("/api/chat")
    if any(key in body for key in _OTHERS):
        return False
    entries = [entry for entry in body["messages"] if isinstance(entry, dict)]
    if any(isinstance(entry.get("content"), list) for entry in entries):
        return False
    return not FIELDS.unique.isdisjoint(body) or any(map(_is_native, entries))


def _is_native(message: JsonObject) -> bool:
    """Whether only this protocol has messages of this shape."""
    if "images" in message or "tool_name" in message:
        return True
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("arguments"), dict):
            return True
    return False
