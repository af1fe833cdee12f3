"""What the tree holds of requests of generateContent."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import Msg
from dragoman.message import (
    AudioBlock,
    Base64Source,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Options,
    RawBlock,
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolChoice,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from tests.protocols.gemini.bodies import (
    ALL,
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


def blocks(*parts: Any, role: str = "user") -> list[Any]:
    return read(content(*parts, role=role)).messages[0].blocks


def test_texts_and_thoughts() -> None:
    told = [{"text": "hm", "thought": True}, {"text": "a", "thoughtSignature": "c2ln"},
            {"text": "b", "thought": False}, {}]  # fmt: skip
    thought, signed, plain, bare = blocks(*told, role="model")
    assert thought == ThinkingBlock("hm")
    assert (thought.origin.issuer, thought.origin.model) == ("gemini", "gemini-x")
    assert signed == TextBlock("a", extras={"gemini": {"thoughtSignature": "c2ln"}})
    assert plain == TextBlock("b")
    assert bare == TextBlock("")
    [m] = read(content({"text": "Hi"})).messages
    assert (m.role, m.content) == ("user", "Hi")


def test_a_request_holds_what_an_answer_holds() -> None:
    parts = [{"text": "hm", "thought": True}, {"text": "Let me see."},
             {**call(id="k1", name="look", args={"a": 1}), "thoughtSignature": "c2ln"},
             {"executableCode": {"language": "PYTHON", "code": "1"}},
             {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}]  # fmt: skip
    answer = dragoman.wire("gemini").read_response(
        {"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP"}]}
    )
    assert read(content(*parts, role="model")).messages[0].blocks == answer.msg.blocks


def test_results_find_their_calls_by_name() -> None:
    req = read({"contents": [
        HI,
        {"role": "model", "parts": [call(name="a", args={}), call(name="b", args={}),
                                    call(id="call_1", name="a", args={})]},
        {"role": "user", "parts": [result(name="b", response={"x": 2}),
                                   result(name="a", response={"x": 1}),
                                   result(id="call_1", name="a", response={"x": 3})]},
        {"role": "model", "parts": [call(name="a", args={})]},
        {"role": "user", "parts": [result(name="zzz", response={})]},
    ]})  # fmt: skip
    _, calls, results, again, stray = req.messages
    ids = [one.id for one in calls.calls]
    assert len({*ids, *(one.id for one in again.calls)}) == 4
    assert all(ids)
    assert [one.id for one in results.blocks] == [ids[1], ids[0], "call_1"]  # type: ignore[union-attr]
    assert stray.blocks[0].id == ""  # type: ignore[union-attr]
    assert "call_2" not in json.dumps(said(req))


def test_results_keep_what_the_tool_gave() -> None:
    plain, failed, shown, mixed = blocks(
        result(id="1", name="a", response={"output": "4"}),
        result(id="2", name="a", response={"error": "No."}),
        result(id="3", name="a", response={"output": "See."},
               parts=[{"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]),
        result(id="4", name="a", response={"x": 1}, parts=[{"fileData": {"fileUri": "files/x"}}]),
    )  # fmt: skip
    picture = ImageBlock(Base64Source("image/png", "iVBO"))
    assert plain == ToolResultBlock("1", "a", "4")
    assert failed == ToolResultBlock("2", "a", "No.", is_error=True)
    assert shown == ToolResultBlock("3", "a", [TextBlock("See."), picture])
    assert mixed.output == [TextBlock('{"x": 1}'), DocumentBlock(FileSource("files/x", "gemini"))]


def test_calls() -> None:
    given, text, bare = blocks(
        call(id="1", name="a", args={"x": 1}), call(id="2", name="a", args='{"x": 1}'),
        call(id="3", name="a"), role="model",
    )  # fmt: skip
    assert given == ToolUseBlock("1", "a", {"x": 1})
    assert text == ToolUseBlock("2", "a", {"x": 1}, '{"x": 1}')
    assert bare == ToolUseBlock("3", "a", {})


def test_media() -> None:
    found = blocks(
        {"inlineData": {"mimeType": "image/PNG", "data": "-_8"},
         "mediaResolution": {"level": "MEDIA_RESOLUTION_HIGH"}},
        {"inline_data": {"mime_type": "audio/mpeg", "data": "AAAA"}},
        {"fileData": {"fileUri": "https://example.com/a", "mimeType": "video/mp4"}},
        {"fileData": {"fileUri": "gs://b/a.pdf"}},
    )  # fmt: skip
    assert found == [
        ImageBlock(Base64Source("image/PNG", "+/8="), detail="high"),
        AudioBlock(Base64Source("audio/mpeg", "AAAA")),
        VideoBlock(URLSource("https://example.com/a", "video/mp4")),
        DocumentBlock(URLSource("gs://b/a.pdf")),
    ]


def test_what_runs_at_the_provider_stays_as_it_is() -> None:
    told = {"executable_code": {"language": "PYTHON", "code": "1", "id": "e1"}}
    assert blocks(told, role="model") == [RawBlock("gemini", told, "call", "e1", "server")]


def test_roles_of_old() -> None:
    told = {"contents": [{"role": "function", "parts": [result(name="a", response={})]},
                         {"role": "function", "parts": [{"text": "Hi"}]}]}  # fmt: skip
    assert [m.role for m in read(told).messages] == ["tool", "user"]


def test_the_system_instruction_is_the_first_message() -> None:
    told = {"parts": [{"text": "Be brief.", "thought": False}], "role": "model"}
    first, second = read({"systemInstruction": told, "contents": [HI]}).messages
    assert (first.role, first.text, first.extras) == ("system", "Be brief.", None)
    assert second.text == "Hi"
    req = read({"systemInstruction": told, "contents": [HI]})
    assert "systemInstruction" not in ROOM.body_as_read(req, ALL - {"system"}, [HI])


def test_tools_in_neutral_words() -> None:
    req = read({"contents": [HI], "tools": [
        {FIELD: [{"name": "a", "description": "A.", "parameters": SCHEMA}]},
        {"google_search": {}}, {"codeExecution": {}}, {"urlContext": {}}, {"googleMaps": {}},
        {"fileSearch": {"fileSearchStoreNames": ["x"]}},
    ]})  # fmt: skip
    function, search, code, fetch, own, files = req.tools
    assert isinstance(function, Tool)
    assert function.schema == {
        "type": "object",
        "properties": {"type": {"type": "string", "enum": ["OBJECT"]},
                       "many": {"type": "array", "items": {"type": "integer"}}},
        "anyOf": [{"type": "null"}, {"$ref": "x"}], "required": ["type"],
    }  # fmt: skip
    assert [search, code, fetch, files] == [
        ServerTool("web_search"), ServerTool("code_execution"), ServerTool("web_fetch"),
        ServerTool("file_search", stores=("x",)),
    ]  # fmt: skip
    assert own == ServerTool("own", extras={"gemini": {"googleMaps": {}}})


@pytest.mark.parametrize(
    ("config", "choice"),
    [
        ({"mode": "AUTO"}, ToolChoice("auto")),
        ({"mode": "none"}, ToolChoice("none")),
        ({"mode": "ANY"}, ToolChoice("required")),
        ({"mode": "ANY", "allowedFunctionNames": ["a"]}, ToolChoice("tool", "a")),
        ({"mode": "ANY", "allowed_function_names": ["a", "b"]},
         ToolChoice("required", allowed=("a", "b"))),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["a"]}, ToolChoice("auto", allowed=("a",))),
        ({"mode": "TOMORROW"}, None),
    ],
)  # fmt: skip
def test_choices_in_neutral_words(config: dict[str, Any], choice: ToolChoice | None) -> None:
    told = {"contents": [HI], "toolConfig": {"functionCallingConfig": config}}
    assert read(told).tool_choice == choice


@pytest.mark.parametrize(
    ("config", "options", "form"),
    [
        ({"top_k": 40.0, "stopSequences": ["a"], "candidateCount": 2, "logprobs": 1},
         Options(top_k=40, stop=("a",), n=2, top_logprobs=1), None),
        ({"thinkingConfig": {"thinkingBudget": 0}}, Options(reasoning="off"), None),
        ({"thinkingConfig": {"thinkingBudget": -1}}, Options(reasoning="on"), None),
        ({"thinkingConfig": {"thinking_budget": 99}}, Options(reasoning_budget=99), None),
        ({"thinkingConfig": {"thinkingLevel": "MINIMAL"}}, Options(reasoning="minimal"), None),
        ({"responseMimeType": "application/json"}, Options(), ResponseFormat("json")),
        ({"responseMimeType": "application/json", "responseSchema": {"type": "STRING"}},
         Options(), ResponseFormat("schema", {"type": "string"})),
        ({"responseMimeType": "application/json", "responseJsonSchema": {"type": "STRING"}},
         Options(), ResponseFormat("schema", {"type": "string"})),
    ],
)  # fmt: skip
def test_the_config_in_neutral_words(
    config: dict[str, Any], options: Options, form: ResponseFormat | None
) -> None:
    req = read({"contents": [HI], "generationConfig": config})
    assert (req.options, req.response_format, bool(req.extras and "gemini" in req.extras)) == (
        options, form, False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "model", "stream"),
    [
        ("/v1beta/models/gemini-x:generateContent", "gemini-x", False),
        ("/v1beta/models/gemini-x:streamGenerateContent?alt=sse", "gemini-x", True),
        ("/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent", "m", True),
        ("/v1/publishers/other/models/m:generateContent", "publishers/other/models/m", False),
        ("/v1beta/tunedModels/mine:generateContent", "tunedModels/mine", False),
        ("/v1/projects/p/locations/l/endpoints/77:generateContent", "endpoints/77", False),
        ("https://host/v1beta/models/a%3Ab:generateContent?key=x:y", "a:b", False),
        ("/other", None, False),
        (None, None, False),
    ],
)
def test_model_and_stream_stand_in_the_path(path: str, model: str | None, stream: bool) -> None:
    req = read({"contents": [HI]}, path)
    assert (req.model, req.stream) == (model, stream)


def test_a_model_in_the_body() -> None:
    assert read({"contents": [], "model": "models/gemini-y"}, None).model == "gemini-y"
    req = read({"contents": [], "model": "models/gemini-y"})
    assert req.model == "gemini-x"
    assert "model" not in ROOM.body_as_read(req, ALL - {"model"}, [])


def test_what_was_changed_stands_in_one_place() -> None:
    body = {"contents": [HI], "generation_config": {"max_output_tokens": 9, "speech_config": {}},
            "tool_config": {"function_calling_config": {"mode": "ANY"}}}  # fmt: skip
    wire = dragoman.wire("gemini", policy="ignore")
    req = wire.read_request(body, PATH)
    req.options = Options(max_tokens=9, seed=1)
    req.messages.append(Msg.user("And?"))
    out = wire.write_request(req).body
    assert out == {
        "contents": [HI, {"role": "user", "parts": [{"text": "And?"}]}],
        "generation_config": {"max_output_tokens": 9, "speech_config": {}, "seed": 1},
        "tool_config": body["tool_config"],
    }


@pytest.mark.parametrize("contents", ["Hi", HI])
def test_a_lone_content_that_gets_company(contents: Any) -> None:
    req = read({"contents": contents})
    elements = [*ROOM.messages_as_read(req.messages), {"role": "model", "parts": []}]
    first, _ = ROOM.body_as_read(req, ALL, elements)["contents"]
    assert first["parts"] == [{"text": "Hi"}]


@pytest.mark.parametrize(
    ("body", "path", "claimed"),
    [
        ({"contents": [HI]}, None, True),
        ({"contents": HI}, None, True),
        ({}, PATH, True),
        ({"contents": []}, None, False),
        ({"contents": "Hi"}, None, False),
        ({"contents": [{"role": "user", "content": "Hi"}]}, None, False),
        ({"messages": [{"role": "user", "content": "Hi"}]}, None, False),
        ({"messages": [], "contents": [HI]}, None, False),
        ({"input": "Hi", "model": "x"}, "/v1/responses", False),
        ([], PATH, False),
    ],
)
def test_which_bodies_are_claimed(body: Any, path: str | None, claimed: bool) -> None:
    assert ROOM.claims(body, path) is claimed


def test_limits_of_schemas_that_are_told_as_text_are_numbers() -> None:
    """Protocol buffers say integers of 64 bits as text."""
    schema = {"type": "OBJECT", "properties": {
        "a": {"type": "STRING", "minLength": "1", "maxLength": 2},
        "b": {"type": 5, "max_items": "3", "items": {"type": 1, "minLength": "x"}}}}  # fmt: skip
    body = {"contents": [HI], "tools": [{"functionDeclarations": [
        {"name": "f", "parameters": schema}]}],
        "generationConfig": {"responseMimeType": "application/json", "responseSchema": schema},
    }  # fmt: skip
    req = read(body)
    (tool,) = req.tools
    assert type(tool) is dragoman.Tool
    assert tool.parameters == {"type": "object", "properties": {
        "a": {"type": "string", "minLength": 1, "maxLength": 2},
        "b": {"type": "array", "max_items": 3, "items": {"type": "string", "minLength": "x"}},
    }}  # fmt: skip
    assert req.response_format is not None
    assert req.response_format.schema == tool.parameters
    assert dragoman.convert(body, "gemini", "gemini", policy="ignore").body == body


@pytest.mark.parametrize(("uri", "kind"), [
    ("https://youtu.be/x", "video"),
    ("https://www.youtube.com/watch?v=x", "video"),
    ("https://e.com/cat.png?size=1", "image"),
    ("https://e.com/bell.wav", "audio"),
    ("https://e.com/paper", "document"),
])  # fmt: skip
def test_what_a_file_is_of_which_no_media_type_is_told(uri: str, kind: str) -> None:
    body = {"contents": [{"role": "user", "parts": [{"fileData": {"fileUri": uri}}]}]}
    assert read(body).messages[0].blocks[0].type == kind
    assert dragoman.convert(body, "gemini", "gemini", policy="ignore").body == body
