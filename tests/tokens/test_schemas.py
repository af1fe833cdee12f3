"""Tools of every wire, as a chat template expects them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dragoman.tokens.chat_messages import function_tools

SCHEMA = {"type": "object", "properties": {"x": {"type": "number"}}}
FUNCTION = {
    "type": "function",
    "function": {"name": "f", "description": "d", "parameters": SCHEMA},
}

WRITTEN: dict[str, dict[str, Any]] = {
    "openai-chat": FUNCTION,
    "openai-responses": {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA},
    "anthropic": {"name": "f", "description": "d", "input_schema": SCHEMA},
    "gemini": {"functionDeclarations": [{"name": "f", "description": "d", "parameters": SCHEMA}]},
    "gemini with a JSON schema": {
        "function_declarations": [{"name": "f", "description": "d", "parametersJsonSchema": SCHEMA}]
    },
    "bedrock": {"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": SCHEMA}}},
}


@pytest.mark.parametrize("tool", WRITTEN.values(), ids=WRITTEN.keys())
def test_every_wire_gives_the_same_function(tool: dict[str, Any]) -> None:
    before = copy.deepcopy(tool)
    assert function_tools([tool]) == [FUNCTION]
    assert tool == before


def test_a_tool_without_parameters() -> None:
    [tool] = function_tools([{"functionDeclarations": [{"name": "f"}]}])
    assert tool["function"] == {"name": "f", "description": "", "parameters": {}}


def test_other_tools_stay_as_they_are() -> None:
    tools: list[dict[str, Any]] = [
        {"googleSearch": {}},
        {"type": "web_search", "name": "web_search"},
    ]
    assert function_tools(tools) == tools
