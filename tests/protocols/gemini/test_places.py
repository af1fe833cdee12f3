"""Where the nodes of a read request stand in its body."""

from __future__ import annotations

import re
from typing import Any

import dragoman
from dragoman.losses import Field
from dragoman.message import ChatRequest, Options

WIRE = dragoman.wire("gemini")
PNG = {"mimeType": "image/png", "data": "iVBORw0K"}
BODY: dict[str, Any] = {
    "system_instruction": {"parts": [{"text": "Be brief."}, {"text": "And kind."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "Look."}]},
        {"role": "model", "parts": [
            {"text": "hm", "thought": True},
            {"function_call": {"id": "1", "name": "look", "args": {"at": 1}},
             "thought_signature": "c2ln"},
        ]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "1", "name": "look", "response": {"output": "4"},
                                  "parts": [{"inline_data": PNG}]}},
            {"fileData": {"file_uri": "https://example.com/a.mp4", "mime_type": "video/mp4"}},
        ]},
    ],
    "tools": [
        {"googleSearch": {}},
        {"function_declarations": [{"name": "look", "parameters": {"type": "OBJECT"}},
                                   {"name": "b", "parametersJsonSchema": {}}]},
    ],
    "toolConfig": {"function_calling_config": {"mode": "ANY", "allowed_function_names": ["look"]}},
    "generation_config": {"maxOutputTokens": 9, "thinkingConfig": {"thinking_level": "LOW"},
                          "response_mime_type": "application/json", "responseSchema": {},
                          "speech_config": {"voice": {"name": "v"}}},
    "safety_settings": [{"category": 1}],
    "serviceTier": "flex",
}  # fmt: skip


def at(path: str) -> Any:
    """What stands at a path of the body."""
    here: Any = BODY
    for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        here = here[key] if key else here[int(index)]
    return here


def found(req: ChatRequest) -> tuple[dict[int, str], dict[tuple[int, str], str]]:
    nodes: dict[int, str] = {}
    fields: dict[tuple[int, str], str] = {}
    for path, node in WIRE.room.places(req, BODY):
        if isinstance(node, Field):
            fields.setdefault((id(node.node), node.name), path)
        else:
            nodes.setdefault(id(node), path)
    return nodes, fields


REQ = WIRE.room.read_request(BODY, "/v1beta/models/gemini-x:generateContent")
NODES, FIELDS = found(REQ)


def test_every_node_has_a_place_that_is_there() -> None:
    for path in NODES.values():
        assert at(path) is not None
    missing = [
        node
        for m in REQ.messages
        for node in [m, *([] if isinstance(m.content, str) else m.content)]
        if id(node) not in NODES
    ]
    assert missing == []
    for node in (*REQ.tools, REQ.tool_choice, REQ.response_format):
        assert id(node) in NODES


def test_messages_and_blocks() -> None:
    system, first, answer, last = REQ.messages
    assert NODES[id(system)] == "$.system_instruction"
    assert NODES[id(system.blocks[1])] == "$.system_instruction.parts[1]"
    assert NODES[id(first)] == "$.contents[0]"
    assert FIELDS[id(first), "content"] == "$.contents[0].parts[0].text"
    thought, call = answer.blocks
    assert FIELDS[id(thought), "thinking"] == "$.contents[1].parts[0].text"
    assert FIELDS[id(call), "input"] == "$.contents[1].parts[1].function_call.args"
    signature = "extras.gemini.thoughtSignature"
    assert at(FIELDS[id(call), signature]) == "c2ln"
    result, film = last.blocks
    output: Any = result.get("output")
    text, picture = output
    assert at(FIELDS[id(result), "output"]) == {"output": "4"}
    assert at(NODES[id(text)]) == {"output": "4"}
    assert at(NODES[id(picture.source)]) == PNG
    assert at(FIELDS[id(film.source), "url"]) == "https://example.com/a.mp4"  # type: ignore[union-attr]
    assert at(FIELDS[id(film.source), "media_type"]) == "video/mp4"  # type: ignore[union-attr]


def test_tools_and_fields() -> None:
    search, look, other = REQ.tools
    assert NODES[id(search)] == "$.tools[0]"
    assert NODES[id(other)] == "$.tools[1].function_declarations[1]"
    assert FIELDS[id(look), "parameters"] == "$.tools[1].function_declarations[0].parameters"
    names = "$.toolConfig.function_calling_config.allowed_function_names"
    assert FIELDS[id(REQ.tool_choice), "name"] == f"{names}[0]"
    options: Options = REQ.options
    assert FIELDS[id(options), "max_tokens"] == "$.generation_config.maxOutputTokens"
    assert at(FIELDS[id(options), "reasoning"]) == "LOW"
    assert FIELDS[id(options), "service_tier"] == "$.serviceTier"
    assert FIELDS[id(REQ.response_format), "schema"] == "$.generation_config.responseSchema"


def test_fields_that_nobody_models_under_keys_in_snake_case() -> None:
    field = "extras.gemini.generationConfig.speechConfig.voice.name"
    assert FIELDS[id(REQ), field] == "$.generation_config.speech_config.voice.name"
    assert FIELDS[id(REQ), "extras.gemini.safetySettings"] == "$.safety_settings"


def test_losses_name_the_place_in_the_body() -> None:
    req = WIRE.read_request(BODY, "/v1beta/models/gemini-x:generateContent")
    out = dragoman.wire("openai-chat", policy="ignore").write_request(req, "gpt-4o")
    where = {loss.where for loss in out.losses}
    assert "$.safety_settings" in where
    assert "$.contents[1].parts[1].thought_signature" in where


def test_fields_of_tools_and_of_deep_objects_as_they_were_spelled() -> None:
    body = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "tools": [{"google_search": {"time_range_filter": {"start_time": "x"}}},
                  {"function_declarations": [{"name": "f", "response_json_schema": {"a_b": 3}}]}],
        "generation_config": {"speech_config": {"voice_config": {"voice_name": "K"}}},
        "tool_config": {"retrieval_config": {"language_code": "de"}},
    }  # fmt: skip
    out = dragoman.convert(body, "gemini", "vllm", model="m", policy="ignore")
    assert {loss.where for loss in out.losses if loss.code == "extras.other_provider"} == {
        "$.tools[1].function_declarations[0].response_json_schema.a_b",
        "$.tool_config.retrieval_config.language_code",
        "$.generation_config.speech_config.voice_config.voice_name",
    }
    out = dragoman.convert(body, "gemini", "anthropic", model="claude-opus-5-5", policy="ignore")
    deep = "$.tools[0].google_search.time_range_filter.start_time"
    assert deep in [loss.where for loss in out.losses]


def test_a_model_that_stands_in_the_path_has_no_place_in_the_body() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    path = "/v1beta/models/gemini-3.5-flash:generateContent"
    out = dragoman.convert(body, "gemini", "openai-chat", path=path, policy="ignore")
    assert [(loss.code, loss.where) for loss in out.losses] == [("model.other_provider", "$")]
