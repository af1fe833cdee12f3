"""Reads and writes requests of Chat Completions: options, thinking, usage and response format.

Messages are in `messages`, tools and tool choice in `tools`. Each reader takes out of the body what
the tree can hold, and its writer puts it back; notes record which of several spellings was used.
Reference: OpenAI API, "Create chat completion", request body; requests of some forty hosts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...history.passes.survey import RoledHistory
from ...losses import Report
from ...message import ChatRequest, Options
from ...message.blocks import NOTES, name_notes
from ...message.known_history import read_elements
from ...message.known_tools import ParsedBody
from ...message.options import NO_OPTIONS
from ...message.request import model_origin, new_request
from ...text.json_text import Json, JsonObject, field_at, put_field, take_field
from ..base import Names, Room
from ..chat_like import request as chat_request
from ..chat_like.messages import (
    issuer_extras,
    issuer_fields,
)
from ..reasoning import USUAL_BUDGET, ThinkingRequest, choose_display, fit_budget
from ..request_fields import option_value
from .dialect import Dialect, OptionPlaces
from .fields import NO_OPTIONS_IN
from .messages import ChatReading
from .tools import choice_as_read, read_choice, read_tools, tools_as_read

# where thinking is asked for, and the meaning of the values there; other values are efforts
_SWITCH = {True: "on", False: "off"}
_EFFORT = {"none": "off"}


_THINKING_PLACES: dict[str, dict[Any, str]] = {
    "reasoning_effort": _EFFORT,
    "reasoning.effort": _EFFORT,
    "thinking.type": {"enabled": "on", "disabled": "off", "adaptive": "on"},
    "reasoning.enabled": _SWITCH,
    "enable_thinking": _SWITCH,
    "chat_template_kwargs.enable_thinking": _SWITCH,
    "chat_template_kwargs.thinking": _SWITCH,
}


# of `reasoning.exclude`, which hides thinking from the answer
_SHOWN = {
    "none": "true",
    "auto": "false",
    "concise": "false",
    "detailed": "false",
    "updates": "false",
}


# whether a stream ends with its usage; only this protocol has the field, in others every stream
# does
USAGE = "stream_options.include_usage"


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """Read the request that the body makes."""
    return read_with_history(room, body)[0]


def read_with_history(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> tuple[ChatRequest, RoledHistory | None]:
    """Read the request and the roles of its messages, which this reader finds if they are usual."""
    dialect: Dialect = room.dialect
    issuer = dialect.reads_items_of[0]
    turn = body.turn if type(body) is ParsedBody else None
    other_fields = dict(body)
    notes: JsonObject = {}
    entries, model, stream = chat_request.read_envelope(other_fields, notes)
    # other wires always report usage; a request for none is kept
    if field_at(other_fields, USAGE) is True:
        notes["usage"] = take_field(other_fields, USAGE)
    options = _read_options(other_fields, notes, dialect.option_places)
    origin = model_origin(issuer, model)
    reading = read_elements(turn, entries, origin, partial(ChatReading, issuer, origin))
    req = new_request(reading.msgs)
    req.tools = read_tools(other_fields, notes, dialect)
    req.tool_choice = read_choice(other_fields, notes, chat_request.freeform_names(req.tools))
    req.options = options
    req.response_format = chat_request.read_format(other_fields, notes)
    req.stream = stream
    req.model = model
    if other_fields or notes:
        req.extras = issuer_extras(issuer, other_fields, notes)
    return req, reading.finish()


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """Write the body around `elements`, with the fields in `kept` as `read_request` read them."""
    body, notes = chat_request.write_envelope(req, kept, elements, room.issuer)
    if "usage" in notes and ("stream" in kept or req.stream):
        put_field(body, USAGE, notes["usage"])
    for name, value in req.options.list_values():
        if name not in kept:
            continue
        if name == "stop":
            body["stop"] = value[0] if notes.get("stop") == "text" else list(value)
        elif name == "reasoning":
            _thinking_as_read(body, value, notes)
        elif name == "thoughts":
            put_field(body, option_path(name, notes, room.dialect), value == "none")
        else:
            put_field(body, option_path(name, notes, room.dialect), value)
    if req.tools and "tools" in kept:
        tools_as_read(body, [*req.tools], notes, room.dialect)
    if req.tool_choice is not None and "tool_choice" in kept:
        freeform = chat_request.freeform_names(req.tools)
        choice_as_read(body, req.tool_choice, notes.get("tool_choice"), freeform)
    if req.response_format is not None and "response_format" in kept:
        chat_request.format_as_read(body, req.response_format, notes)
    return body


def asks_usage(request: ChatRequest) -> bool:
    """Whether the request wants the usage of a stream in a chunk of its own."""
    return any(
        fields.get("usage") is True if issuer.endswith(NOTES) else field_at(fields, USAGE) is True
        for issuer, fields in (request.extras or {}).items()
    )


def ask_usage(room: Room, body: JsonObject, request: ChatRequest, report: Report) -> None:
    """Ask for the usage of a stream, unless the body or the user's own fields decide that."""
    if type(field_at(body, USAGE)) is bool:
        return
    read = request.read
    if read is None or read.protocol != room.protocol:
        if room.dialect.usage_field:
            put_field(body, room.dialect.usage_field, True)
            report.add_loss("usage.requested", request, "stream")
        return
    notes = (request.extras or {}).get(name_notes(read.issuer), {})
    if "usage" in notes:
        put_field(body, USAGE, notes["usage"])


