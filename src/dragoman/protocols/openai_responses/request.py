"""The fields of a request, read into the tree, and said again as they were read.

`read_request` and `body_as_read` are each other's inverse: what a field's neutral value does not
say stands in the notes (where it stood, how it was spelled) or among the fields that nobody models.
Reference: OpenAI API, "Create a model response", request body; requests of a dozen hosts.
"""

from __future__ import annotations

from collections.abc import Collection
from math import isfinite
from typing import Any

from ...errors import InvalidMessage
from ...jsontext import Json, JsonObject
from ...message import ChatRequest, Msg, Options, ResponseFormat
from ...message.blocks import noted
from .config import LOGPROBS
from .history import read_input
from .offered import choice_as_read, read_choice, read_tool, tool_as_read

__all__ = ["PLACES", "TOP", "body_as_read", "read_request"]

TOP = "top string"
# option -> where it stands; of several the first that is there
PLACES: dict[str, tuple[str, ...]] = {
    "max_tokens": ("max_output_tokens",),
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "top_logprobs": ("top_logprobs",),
    "service_tier": ("service_tier",),
    "user": ("safety_identifier", "user"),  # the older of them last
}
_REAL = {"temperature", "top_p"}
_TEXTS = {"service_tier", "user"}
_OURS = ("off", "on", "auto")  # words for efforts that are no efforts of this API's
_FORMATS = {"text": "text", "json_object": "json"}
_SCHEMA = {"schema": dict, "name": str, "description": str, "strict": bool}


