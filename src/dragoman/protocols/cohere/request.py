"""The fields of a request: read into the tree, written as they were read, and composed.

Reference: Cohere API, "Chat": `tools`, `strict_tools`, `tool_choice`, `response_format`,
`thinking`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from ..._core.jsontext import Json, JsonObject
from ...capabilities import Capabilities
from ...losses import Report
from ...message import ChatRequest, Options, Origin, ResponseFormat, ServerTool, Tool, ToolChoice
from ...schema import lowered_once
from ..chat_request import read_envelope, read_tools, tool_as_read, write_envelope, write_tool
from ..chat_shape import issuer_extras, read_messages
from ..reasoning import asked
from ..request_fields import format_unsaid, option_value, options, within
from .dialect import CAN
from .messages import read_message

CHOICES = {"REQUIRED": "required", "NONE": "none"}
CHOICE_WORDS = {mode: word for word, mode in CHOICES.items()}

_FORMATS: dict[Any, Any] = {"text": "text", "json_object": "json"}
_SCHEMA = ("json_schema", "schema")  # the second one in some of the documents' samples

# option -> its key here
OPTIONS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "p",
    "top_k": "k",
    "seed": "seed",
    "stop": "stop_sequences",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "logprobs": "logprobs",
}
# Cohere API, "Chat", request body: from and to
_RANGES = {
    "temperature": (0, 1), "top_p": (0.01, 0.99), "top_k": (0, 500), "frequency_penalty": (0, 1),
    "presence_penalty": (0, 1),
}  # fmt: skip
_STOPS = 5
_PENALTIES = ("frequency_penalty", "presence_penalty")


def read_request(body: JsonObject, issuer: str) -> ChatRequest:
    """The request of a body. Fields that no node models are its extras."""
    unknown = dict(body)
    notes: JsonObject = {}
    entries, model, stream = read_envelope(unknown, notes)
    origin = Origin(issuer, model)
    req = ChatRequest(
        read_messages(entries, lambda entry, index: read_message(entry, issuer, origin, index)),
        tools=_read_tools(unknown, issuer),
        tool_choice=_read_choice(unknown),
        options=_read_options(unknown, notes),
        response_format=_read_format(unknown, notes),
        model=model,
        stream=stream,
    )
    req.extras = issuer_extras(issuer, unknown, notes)
    return req


def body_as_read(
    req: ChatRequest, fields: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body that `read_request` read, with those of `fields` and those nobody models."""
    body, notes = write_envelope(req, fields, elements, issuer)
    for name, value in req.options.given():
        if name in fields and name in OPTIONS:
            body[OPTIONS[name]] = list(value) if name == "stop" else value
        elif name in fields:
            _thinking_as_read(body, name, value, notes.get("thinking"))
    if req.tools and "tools" in fields:
        body["tools"] = [tool_as_read(tool, issuer, strict=False) for tool in req.tools]
        strict = [tool.strict for tool in req.tools if type(tool) is Tool]
        if any(value is not None for value in strict):
            body["strict_tools"] = next(value for value in strict if value is not None)
    if req.tool_choice is not None and "tool_choice" in fields:
        body["tool_choice"] = CHOICE_WORDS[req.tool_choice.mode]
    if req.response_format is not None and "response_format" in fields:
        form = _format(req.response_format, notes.get("format"))
        body["response_format"] = form | body.get("response_format", {})
    return body


def _read_tools(body: JsonObject, issuer: str) -> list[Tool | ServerTool]:
    """The tools, taken out of the body. `strict_tools` is a field of each function."""
    tools = read_tools(body, issuer, strict=False)
    functions = [tool for tool in tools if type(tool) is Tool]
    if functions and isinstance(body.get("strict_tools"), bool):
        strict = body.pop("strict_tools")
        for tool in functions:
            tool.strict = strict
    return tools


def write_tools(
    tools: Sequence[Tool | ServerTool], caps: Capabilities, report: Report
) -> tuple[list[JsonObject], bool | None]:
    """(the tools, `strict_tools`): one switch for all of them, which all must want."""
    wishes = {tool.strict for tool in tools if type(tool) is Tool}
    if True in wishes and len(wishes) > 1:
        caps = replace(caps, strict_tools=False)  # whose loss each of them is
    entries = [write_tool(tool, caps, report) for tool in tools]
    functions = [(tool, entry["function"].pop("strict", None))
                 for tool, entry in zip(tools, entries, strict=True)
                 if type(tool) is Tool]  # fmt: skip
    switches = {strict for _, strict in functions}
    if switches <= {False, None} or switches == {True}:
        return entries, next((value for value in (True, False) if value in switches), None)
    for tool, strict in functions:
        if strict:
            report.lost("tool.strict", tool, "strict", did="no tool is strict")
    return entries, None


