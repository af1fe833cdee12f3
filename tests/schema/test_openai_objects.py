"""What OpenAI's APIs demand of objects and arrays, of whatever wire or server a schema comes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import LLM, ChatRequest, Msg
from dragoman.message import Tool
from dragoman.schema import DIALECTS, lower_schema
from tests.each_case import each_case

EMPTY: dict[str, Any] = {"type": "object"}
WIRES = ["openai/openai-chat", "openai/openai-responses", "azure/openai-chat", "groq", "mistral"]


def parameters(body: dict[str, Any]) -> Any:
    [tool] = body["tools"]
    return tool["parameters"] if "parameters" in tool else tool["function"]["parameters"]


@each_case("name", WIRES)
@each_case("schema", [EMPTY, {}, {"type": "object", "additionalProperties": False},
                                    {"type": "object", "title": "no arguments"}])  # fmt: skip
def test_a_function_names_its_properties_if_only_none(name: str, schema: dict[str, Any]) -> None:
    request = ChatRequest([Msg.user("Hi")], tools=[Tool("now", "The time.", schema)])
    written = dragoman.wire(name, policy="ignore").write_request(request, "m")
    assert parameters(written.body)["type"] == "object"
    assert parameters(written.body)["properties"] == {}
    restated = [] if schema else ["schema.restated"]  # whose type was not said
    assert [loss.code for loss in written.losses if "schema" in loss.code] == restated


BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "claude-opus-5-5", "max_tokens": 9,
                  "tools": [{"name": "now", "input_schema": EMPTY}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
               "tools": [{"functionDeclarations": [{"name": "now",
                                                    "parametersJsonSchema": EMPTY}]}]},
    "ollama": {"model": "qwen3", "tools": [{"type": "function", "function": {
        "name": "now", "parameters": EMPTY}}]},
}  # fmt: skip


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses"])
@pytest.mark.parametrize("source", BODIES)
def test_so_do_those_of_other_wires(source: str, target: str) -> None:
    body = {"messages": [{"role": "user", "content": "Hi"}], **BODIES[source]}
    if source == "gemini":
        del body["messages"]
    out: Any = dragoman.convert(body, source, target, policy="ignore")
    assert parameters(getattr(out, "body", out))["properties"] == {}


def test_a_body_of_the_same_wire_comes_back_as_it_was() -> None:
    tool = {"type": "function", "function": {"name": "now", "parameters": EMPTY}}
    messages = [{"role": "user", "content": "Hi"}]
    body = {"model": "gpt-5.6", "messages": messages, "tools": [tool]}
    wire = dragoman.wire("openai", policy="ignore")
    assert wire.write_request(wire.read_request(body)).body == body


def test_a_tool_of_an_llm() -> None:
    tool = {"name": "now", "description": "", "inputSchema": EMPTY}  # as MCP servers list it
    out = LLM("openai/gpt-4.1", key="k", policy="ignore").request("Hi", tools=[Tool.of(tool)])
    assert parameters(out.body)["properties"] == {}


# -- strict ------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", [{"type": "array"}, {"type": "array", "items": True},
                                   {"type": "array", "items": {}}])  # fmt: skip
@pytest.mark.parametrize("name", ["openai-strict", "deepseek-strict"])
def test_items_of_any_value_are_lowered_and_named(inner: dict[str, Any], name: str) -> None:
    schema = {"type": "object", "properties": {"list": inner}, "required": ["list"],
              "additionalProperties": False}  # fmt: skip
    made = lower_schema(schema, DIALECTS[name])
    items = made.schema["properties"]["list"]["items"]
    assert items not in (True, {})
    assert items.keys() & {"type", "anyOf"}
    changes = json.dumps([str(change) for change in made.changes])
    assert "items" in changes or "any value" in changes
    assert "narrower" in str(made.verdict) or "narrower" in changes


@pytest.mark.parametrize("schema", [
    {"type": "object", "additionalProperties": False},
    {"type": "object", "properties": {"a": {"type": "object", "additionalProperties": False}},
     "required": ["a"], "additionalProperties": False},
])  # fmt: skip
def test_closed_objects_name_their_properties(schema: dict[str, Any]) -> None:
    made = lower_schema(schema, DIALECTS["openai-strict"]).schema
    assert made["properties"].get("a", made)["properties"] == {} or made["properties"] == {}
