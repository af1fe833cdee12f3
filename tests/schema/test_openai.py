"""What OpenAI's own API refuses of functions that are not strict: 400 invalid_function_parameters.

Sources: langchain-ai/langchainjs issue 9804 and nspady/google-calendar-mcp issue 39 (unions at the
root), spacelift-io/spacectl issue 402 and apify/apify-mcp-server issue 36 (arrays without items).
"""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.schema import DIALECTS, lower_schema
from tests.each_case import each_case

HOSTS = ["openai", "openai/openai-responses", "azure", "azure/openai-responses",
         "openrouter/openai/gpt-5.6"]  # fmt: skip
ANY = {"type": "array", "items": {}}


def parameters(host: str, schema: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    request = ChatRequest([Msg.user("Hi")], tools=[Tool("f", "", schema)])
    name, _, model = host.partition("/openai/")
    wire = dragoman.wire(name, policy="ignore")
    out = wire.write_request(request, model=model or "gpt-5.6")
    [tool] = out.body["tools"]
    told = [(loss.code, loss.where) for loss in out.losses if ".tools" in loss.where]
    return tool.get("function", tool)["parameters"], told


@each_case("host", HOSTS)
@each_case(
    ("schema", "properties"),
    [
        ({"a": {"type": "array"}}, {"a": ANY}),
        ({"a": {"type": ["array", "null"]}}, {"a": {**ANY, "type": ["array", "null"]}}),
        ({"a": {"type": "array", "items": {"type": "array"}}}, {"a": {**ANY, "items": ANY}}),
        ({"a": {"type": "array", "prefixItems": [{"type": "string"}]}},
         {"a": {**ANY, "prefixItems": [{"type": "string"}]}}),
        ({"a": {"anyOf": [{"type": "array"}, {"type": "null"}]}},
         {"a": {"anyOf": [ANY, {"type": "null"}]}}),
        ({"a": {"type": "object", "properties": {"b": {"type": "array"}}}},
         {"a": {"type": "object", "properties": {"b": ANY}}}),
    ],
)  # fmt: skip
def test_an_array_says_its_items(
    host: str, schema: dict[str, Any], properties: dict[str, Any]
) -> None:
    made, losses = parameters(host, {"type": "object", "properties": schema})
    assert made == {"type": "object", "properties": properties}
    assert [code for code, _ in losses] == ["schema.restated"]
    assert losses[0][1].endswith(".items")


@each_case("host", HOSTS)
@each_case("keyword", ["anyOf", "oneOf", "allOf", "not", "enum", "const"])
def test_the_root_has_no_unions_and_no_values(host: str, keyword: str) -> None:
    branch = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}
    value: Any = [branch, {"type": "object", "required": ["a"]}] if keyword[3:] == "Of" else branch
    if keyword == "enum":
        value = [{"a": "x"}]
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, keyword: value}
    made, losses = parameters(host, schema)
    assert keyword not in made
    assert made["properties"]["a"] == {"type": "string"}
    assert any(f"parameters.{keyword}" in where for _, where in losses)
    if keyword != "allOf":  # which is said by the root itself
        assert keyword in made["description"]


def test_what_fits_is_the_same_object() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"enum": [1]}}}}
    assert lower_schema(schema, DIALECTS["openai"]).schema is schema


@pytest.mark.parametrize("host", ["vllm", "mistral"])
def test_other_hosts_get_them_as_they_are(host: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array"}}, "not": {"required": ["b"]}}
    assert parameters(host, schema) == (schema, [])
