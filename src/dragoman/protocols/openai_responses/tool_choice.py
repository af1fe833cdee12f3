"""The choice among tools: `tool_choice` and `parallel_tool_calls` of a request.

A function or a custom tool is chosen by its name, a tool of the host's by its type. Reference:
OpenAI API, "Create a model response", `tool_choice`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...message import ServerTool, Tool, ToolChoice
from ...text.json_text import Json, JsonObject
from ..chat_like.messages import is_text
from ..chat_like.request import freeform_names

# kinds of tools that the host runs -> their types, by which they are chosen
_HOSTED = {
    "web_search": "web_search",
    "file_search": "file_search",
    "code_execution": "code_interpreter",
}


class _Names:
    """The forms in which a choice names each of the tools."""

    def __init__(self, tools: Iterable[Tool | ServerTool]) -> None:
        tools = list(tools)
        self._freeform = freeform_names(tools)
        functions = {tool.name for tool in tools if type(tool) is Tool}
        kinds = {tool.kind for tool in tools if type(tool) is ServerTool} - functions
        self._types = {kind: _HOSTED[kind] for kind in kinds if kind in _HOSTED}
        self._kinds = {type_: kind for kind, type_ in self._types.items()}

    def write_choice(self, name: str) -> JsonObject:
        """Write the object that names a tool."""
        if name in self._types:
            return {"type": self._types[name]}
        return {"type": "custom" if name in self._freeform else "function", "name": name}

    def name_in(self, data: Json) -> str:
        """Return the tool that an object names; empty if the object has other fields."""
        if not isinstance(data, dict):
            return ""
        kind, name = data.get("type"), data.get("name")
        if len(data) == 1 and isinstance(kind, str):
            return self._kinds.get(kind, "")
        if len(data) != 2 or not is_text(name):
            return ""
        return name if data == self.write_choice(name) else ""


def write_choice(choice: ToolChoice, tools: Iterable[Tool | ServerTool]) -> JsonObject:
    """Write `tool_choice` (a mode, one tool, or some of them) and `parallel_tool_calls`."""
    names = _Names(tools)
    value: Any = choice.mode
    if choice.name is not None:
        value = names.write_choice(choice.name)
    elif choice.allowed and choice.mode != "none":
        allowed = [names.write_choice(name) for name in choice.allowed]
        value = {"type": "allowed_tools", "mode": choice.mode, "tools": allowed}
    fields = {"tool_choice": value}
    if choice.parallel is not None:
        fields["parallel_tool_calls"] = choice.parallel
    return fields


def choice_value(
    data: Json, tools: Iterable[Tool | ServerTool]
) -> tuple[dict[str, Any], None] | None:
    """Read a choice that does nothing but select the tools that may or must be called."""
    if isinstance(data, str):
        return ({"mode": data}, None) if data in ("auto", "none", "required") else None
    if not isinstance(data, dict):
        return None
    names = _Names(tools)
    if name := names.name_in(data):
        return {"mode": "tool", "name": name}, None
    mode, entries = data.get("mode"), data.get("tools")
    if data.get("type") != "allowed_tools" or len(data) != 3 or mode not in ("auto", "required"):
        return None
    listed = entries if isinstance(entries, list) else ()
    allowed = tuple(names.name_in(entry) for entry in listed)
    return ({"mode": mode, "allowed": allowed}, None) if allowed and all(allowed) else None
