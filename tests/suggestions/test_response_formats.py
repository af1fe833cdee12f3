"""Providers' own forms of a response format mean in a program what they mean there."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, ChatRequest
from dragoman.errors import InvalidMessage
from dragoman.message import ResponseFormat
from dragoman.structured_output import Structured
from dragoman.suggestions.response_formats import read_form
from dragoman.testing import Scripted
from tests.each_case import each_case

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
CAPITALS = {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]}

SCHEMAS: list[dict[str, Any]] = [
    {"type": "json_schema", "json_schema": {"name": "place", "schema": SCHEMA, "strict": True}},
    {"type": "json_schema", "name": "place", "schema": SCHEMA, "strict": True},
    {"type": "json_schema", "schema": SCHEMA},
    {"format": {"type": "json_schema", "name": "place", "schema": SCHEMA}},
    {"text": {"format": {"type": "json_schema", "name": "place", "schema": SCHEMA}}},
    {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
    {"type": "json_object", "schema": SCHEMA},
    {"type": "json_object", "response_schema": SCHEMA},
    {"response_mime_type": "application/json", "response_json_schema": SCHEMA},
    {"responseMimeType": "application/json", "responseSchema": CAPITALS},
    {"response_schema": CAPITALS},
    {"format": SCHEMA},
]
JSON: list[Any] = [
    "json",
    {"type": "json_object"},
    {"type": "json"},
    {"format": "json"},
    {"text": {"format": {"type": "json_object"}}},
    {"response_mime_type": "application/json"},
    ResponseFormat("json"),
]
TEXT: list[Any] = ["text", {"type": "text"}, {"format": {"type": "text"}}, ResponseFormat("text"),
                   {"response_mime_type": "text/plain"}]  # fmt: skip

# JSON Schemas whose words are also those of a form
REAL: list[dict[str, Any]] = [
    SCHEMA,
    {"type": "object", "properties": {"format": {"type": "string"}, "text": {"type": "string"}}},
    {"properties": {"type": {"const": "json_object"}}, "required": ["type"]},
    {"type": ["object", "null"]},
    {"type": "string", "format": "date"},
    {"enum": ["text", "json_object"]},
    {"anyOf": [{"type": "object"}, {"type": "array"}]},
    {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
    {},
]


def sent(form: Any, door: str, model: str = "openai/openai-chat/gpt-5.6") -> tuple[Any, Any]:
    """(what an LLM sends for a form, what it parses of the answer)."""
    script = Scripted('{"city": "Paris"}')
    settings: dict[str, Any] = {"key": "k", "transport": script, "policy": "ignore"}
    if door == "made":
        answer = LLM(model, response_format=form, **settings).ask("Where? In JSON.")
    elif door == "ask":
        answer = LLM(model, **settings).ask("Where? In JSON.", response_format=form)
    elif door == "stream":
        stream = LLM(model, **settings).stream("Where? In JSON.", response_format=form)
        list(stream)
        answer = stream.response
    else:
        llm = AsyncLLM(model, **settings)
        answer = asyncio.run(llm.ask("Where? In JSON.", response_format=form))
    assert answer.text == '{"city": "Paris"}'
    return json.loads(script.calls[0].body).get("response_format"), answer.parsed


DOORS = ["made", "ask", "stream", "async"]


@each_case("door", DOORS)
@each_case("form", SCHEMAS)
def test_a_form_with_a_schema_asks_for_it(form: Any, door: str) -> None:
    asked, parsed = sent(form, door)
    assert asked["type"] == "json_schema"
    schema = asked["json_schema"]["schema"]
    assert (schema["type"], schema["properties"]) == ("object", SCHEMA["properties"])
    assert parsed == {"city": "Paris"}


@each_case("door", DOORS)
@each_case("form", JSON)
def test_any_json(form: Any, door: str) -> None:
    assert sent(form, door) == ({"type": "json_object"}, None)


@each_case("door", DOORS)
@each_case("form", TEXT)
def test_text(form: Any, door: str) -> None:
    asked, parsed = sent(form, door)
    assert asked in (None, {"type": "text"})
    assert parsed is None


@pytest.mark.parametrize("model", ["openai/openai-responses/gpt-5.6", "anthropic/claude-opus-5-5",
                                   "gemini/gemini-4-pro", "ollama/qwen3",
                                   "mistral/mistral-large-latest"])  # fmt: skip
@pytest.mark.parametrize("form", [SCHEMAS[0], SCHEMAS[-2], "json"])
def test_every_wire_asks_as_it_does_for_the_same_format(model: str, form: Any) -> None:
    written = LLM(model, key="k", policy="ignore").request("Where?", response_format=form)
    known = ResponseFormat.of(form)
    same: Any = (
        known
        if known.kind == "json"
        else Structured(known.schema, name=known.name, strict=known.strict)
    )
    meant = LLM(model, key="k", policy="ignore").request("Where?", response_format=same)
    assert written.body == meant.body
    if form != "json":
        assert "city" in json.dumps(written.body)


def test_a_call_may_say_otherwise() -> None:
    llm = LLM("openai/openai-chat/gpt-5.6", key="k", response_format="json")
    assert llm.request("Hi").body["response_format"] == {"type": "json_object"}
    assert llm.request("Hi", response_format="text").body["response_format"] == {"type": "text"}
    asked = llm.request("Hi", response_format=SCHEMA).body["response_format"]
    assert asked["json_schema"]["schema"]["properties"] == SCHEMA["properties"]


@pytest.mark.parametrize("schema", REAL)
def test_a_schema_is_no_form(schema: dict[str, Any]) -> None:
    assert read_form(schema) is None


def test_name_and_strictness_are_those_of_the_form() -> None:
    form = ResponseFormat.of(SCHEMAS[0])
    assert (form.kind, form.name, form.strict) == ("schema", "place", True)
    assert ChatRequest([], response_format=SCHEMAS[1]).response_format == form  # type: ignore[arg-type]
    loose = {"type": "json_schema", "name": "place", "schema": SCHEMA, "strict": False}
    assert Structured(loose).format.strict is False


@pytest.mark.parametrize(
    "form", [{"type": "json_schema"}, {"type": "json_schema", "json_schema": {"name": "x"}},
             {"type": "json_schema", "schema": "x"}, {"response_schema": SCHEMA["type"]}],
)  # fmt: skip
def test_a_form_without_its_schema_is_an_error(form: dict[str, Any]) -> None:
    with pytest.raises(InvalidMessage) as raised:
        LLM("openai/gpt-5.6", key="k").request("Hi", response_format=form)
    assert raised.value.path.startswith("$.response_format")
    assert raised.value.code == "format.kind"


def test_what_names_no_schema_is_no_type() -> None:
    with pytest.raises(InvalidMessage):
        Structured({"type": "json_object"})
