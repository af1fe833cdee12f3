"""Requests: generationConfig with the options and the thinking, toolConfig, and the body.

`read_request` takes known fields out of a copy of the body; `body_as_read` puts them back.

Reference: Gemini API, "models.generateContent", "GenerationConfig" and "ToolConfig".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

from ...message import ChatRequest, Options, Origin, ResponseFormat, ServerTool, Tool, ToolChoice
from ...message.blocks import name_notes
from ...message.known_history import read_elements
from ...message.known_tools import ParsedBody
from ...message.options import OPTION_KINDS
from ...text.json_text import Json, JsonObject, field_at, put_field
from .. import request_fields
from ..base import Names, Room
from ..chat_like.messages import issuer_extras, issuer_fields
from ..reasoning import ThinkingRequest, choose_display, moot, resolve_thinking
from . import messages
from .dialect import NULL, Dialect, WriteTarget, change_case, read_keys, spell_paths
from .fields import CONFIG, KEYS, THINKING
from .tools import build_layout, enum_types, json_types, read_tools, tools_as_read

_TIER = "service_tier"
_NAMES = {key: name for name, key in KEYS.items() if name != _TIER}
_TOOL_CONFIG, _CALLING = "toolConfig", "functionCallingConfig"


# objects of a body that are read, inner ones before outer ones
_OBJECTS = (f"{CONFIG}.{THINKING}", CONFIG, f"{_TOOL_CONFIG}.{_CALLING}", _TOOL_CONFIG)


# Gemini API reference, ThinkingLevel
_LEVELS = ("minimal", "low", "medium", "high", "xhigh")
_BUDGETS = {0: "off", -1: "on"}  # -1: the model decides
# of `includeThoughts`, which asks for summaries
_SHOWN = {"none": "false", "auto": "true", "concise": "true", "detailed": "true", "updates": "true"}
_TIERS = ("standard", "flex", "priority", "unspecified")  # SDK: ServiceTier
_USUAL = ("default", "standard_only", "on_demand")  # names of the default tier on other wires


def write_config(request: ChatRequest, target: WriteTarget) -> tuple[JsonObject, str | None]:
    """Return generationConfig, and serviceTier, which is beside it."""
    caps, report = target.caps, target.report
    config = request_fields.options(request, {**KEYS, "thoughts": ""}, caps, report)
    tier = _write_tier(config.pop("serviceTier", None), request, target)
    if (thinks := resolve_thinking(request, caps, report, levels=_LEVELS)) is not None:
        if thinking := _write_thinking(thinks, target):
            config[THINKING] = change_case(thinking, target.dialect)
        else:
            moot(request, report)
    on = caps.thinks != "never" and not (thinks is not None and thinks.off)
    if word := choose_display(request, _SHOWN, on, report):
        include = change_case({"includeThoughts": word == "true"}, target.dialect)
        config[THINKING] = {**config.get(THINKING, {}), **include}
    if request.response_format is not None:
        config.update(_write_format(request.response_format, target))
    return change_case(config, target.dialect), tier


def _write_tier(tier: str | None, request: ChatRequest, target: WriteTarget) -> str | None:
    if tier is None or tier.lower() in _TIERS:
        return tier
    code, did = (
        ("option.range", "sent as standard") if tier in _USUAL else ("option.unsupported", "")
    )
    target.report.add_loss(code, request.options, _TIER, what=f"service tier {tier}", did=did)
    return "standard" if tier in _USUAL else None


def _write_thinking(thinks: ThinkingRequest, target: WriteTarget) -> JsonObject:
    """Write a level or a budget, since both are refused; none is off, -1 leaves it to the model."""
    if thinks.off or thinks.budget is not None:
        return {"thinkingBudget": 0 if thinks.off else thinks.budget}
    if thinks.effort is None:
        return {"thinkingBudget": -1} if target.caps.form == "budget" else {}
    return {"thinkingLevel": thinks.effort.upper()}


def _read_options(fields: JsonObject, notes: JsonObject) -> Options:
    """Take the options out of the body and its generationConfig."""
    values: dict[str, Any] = {}
    config = fields.get(CONFIG)
    if isinstance(config, dict):
        for key in [key for key in config if key in _NAMES]:
            name = _NAMES[key]
            if (value := _read_option(name, config[key], notes)) is not None:
                values[name] = value
                del config[key]
        if isinstance(config.get(THINKING), dict):
            values |= _read_thinking(config[THINKING], notes)
    if isinstance(fields.get("serviceTier"), str):
        values[_TIER] = fields.pop("serviceTier")
    return Options(**values)


def _read_option(name: str, value: Any, notes: JsonObject) -> Any:
    """Return the neutral value; None for a value of an unexpected type."""
    if name == "stop" and isinstance(value, str):
        notes[name] = "text"
    elif type(value) is float and value.is_integer() and name not in OPTION_KINDS:
        notes.setdefault("floats", []).append(name)  # the API's own type of topK
        value = int(value)
    return request_fields.option_value(name, value)


def _read_thinking(thinking: JsonObject, notes: JsonObject) -> dict[str, Any]:
    values: dict[str, Any] = {}
    level, budget = thinking.get("thinkingLevel"), thinking.get("thinkingBudget")
    if isinstance(level, str) and level and level.lower() not in _BUDGETS.values():
        values["reasoning"] = level.lower()
        if level != level.lower().upper():
            notes["level"] = level
        del thinking["thinkingLevel"]
    if type(budget) is int and (budget not in _BUDGETS or "reasoning" not in values):
        name = "reasoning" if budget in _BUDGETS else "reasoning_budget"
        values[name] = _BUDGETS.get(budget, budget)
        del thinking["thinkingBudget"]
    if isinstance(thinking.get("includeThoughts"), bool):
        values["thoughts"] = "auto" if thinking.pop("includeThoughts") else "none"
    return values


def _options_as_read(body: JsonObject, req: ChatRequest, kept: Names, notes: JsonObject) -> None:
    """Put the options of `kept` where they were."""
    config: JsonObject = {}
    thinking = {}
    for name, value in req.options.list_values():
        if name not in kept:
            continue
        if name == _TIER:
            body["serviceTier"] = value
        elif name == "reasoning" and value in _BUDGETS.values():
            thinking["thinkingBudget"] = next(n for n, state in _BUDGETS.items() if state == value)
        elif name == "reasoning":
            thinking["thinkingLevel"] = notes.get("level", value.upper())
        elif name == "reasoning_budget":
            thinking["thinkingBudget"] = value
        elif name == "thoughts":
            thinking["includeThoughts"] = value == "auto"
        elif name == "stop":
            config[KEYS[name]] = value[0] if notes.get(name) == "text" else list(value)
        elif name in KEYS:
            config[KEYS[name]] = float(value) if name in notes.get("floats", ()) else value
    config |= {f"{THINKING}.{key}": value for key, value in thinking.items()}
    for path, value in config.items():
        put_field(body, f"{CONFIG}.{path}", value)


_FORMATS = {"text/plain": "text", "application/json": "json"}
_MIME_TYPES = {"text": "text/plain", "json": "application/json", "schema": "application/json"}


# the first is the one that is written; only the second is the API's own Schema
SCHEMAS = ("responseJsonSchema", "responseSchema", "_responseJsonSchema")


def _write_format(form: ResponseFormat, target: WriteTarget) -> JsonObject:
    caps, report = target.caps, target.report
    if form.kind != "text" and form.kind not in caps.formats:
        request_fields.lower_to_words(form, report)
        return {}
    config: JsonObject = {"responseMimeType": _MIME_TYPES[form.kind]}
    if form.kind == "schema":
        request_fields.format_unsaid(form, report)
        key = SCHEMAS[1] if caps.format_schema.startswith("gemini-openapi") else SCHEMAS[0]
        config[key] = request_fields.fitting_schema(form, caps, report).schema
    return config


def _read_format(fields: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """Read the format of the answer, if the body has it in a known form."""
    config = fields.get(CONFIG)
    if not isinstance(config, dict):
        return None
    mime = config.get("responseMimeType")
    key = next((key for key in SCHEMAS if isinstance(config.get(key), dict)), None)
    kind = _FORMATS.get(mime) if isinstance(mime, str) else None
    is_unknown = mime is not None and kind is None
    if is_unknown or (kind is None and key is None) or (kind == "text" and key is not None):
        return None
    if kind is not None:
        del config["responseMimeType"]
    if key is None:
        return ResponseFormat(kind)  # type: ignore[arg-type]  # one of two kinds
    schema = config.pop(key)
    form_notes: JsonObject = {} if mime else {"mime": False}
    schema, styles = json_types(schema)  # the API takes its own types under either key
    form_notes |= {} if styles is None else {"types": styles}
    if key != SCHEMAS[0]:
        form_notes["key"] = key
    if form_notes:
        notes["format"] = form_notes
    return ResponseFormat("schema", schema)


def _format_as_read(body: JsonObject, form: ResponseFormat, notes: JsonObject) -> None:
    """Put the format where it was."""
    form_notes = notes.get("format", {})
    if form_notes.get("mime", True):
        put_field(body, f"{CONFIG}.responseMimeType", _MIME_TYPES[form.kind])
    if form.schema is not None:
        path = f"{CONFIG}.{form_notes.get('key', SCHEMAS[0])}"
        put_field(body, path, enum_types(form.schema, form_notes.get("types")))


_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "tool": "ANY"}
_CHOICES = {"AUTO": "auto", "NONE": "none", "ANY": "required", "VALIDATED": "auto"}
_ALLOWED = "allowedFunctionNames"


def _calling_config(choice: ToolChoice, strict: bool = False) -> JsonObject:
    """Return the mode and the names that narrow it; `strict`: calls must match their schemas."""
    mode = _MODES[choice.mode]
    names = [choice.name] if choice.name is not None else list(choice.allowed)
    if (names or strict) and mode == "AUTO":
        # the only mode that takes names or schemas and leaves the choice open; ANY does not
        mode = "VALIDATED"
    calling: JsonObject = {"mode": mode}
    if names and mode != "NONE":
        calling[_ALLOWED] = names
    return calling


def tool_config(choice: ToolChoice, dialect: Dialect, strict: bool = False) -> JsonObject:
    """Write `{"functionCallingConfig": {"mode", "allowedFunctionNames"}}`."""
    return change_case({_CALLING: change_case(_calling_config(choice, strict), dialect)}, dialect)


def _read_choice(fields: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """Read the choice of the body; what it cannot hold stays in the body."""
    calling = field_at(fields, f"{_TOOL_CONFIG}.{_CALLING}")
    spelled = field_at(fields, f"{_TOOL_CONFIG}.{_CALLING}.mode")
    word = spelled.upper() if isinstance(spelled, str) else ""
    if word not in _CHOICES:
        return None
    mode, allowed = _CHOICES[word], calling.get(_ALLOWED)
    are_names = isinstance(allowed, list) and all(isinstance(n, str) and n for n in allowed)
    names = tuple(allowed) if are_names and word in ("ANY", "VALIDATED") else ()
    del calling["mode"]
    if names:
        del calling[_ALLOWED]
    if mode == "required" and len(names) == 1:
        choice = ToolChoice("tool", names[0])
    else:
        choice = ToolChoice(mode, allowed=names)  # type: ignore[arg-type]  # one of the modes
    if spelled != _calling_config(choice)["mode"]:
        notes["mode"] = spelled
        if word == "VALIDATED":  # calls have to match their schemas, where there are any
            notes["words"] = [f"{_TOOL_CONFIG}.{_CALLING}.mode"]
    return choice


_METHOD = re.compile(r":(stream)?generateContent\b", re.IGNORECASE)
_MODEL = re.compile(r"(?:^|/)(publishers/([^/]+)/models|models|tunedModels|endpoints)/(.+)")


def read_request(
    room: Room, body: JsonObject, path: str | None = None, headers: Mapping[str, str] | None = None
) -> ChatRequest:
    """Read the request; the path has the model, and shows that a stream is wanted."""
    issuer = room.issuer
    fields, notes = _read_keys(body)
    if empty := _drop_empty(fields):
        notes["empty"] = empty
    model = _read_model(fields, notes, path)
    origin = Origin(issuer, model)
    entries = _take_contents(fields, notes)
    turn = body.turn if type(body) is ParsedBody else None
    start = partial(messages.ContentReading, issuer, origin)
    msgs = read_elements(turn, entries, origin, start).msgs
    prompt = messages.read_system(fields.get("systemInstruction"), issuer, origin)
    if prompt is not None:
        del fields["systemInstruction"]
        msgs.insert(0, prompt)
    method = _METHOD.search(path or "")
    req = ChatRequest(
        msgs,
        options=_read_options(fields, notes),
        response_format=_read_format(fields, notes),
        tools=_take_tools(fields, notes, room.dialect),
        tool_choice=_read_choice(fields, notes),
        model=model,
        stream=bool(method and method[1]),
    )
    _drop_empty(fields)
    req.extras = issuer_extras(issuer, fields, notes)
    return req


def _read_keys(body: JsonObject) -> tuple[JsonObject, JsonObject]:
    """Return a copy of the body in camelCase as deep as it is read, and notes on its spelling."""
    data, notes = read_keys(body)
    fields = dict(data)
    for path, parent, key in _objects(fields, sorted(_OBJECTS)):
        data, key_notes = read_keys(parent[key], f"{path}.")
        parent[key] = dict(data)
        notes = [*notes, *key_notes]
    return fields, {"keys": notes} if notes else {}


def _objects(fields: JsonObject, paths: Iterable[str]) -> Iterator[tuple[str, JsonObject, str]]:
    """Yield path, parent object and key of each of those objects that the body has."""
    for path in paths:
        outer_key, _, key = path.rpartition(".")
        parent = fields.get(outer_key) if outer_key else fields
        if isinstance(parent, dict) and isinstance(parent.get(key), dict):
            yield path, parent, key


def _drop_empty(fields: JsonObject) -> list[str]:
    """Remove objects that became empty; return their paths. Writing creates them again."""
    paths: list[str] = []
    for path, parent, key in _objects(fields, _OBJECTS):
        if not parent[key]:
            del parent[key]
            paths.append(path)
    return paths


def _read_model(fields: JsonObject, notes: JsonObject, path: str | None) -> str | None:
    """Read the model from the path, or from the body, where some clients also name it."""
    name = fields.get("model")
    if isinstance(name, str) and name:
        notes["model"] = fields.pop("model")
    match = _MODEL.search(unquote((path or "").partition("?")[0].rpartition(":")[0]))
    if match is None:
        return str(name).removeprefix("models/") or None if "model" in notes else None
    collection, publisher, model = match.groups()
    plain_name = collection == "models" or publisher == "google"
    return model if plain_name else f"{collection}/{model}"


def _take_contents(fields: JsonObject, notes: JsonObject) -> list[Json]:
    contents = fields.get("contents")
    if isinstance(contents, list | dict | str):
        del fields["contents"]
    if isinstance(contents, list):
        return contents
    is_lone = isinstance(contents, dict | str)
    notes["contents"] = "lone" if is_lone else "absent"
    return [contents] if is_lone else []


def _take_tools(fields: JsonObject, notes: JsonObject, dialect: Dialect) -> list[Tool | ServerTool]:
    result = read_tools(fields.get("tools"), dialect)
    if result is None:
        return []
    tools, layout = result
    if isinstance(fields.pop("tools"), dict):
        notes["tools"] = {"lone": layout}
    elif layout != build_layout(tools, dialect.reads_items_of[0]):
        notes["tools"] = {"listed": layout}
    return tools


def body_as_read(room: Room, req: ChatRequest, kept: Names, elements: list[Json]) -> JsonObject:
    """Write the body with the fields in `kept` as `read_request` read them, and extra fields."""
    body, notes = issuer_fields(req, room.issuer)
    if "contents" not in notes:
        body["contents"] = elements
    elif notes["contents"] == "lone" and len(elements) == 1:
        body["contents"] = elements[0]
    elif elements:  # a plain text is possible only alone
        body["contents"] = [
            {"parts": [{"text": item}]} if isinstance(item, str) else item for item in elements
        ]
    if "model" in notes and "model" in kept:
        body["model"] = notes["model"]
    _options_as_read(body, req, kept, notes)
    if req.response_format is not None and "response_format" in kept:
        _format_as_read(body, req.response_format, notes)
    if req.tools and "tools" in kept:
        tool_notes = notes.get("tools", {})
        tools = tools_as_read(req.tools, next(iter(tool_notes.values()), None), room.dialect)
        body["tools"] = tools[0] if "lone" in tool_notes else tools
    if req.tool_choice is not None and "tool_choice" in kept:
        for key, value in _calling_config(req.tool_choice).items():
            spelled = notes.get("mode", value) if key == "mode" else value
            put_field(body, f"{_TOOL_CONFIG}.{_CALLING}.{key}", spelled)
    if "system" in kept and messages.has_prompt(req):
        body["systemInstruction"] = messages.system_as_read(req.messages[0], room.issuer)
    for path in notes.get("empty", ()):
        key, _, inner_key = path.partition(".")
        body[key] = {**({inner_key: {}} if inner_key else {}), **(body.get(key) or {})}
    spell_paths(body, _notes_of_keys(req, kept, notes))
    return body


def respell(room: Room, body: JsonObject, req: ChatRequest) -> None:
    """Change keys to the case in which they were read, also where an edit was merged."""
    notes = (req.extras or {}).get(name_notes(room.issuer), {}).get("keys", ())
    spell_paths(body, [note for note in notes if not note.endswith(NULL)])


_FIELDS = {"response_format": CONFIG, "tools": "tools", "tool_choice": _TOOL_CONFIG}


def _notes_of_keys(req: ChatRequest, kept: Names, notes: JsonObject) -> list[str]:
    """Return notes on the spelling of keys, except those into which an edit will be merged."""
    changed = {key for name, key in _FIELDS.items() if getattr(req, name) and name not in kept}
    if any(name not in kept for name, _ in req.options.list_values()):
        changed |= {CONFIG, "serviceTier"}
    key_notes: list[str] = notes.get("keys", [])
    # the body's key that each note is about, in camelCase
    keys = (read_keys({note.partition(".")[0].removesuffix(NULL): 0})[0] for note in key_notes)
    return [note for note, key in zip(key_notes, keys, strict=True) if changed.isdisjoint(key)]


def claims(body: Json, path: str | None = None) -> bool:
    """Whether a body can be a request of generateContent, by its path or its contents."""
    if not isinstance(body, dict):
        return False
    if path is not None and _METHOD.search(path):
        return True
    contents: Any = body.get("contents")
    entries = contents if isinstance(contents, list) else [contents]
    if not entries or "messages" in body or "input" in body:
        return False
    if not all(isinstance(entry, dict) and "content" not in entry for entry in entries):
        return False  # an empty turn may have no parts
    return any("parts" in entry for entry in entries) and all(
        "parts" in entry or entry.keys() == {"role"} for entry in entries
    )
