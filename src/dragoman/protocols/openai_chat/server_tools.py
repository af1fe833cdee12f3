"""Tools that a vendor runs itself: a declaration among the tools, or switches in the body.

The dialect holds both as data, and where each field of the neutral tool stands in them. Reading is
the inverse of writing, and what cannot be said again as it was is not read.
"""

from __future__ import annotations

import copy
from typing import Any

from ...capabilities import Capabilities
from ...errors import InvalidMessage
from ...jsontext import JsonObject, canonical
from ...losses import Report
from ...message import ServerTool
from ...message.blocks import noted
from ...shapes import filled, own_extras, replay, unsaid
from .dialect import Dialect

__all__ = ["declared", "read_declared", "read_switched", "said_again", "switched"]


def declared(
    tool: ServerTool, can: Capabilities, dialect: Dialect, report: Report
) -> list[JsonObject]:
    """The declaration of the tool, if this vendor has one: what stands in `tools`.

    A tool that nobody models goes back as it was read.
    """
    if tool.kind == "own":
        told = own_extras(tool, can)
        return [told] if told else []
    own = dialect.server_tools.get(tool.kind)
    return [] if own is None else [_spelled(own, tool, can, dialect, report)]


def switched(tool: ServerTool, can: Capabilities, dialect: Dialect, report: Report) -> JsonObject:
    """The top-level fields that turn the tool on, if it is no declaration here."""
    own = dialect.switches.get(tool.kind)
    return {} if own is None else _spelled(own, tool, can, dialect, report)


def _spelled(
    own: JsonObject, tool: ServerTool, can: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    made, said = _filled(own, tool, dialect)
    unsaid(tool, report, *said)
    return replay(made, tool, can, report)


def _filled(own: JsonObject, tool: ServerTool, dialect: Dialect) -> tuple[JsonObject, list[str]]:
    """(what turns the tool on, which of its fields that says)."""
    made = copy.deepcopy(own)
    said: list[str] = []
    for name, value in tool.given():
        if place := dialect.server_fields.get(f"{tool.kind}.{name}"):
            said.append(name)
            _put(made, place.split("."), value)
    return made, said


def _put(made: JsonObject, path: list[str], value: Any) -> None:
    *heads, last = path
    for head in heads:
        made = made.setdefault(head, {})
    if isinstance(value, tuple):
        value = list(value)
    made[last] = {"type": "approximate", **value} if isinstance(value, dict) else value


def read_declared(told: JsonObject, dialect: Dialect) -> ServerTool | None:
    """The neutral tool that an entry of `tools` declares, if the vendor has one like it."""
    for kind, own in dialect.server_tools.items():
        if (made := _read(kind, own, told, dialect)) is not None:
            return made
    return None


def read_switched(body: JsonObject, dialect: Dialect) -> list[ServerTool]:
    """The tools that fields of the body turn on, which are taken out of it."""
    found: list[ServerTool] = []
    for kind, own in dialect.switches.items():
        places = [place for name, place in dialect.server_fields.items()
                  if name.startswith(f"{kind}.")]  # fmt: skip
        keys = {*own, *(place.partition(".")[0] for place in places)}
        told = {key: body[key] for key in keys if key in body}
        if (made := _read(kind, own, told, dialect)) is not None:
            made.extras = {**(made.extras or {}), noted(dialect.issuers[0]): {"place": "body"}}
            found.append(made)
            for key in told:
                del body[key]
    return found


def said_again(tool: ServerTool, dialect: Dialect) -> JsonObject:
    """The declaration or the switches as they were read."""
    own = dialect.server_tools.get(tool.kind) or dialect.switches[tool.kind]
    return filled(_filled(own, tool, dialect)[0], (tool.extras or {}).get(dialect.issuers[0], {}))


def _read(kind: Any, own: JsonObject, told: JsonObject, dialect: Dialect) -> ServerTool | None:
    rest = _beyond(told, own)
    if rest is None:
        return None
    given: dict[str, Any] = {}
    for name, place in dialect.server_fields.items():
        of, _, field = name.partition(".")
        if of == kind and (value := _taken(rest, place.split("."))) is not None:
            given[field] = _neutral(value)
    try:
        made = ServerTool(kind, **given, extras={dialect.issuers[0]: rest} if rest else None)
    except InvalidMessage:
        return None
    return made if canonical(said_again(made, dialect)) == canonical(told) else None


def _neutral(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key: inner for key, inner in value.items() if key != "type"}
    return value


def _beyond(told: JsonObject, own: JsonObject) -> JsonObject | None:
    """What is told beyond `own`; None if `own` is not told."""
    rest = dict(told)
    for key, value in own.items():
        if isinstance(value, dict) and isinstance(told.get(key), dict):
            inner = _beyond(told[key], value)
            if inner is None:
                return None
            rest[key] = inner
            if not inner:
                del rest[key]
        elif key in told and told[key] == value and type(told[key]) is type(value):
            del rest[key]
        else:
            return None
    return rest


def _taken(made: JsonObject, path: list[str]) -> Any:
    """The value at the path, taken out of copies of the objects around it."""
    head, *inner = path
    value = made.get(head)
    if not inner:
        return made.pop(head, None)
    if not isinstance(value, dict):
        return None
    value = made[head] = dict(value)
    found = _taken(value, inner)
    if not value:
        del made[head]
    return found
