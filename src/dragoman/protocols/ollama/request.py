"""A request but for its messages: options, tools, response format, streaming; read and written.

`write_options` composes the options, `body_as_read` writes a whole body as it was read.

Reference: ollama docs/api.md, "Chat"; api/types.go, ChatRequest, Options and Tool.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ...errors import InvalidMessage
from ...losses import Report
from ...message import ChatRequest, Options, ResponseFormat, ServerTool, Tool
from ..base import PreparedRequest
from ..chat_request import read_tool, tool_as_read
from ..chat_shape import are_objects, issuer_extras, issuer_fields
from ..reasoning import asked
from ..request_fields import field_at, option_value, options, put_field, take_field
from .messages import read_messages

# option -> where it stands in the body
OPTIONS = {
    "max_tokens": "options.num_predict",
    "temperature": "options.temperature",
    "top_p": "options.top_p",
    "top_k": "options.top_k",
    "presence_penalty": "options.presence_penalty",
    "frequency_penalty": "options.frequency_penalty",
    "repetition_penalty": "options.repeat_penalty",
    "seed": "options.seed",
    "stop": "options.stop",
    "logprobs": "logprobs",
    "top_logprobs": "top_logprobs",
}


_MOST_LOGPROBS = 20


# the server refuses any other level
_LEVELS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "max",
           "max": "max", "ultra": "max"}  # fmt: skip


# fields that no other protocol's requests have
MARKS = frozenset({"options", "keep_alive", "format", "think", "truncate", "shift"})


# keys of the requests of other protocols, which nobody sends here
_OTHERS = ("max_tokens", "max_completion_tokens", "tool_choice", "response_format", "system",
           "temperature", "top_p", "stop", "input", "contents", "n", "seed", "reasoning_effort",
           "inferenceConfig", "provider", "stream_options", "stop_sequences")  # fmt: skip


def read_request(body: JsonObject, issuer: str) -> ChatRequest:
    """The request that the body makes."""
    other_fields = dict(body)
    notes: JsonObject = {}
    model = body.get("model")
    model = other_fields.pop("model") if isinstance(model, str) and model else None
    entries: list[Json] = []
    if isinstance(body.get("messages"), list):
        entries = other_fields.pop("messages")
    else:
        notes["messages"] = "absent"
    stream = True  # where nobody says so
    if isinstance(body.get("stream"), bool):
        stream = other_fields.pop("stream")
    else:
        notes["stream"] = "unsaid"
    req = ChatRequest(
        read_messages(entries, issuer, model),
        tools=_read_tools(other_fields, issuer),
        options=_read_options(other_fields),
        response_format=_read_format(other_fields),
        model=model,
        stream=stream,
    )
    req.extras = issuer_extras(issuer, other_fields, notes)
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
        think = "on" if think else "off"
    elif not isinstance(think, str) or think in ("", "on", "off"):
        think = None
    if think is not None:
        fields["reasoning"] = think
        paths.append("think")
    try:
        read = Options(**fields)
    except InvalidMessage:  # text or numbers that no JSON can say again
        return Options()
    for path in paths:
        take_field(body, path)
    return read


def write_options(body: JsonObject, prepared: PreparedRequest, report: Report) -> None:
    """Put the options into the body: thinking and log probabilities as far as the server goes."""
    request, caps = prepared.request, prepared.caps
    given = request.options
    fields = options(request, OPTIONS, caps, report)
    thinking = asked(request, caps, report, budgets=False)
    if thinking is not None:
        level = None if thinking.effort is None else _LEVELS.get(thinking.effort)
        if level != thinking.effort and given.reasoning is not None:
            did = f"sent as {level}" if level else "thinking is on"
            report.lost("option.range", given, "reasoning", what=given.reasoning, did=did)
        # a level where the model has levels, and a switch where it has not
        body["think"] = False if thinking.off else level or True
    if fields.get("top_logprobs", 0) > _MOST_LOGPROBS:
        fields["top_logprobs"] = _MOST_LOGPROBS
        report.lost("option.range", given, "top_logprobs", did=str(_MOST_LOGPROBS))
    for path, value in fields.items():
        put_field(body, path, value)


def _read_format(body: JsonObject) -> ResponseFormat | None:
    value = body.get("format")
    try:
        if isinstance(value, dict):
            form = ResponseFormat("schema", value)
        elif value == "json":
            form = ResponseFormat("json")
        else:
            return None
    except InvalidMessage:  # text that no JSON can say again
        return None
    del body["format"]
    return form


def body_as_read(
    req: ChatRequest, fields: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with those of `fields` as `read_request` found them, and those nobody models."""
    body, notes = issuer_fields(req, issuer)
    if elements or "messages" not in notes:
        body["messages"] = elements
    if req.model and "model" in fields:
        body["model"] = req.model
    if req.tools and "tools" in fields:
        body["tools"] = [tool_as_read(tool, issuer) for tool in req.tools]
    if (form := req.response_format) is not None and "response_format" in fields:
        body["format"] = form.schema if form.kind == "schema" else form.kind
    if "stream" not in notes or "stream" not in fields:
        body["stream"] = req.stream  # which has a meaning where it is left out
    for name, value in req.options.given():
        if name in fields and name == "reasoning":
            body["think"] = value == "on" if value in ("on", "off") else value
        elif name in fields and name in OPTIONS:
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
    return not MARKS.isdisjoint(body) or any(map(_is_native, entries))


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