def _read_options(body: JsonObject, notes: JsonObject, places: OptionPlaces) -> Options:
    """Take the options out of the body; what no option can hold remains there."""
    if body.keys() <= NO_OPTIONS_IN:
        return NO_OPTIONS
    other_fields, new_notes = dict(body), dict(notes)
    fields: dict[str, Any] = {}
    for name, paths in places.items():
        for path in paths:
            if path.partition(".")[0] not in body:
                continue
            value = _option(name, field_at(other_fields, path))
            if value is not None:
                if type(take_field(other_fields, path)) is str and name == "stop":
                    new_notes["stop"] = "text"
                fields[name] = value
                if path != paths[0]:
                    new_notes[name] = path
                break
    _read_thinking(other_fields, fields, new_notes)
    try:
        options = Options(**fields)
    except InvalidMessage:  # text or numbers that JSON cannot express
        return Options()
    body.clear()
    body.update(other_fields)
    notes.update(new_notes)
    return options


def _option(name: str, value: Json) -> Any:
    """Return the neutral value of a field; None if the option cannot hold it."""
    if name == "thoughts":
        return ("none" if value else "auto") if isinstance(value, bool) else None
    return option_value(name, value)


def _read_thinking(body: JsonObject, fields: dict[str, Any], notes: JsonObject) -> None:
    """Read the first place that asks for thinking; note other places that ask for the same."""
    repeated: JsonObject = {}
    for path, meanings in _THINKING_PLACES.items():
        if path.partition(".")[0] not in body:
            continue
        value = field_at(body, path)
        kind = bool if meanings is _SWITCH else str
        if not isinstance(value, kind) or value == "":
            continue
        effort = meanings.get(value, value)
        if "reasoning" not in fields:
            fields["reasoning"] = effort
            notes["reasoning"] = path if value != "adaptive" else f"{path} adaptive"
        elif effort not in ("on", "off") or (effort == "off") != (fields["reasoning"] == "off"):
            continue
        else:
            repeated[path] = value
        take_field(body, path)
    if repeated:
        notes["thinking"] = repeated


def _thinking_as_read(body: JsonObject, effort: str, notes: JsonObject) -> None:
    """Put the effort where it was read from."""
    path, spelling = _read_place(notes)
    values = {effort: value for value, effort in reversed(_THINKING_PLACES[path].items())}
    put_field(body, path, spelling or values.get(effort, effort))
    repeated = notes.get("thinking")
    for other_path, value in repeated.items() if isinstance(repeated, dict) else ():
        put_field(body, other_path, value)


