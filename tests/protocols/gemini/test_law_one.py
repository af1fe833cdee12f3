"""Requests of generateContent in every spelling that was seen go back as they came."""

from __future__ import annotations

import json
from typing import Any

from dragoman import message
from dragoman.message import ChatRequest
from tests.each_case import each_case
from tests.protocols.gemini.bodies import (
    FIELD,
    HI,
    PATH,
    ROOM,
    SCHEMA,
    call,
    content,
    read,
    result,
    said,
)

PARTS: list[Any] = [
    {"text": "Hi"},
    {"text": ""},
    {"text": "hm", "thought": True},
    {"text": "x", "thought": False},
    {"text": "x", "thought": True, "thoughtSignature": "c2ln"},
    {"text": "x", "thought_signature": "-_8="},
    {"thoughtSignature": "c2ln"},
    {"thought": True},
    {},
    call(id="a1", name="look", args={"at": 1}),
    call(name="look", args={}),
    call(name="look"),
    call(name="look", args=None, id=None),
    call(name="look", args='{"at": 1}'),
    call(args={"x": 1}),
    call(id="", name="look", args={}),
    call(id=5, name="look", args={}),
    call(name=5, args={}),
    call(name="look", args=[1]),
    {"function_call": {"name": "look", "args": {"a_b": None}, "will_continue": True},
     "thought_signature": "c2ln", "foo_bar": 1},
    {**call(name="look", args={}), "text": None, "thought": False},
    {"functionCall": "look"},
    result(id="a1", name="look", response={"output": "4"}),
    result(name="look", response={}),
    result(name="look", response={"error": "No."}),
    result(name="look", response={"error": "No.", "output": 1}),
    result(name="look", response="4"),
    result(name="look", response=None),
    result(name="look"),
    result(response={"x": 1}),
    result(name=None, response={"x": 1}),
    result(name=7, response={"x": 1}),
    {"function_response": {"name": "look", "response": {"a_b": 1}, "scheduling": "SILENT"}},
    result(name="look", response={}, parts=[{"inlineData": {"mimeType": "image/png",
                                                            "data": "iVBO"}}]),
    result(name="look", response={"output": "4"}, parts=[{"file_data": {"file_uri": "gs://b/x"}}]),
    result(name="look", response={"error": "4"}, parts=[{"text": "t"}]),
    result(name="look", response={"x": [1, 1.0, True]}, parts=[{"inline_data": {"data": "iVBO"}}]),
    result(name="look", response={"x": 1}, parts=[]),
    result(name="look", response={"x": 1}, parts={"text": "t"}),
    result(name="look", parts=[{"text": "t"}]),
    {"inlineData": {"mimeType": "image/PNG", "data": "iVBORw0K"}},
    {"inline_data": {"mime_type": "audio/mpeg", "data": "-_8"}},
    {"inlineData": {"mime_type": "video/mp4", "data": "-_8="}, "videoMetadata": {"fps": 2.0}},
    {"inlineData": {"mimeType": "image/png", "data": "-+8="}},
    {"inlineData": {"mimeType": "image/png", "data": "iV"}},
    {"inlineData": {"data": "iVBORw0K", "displayName": "a.png"}},
    {"inlineData": {"mimeType": "", "data": "iVBORw0K"}},
    {"inlineData": {"mimeType": "image/png"}},
    {"inlineData": {"mimeType": "image/png", "data": "iVBO"},
     "mediaResolution": {"level": "MEDIA_RESOLUTION_LOW"}},
    {"inlineData": {"mimeType": "image/png", "data": "iVBO"},
     "media_resolution": {"level": "MEDIA_RESOLUTION_NEW"}},
    {"fileData": {"fileUri": "gs://bucket/a.pdf", "mimeType": "application/pdf"}},
    {"file_data": {"file_uri": "https://example.com/a.mp4", "mimeType": "video/mp4"}},
    {"fileData": {"fileUri": "files/abc"}},
    {"fileData": {"fileUri": "data:image/png;base64,iVBO", "mimeType": None}},
    {"executableCode": {"language": "PYTHON", "code": "1+1"}},
    {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "2", "id": "e1"}},
    {"toolCall": {"id": "t1", "tool_type": "FILE_SEARCH", "args": {"q": None}}},
    {"toolResponse": 5},
    {"tomorrow": {"x": 1}},
    {"text": 5},
    {"foo_bar": 1, "fooBar": 2, "text": "x"},
    {"foo_bar": None, "fooBar": None, "x y": None, "text": "x"},
    "text",
    5,
    None,
    [],
]  # fmt: skip


@each_case("part", PARTS, ids=lambda part: json.dumps(part)[:50])
@each_case("role", ["user", "model"])
def test_parts_go_back_as_they_came(part: Any, role: str) -> None:
    body = content({"text": "First."}, part, role=role)
    assert_equal(body)


