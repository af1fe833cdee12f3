"""A request but for its messages: options, tools, response format, streaming; read and written.

`write_options` composes the options, `body_as_read` writes a whole body as it was read.

Reference: ollama docs/api.md, "Chat"; api/types.go, ChatRequest, Options and Tool.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InvalidMessage
from ...losses import Report
from ...message import ChatRequest, Options, Origin, ResponseFormat, ServerTool, Tool
from ...text.json_text import Json, JsonObject, field_at, put_field, take_field
from ..base import Names, PreparedRequest, Room
from ..chat_like.messages import are_objects, issuer_extras, read_messages
from ..chat_like.request import read_envelope, read_tool, tool_as_read, write_envelope
from ..reasoning import resolve_thinking
from ..request_fields import option_value, options
from .messages import read_message

_SAME = ("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed", "stop")

# option -> where it stands in the body
OPTIONS = {
    "max_tokens": "options.num_predict",
    "repetition_penalty": "options.repeat_penalty",
    **{name: f"options.{name}" for name in _SAME},
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
}
_MOST_LOGPROBS = 20

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

# fields that no other protocol's requests have
UNIQUE_FIELDS = frozenset({"options", "keep_alive", "format", "think", "truncate", "shift"})

# keys of the requests of other protocols, which nobody sends here
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
    """The request that a body makes; without a word on it, it is streamed."""
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
    """The `tools` of a body, taken out of it; a list of anything else stays there."""
    entries = body.get("tools")
    if not are_objects(entries):
        return []
    try:
        tools = [read_tool(entry, issuer) for entry in entries]
    except InvalidMessage:  # a tool that no JSON can say again
        return []
    del body["tools"]
    return tools


def _read_options(body: JsonObject) -> Options:
    """The options, taken out of the body; what no option can hold stays there."""
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
    except InvalidMessage:  # text or numbers that no JSON can say again
        return Options()
    for path in paths:
        take_field(body, path)
    return values


def write_options(body: JsonObject, prepared: PreparedRequest, report: Report) -> None:
    """Put the options into the body: thinking and log probabilities as far as the server goes."""
    request, caps = prepared.request, prepared.caps
    requested = request.options
    fields = options(request, OPTIONS, caps, report)
    thinking = resolve_thinking(request, caps, report, budgets=False)
    if thinking is not None:
        level = None if thinking.effort is None else _LEVELS.get(thinking.effort)
        if level != thinking.effort and requested.reasoning is not None:
            did = f"sent as {level}" if level else "thinking is on"
            report.lost("option.range", requested, "reasoning", what=requested.reasoning, did=did)
        # a level where the model has levels, and a switch where it has not
        body["think"] = False if thinking.off else level or True
    if fields.get("top_logprobs", 0) > _MOST_LOGPROBS:
        fields["top_logprobs"] = _MOST_LOGPROBS
        report.lost("option.range", requested, "top_logprobs", did=str(_MOST_LOGPROBS))
    for path, value in fields.items():
        put_field(body, path, value)


def _read_format(body: JsonObject) -> ResponseFormat | None:
    value = body.get("format")
    if not (isinstance(value, dict) or value == "json"):
        return None
    try:
        form = ResponseFormat("json") if value == "json" else ResponseFormat("schema", value)
    except InvalidMessage:  # text that no JSON can say again
        return None
    del body["format"]
    return form


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """The body with those of `kept` as `read_request` found them, and those nobody models."""
    body, notes = write_envelope(req, set(kept) - {"stream"}, elements, room.issuer)
    if req.tools and "tools" in kept:
        body["tools"] = [tool_as_read(tool, room.issuer) for tool in req.tools]
    if (form := req.response_format) is not None and "response_format" in kept:
        body["format"] = form.schema if form.kind == "schema" else form.kind
    if "stream" not in notes or "stream" not in kept:
        body["stream"] = req.stream  # which has a meaning where it is left out
    for name, value in req.options.given():
        if name in kept and name == "reasoning":
            body["think"] = value == "on" if value in ("on", "off") else value
        elif name in kept and name in OPTIONS:
            put_field(body, OPTIONS[name], list(value) if name == "stop" else value)
    return body


def claims(body: Json, path: str | None = None) -> bool:
    """Whether this can be a request of `/api/chat`.

    A body of a model and messages alone is that of several protocols: it takes a key, or a shape
    of a message, that the others lack.
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
    return not UNIQUE_FIELDS.isdisjoint(body) or any(map(_is_native, entries))


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
