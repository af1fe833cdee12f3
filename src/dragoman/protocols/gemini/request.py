"""How to generate: generationConfig with the thinking in it, toolConfig, and the tools.

The neutral names of options against this protocol's; knows no message.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any
from urllib.parse import unquote

from ..._core.jsontext import Json, JsonObject
from ...capabilities import Capabilities
from ...losses import Report
from ...message import (
    ChatRequest,
    Msg,
    Options,
    Origin,
    ResponseFormat,
    ServerTool,
    Tool,
    ToolChoice,
)
from ...message.blocks import noted
from ..chat_shape import own_extras, parameters, unsaid
from ..reasoning import Asked, asked, moot
from ..request_fields import fitting_schema, format_unsaid, options
from .dialect import NULL, Dialect, cased, read_keys, replayed, spell_paths
from .messages import paired, read_content, read_system, system_as_read
from .tools import OWN, enum_types, json_types, layout_of, read_tools, tools_as_read

KEYS = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "max_tokens": "maxOutputTokens",
    "stop": "stopSequences",
    "seed": "seed",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
    "n": "candidateCount",
    "logprobs": "responseLogprobs",
    "top_logprobs": "logprobs",
    "service_tier": "serviceTier",
}


# Gemini API reference, ThinkingLevel
_LEVELS = ("minimal", "low", "medium", "high", "xhigh")


_TIERS = ("standard", "flex", "priority", "unspecified")  # SDK: ServiceTier


_USUAL = ("default", "standard_only", "on_demand")  # the tier that everybody has, elsewhere


_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY", "tool": "ANY"}


def generation(
    request: ChatRequest, caps: Capabilities, dialect: Dialect, report: Report
) -> tuple[JsonObject, str | None]:
    """(generationConfig, serviceTier, which stands beside it)."""
    made = options(request, KEYS, caps, report)
    tier = _tier(made.pop("serviceTier", None), request, report) if made else None
    if (wanted := asked(request, caps, report, levels=_LEVELS)) is not None:
        if thinking := _thinking(wanted, caps):
            made["thinkingConfig"] = cased(thinking, dialect)
        else:
            moot(request, report)
    if request.response_format is not None:
        made.update(_format(request.response_format, caps, report))
    return cased(made, dialect) if made else made, tier


def _tier(given: str | None, request: ChatRequest, report: Report) -> str | None:
    if given is None or given.lower() in _TIERS:
        return given
    what = f"service tier {given}"
    if given in _USUAL:
        did = "sent as standard"
        report.lost("option.range", request.options, "service_tier", what=what, did=did)
        return "standard"
    report.lost("option.unsaid", request.options, "service_tier", what=what)
    return None


def _thinking(wanted: Asked, caps: Capabilities) -> JsonObject:
    """A level or a budget, for both at once are refused; none is off, -1 what the model likes."""
    if wanted.off:
        return {"thinkingBudget": 0}
    if wanted.budget is not None:
        return {"thinkingBudget": wanted.budget}
    if wanted.effort is None:
        return {"thinkingBudget": -1} if caps.form == "budget" else {}
    return {"thinkingLevel": wanted.effort.upper()}


def _format(form: ResponseFormat, caps: Capabilities, report: Report) -> JsonObject:
    if form.kind == "text":
        return {"responseMimeType": "text/plain"}
    if form.kind not in caps.formats:
        report.lost("format.unsaid", form, what=form.kind)
        return {}
    if form.kind == "json":
        return {"responseMimeType": "application/json"}
    format_unsaid(form, report)
    schema = fitting_schema(form, caps, report).schema
    key = "responseSchema" if caps.format_schema.startswith("gemini-openapi") else _SCHEMA
    return {"responseMimeType": "application/json", key: schema}


def server_tool(
    tool: ServerTool, caps: Capabilities, dialect: Dialect, report: Report
) -> JsonObject | None:
    """`{"googleSearch": {}}` and its like: each an entry of its own beside the declarations.

    None for a search of files that has no stores.
    """
    fields: JsonObject = {}
    said = ""
    if tool.kind == "own":
        return replayed({}, tool, caps, dialect, report)
    if tool.kind == "file_search" and not tool.stores and not own_extras(tool, caps):
        report.lost("server_tool.unsaid", tool, what="file_search without stores")
        return None
    if tool.kind == "file_search":
        fields, said = {"fileSearchStoreNames": list(tool.stores)}, "stores"
    elif tool.kind == "web_search" and dialect.blocked_domains and tool.blocked_domains:
        fields, said = {dialect.blocked_domains: list(tool.blocked_domains)}, "blocked_domains"
    unsaid(tool, report, said)
    fields = cased(fields, dialect)
    made = cased({OWN[tool.kind]: fields}, dialect)
    return replayed(made, tool, caps, dialect, report)


def tool_config(picked: ToolChoice, dialect: Dialect) -> JsonObject:
    """`{"functionCallingConfig": {"mode", "allowedFunctionNames"}}`."""
    return cased({"functionCallingConfig": cased(calling_config(picked), dialect)}, dialect)


_SCHEMA = "responseJsonSchema"


_NOTHING = {"type": "object", "properties": {}}


def calling_config(picked: ToolChoice) -> JsonObject:
    """The mode, and the names that narrow it."""
    mode = _MODES[picked.mode]
    names = [picked.name] if picked.name is not None else list(picked.allowed)
    if names and mode == "AUTO":
        mode = "VALIDATED"  # the one mode that takes names and leaves the choice open
    calling: JsonObject = {"mode": mode}
    if names and mode != "NONE":
        calling["allowedFunctionNames"] = names
    return calling


def declaration(tool: Tool, caps: Capabilities, dialect: Dialect, report: Report) -> JsonObject:
    """`{"name", "description", "parametersJsonSchema"}`; no schema where none is declared."""
    made: JsonObject = {"name": tool.name}
    if tool.description:
        made["description"] = tool.description
    schema, _ = parameters(tool, caps, report)
    if schema.get("properties") or (tool.schema and schema != _NOTHING):
        subset = caps.tool_schema.startswith("gemini-openapi")
        made["parameters" if subset else "parametersJsonSchema"] = schema
    if tool.cache is not None:
        report.lost("tool.cache", tool, "cache")
    return replayed(cased(made, dialect), tool, caps, dialect, report)


_TIER = "service_tier"  # which stands beside the others


_REAL = {"temperature", "top_p", "presence_penalty", "frequency_penalty"}


_CONFIG, _THINKING = "generationConfig", "thinkingConfig"


_BUDGETS = {0: "off", -1: "on"}  # -1: what the model likes


_FORMATS = {"text/plain": "text", "application/json": "json"}


# the first is the one that is written; only the second is the API's own Schema
_SCHEMAS = ("responseJsonSchema", "responseSchema", "_responseJsonSchema")


def read_options(rest: JsonObject, notes: JsonObject) -> dict[str, Any]:
    """The options that the body gives; taken out of it and of its generationConfig."""
    given: dict[str, Any] = {}
    config = rest.get(_CONFIG)
    if isinstance(config, dict):
        for key, value in list(config.items()):
            name = _NAMES.get(key)
            if name is None or (said := _read(name, value, notes)) is None:
                continue
            given[name] = said
            del config[key]
        if isinstance(config.get(_THINKING), dict):
            given |= _options_thinking(config[_THINKING], notes)
    tier = rest.get("serviceTier")
    if isinstance(tier, str):
        given[_TIER] = rest.pop("serviceTier")
    return given


_NAMES = {key: name for name, key in KEYS.items() if name != _TIER}


def _read(name: str, value: Any, notes: JsonObject) -> Any:
    """The neutral value; None for one of an unexpected kind."""
    kind = type(value)
    if name == "stop":
        if kind is str:
            notes["stop"] = "text"
            return (value,)
        return tuple(value) if kind is list and value and {*map(type, value)} == {str} else None
    if name == "logprobs":
        return value if kind is bool else None
    if kind is int or (kind is float and name in _REAL):
        return value
    if kind is float and value.is_integer():  # the API's own type of topK
        notes.setdefault("floats", []).append(name)
        return int(value)
    return None


def _options_thinking(thinking: JsonObject, notes: JsonObject) -> dict[str, Any]:
    given: dict[str, Any] = {}
    level, budget = thinking.get("thinkingLevel"), thinking.get("thinkingBudget")
    if isinstance(level, str) and level and level.lower() not in ("off", "on"):
        given["reasoning"] = level.lower()
        if level != level.lower().upper():
            notes["level"] = level
        del thinking["thinkingLevel"]
    if type(budget) is int:
        if budget not in _BUDGETS:
            given["reasoning_budget"] = budget
            del thinking["thinkingBudget"]
        elif "reasoning" not in given:
            given["reasoning"] = _BUDGETS[budget]
            del thinking["thinkingBudget"]
    return given


def read_format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """What the answer must be, if the body says it in words that we know."""
    config = rest.get(_CONFIG)
    if not isinstance(config, dict):
        return None
    mime = config.get("responseMimeType")
    known = mime in _FORMATS if isinstance(mime, str) else mime is None
    place = next((one for one in _SCHEMAS if isinstance(config.get(one), dict)), None)
    if not known or (mime == "text/plain" and place) or (mime is None and place is None):
        return None
    if mime is not None:
        del config["responseMimeType"]
    if place is None:
        return ResponseFormat(_FORMATS[str(mime)])  # type: ignore[arg-type]  # one of two kinds
    schema = config.pop(place)
    told: JsonObject = {} if mime else {"mime": False}
    if place == _SCHEMAS[1]:
        schema, styles = json_types(schema)
        told |= {} if styles is None else {"types": styles}
    if place != _SCHEMAS[0]:
        told["key"] = place
    if told:
        notes["format"] = told
    return ResponseFormat("schema", schema)


def options_as_read(
    body: JsonObject, req: ChatRequest, kept: Collection[str], notes: JsonObject
) -> None:
    """Put the options of `kept` where they stood; the config in `body` is filled in place."""
    made: JsonObject = {}
    thinking: JsonObject = {}
    for name, value in req.options.given():
        if name not in kept:
            continue
        if name == _TIER:
            body["serviceTier"] = value
        elif name == "reasoning" and value in _BUDGETS.values():
            thinking["thinkingBudget"] = next(n for n, on in _BUDGETS.items() if on == value)
        elif name == "reasoning":
            thinking["thinkingLevel"] = notes.get("level", value.upper())
        elif name == "reasoning_budget":
            thinking["thinkingBudget"] = value
        elif name in KEYS:
            made[KEYS[name]] = _said(name, value, notes)
    config = body.get(_CONFIG)
    if thinking:
        beside = (config or {}).get(_THINKING) or {}
        made[_THINKING] = {**beside, **thinking}
    if made:
        body[_CONFIG] = {**(config or {}), **made}


def _said(name: str, value: Any, notes: JsonObject) -> Any:
    if name == "stop":
        return value[0] if notes.get("stop") == "text" else list(value)
    return float(value) if name in notes.get("floats", ()) else value


def format_as_read(body: JsonObject, form: ResponseFormat, notes: JsonObject) -> None:
    """Put the format where it stood."""
    told = notes.get("format", {})
    made: JsonObject = {}
    if told.get("mime", True):
        made["responseMimeType"] = "text/plain" if form.kind == "text" else "application/json"
    if form.schema is not None:
        made[told.get("key", _SCHEMAS[0])] = enum_types(form.schema, told.get("types"))
    body[_CONFIG] = {**(body.get(_CONFIG) or {}), **made}


CALLING = "functionCallingConfig"


_PICKED_MODES = {"AUTO": "auto", "NONE": "none", "ANY": "required", "VALIDATED": "auto"}


_PICKED_NAMES = "allowedFunctionNames"


def read_choice(rest: JsonObject, notes: JsonObject) -> ToolChoice | None:
    """The choice that the body asks for; what it does not say stays in the body."""
    config = rest.get("toolConfig")
    calling = config.get(CALLING) if isinstance(config, dict) else None
    told = calling.get("mode") if isinstance(calling, dict) else None
    mode = _PICKED_MODES.get(told.upper()) if isinstance(told, str) else None
    if mode is None or calling is None or not isinstance(told, str):
        return None
    listed = calling.get(_PICKED_NAMES)
    named = isinstance(listed, list) and all(isinstance(one, str) and one for one in listed)
    names = tuple(listed) if named and told.upper() in ("ANY", "VALIDATED") else ()
    del calling["mode"]
    if names:
        del calling[_PICKED_NAMES]
    made = ToolChoice("tool", names[0]) if mode == "required" and len(names) == 1 else None
    made = made or ToolChoice(mode, allowed=names)  # type: ignore[arg-type]  # one of the modes
    if told != calling_config(made)["mode"]:
        notes["mode"] = told
        if told.upper() == "VALIDATED":  # calls that keep to their schemas, where there are any
            notes["words"] = [f"toolConfig.{CALLING}.mode"]
    return made


def say_choice(body: JsonObject, choice: ToolChoice, mode: str | None) -> None:
    """Put the choice where it stood, under the `mode` as it was spelled."""
    said = calling_config(choice)
    if mode is not None:
        said["mode"] = mode
    config = body.get("toolConfig") or {}
    body["toolConfig"] = {**config, CALLING: {**(config.get(CALLING) or {}), **said}}


_METHOD = re.compile(r":(stream)?generateContent\b", re.IGNORECASE)


_MODEL = re.compile(r"(?:^|/)(publishers/([^/]+)/models|models|tunedModels|endpoints)/(.+)")


def read_request(body: JsonObject, path: str | None, dialect: Dialect) -> ChatRequest:
    """The request that the body makes; model and stream stand in the path."""
    issuer = dialect.issuers[0]
    rest, notes = _spelled(body)
    _hollow(rest, notes)
    model = _model(rest, notes, path)
    origin = Origin(issuer, model)
    listed = _contents(rest, notes)
    msgs = [read_content(one, issuer, origin) for one in listed]
    paired(msgs)
    full = _full(rest)
    given = read_options(rest, notes)
    form = read_format(rest, notes)
    tools = _tools(rest, notes, dialect)
    picked = read_choice(rest, notes)
    top = read_system(rest.get("systemInstruction"), issuer, origin)
    if top is not None:
        del rest["systemInstruction"]
        msgs.insert(0, top)
    _emptied(rest, full)
    made = ChatRequest(
        msgs, tools=tools, tool_choice=picked, options=Options(**given), response_format=form,
        model=model, stream=bool(path and (found := _METHOD.search(path)) and found[1]),
    )  # fmt: skip
    own = {name: kept for name, kept in ((issuer, rest), (noted(issuer), notes)) if kept}
    made.extras = own or None
    return made


def _spelled(body: JsonObject) -> tuple[JsonObject, JsonObject]:
    """(a copy of the body in camelCase as deep as it is read, the notes with how it stood)."""
    told, words = read_keys(body)
    rest = dict(told)
    for key, inner in ((_CONFIG, _THINKING), ("toolConfig", CALLING)):
        if isinstance(rest.get(key), dict):
            config, more = read_keys(rest[key], f"{key}.")
            rest[key] = config = dict(config)
            words = [*words, *more]
            if isinstance(config.get(inner), dict):
                deep, more = read_keys(config[inner], f"{key}.{inner}.")
                config[inner] = dict(deep)
                words += more
    return rest, {"keys": words} if words else {}


def _hollow(rest: JsonObject, notes: JsonObject) -> None:
    """Objects that were empty to begin with say nothing: they are but noted."""
    empty: list[str] = []
    for key, inner in ((_CONFIG, _THINKING), ("toolConfig", CALLING)):
        config = rest.get(key)
        if isinstance(config, dict) and config.get(inner) == {}:
            del config[inner]
            empty.append(f"{key}.{inner}")
        if config == {}:
            del rest[key]
            empty.append(key)
    if empty:
        notes["empty"] = empty


def _full(rest: JsonObject) -> list[tuple[str, str]]:
    """Which of the objects that are read have anything in them."""
    found: list[tuple[str, str]] = []
    for key, inner in ((_CONFIG, _THINKING), ("toolConfig", CALLING)):
        config = rest.get(key)
        if isinstance(config, dict) and config:
            found += [(key, inner)] if isinstance(config.get(inner), dict) and config[inner] else []
            found.append((key, ""))
    return found


def _emptied(rest: JsonObject, full: list[tuple[str, str]]) -> None:
    """Objects of which nothing is left go: what was taken out of them makes them anew."""
    for key, inner in full:
        if not inner and not rest[key]:
            del rest[key]
        elif inner and not rest[key][inner]:
            del rest[key][inner]


def _model(rest: JsonObject, notes: JsonObject, path: str | None) -> str | None:
    """The model of the path; of the body, where some clients say it, too."""
    told = rest.get("model")
    if isinstance(told, str) and told:
        notes["model"] = rest.pop("model")
    found = _MODEL.search(unquote((path or "").partition("?")[0].rpartition(":")[0]))
    if found is None:
        return str(told).removeprefix("models/") or None if "model" in notes else None
    place, publisher, name = found.groups()
    bare = place == "models" or publisher == "google"
    return name if bare else f"{place}/{name}"


def _contents(rest: JsonObject, notes: JsonObject) -> list[Json]:
    told = rest.get("contents")
    if isinstance(told, list):
        del rest["contents"]
        return told
    if isinstance(told, dict | str):
        notes["contents"] = "lone"
        return [rest.pop("contents")]
    notes["contents"] = "absent"
    return []


def _tools(rest: JsonObject, notes: JsonObject, dialect: Dialect) -> Any:
    found = read_tools(rest.get("tools"), dialect)
    if found is None:
        return []
    tools, layout = found
    if isinstance(rest.pop("tools"), dict):
        notes["tools"] = {"lone": layout}
    elif layout != layout_of(tools, dialect.issuers[0]):
        notes["tools"] = {"listed": layout}
    return tools


def body_as_read(
    req: ChatRequest, kept: Collection[str], elements: list[Json], dialect: Dialect
) -> JsonObject:
    """The body with the fields of `kept` as `read_request` found them, and those nobody models."""
    extras = req.extras or {}
    body: JsonObject = dict(extras.get(dialect.issuers[0], {}))
    notes = extras.get(noted(dialect.issuers[0]), {})
    if elements or "contents" not in notes:
        body["contents"] = _listed(elements, notes.get("contents"))
    if "model" in notes and "model" in kept:
        body["model"] = notes["model"]
    options_as_read(body, req, kept, notes)
    if req.response_format is not None and "response_format" in kept:
        format_as_read(body, req.response_format, notes)
    if req.tools and "tools" in kept:
        told = notes.get("tools", {})
        layout = next(iter(told.values()), None)
        made = tools_as_read(req.tools, layout, dialect)
        body["tools"] = made[0] if "lone" in told else made
    if req.tool_choice is not None and "tool_choice" in kept:
        say_choice(body, req.tool_choice, notes.get("mode"))
    if req.messages and "system" in kept:
        _say_system(body, req.messages[0], dialect.issuers[0])
    for path in notes.get("empty", ()):
        key, _, inner = path.partition(".")
        body[key] = {**({inner: {}} if inner else {}), **(body.get(key) or {})}
    spell_paths(body, _words(req, kept, notes))
    return body


def respell(body: JsonObject, req: ChatRequest, issuer: str) -> None:
    """Keys in the case in which they were read, also where somebody's change was merged."""
    words = (req.extras or {}).get(noted(issuer), {}).get("keys", ())
    spell_paths(body, [word for word in words if not word.endswith(NULL)])