def _read_place(notes: JsonObject) -> tuple[str, str]:
    """Return where the effort was read from and its spelling there, otherwise the usual place."""
    note = notes.get("reasoning")
    path, _, spelling = note.partition(" ") if isinstance(note, str) else ("", "", "")
    return (path, spelling) if path in _THINKING_PLACES else ("reasoning_effort", "")


def respell(room: Room, body: JsonObject, req: ChatRequest) -> None:
    """Move changed options to the keys that they were read from."""
    dialect: Dialect = room.dialect
    _, notes = issuer_fields(req, room.issuer)
    for name, _ in req.options.list_values():
        usual, *others = dialect.option_places.get(name, ("",))
        key = notes.get(name)
        if key in others and "." not in key and usual in body:
            body[key] = body.pop(usual)


def option_path(name: str, notes: JsonObject, dialect: Dialect) -> str:
    """Return the path of an option in the body that it was read from."""
    if name == "reasoning":
        path, _ = _read_place(notes)
        return path
    return "stop" if name == "stop" else notes.get(name, dialect.option_places[name][0])


EFFORTS = ("minimal", "low", "medium", "high", "xhigh", "max")  # ReasoningEffort of the SDK
# the ways to ask for thinking that have a field for a budget
BUDGET_FORMS = ("object", "switch", "thinking budget")
_DEFAULT_EFFORT = "medium"  # what the API assumes for models that think by default


def fit_thinking(
    wish: ThinkingRequest, caps: Capabilities, options: Options, report: Report
) -> ThinkingRequest | None:
    """Lower a thinking budget below the answer's maximum, where one is written.

    Returns:
        What to ask of the model; None if the maximum leaves no room for thinking.
    """
    if caps.form != "thinking budget" or wish.off:
        return wish
    budget = fit_budget(wish.budget or USUAL_BUDGET, options.max_tokens, options, report)
    return None if budget is None else replace(wish, budget=budget)


def write_shown(
    body: JsonObject, path: str, request: ChatRequest, thinks: bool, report: Report
) -> None:
    """Write at `path` whether thinking is hidden from the answer, if the request decides that."""
    if word := choose_display(request, _SHOWN, thinks, report):
        put_field(body, path, word == "true")


def thinking_fields(wish: ThinkingRequest, caps: Capabilities) -> JsonObject:
    """Return the top-level fields that ask for thinking."""
    effort: JsonObject = {} if wish.effort is None else {"reasoning_effort": wish.effort}
    match caps.form.split():
        case [] | ["effort"]:
            if wish.off:
                return {"reasoning_effort": "none"}
            # a model that thinks only on request has to be asked for some effort
            asks = caps.thinks == "on_request" and caps.efforts != ("on",)
            return effort or ({"reasoning_effort": _DEFAULT_EFFORT} if asks else {})
        case ["thinking"]:
            return {"thinking": {"type": "disabled" if wish.off else "enabled"}, **effort}
        case ["thinking", "budget"]:
            tokens = {} if wish.budget is None else {"budget_tokens": wish.budget}
            return {"thinking": {"type": "disabled" if wish.off else "enabled", **tokens}}
        case ["adaptive"]:
            return {"thinking": {"type": "disabled" if wish.off else "adaptive"}}
        case ["object"]:
            if wish.effort is not None:
                return {"reasoning": {"effort": wish.effort}}
            if wish.budget is not None:
                return {"reasoning": {"max_tokens": wish.budget}}
            return {"reasoning": {"enabled": not wish.off}}
        case ["enabled"]:
            return {"reasoning": {"enabled": not wish.off}, **effort}
        case ["switch"]:
            budget = {} if wish.budget is None else {"thinking_budget": wish.budget}
            return {"enable_thinking": not wish.off, **effort, **budget}
        case ["template", *key]:
            switch = key[0] if key else "enable_thinking"
            return {"chat_template_kwargs": {switch: not wish.off}, **effort}
        case _:
            return {}
