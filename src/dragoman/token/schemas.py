"""Tool schemas of any wire, seen as the function tools that chat templates expect."""

from __future__ import annotations

from typing import Any

__all__ = ["function_tools"]

_DECLARATIONS = ("function_declarations", "functionDeclarations")
_PARAMETERS = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parameters_json_schema",
    "parametersJsonSchema",
)


def function_tools(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One `{"type": "function", "function": ...}` for each tool; others stay as they are."""
    return [view for tool in tools for view in _views(tool)]


def _views(tool: dict[str, Any]) -> list[dict[str, Any]]:
    if isinstance(tool.get("function"), dict):
        return [tool]
    for key in _DECLARATIONS:
        if isinstance(declared := tool.get(key), list):
            return [_function(item) for item in declared if isinstance(item, dict)]
    if isinstance(spec := tool.get("toolSpec"), dict):
        return [_function(spec)]
    if isinstance(tool.get("name"), str) and any(key in tool for key in _PARAMETERS):
        return [_function(tool)]
    return [tool]


def _function(tool: dict[str, Any]) -> dict[str, Any]:
    schema: Any = next((tool[key] for key in _PARAMETERS if tool.get(key) is not None), {})
    if isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        schema = schema["json"]
    function = {
        "name": tool.get("name", ""),
        "description": tool.get("description") or "",
        "parameters": schema,
    }
    return {"type": "function", "function": function}
