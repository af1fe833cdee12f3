"""Tools and media as dicts of other libraries: what they say arrives, or is refused."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import LLM, InvalidMessage
from dragoman.message import ServerTool
from tests.each_case import each_case
from tests.transport.ways import KEY

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
PNG = "iVBORw0KGgo="
PDF = "JVBERi0="
URL = "https://example.com/a.png"


def body(model: str, messages: Any = "Hi", **settings: Any) -> dict[str, Any]:
    return LLM(model, key=KEY).request(messages, **settings).body


class Listed:
    """A tool as a session of the mcp package lists it: a pydantic model."""

    def __str__(self) -> str:
        return "a tool of mcp"

    def model_dump(self) -> dict[str, Any]:
        return {"name": "f", "title": None, "description": "d", "inputSchema": SCHEMA,
                "outputSchema": None, "annotations": None, "meta": None}  # fmt: skip


# MCP 2025-11-25; Converse's toolConfig; google-genai 3.6; langchain-core 1.7; ai 6
TOOLS: list[Any] = [
    {"name": "f", "description": "d", "inputSchema": SCHEMA},
    Listed(),
    {"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": SCHEMA}}},
    {"name": "f", "description": "d", "parametersJsonSchema": SCHEMA},
    {"name": "f", "description": "d", "parameters_json_schema": SCHEMA},
    {"functionDeclarations": [{"name": "f", "description": "d", "parameters": SCHEMA}]},
    {"function_declarations": [{"name": "f", "description": "d", "parameters": SCHEMA}]},
    {"name": "f", "description": "d", "args_schema": SCHEMA},
    {"name": "f", "description": "d", "schema": SCHEMA},
    {"type": "custom", "name": "f", "description": "d", "input_schema": SCHEMA},
]


@pytest.mark.parametrize("tool", TOOLS, ids=str)
def test_a_tool_keeps_its_arguments_however_a_library_calls_them(tool: Any) -> None:
    request = LLM("anthropic/claude-opus-5-5", key=KEY).request("Hi", tools=[tool])
    assert request.body["tools"] == [{"name": "f", "description": "d", "input_schema": SCHEMA}]
    assert [loss for loss in request.losses if ".tools" in loss.where] == []


def test_a_custom_tool_without_a_schema_takes_text() -> None:
    grammar = {"type": "grammar", "syntax": "regex", "definition": "a+"}
    tool = {"type": "custom", "name": "f", "description": "d", "format": grammar}
    [made] = body("openai/openai-responses/gpt-5.6", tools=[tool])["tools"]
    assert made == tool


@pytest.mark.parametrize("kind", ["web_search_20250305", "bash_20250124", "computer_20250124"])
def test_a_tool_of_a_providers_own_is_no_function_without_arguments(kind: str) -> None:
    with pytest.raises(InvalidMessage, match="ServerTool") as caught:
        body("anthropic/claude-opus-5-5", tools=[{"type": kind, "name": "bash"}])
    assert caught.value.path == "$.tools[0]"
    made = ServerTool("own", extras={"anthropic": {"type": kind, "name": "bash"}})
    assert body("anthropic/claude-opus-5-5", tools=[made])["tools"][0]["type"] == kind


# langchain-core 0.3 and 1.7; ai 6; MCP 2025-11-25; langchain-google-genai 4
MEDIA: list[tuple[dict[str, Any], str]] = [
    ({"type": "image", "source_type": "url", "url": URL}, URL),
    ({"type": "image", "source_type": "base64", "data": PNG, "mime_type": "image/png"}, PNG),
    ({"type": "image", "url": URL}, URL),
    ({"type": "image", "base64": PNG, "mime_type": "image/png"}, PNG),
    ({"type": "image", "image": URL}, URL),
    ({"type": "image", "image": f"data:image/png;base64,{PNG}"}, PNG),
    ({"type": "image", "image": PNG}, PNG),
    ({"type": "image", "data": PNG, "mimeType": "image/png"}, PNG),
    ({"type": "file", "data": PDF, "mediaType": "application/pdf", "filename": "a.pdf"}, PDF),
    ({"type": "file", "data": PNG, "mediaType": "image/png"}, PNG),
    ({"type": "file", "base64": PDF, "mime_type": "application/pdf"}, PDF),
    ({"type": "media", "data": PDF, "mime_type": "application/pdf"}, PDF),
]


@each_case("model", ["openai/gpt-5.6", "anthropic/claude-opus-5-5",
                                   "gemini/gemini-3-pro"])  # fmt: skip
@each_case(("part", "value"), MEDIA, ids=str)
def test_media_arrive_however_a_library_spells_them(
    model: str, part: dict[str, Any], value: str
) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "Look."}, part]}
    request = LLM(model, key=KEY, policy="ignore").request([message])
    assert part not in request.body.get("messages", [{}])[0].get("content", [])
    if model.startswith("gemini") and value == URL:
        return  # which it is not given, with a loss that says so
    assert value in str(request.body)
    lost = [loss.where for loss in request.losses if loss.kind == "dropped"]
    assert [where for where in lost if not where.endswith(".title")] == []


def test_what_a_wire_has_is_read_by_the_wire() -> None:
    image = {"type": "image_url", "image_url": {"url": URL}}
    message = {"role": "user", "content": [{"type": "text", "text": "Look."}, image]}
    assert body("openai/gpt-5.6", [message])["messages"] == [message]