def read_request(body: JsonObject, issuer: str, raw: bool) -> ChatRequest:
    """The request that the body makes; `raw`: thoughts are text, not sealed."""
    rest = dict(body)
    notes: JsonObject = {}
    model = rest.get("model")
    named = model if isinstance(model, str) and _right(model) else None
    if named:
        del rest["model"]
    msgs = _prompt(rest) + _input(rest, notes, issuer, raw, named)
    tools = _tools(rest, issuer)
    made = ChatRequest(msgs, tools=tools, model=named)
    made.options = Options(**_options(rest, notes))
    made.tool_choice = read_choice(rest, notes)
    made.response_format = _format(rest, notes)
    if isinstance(rest.get("stream"), bool):
        made.stream = rest.pop("stream")
        if not made.stream:
            notes["stream"] = "false"
    own = {who: kept for who, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _right(text: str) -> bool:
    """Whether there is text, without halves of characters, which no model is named with."""
    return bool(text) and (text.isascii() or text.encode("utf-8", "ignore").decode() == text)


def _prompt(rest: JsonObject) -> list[Msg]:
    """`instructions`: the first message, in a place of its own."""
    told = rest.get("instructions")
    if not isinstance(told, str) or not told:
        return []
    del rest["instructions"]
    made = Msg.trusted("", told, "system")
    made.spelling = TOP
    return [made]


def _input(
    rest: JsonObject, notes: JsonObject, issuer: str, raw: bool, model: str | None
) -> list[Msg]:
    told = rest.get("input")
    if isinstance(told, list):
        return read_input(rest.pop("input"), issuer, raw, model)
    if isinstance(told, str):
        notes["input"] = "string"
        return [Msg.trusted("", rest.pop("input"), "user")]
    notes["input"] = "absent"
    return []


def _tools(rest: JsonObject, issuer: str) -> list[Any]:
    told = rest.get("tools")
    if not (isinstance(told, list) and told and all(isinstance(one, dict) for one in told)):
        return []
    del rest["tools"]
    return [read_tool(one, issuer) for one in told]


def _options(rest: JsonObject, notes: JsonObject) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, places in PLACES.items():
        place = next((one for one in places if one in rest and _fits(name, rest[one])), None)
        if place is not None:
            given[name] = rest.pop(place)
            if place != places[0]:
                notes[name] = place
    include = rest.get("include")
    if isinstance(include, list) and include.count(LOGPROBS) == 1:
        given["logprobs"] = True
        notes["logprobs"] = include.index(LOGPROBS)
        _leave(rest, "include", [one for one in include if one != LOGPROBS])
    asked: Any = rest.get("reasoning")
    effort = asked.get("effort") if isinstance(asked, dict) else None
    if isinstance(effort, str) and _right(effort) and effort not in _OURS:
        given["reasoning"] = "off" if effort == "none" else effort
        _leave(rest, "reasoning", {k: v for k, v in asked.items() if k != "effort"})
    return given


def _leave(rest: JsonObject, key: str, left: Any) -> None:
    """What is left of a field when some of it was read."""
    if left:
        rest[key] = left
    else:
        del rest[key]


def _fits(name: str, value: Any) -> bool:
    if name in _TEXTS:
        return isinstance(value, str) and _right(value)
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (name in _REAL and isinstance(value, float)
                                      and isfinite(value))  # fmt: skip


def _format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """`text.format`; what it says beyond the neutral form stays where it stands."""
    text: Any = rest.get("text")
    told: Any = text.get("format") if isinstance(text, dict) else None
    kind = told.get("type") if isinstance(told, dict) else None
    if not isinstance(kind, str):
        return None
    if kind in _FORMATS:
        made = ResponseFormat(_FORMATS[kind])  # type: ignore[arg-type]  # one of two kinds
        left = {key: value for key, value in told.items() if key != "type"}
    else:
        given = {key: told[key] for key, cls in _SCHEMA.items() if isinstance(told.get(key), cls)}
        if kind != "json_schema" or "schema" not in given:
            return None
        try:
            made = ResponseFormat("schema", **given)
        except InvalidMessage:  # a schema in which half a character stands
            return None
        left = {key: value for key, value in told.items() if key != "type" and key not in given}
        if absent := [key for key in ("name", "description") if key not in given]:
            notes["format"] = absent
    inner = {key: value for key, value in text.items() if key != "format"}
    _leave(rest, "text", {**inner, "format": left} if left else inner)
    return made


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], issuer: str
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(issuer, {}))
    notes = extras.get(noted(issuer), {})
    if elements or notes.get("input") != "absent":
        body["input"] = _said_input(elements, notes.get("input") == "string")
    first = req.messages[0] if req.messages else None
    if "system" in kept and first is not None and first.spelling == TOP:
        body["instructions"] = first.content
    if req.model and "model" in kept:
        body["model"] = req.model
    for name, value in req.options.given():
        if name in kept:
            _say_option(body, name, value, notes)
    if req.tools and "tools" in kept:
        body["tools"] = [tool_as_read(tool, issuer) for tool in req.tools]
    if req.tool_choice is not None and "tool_choice" in kept:
        body.update(choice_as_read(req.tool_choice, notes))
    if req.response_format is not None and "response_format" in kept:
        _say_format(body, req.response_format, notes.get("format", ()))
    if "stream" in kept and (req.stream or "stream" in notes):
        body["stream"] = req.stream
    return body


def _said_input(elements: list[Json], string: bool) -> Json:
    if string and len(elements) == 1 and elements[0].keys() == {"role", "content"}:
        only = elements[0]
        if only["role"] == "user" and isinstance(only["content"], str):
            return only["content"]
    return elements


def _say_option(body: JsonObject, name: str, value: Any, notes: JsonObject) -> None:
    if name == "reasoning":
        body["reasoning"] = {**body.get("reasoning", {}),
                             "effort": "none" if value == "off" else value}  # fmt: skip
    elif name == "logprobs":
        if value and "logprobs" in notes:
            listed = list(body.get("include", ()))
            listed.insert(notes["logprobs"], LOGPROBS)
            body["include"] = listed
    elif name in PLACES:
        body[notes.get(name, PLACES[name][0])] = value


def _say_format(body: JsonObject, form: ResponseFormat, absent: Collection[str]) -> None:
    text = body.get("text", {})
    made: JsonObject = {"type": "json_schema"}
    if form.kind == "schema":
        fields = {key: getattr(form, key) for key in _SCHEMA}
        made.update({k: v for k, v in fields.items() if v is not None and k not in absent})
    else:
        made["type"] = next(key for key, kind in _FORMATS.items() if kind == form.kind)
    body["text"] = {**text, "format": {**made, **text.get("format", {})}}
