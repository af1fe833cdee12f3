"""Options of a request, read out of the body, and said again as they were read.

`read_options` and `say_options` are each other's inverse: what a neutral value does not say stands
in the notes. Reference: Anthropic API, "Create a Message"; docs, "Adaptive thinking", "Effort".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ...jsontext import Json, JsonObject
from ...message import Options, ResponseFormat

__all__ = ["FORMATS", "read_format", "read_options", "say_format", "say_options"]

_PLAIN: dict[str, tuple[type, ...]] = {
    "max_tokens": (int,),
    "temperature": (int, float),
    "top_p": (int, float),
    "top_k": (int,),
    "service_tier": (str,),
}
# kinds of `thinking` that an effort, or none at all, says
_KINDS = {"adaptive": "on", "enabled": "on", "disabled": "off", "between_tools": "off"}
_SCHEMA = {"type", "schema"}
FORMATS = {"output_config": "$.output_config.format", "output_format": "$.output_format"}


def read_options(rest: JsonObject, notes: JsonObject) -> Options:
    """The options, taken out of the body."""
    given: dict[str, Any] = {
        name: rest.pop(name)
        for name, kinds in _PLAIN.items()
        if name in rest and type(rest[name]) in kinds
    }
    stops = rest.get("stop_sequences")
    if isinstance(stops, list) and stops and all(type(one) is str for one in stops):
        given["stop"] = tuple(rest.pop("stop_sequences"))
    meta = rest.get("metadata")
    if isinstance(meta, dict) and isinstance(meta.get("user_id"), str):
        given["user"] = _taken(rest, "metadata", "user_id")
    _thinking(rest, notes, given)
    return Options(**given)


def _thinking(rest: JsonObject, notes: JsonObject, given: dict[str, Any]) -> None:
    """A budget, an effort, or how the model is to think where no effort is told."""
    told = rest.get("thinking")
    kind = told.get("type") if isinstance(told, dict) else None
    if isinstance(told, dict) and isinstance(kind, str) and kind in _KINDS:
        if kind == "enabled" and type(told.get("budget_tokens")) is int:
            given["reasoning_budget"] = _taken(rest, "thinking", "budget_tokens")
        else:
            given["reasoning"], notes["thinking"] = _KINDS[kind], kind
        _taken(rest, "thinking", "type")
    config = rest.get("output_config")
    effort = config.get("effort") if isinstance(config, dict) else None
    if isinstance(effort, str) and effort and given.get("reasoning") != "off":
        given["reasoning"] = _taken(rest, "output_config", "effort")
        notes["effort"] = True


def _taken(body: JsonObject, key: str, inner: str) -> Json:
    """A value out of an object of the body, which is left out once it is empty."""
    kept = dict(body[key])
    value = kept.pop(inner)
    if kept:
        body[key] = kept
    else:
        del body[key]
    return value


def say_options(body: JsonObject, given: Options, kept: Collection[str], notes: JsonObject) -> None:
    """Put the options of `kept` where they stood in the body."""
    for name, value in given.given():
        if name not in kept:
            continue
        if name in _PLAIN:
            body[name] = value
        elif name == "stop":
            body["stop_sequences"] = list(value)
        elif name == "user":
            _put(body, "metadata", "user_id", value)
        elif name == "reasoning_budget":
            _put(body, "thinking", "type", "enabled")
            _put(body, "thinking", "budget_tokens", value)
        elif name == "reasoning":
            if "thinking" in notes:
                _put(body, "thinking", "type", notes["thinking"])
            if "effort" in notes:
                _put(body, "output_config", "effort", value)


def _put(body: JsonObject, key: str, inner: str, value: Json) -> None:
    body[key] = {**(body.get(key) or {}), inner: value}


def read_format(rest: JsonObject, notes: JsonObject) -> ResponseFormat | None:
    """The schema of the answer, taken out of the body; `output_format` is its older place."""
    config = rest.get("output_config")
    for place in FORMATS:
        outer = config if place == "output_config" else rest
        key = "format" if place == "output_config" else place
        told = outer.get(key) if isinstance(outer, dict) else None
        if not isinstance(told, dict) or told.keys() != _SCHEMA or told["type"] != "json_schema":
            continue
        if not isinstance(told["schema"], dict):
            continue
        if place == "output_config":
            _taken(rest, place, key)
        else:
            del rest[place]
            notes["format"] = place
        return ResponseFormat("schema", told["schema"])
    return None


def say_format(body: JsonObject, form: ResponseFormat, notes: JsonObject) -> None:
    """Put the schema of the answer where it stood in the body."""
    said = {"type": "json_schema", "schema": form.schema}
    if "format" in notes:
        body[notes["format"]] = said
    else:
        _put(body, "output_config", "format", said)