def _listed(elements: list[Json], note: str | None) -> Json:
    """The contents; a lone one stands alone, a text only so."""
    if note == "lone" and len(elements) == 1:
        return elements[0]
    if note is None:
        return elements
    return [{"parts": [{"text": one}]} if isinstance(one, str) else one for one in elements]


def _say_system(body: JsonObject, m: Msg, issuer: str) -> None:
    if (m.spelling or "").partition(" ")[0] == "top":
        body["systemInstruction"] = system_as_read(m, issuer)


def _words(req: ChatRequest, kept: Collection[str], notes: JsonObject) -> list[str]:
    """How keys were spelled; not those into which somebody's change will be merged."""
    changed: set[str] = set()
    if any(name not in kept for name, _ in req.options.given()):
        changed |= {_CONFIG, "serviceTier"}
    for name, key in _FIELDS.items():
        if getattr(req, name) and name not in kept:
            changed.add(key)
    words: list[str] = notes.get("keys", [])
    if not changed:
        return words
    return [word for word in words if _top(word) not in changed]


_FIELDS = {"response_format": _CONFIG, "tools": "tools", "tool_choice": "toolConfig"}


def _top(word: str) -> str:
    """The body's key that a word is about, in camelCase."""
    return next(iter(read_keys({word.partition(".")[0].removesuffix(NULL): 0})[0]))


def claims(body: Json, path: str | None) -> bool:
    """Whether this can be a request of generateContent, by its path or its contents."""
    if not isinstance(body, dict):
        return False
    if path is not None and _METHOD.search(path):
        return True
    told: Any = body.get("contents")
    listed = told if isinstance(told, list) else [told]
    if not listed or "messages" in body or "input" in body:
        return False
    if not all(isinstance(one, dict) and "content" not in one for one in listed):
        return False  # a turn that said nothing may have no parts
    return any("parts" in one for one in listed) and all(
        "parts" in one or one.keys() == {"role"} for one in listed
    )
