"""The fields of a request that differ from Chat Completions.

Reference: Cohere API, "Chat": `tools`, `strict_tools`, `tool_choice`, `response_format`,
`thinking`.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from ...capabilities import Capabilities
from ...capabilities.overrides import vary
from ...history.passes.survey import Tools
from ...losses import Report
from ...message import ChatRequest, ResponseFormat, ServerTool, Tool, ToolChoice
from ...schema import lower_once
from ...text.json_text import JsonObject
from ..chat_like import request as chat_request
from ..chat_like.protocol import ChatRoom
from ..reasoning import resolve_thinking
from ..request_fields import format_unsaid
from .capabilities import CAN
from .fields import MOST_STOPS

CHOICES = {"REQUIRED": "required", "NONE": "none"}

_FORMATS: dict[Any, Any] = {"text": "text", "json_object": "json"}
_SCHEMA = ("json_schema", "schema")  # the second one is in some samples of the documentation

_PENALTIES = ("frequency_penalty", "presence_penalty")


def read_fields(room: ChatRoom, body: JsonObject, notes: JsonObject) -> dict[str, Any]:
    """Take tools, choice, options and format out of the body."""
    return {
        "tools": _read_tools(body, room.issuer),
        "tool_choice": _read_choice(body),
        "options": room.read_options(body, notes),
        "response_format": _read_format(body, notes),
    }


def _read_tools(body: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """Take the tools out of the body. `strict_tools` becomes a field of each function."""
    tools = chat_request.read_tools(body, issuer, strict=False)
    functions = [tool for tool in tools if type(tool) is Tool]
    if functions and isinstance(body.get("strict_tools"), bool):
        strict = body.pop("strict_tools")
        tools = [copy(tool) for tool in tools]  # those that were read may be known to others
        for tool in tools:
            if type(tool) is Tool:
                tool.strict = strict
    return tools


def tools_as_read(room: ChatRoom, body: JsonObject, tools: Tools) -> None:
    """Put the tools into the body, and whether they are strict."""
    body["tools"] = [chat_request.tool_as_read(tool, room.issuer, strict=False) for tool in tools]
    strict = [tool.strict for tool in tools if type(tool) is Tool and tool.strict is not None]
    if strict:
        body["strict_tools"] = strict[0]


def write_tools(room: ChatRoom, tools: Tools, caps: Capabilities, report: Report) -> JsonObject:
    """Write the tools: one switch makes all of them strict, if all of them ask for it."""
    wishes = {tool.strict for tool in tools if type(tool) is Tool}
    if True in wishes and len(wishes) > 1:
        caps = vary(caps, strict_tools=False)  # each of them reports the loss
    entries = [chat_request.write_tool(tool, caps, report) for tool in tools]
    functions = [
        (tool, entry["function"].pop("strict", None))
        for tool, entry in zip(tools, entries, strict=True)
        if type(tool) is Tool
    ]
    switches = {strict for _, strict in functions}
    if switches == {True} or switches in ({False}, {False, None}):
        return {"tools": entries, "strict_tools": True in switches}
    for tool, strict in functions:
        if strict:
            report.add_loss("tool.strict", tool, "strict", did="no tool is strict")
    return {"tools": entries}


def _read_choice(body: JsonObject) -> ToolChoice | None:
    """Take `tool_choice` out of the body; without it the model decides."""
    value = body.get("tool_choice")
    if not isinstance(value, str) or value not in CHOICES:
        return None
    del body["tool_choice"]
    return ToolChoice(CHOICES[value])  # type: ignore[arg-type]  # one of two modes


def _read_format(body: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """Take `response_format` out of the body, except for what a ResponseFormat cannot hold."""
    value = body.get("response_format")
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(kind, str) or kind not in _FORMATS:
        return None
    unknown = {key: value[key] for key in value if key != "type"}
    form = ResponseFormat(_FORMATS[kind])
    key = next((key for key in _SCHEMA if isinstance(unknown.get(key), dict)), None)
    if key is not None and kind == "json_object":
        form = ResponseFormat("schema", unknown.pop(key))
        if key != _SCHEMA[0]:
            notes["format"] = key
    del body["response_format"]
    if unknown:
        body["response_format"] = unknown
    return form


def format_as_read(
    room: ChatRoom, body: JsonObject, form: ResponseFormat, notes: JsonObject
) -> None:
    """Put the format into the body, around the fields that remained there."""
    data = _format(form, notes.get("format"))
    body["response_format"] = data | body.get("response_format", {})


def _format(form: ResponseFormat, key: str | None = None) -> JsonObject:
    """Write `{"type": "json_object", "json_schema": the bare schema}`, or the type alone."""
    schema = {key or _SCHEMA[0]: form.schema} if form.kind == "schema" else {}
    return {"type": "text" if form.kind == "text" else "json_object", **schema}


def write_format(
    room: ChatRoom, form: ResponseFormat, caps: Capabilities, report: Report
) -> JsonObject:
    """Write the format; a schema that the API would refuse is left out."""
    if form.kind == "schema":
        format_unsaid(form, report)
        rules = caps.format_schema
        if rules != "plain" and lower_once(form.schema or {}, rules).unfit:
            report.add_loss("format.lowered", form, what="schema", did="json")
            form = ResponseFormat("json")
    return _format(form)


def read_thinking(room: ChatRoom, body: JsonObject, notes: JsonObject) -> dict[str, Any]:
    """Take the options of `thinking` out of the body: on, off, or within a budget."""
    value = body.get("thinking")
    if not isinstance(value, dict) or not value:
        return {}
    kind, budget = value.get("type"), value.get("token_budget")
    unknown = dict(value)
    if type(budget) is int and budget > 0 and kind in (None, "enabled"):
        values = {"reasoning_budget": unknown.pop("token_budget")}
    elif kind in ("enabled", "disabled"):
        values = {"reasoning": "on" if kind == "enabled" else "off"}
    else:
        return {}
    if kind is None:
        notes["thinking"] = "untyped"
    else:
        del unknown["type"]
    del body["thinking"]
    if unknown:
        body["thinking"] = unknown
    return values


def thinking_as_read(
    room: ChatRoom, body: JsonObject, name: str, value: Any, notes: JsonObject
) -> None:
    """Put an option of `thinking` into the body."""
    data: JsonObject = {"type": "disabled" if value == "off" else "enabled"}
    if name == "reasoning_budget":
        data["token_budget"] = value
        if "thinking" in notes:
            del data["type"]
    body["thinking"] = data | body.get("thinking", {})


def write_options(
    room: ChatRoom, request: ChatRequest, caps: Capabilities, report: Report
) -> JsonObject:
    """Write the options, each in its range, and `thinking`."""
    body = ChatRoom.write_options(room, request, caps, report)
    if len(body.get("stop_sequences", ())) > MOST_STOPS:
        body["stop_sequences"] = body["stop_sequences"][:MOST_STOPS]
        report.add_loss("option.range", request.options, "stop", did=f"the first {MOST_STOPS}")
    if body.keys() >= set(_PENALTIES):  # "cannot specify both"
        refused = _PENALTIES[0] if not body[_PENALTIES[0]] else _PENALTIES[1]
        del body[refused]
        report.add_loss(
            "option.refused",
            request.options,
            refused,
            what=f"{refused} beside the other one",
            did="left out",
        )
    # levels of thinking are budgets here, whatever another host of the model takes
    caps = vary(caps, efforts=(), budgets=caps.budgets or CAN.budgets)
    if (thinking := resolve_thinking(request, caps, report)) is not None:
        body["thinking"] = {"type": "disabled" if thinking.off else "enabled"}
        if thinking.budget is not None:
            body["thinking"]["token_budget"] = thinking.budget
    return body