def _read_choice(body: JsonObject) -> ToolChoice | None:
    """`tool_choice`, taken out of the body; its absence is the model's own choice."""
    value = body.get("tool_choice")
    if not isinstance(value, str) or value not in CHOICES:
        return None
    del body["tool_choice"]
    return ToolChoice(CHOICES[value])  # type: ignore[arg-type]  # one of two modes


def _read_format(body: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """`response_format`, taken out of the body but for what no ResponseFormat holds."""
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


def _format(form: ResponseFormat, key: str | None = None) -> JsonObject:
    """`{"type": "json_object", "json_schema": the bare schema}`, or its type alone."""
    schema = {key or _SCHEMA[0]: form.schema} if form.kind == "schema" else {}
    return {"type": "text" if form.kind == "text" else "json_object", **schema}


def write_format(form: ResponseFormat, caps: Capabilities, report: Report) -> JsonObject:
    """The format; a schema that the API would refuse is left out."""
    if form.kind == "schema":
        format_unsaid(form, report)
        rules = caps.format_schema
        if rules != "plain" and lowered_once(form.schema or {}, rules).unfit:
            report.lost("format.lowered", form, what="schema", did="json")
            form = ResponseFormat("json")
    return _format(form)


def _read_options(body: JsonObject, notes: JsonObject) -> Options:
    values: dict[str, Any] = {}
    for name, key in OPTIONS.items():
        value = option_value(name, body.get(key))
        if value is not None and not (name == "stop" and isinstance(body[key], str)):
            del body[key]
            values[name] = value
    return Options(**values, **_read_thinking(body, notes))


def _read_thinking(body: JsonObject, notes: JsonObject) -> dict[str, Any]:
    """The options of `thinking`, taken out of the body: on, off, or within a budget."""
    value = body.get("thinking")
    if not isinstance(value, dict) or not value:
        return {}
    kind, budget = value.get("type"), value.get("token_budget")
    unknown = {key: value[key] for key in value if key not in ("type", "token_budget")}
    values: dict[str, Any] = {}
    if type(budget) is int and budget > 0 and kind in (None, "enabled"):
        values["reasoning_budget"] = budget
        if kind is None:
            unknown |= {"type": None} if "type" in value else {}
            notes["thinking"] = "untyped"
    elif kind in ("enabled", "disabled"):
        values["reasoning"] = "on" if kind == "enabled" else "off"
        unknown |= {"token_budget": budget} if "token_budget" in value else {}
    else:
        return {}
    del body["thinking"]
    if unknown:
        body["thinking"] = unknown
    return values


def _thinking_as_read(body: JsonObject, name: str, value: Any, note: str | None) -> None:
    data: JsonObject = {"type": "disabled" if value == "off" else "enabled"}
    if name == "reasoning_budget":
        data["token_budget"] = value
        if note == "untyped":
            del data["type"]
    body["thinking"] = data | body.get("thinking", {})


def write_options(request: ChatRequest, caps: Capabilities, report: Report) -> JsonObject:
    """The options in their ranges, and `thinking`."""
    body = options(request, OPTIONS, caps, report)
    for name, limits in _RANGES.items():
        within(body, OPTIONS[name], name, limits, request, report)
    if len(body.get("stop_sequences", ())) > _STOPS:
        body["stop_sequences"] = body["stop_sequences"][:_STOPS]
        report.lost("option.range", request.options, "stop", did=f"the first {_STOPS}")
    if body.keys() >= set(_PENALTIES):  # "cannot specify both"
        refused = _PENALTIES[0] if not body[_PENALTIES[0]] else _PENALTIES[1]
        del body[refused]
        report.lost("option.refused", request.options, refused,
                    what=f"{refused} beside the other one", did="left out")  # fmt: skip
    # levels of thinking are budgets here, whatever another host of the model takes
    caps = replace(caps, efforts=(), budgets=caps.budgets or CAN.budgets)
    if (thinking := asked(request, caps, report)) is not None:
        body["thinking"] = {"type": "disabled" if thinking.off else "enabled"}
        if thinking.budget is not None:
            body["thinking"]["token_budget"] = thinking.budget
    return body
