"""Tools that a vendor runs itself: a declaration among the tools, or switches in the body.

The dialect holds both as data, and where each field of the neutral tool stands in them.
"""

from __future__ import annotations

import copy
from typing import Any

from ...capabilities import Capabilities
from ...jsontext import JsonObject
from ...losses import Report
from ...message import ServerTool
from ...shapes import replay, unsaid
from .dialect import Dialect

__all__ = ["declared", "switched"]


def declared(
    tool: ServerTool, can: Capabilities, dialect: Dialect, report: Report
) -> list[JsonObject]:
    """The declaration of the tool, if this vendor has one: what stands in `tools`."""
    own = dialect.server_tools.get(tool.kind)
    return [] if own is None else [_spelled(own, tool, can, dialect, report)]


def switched(tool: ServerTool, can: Capabilities, dialect: Dialect, report: Report) -> JsonObject:
    """The top-level fields that turn the tool on, if it is no declaration here."""
    own = dialect.switches.get(tool.kind)
    return {} if own is None else _spelled(own, tool, can, dialect, report)


def _spelled(
    own: JsonObject, tool: ServerTool, can: Capabilities, dialect: Dialect, report: Report
) -> JsonObject:
    made = copy.deepcopy(own)
    said: list[str] = []
    for name, value in tool.given():
        if place := dialect.server_fields.get(f"{tool.kind}.{name}"):
            said.append(name)
            _put(made, place.split("."), value)
    unsaid(tool, report, *said)
    return replay(made, tool, can, report)


def _put(made: JsonObject, path: list[str], value: Any) -> None:
    *heads, last = path
    for head in heads:
        made = made.setdefault(head, {})
    if isinstance(value, tuple):
        value = list(value)
    made[last] = {"type": "approximate", **value} if isinstance(value, dict) else value
