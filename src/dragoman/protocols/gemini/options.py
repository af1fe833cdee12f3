"""generationConfig of a request, read into options and the answer's format, and said again.

What a neutral value does not say stands in the notes, or among the fields that nobody models.
Reference: Gemini API, "GenerationConfig" and "ThinkingConfig".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...jsontext import JsonObject
from ...message import ChatRequest, ResponseFormat
from .config import KEYS
from .schema_types import enum_types, json_types

__all__ = ["format_as_read", "options_as_read", "read_format", "read_options"]

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
            given |= _thinking(config[_THINKING], notes)
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


def _thinking(thinking: JsonObject, notes: JsonObject) -> dict[str, Any]:
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
