"""Cases of JSON Schema, as tools and answers of one wire are declared on another.

What each feature becomes, with its verdict, is in tests/schema; here the wires ask for it.
"""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.capabilities import Facts
from dragoman.schema import without_nulls
from dragoman.vendors import PROTOCOLS

from .converting import HI, Losses, chat, claude, converted, function, gemini

TEXT = {"type": "string"}
PARAMETERS = "$.tools[0].function.parameters"


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def declared(target: str, schema: Any) -> tuple[Any, Losses]:
    """(the schema as the target has it, the losses)."""
    body, losses = converted("openai-chat", target, chat(HI, tools=[function(schema=schema)]))
    tool = (body.get("tools") or {**body, **body.get("parameters", {})}.get("tools")
            or body["toolConfig"]["tools"])[0]  # fmt: skip
    tool = tool.get("function") or tool.get("toolSpec") or tool
    tool = tool["functionDeclarations"][0] if "functionDeclarations" in tool else tool
    keys = ("parameters", "input_schema", "parametersJsonSchema", "inputSchema")
    made = next((tool[key] for key in keys if key in tool), None)
    return made.get("json", made) if isinstance(made, dict) else made, losses


def test_case_6_a_union_at_the_root_is_told_and_named_with_its_tool() -> None:
    schema = {**of(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    made, losses = declared("anthropic", schema)
    assert made.keys() == {"type", "properties", "description"}
    assert "anyOf" in made["description"]
    assert losses == [("schema.described", f"{PARAMETERS}.anyOf")]
    assert declared("gemini", schema)[0]["anyOf"] == schema["anyOf"]


def test_case_6_a_list_of_items_is_one_of_draft_2020_12() -> None:
    schema = of(a={"type": "array", "items": [TEXT, {"type": "integer"}]})
    made, losses = declared("anthropic", schema)
    assert made["properties"]["a"]["prefixItems"] == [TEXT, {"type": "integer"}]
    assert losses == [("schema.restated", f"{PARAMETERS}.properties.a.items")]


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses"])
def test_case_17_strict_is_made_strict_or_not_asked_for(target: str) -> None:
    tool = {"name": "f", "input_schema": {**of(a=TEXT, b=TEXT), "required": ["a"]}, "strict": True}
    body, losses = converted("anthropic", target, claude(HI, tools=[tool]))
    made = body["tools"][0].get("function", body["tools"][0])
    assert made["strict"] is True
    assert made["parameters"]["required"] == ["a", "b"]
    assert made["parameters"]["additionalProperties"] is False
    assert made["parameters"]["properties"]["b"] == {"anyOf": [TEXT, {"type": "null"}]}
    assert {code for code, _ in losses} == {"schema.narrower", "schema.wider"}
    assert all(where.startswith("$.tools[0].input_schema.") for _, where in losses)
    free = of(a={"type": "object", "additionalProperties": TEXT})
    tool = {"name": "f", "input_schema": free, "strict": True}
    body, losses = converted("anthropic", target, claude(HI, tools=[tool]))
    made = body["tools"][0].get("function", body["tools"][0])
    assert (made["strict"], made["parameters"]) == (False, free)
    assert losses == [("schema.unfit", "$.tools[0].strict")]


def test_case_17_the_null_that_stands_for_absent_goes_again() -> None:
    schema = {**of(a=TEXT, b=TEXT), "required": ["a"]}
    assert without_nulls(schema, {"a": "x", "b": None}) == {"a": "x"}


WIDE = {
    **of(a={"$ref": "#/$defs/x"}, b={"const": "B"}, d={"type": ["string", "null"]},
         e={"type": "integer", "enum": [1, 2]}, f={"type": "string", "format": "uri"},
         h={"type": "string", "pattern": "^a"}),
    "$defs": {"x": of(n={"type": "integer"})},
    "additionalProperties": False,
}  # fmt: skip


def test_case_42_most_of_json_schema_passes_and_the_rest_is_told() -> None:
    made, losses = declared("gemini", WIDE)
    props = made["properties"]
    kept = {name: one for name, one in WIDE["properties"].items() if name in "adef"}
    assert {name: props[name] for name in kept} == kept
    assert made["$defs"] == WIDE["$defs"]
    assert props["b"] == {"enum": ["B"]}
    assert props["h"] == {"type": "string", "description": "(pattern: ^a)"}
    assert losses == [("schema.restated", f"{PARAMETERS}.properties.b.const"),
                      ("schema.described", f"{PARAMETERS}.properties.h.pattern")]  # fmt: skip


def test_case_42_where_only_the_subset_is_taken_it_is_the_subset() -> None:
    older = Facts(always={"tool_schema": "gemini-openapi"}, since="2025-01-01", source="a relay")
    wire = dragoman.wire("gemini", policy="ignore").knowing((older,))
    told = chat(HI, tools=[function(schema=WIDE)])
    out = dragoman.convert(told, "openai-chat", wire, model="gemini-3.5-flash", policy="ignore")
    made = out.body["tools"][0]["functionDeclarations"][0]["parameters"]
    assert "$defs" not in made
    assert "additionalProperties" not in made
    assert made["properties"]["a"]["properties"] == {"n": {"type": "INTEGER"}}
    assert made["properties"]["d"] == {"type": "STRING", "nullable": True}
    codes = {loss.code for loss in out.losses}
    assert codes == {"schema.described", "schema.restated", "schema.dropped"}
    assert all(loss.where.startswith(PARAMETERS) for loss in out.losses)


def test_case_42_its_own_spellings_are_json_schema_elsewhere() -> None:
    told = {"type": "OBJECT", "properties": {"a": {"any_of": [{"type": "STRING"}]}}}
    tools = [{"function_declarations": [{"name": "f", "parameters": told}]}]
    hello = {"role": "user", "parts": [{"text": "Hi"}]}
    body, _ = converted("gemini", "openai-chat", gemini(hello, tools=tools))
    made = body["tools"][0]["function"]["parameters"]
    assert made == of(a={"anyOf": [TEXT]})


def test_case_69_what_vanishes_before_the_model_is_told() -> None:
    made, losses = declared("ollama", of(b={"type": "string", "pattern": "^a"}, c={"const": "x"}))
    assert made["properties"] == {
        "b": {"type": "string", "description": "(pattern: ^a)"}, "c": {"enum": ["x"]},
    }  # fmt: skip
    assert losses == [("schema.described", f"{PARAMETERS}.properties.b.pattern"),
                      ("schema.restated", f"{PARAMETERS}.properties.c.const")]  # fmt: skip
    made, losses = declared("ollama", {"type": "object", "properties": []})
    assert made == of()
    assert losses == [("schema.note", f"{PARAMETERS}.properties")]


def test_a_dialect_and_titles_that_no_field_of_ollama_holds_are_named() -> None:
    made, losses = declared(
        "ollama",
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Weather",
            **of(city={**TEXT, "title": "City"}),
        },
    )
    assert made == of(city=TEXT)
    assert losses == [("schema.note", f"{PARAMETERS}.{field}")
                      for field in ("$schema", "title", "properties.city.title")]  # fmt: skip


@pytest.mark.parametrize("target", [name for name in PROTOCOLS if name != "dashscope"])
def test_case_96_schemas_of_tool_servers_and_of_models_in_python(target: str) -> None:
    made, _ = declared(target, {})
    assert made in (None, of(), {"type": "object"})
    made, losses = declared(target, {"properties": {"a": {"title": "A", "default": 1}}})
    assert made["type"] == "object"
    assert "1" in str(made["properties"]["a"])
    assert all(where.startswith(PARAMETERS) for _, where in losses)


@pytest.mark.parametrize("target", PROTOCOLS)
def test_case_96_the_callers_schema_is_untouched(target: str) -> None:
    declared(target, WIDE)  # `converted` compares the body before and after


def test_case_96_the_schema_of_an_answer_is_lowered_too() -> None:
    schema = {**of(a={"type": "integer", "minimum": 1}), "required": ["a"]}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    body, losses = converted("openai-chat", "anthropic", chat(HI, response_format=form))
    made = body["output_config"]["format"]["schema"]
    assert made["properties"]["a"] == {"type": "integer", "description": "(minimum: 1)"}
    where = "$.response_format.json_schema.schema"
    assert ("schema.described", f"{where}.properties.a.minimum") in losses
    assert ("schema.narrower", f"{where}.additionalProperties") in losses
