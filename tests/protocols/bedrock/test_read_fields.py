"""Fields of a Converse request read into the tree: options, tools, formats; and said again."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Options, ToolChoice
from dragoman.message import CacheHint, ResponseFormat, ServerTool, Tool

from .as_read import ALL, ISSUER, PATH, POINT, ROOM, again, read

MAKER = "additionalModelRequestFields"
SCHEMA = {"type": "object", "properties": {}}
CALL = {"toolUse": {"toolUseId": "t1", "name": "look", "input": {}}}


def test_options() -> None:
    body: dict[str, Any] = {
        "messages": [],
        "inferenceConfig": {"maxTokens": 9, "temperature": 0, "topP": 0.5, "stopSequences": ["#"]},
        MAKER: {"inferenceConfig": {"topK": 3}, "anthropic_beta": ["b"]},
        "serviceTier": {"type": "flex"},
        "requestMetadata": {"k": "v"},
    }
    req = read(body)
    assert req.options == Options(
        max_tokens=9, temperature=0, top_p=0.5, stop=("#",), top_k=3, service_tier="flex"
    )
    assert (req.extras or {})[ISSUER] == {
        MAKER: {"anthropic_beta": ["b"]},
        "requestMetadata": {"k": "v"},
    }
    changed = again(req, ALL - {"max_tokens", "top_k", "service_tier"})
    assert changed == {
        "messages": [],
        "inferenceConfig": {"temperature": 0, "topP": 0.5, "stopSequences": ["#"]},
        MAKER: {"anthropic_beta": ["b"]},
        "requestMetadata": {"k": "v"},
    }


@pytest.mark.parametrize(
    ("own", "options"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, {"reasoning_budget": 2000}),
        ({"reasoning_config": {"type": "enabled", "budget_tokens": 2}}, {"reasoning_budget": 2}),
        ({"thinking": {"type": "adaptive", "display": "omitted"}},
         {"reasoning": "on", "thoughts": "none"}),
        ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
         {"reasoning": "low"}),
        ({"thinking": {"type": "disabled"}}, {"reasoning": "off"}),
        ({"thinking": {"type": "disabled", "budget_tokens": 5}}, {"reasoning": "off"}),
        ({"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}},
         {"reasoning": "high"}),
        ({"reasoningConfig": {"type": "disabled"}}, {"reasoning": "off"}),
        ({"reasoning_effort": "medium"}, {"reasoning": "medium"}),
        ({"thinking": {"type": "enabled", "budget_tokens": 9}, "output_config": {"effort": "max"}},
         {"reasoning": "max", "reasoning_budget": 9}),
        ({"top_k": 4, "inferenceConfig": {"topK": 5}}, {"top_k": 4}),
        ({"thinking": {"type": ["enabled"]}, "reasoning_effort": "", "top_k": True}, {}),
    ],
)  # fmt: skip
def test_thinking_in_each_makers_words(own: dict[str, Any], options: dict[str, Any]) -> None:
    assert read({"messages": [], MAKER: own}).options == Options(**options)


def test_an_effort_beside_the_format() -> None:
    told = {"type": "json_schema", "structure": {"jsonSchema": {
        "schema": '{"type":"object"}', "name": "Card", "strictly": 1}}}  # fmt: skip
    req = read({"messages": [], "outputConfig": {"effort": "low", "textFormat": told}})
    assert req.options.reasoning == "low"
    assert req.response_format == ResponseFormat("schema", {"type": "object"}, "Card")
    assert "outputConfig" in again(req, ALL - {"response_format"})


@pytest.mark.parametrize(
    "told",
    [
        {"type": "json_schema", "structure": {"jsonSchema": {"schema": "{", "name": "n"}}},
        {"type": "json_schema", "structure": {"jsonSchema": {"schema": "[1]"}}},
        {"type": "json_schema", "structure": {"jsonSchema": {"schema": {}}}},
        {"type": "json_schema", "structure": {"jsonSchema": {"schema": "{ }", "name": None}}},
        {"type": "text", "structure": {}},
        {"type": "json_schema"},
        [],
    ],
)
def test_odd_formats_come_back(told: Any) -> None:
    read({"messages": [], "outputConfig": {"textFormat": told}})


@pytest.mark.parametrize(
    "body",
    [
        {"inferenceConfig": {}},
        {"inferenceConfig": None},
        {"inferenceConfig": {"maxTokens": 1.0, "temperature": True, "stopSequences": []}},
        {"inferenceConfig": {"stopSequences": ["a", 1], "topP": "x", "odd": {}}},
        {"serviceTier": {"type": "", "more": 1}},
        {"serviceTier": "flex"},
        {MAKER: {"thinking": None, "inferenceConfig": []}},
        {"guardrailConfig": {"trace": "enabled"}, "performanceConfig": {"latency": "standard"}},
        {"additionalModelResponseFieldPaths": ["/x"], "promptVariables": {"a": {"text": "b"}}},
        {"toolConfig": {}},
        {"toolConfig": {"tools": []}},
        {"toolConfig": {"tools": [None]}},
        {"toolConfig": {"tools": [POINT], "toolChoice": {"auto": {"x": 1}}}},
        {"toolConfig": {"toolChoice": {"tool": {"name": ""}}}},
        {"toolConfig": {"toolChoice": {"auto": {}, "any": {}}}},
    ],
)
def test_odd_fields_come_back(body: dict[str, Any]) -> None:
    read({**body, "messages": []})


def test_tools() -> None:
    spec = {"name": "look", "description": "Looks.", "inputSchema": {"json": SCHEMA}}
    bare = {"name": "bare", "inputSchema": {"json": SCHEMA, "more": 1}, "strict": True, "own": 2}
    tools = [
        {"toolSpec": spec}, POINT, {"toolSpec": bare},
        {"systemTool": {"name": "nova_grounding"}}, {"systemTool": {"name": "other"}},
        {"toolSpec": {"name": "empty", "description": "", "inputSchema": {"json": SCHEMA}}},
        {"toolSpec": {"description": "nameless"}}, POINT,
    ]  # fmt: skip
    req = read({"messages": [], "toolConfig": {"tools": tools, "toolChoice": {"any": {}}}})
    first, second, search, other, *_ = req.tools
    assert first == Tool("look", "Looks.", SCHEMA, cache=CacheHint())
    own = {ISSUER: {"inputSchema": {"more": 1}, "own": 2}}
    assert second == Tool("bare", "", SCHEMA, True, extras=own)
    assert search == ServerTool("web_search")
    assert other == ServerTool("own", extras={ISSUER: {"systemTool": {"name": "other"}}})
    assert len(req.tools) == 7
    assert req.tool_choice == ToolChoice("required")
    assert again(req, ALL - {"tools"})["toolConfig"] == {"toolChoice": {"any": {}}}


@pytest.mark.parametrize(
    ("told", "choice"),
    [({"auto": {}}, ToolChoice()), ({"tool": {"name": "f"}}, ToolChoice("tool", "f"))],
)
def test_the_choice_of_a_tool(told: Any, choice: ToolChoice) -> None:
    tools = [{"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}]
    body = {"messages": [], "toolConfig": {"tools": tools, "toolChoice": told}}
    assert read(body).tool_choice == choice


@pytest.mark.parametrize(
    ("body", "path", "ours"),
    [
        ({"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}, None, True),
        ({"messages": [{"role": "user", "content": [CALL]}], "system": [POINT]}, None, True),
        ({"messages": [], "inferenceConfig": {}}, None, True),
        ({"messages": [], "stream": True}, PATH, True),
        ({"messages": []}, None, False),
        ({"messages": [{"role": "user", "content": "Hi"}]}, None, False),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]}, None, False),
        ({"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "model": "m"}, None, False),
        ({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}, None, False),
        ([], None, False),
    ],
)  # fmt: skip
def test_what_can_be_a_request_of_converse(body: Any, path: str | None, ours: bool) -> None:
    assert ROOM.claims(body, path) is ours