def assert_equal(body: dict[str, Any], path: str | None = PATH) -> None:
    """Read and said it is the same JSON, also out of storage, and nobody touched the body."""
    before = json.dumps(body)
    req = read(body, path)
    stored = message.load(json.loads(json.dumps(message.dump(req))))
    assert isinstance(stored, ChatRequest)
    for one in (req, stored):
        assert canonical(said(one)) == canonical(body)
    assert json.dumps(body) == before
    for _ in ROOM.places(req, body):
        pass


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


CONTENTS: list[Any] = [
    [],
    [HI, {"role": "model", "parts": [{"text": "Yes?"}]}],
    [HI, HI],
    HI,
    "Hi",
    ["Hi", HI],
    [{"parts": [{"text": "Hi"}]}],
    [{"role": None, "parts": [{"text": "Hi"}]}],
    [{"role": "user"}],
    [{"role": "model", "parts": None}],
    [{"role": "user", "parts": []}],
    [{"role": "user", "parts": {"text": "Hi"}}],
    [{"role": "user", "parts": "Hi"}],
    [{"role": "user", "parts": 5}],
    [{"role": "user", "parts": [{"text": "Hi"}], "foo_bar": 1, "name": "Tony"}],
    [{"role": "function", "parts": [result(name="look", response={"x": 1})]}],
    [{"role": "function", "parts": [{"text": "Hi"}]}],
    [{"role": "tool", "parts": []}],
    [{"role": "system", "parts": [{"text": "Hi"}]}],
    [{"role": ["user"], "parts": []}],
    [5, None, [], {}],
    5,
    None,
]


@each_case("told", CONTENTS, ids=lambda told: json.dumps(told)[:60])
def test_contents_go_back_as_they_came(told: Any) -> None:
    assert_equal({"contents": told})
    assert_equal({"contents": told, "systemInstruction": {"parts": [{"text": "Be brief."}]}})


def test_a_body_without_contents() -> None:
    assert_equal({})
    assert_equal({"generationConfig": {"seed": 1}})


SYSTEMS: list[Any] = [
    {"parts": [{"text": "Be brief."}]},
    {"parts": [{"text": "Be brief.", "thought": False}], "role": "model"},
    {"parts": {"text": "Be brief."}, "role": "user"},
    {"parts": [{"text": "a"}, {"text": "b"}], "role": "tomorrow"},
    {"parts": "Be brief.", "role": None, "foo_bar": 1},
    {"parts": []},
    {"parts": None},
    {"text": "Be brief."},
    "Be brief.",
    "",
    [{"text": "Be brief."}, "And kind."],
    [],
    {},
    5,
    None,
]


@each_case("key", ["systemInstruction", "system_instruction"])
@each_case("told", SYSTEMS, ids=lambda told: json.dumps(told)[:60])
def test_system_instructions_go_back_as_they_came(told: Any, key: str) -> None:
    assert_equal({key: told, "contents": [HI]})


TOOLS: list[Any] = [
    [{FIELD: [{"name": "a"}]}],
    [{FIELD: [{"name": "a", "description": ""}, {"name": "b", "description": None}]}],
    [{FIELD: [{"name": "a", "description": "A.", "parametersJsonSchema": {"type": "object"}}]}],
    [{FIELD: [{"name": "a", "parameters": SCHEMA}]}],
    [{FIELD: [{"name": "a", "parameters": {"type": "OBJECT", "properties": {}}}]}],
    [{FIELD: [{"name": "a", "parameters": {"type": "object"}}]}],
    [{FIELD: [{"name": "a", "parameters": {}}, {"name": "b", "parametersJsonSchema": {}}]}],
    [{FIELD: [{"name": "a", "parameters": None, "parameters_json_schema": {"a_b": 1}}]}],
    [{FIELD: [{"name": "a", "parameters": [], "response": {"type": "STRING"}, "behavior": "B"}]}],
    [{FIELD: [{"name": ""}, {"description": "x"}, 5, {"name": "a"}]}],
    [{FIELD: []}],
    [{FIELD: {"name": "a"}}],
    {"function_declarations": [{"name": "a"}]},
    {"function_declarations": {"name": "a"}, "google_search": {}},
    [{FIELD: [{"name": "a"}], "codeExecution": None}],
    [{FIELD: [{"name": "a"}]}, {FIELD: [{"name": "b"}]}],
    [{"googleSearch": {}}, {FIELD: [{"name": "a"}, {"name": "b"}]}, {"codeExecution": {}}],
    [{"google_search": {"time_range_filter": {"start_time": "x"}}}, {"urlContext": {}}],
    [{"fileSearch": {"file_search_store_names": ["fileSearchStores/x"], "topK": 3}}],
    [{"fileSearch": {"fileSearchStoreNames": []}}, {"googleSearch": []}],
    [{"googleSearchRetrieval": {"dynamicRetrievalConfig": {"mode": "M"}}, "googleMaps": {}}],
    [{}],
    [{}, {FIELD: [{"name": "a"}]}],
    [],
    {},
    [5],
    "x",
    None,
]


@each_case("told", TOOLS, ids=lambda told: json.dumps(told)[:60])
def test_tools_go_back_as_they_came(told: Any) -> None:
    assert_equal({"contents": [HI], "tools": told})


FIELDS: list[dict[str, Any]] = [
    {"generationConfig": {"temperature": 1, "topP": 0.5, "topK": 40.0, "seed": 3,
                          "maxOutputTokens": 9, "candidateCount": 2, "presencePenalty": 0.0,
                          "frequencyPenalty": 1, "responseLogprobs": True, "logprobs": 3,
                          "stopSequences": ["a"]}, "serviceTier": "flex"},
    {"generation_config": {"top_k": 40, "max_output_tokens": 9, "stopSequences": "a",
                           "thinking_config": {"thinking_budget": 0, "include_thoughts": True}}},
    {"generationConfig": {"temperature": None, "topK": 1.5, "seed": "3", "stopSequences": [],
                          "candidateCount": True, "logprobs": False, "responseLogprobs": 1}},
    {"generationConfig": None},
    {"generationConfig": {}},
    {"generationConfig": 5, "toolConfig": [], "serviceTier": 1},
    {"generationConfig": {"thinkingConfig": {}}},
    {"generationConfig": {"thinkingConfig": None, "responseModalities": ["TEXT"]}},
    {"generationConfig": {"thinkingConfig": {"thinkingBudget": -1}}},
    {"generationConfig": {"thinkingConfig": {"thinkingBudget": 512}}},
    {"generationConfig": {"thinkingConfig": {"thinkingBudget": 512.5, "thinkingLevel": 2}}},
    {"generationConfig": {"thinkingConfig": {"thinkingLevel": "HIGH", "thinkingBudget": 0}}},
    {"generationConfig": {"thinkingConfig": {"thinking_level": "low", "thinkingBudget": None}}},
    {"generationConfig": {"thinkingConfig": {"thinkingLevel": "off"}}},
    {"generationConfig": {"responseMimeType": "application/json"}},
    {"generationConfig": {"responseMimeType": "text/plain"}},
    {"generationConfig": {"responseMimeType": "text/x.enum", "responseSchema": SCHEMA}},
    {"generationConfig": {"responseMimeType": "application/json", "responseSchema": SCHEMA}},
    {"generationConfig": {"response_mime_type": "application/json", "response_schema": {}}},
    {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {"a": 1}}},
    {"generationConfig": {"responseMimeType": None, "_responseJsonSchema": {"type": "OBJECT"}}},
    {"generationConfig": {"responseSchema": None, "responseMimeType": 5, "speechConfig": {}}},
    {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}},
    {"toolConfig": {"functionCallingConfig": {"mode": "any", "allowedFunctionNames": ["a"]}}},
    {"tool_config": {"function_calling_config": {"mode": "ANY", "allowed_function_names": ["a",
                                                                                          "b"]}}},
    {"toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}}},
    {"toolConfig": {"functionCallingConfig": {"mode": "VALIDATED", "allowedFunctionNames": ["a"]}}},
    {"toolConfig": {"functionCallingConfig": {"mode": "NONE", "allowedFunctionNames": ["a"]}}},
    {"toolConfig": {"functionCallingConfig": {"mode": "AUTO", "allowedFunctionNames": []},
                    "includeServerSideToolInvocations": True}},
    {"toolConfig": {"functionCallingConfig": {"mode": 1}, "retrievalConfig": {"a_b": 1}}},
    {"toolConfig": {"functionCallingConfig": {}}},
    {"toolConfig": {}},
    {"toolConfig": None, "tools": None, "safetySettings": None, "systemInstruction": None},
    {"safetySettings": [{"category": 7, "threshold": 4}], "cachedContent": "cachedContents/x"},
    {"safety_settings": [], "cached_content": "x", "labels": {"a_b": "c"}, "store": False},
    {"model": "models/gemini-y"},
    {"model": 5, "stream": True, "foo_bar": None, "x y": None},
]  # fmt: skip


@each_case("fields", FIELDS, ids=lambda told: json.dumps(told)[:70])
def test_fields_go_back_as_they_came(fields: dict[str, Any]) -> None:
    assert_equal({"contents": [HI], **fields})
    assert_equal({"contents": [HI], **fields}, None)
