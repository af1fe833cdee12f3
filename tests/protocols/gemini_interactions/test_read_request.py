"""Requests of Interactions, read into the tree and written as they came."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ToolChoice, convert, detect
from dragoman.errors import WriteError
from dragoman.message import (
    Base64Source,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from tests.each_case import each_case
from tests.protocols.as_read import AsRead

WIRE = dragoman.wire("gemini-interactions")
ROOM = AsRead(WIRE.room)
ASK = {"type": "user_input", "content": [{"type": "text", "text": "Where is Samarkand?"}]}
THOUGHT = {"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "Hm."}]}
CALL = {"type": "function_call", "id": "a", "name": "look", "arguments": {"city": "Samarkand"}}
RESULT = {"type": "function_result", "call_id": "a", "name": "look", "result": "In Uzbekistan."}
SAID = {"type": "model_output", "content": [{"type": "text", "text": "In Uzbekistan."}]}
SEARCH = {"type": "google_search_call", "id": "s", "arguments": {"queries": ["x"]}}
FOUND = {"type": "google_search_result", "call_id": "s", "result": [], "signature": "c2ln"}


def body(*steps: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "gemini-3.8-flash", "input": list(steps), **fields}


def test_a_turn_of_thought_call_and_result() -> None:
    req = ROOM.read(body(ASK, THOUGHT, CALL, RESULT, SAID))
    assert [m.role for m in req.messages] == ["user", "assistant", "tool", "assistant"]
    thought, call = req.messages[1].blocks
    assert isinstance(thought, ThinkingBlock)
    assert (thought.thinking, thought.signature) == ("Hm.", "c2ln")
    assert thought.origin is not None
    assert thought.origin.issuer == "gemini-interactions"
    assert call == ToolUseBlock("a", "look", {"city": "Samarkand"})
    assert req.messages[2].blocks == [ToolResultBlock("a", "look", "In Uzbekistan.")]
    asked = body(ASK, THOUGHT, CALL, RESULT, SAID)
    assert WIRE.write_request(WIRE.read_request(asked)).body == asked


@each_case(
    "value",
    [
        "Where?",
        {"type": "text", "text": "Where?"},
        [{"type": "text", "text": "Where?"}, {"type": "image", "uri": "gs://a/b.png"}],
        [],
        [{"type": "user_input"}],
        [{"type": "user_input", "content": []}],
        [{"type": "model_output", "error": {"code": 13, "message": "no"}}],
        [{**SAID, "error": {"code": 13}}, SAID, SAID],
        [{"role": "user", "content": "the older schema"}],
        [{"type": "dream", "x": 1}, "a", None],
        [{"type": "thought"}, {"type": "thought", "signature": ""}],
        [{"type": "thought", "summary": [{"type": "text", "text": "a"}, {"type": "image"}]}],
        [{**CALL, "arguments": '{"a":1}'}, {"type": "function_call"}],
        [{**RESULT, "result": {"a": 1}, "is_error": True}, {**RESULT, "is_error": False}],
        [{**RESULT, "result": [{"type": "text", "text": "a"}, {"type": "image", "uri": "x"}]}],
        [{"type": "user_input", "content": [RESULT, {"type": "text", "text": "Well?"}]}],
        [SEARCH, FOUND, {"type": "mcp_server_tool_call", "id": "m", "name": "a"}],
        [{"type": "user_input", "content": "text", "x": 1}],
        {"type": []},
        [{"type": {}}, {"type": "user_input", "content": [{"type": []}]}],
        [
            {
                "type": "model_output",
                "content": [{"type": "text", "text": "a", "annotations": [{"type": ["x"]}]}],
            }
        ],
        7,
    ],
)
def test_every_input_is_written_as_it_came(value: Any) -> None:
    asked = {"model": "gemini-3.8-flash", "input": value}
    req = ROOM.read(asked)
    if req.messages:
        assert WIRE.write_request(WIRE.read_request(asked)).body == asked


def test_a_request_without_an_input() -> None:
    ROOM.read({"agent": "deep-research", "previous_interaction_id": "v1_a", "background": True})


def test_media_are_bytes_uris_or_files() -> None:
    files = "https://generativelanguage.googleapis.com/v1beta/files/a"
    content = [
        {"type": "image", "data": "iVBORw0KGgo=", "mime_type": "image/png", "resolution": "low"},
        {"type": "document", "uri": "https://example.com/a.pdf"},
        {"type": "video", "uri": files, "mime_type": "video/mp4", "processing": "agentic"},
        {"type": "audio", "data": "UklGRg==", "mime_type": "audio/wav", "channels": 2},
        {"type": "image", "data": "iVBORw0KGgo=", "uri": "both"},
    ]
    req = ROOM.read(body({"type": "user_input", "content": content}))
    image, document, video, audio, both = req.messages[0].blocks
    assert image == ImageBlock(Base64Source("image/png", "iVBORw0KGgo="), detail="low")
    assert document == DocumentBlock(URLSource("https://example.com/a.pdf"))
    assert isinstance(video["source"], FileSource)
    assert video.extras == {"gemini-interactions": {"processing": "agentic"}}
    assert audio.extras == {"gemini-interactions": {"channels": 2}}
    assert isinstance(both, RawBlock)


def test_citations_count_bytes() -> None:
    text = "Übersee liegt dort."
    cited = {"type": "url_citation", "url": "https://example.com", "title": "t",
             "start_index": 0, "end_index": 8}  # fmt: skip
    place = {"type": "place_citation", "name": "See", "place_id": "p", "end_index": 3}
    inside = {"type": "url_citation", "url": "https://example.com", "start_index": 1}
    step = {"type": "model_output", "content": [
        {"type": "text", "text": text, "annotations": [cited, place, inside]},
    ]}  # fmt: skip
    block = ROOM.read(body(ASK, step)).messages[1].blocks[0]
    assert isinstance(block, TextBlock)
    assert block.citations is not None
    assert block.citations[0] == Citation(0, 7, "https://example.com", "t")
    assert block.citations[1].title == "See"
    assert block.citations[2].start is None  # the middle of a character


def test_options_choice_tools_and_format() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    tools = [
        {"type": "function", "name": "look", "description": "", "parameters": schema,
         "defer_loading": True},
        {"type": "google_search", "search_types": ["web_search"]},
        {"type": "file_search", "file_search_store_names": ["s"], "top_k": 3},
        {"type": "google_maps"},
    ]  # fmt: skip
    config = {"max_output_tokens": 9, "temperature": 0.5, "top_p": 0.5, "seed": 1,
              "stop_sequences": ["a"], "thinking_level": "low", "thinking_summaries": "auto",
              "tool_choice": {"allowed_tools": {"mode": "any", "tools": ["look"]}}}  # fmt: skip
    form = [{"type": "text", "mime_type": "application/json", "schema": schema}]
    req = ROOM.read(
        body(ASK, tools=tools, generation_config=config, response_format=form, stream=True,
             service_tier="flex", store=False)
    )  # fmt: skip
    function, search, files, own = req.tools
    assert isinstance(function, Tool)
    assert search == ServerTool(
        "web_search", extras={"gemini-interactions": {"search_types": ["web_search"]}}
    )
    assert isinstance(files, ServerTool)
    assert files.stores == ("s",)
    assert isinstance(own, ServerTool)
    assert own.kind == "own"
    assert req.tool_choice == ToolChoice("tool", "look")
    assert req.options.reasoning == "low"
    assert req.options.stop == ("a",)
    assert req.response_format is not None
    assert req.response_format.schema == schema
    assert req.extras is not None
    assert req.options.thoughts == "auto"
    assert req.extras["gemini-interactions"] == {"store": False}


def test_the_prompt_stands_beside_the_input() -> None:
    asked = body(ASK, system_instruction="Be brief.")
    req = WIRE.read_request(asked)
    assert (req.messages[0].role, req.messages[0].content) == ("system", "Be brief.")
    assert WIRE.write_request(req).body == asked
    req.messages[0] = dragoman.Msg("", "Be long.", "system")
    assert WIRE.write_request(req).body == {**asked, "system_instruction": "Be long."}


@pytest.mark.parametrize(
    "fields",
    [
        {"generation_config": {"tool_choice": "validated"}},
        {"generation_config": {"tool_choice": {"allowed_tools": {
            "mode": "validated", "tools": ["a", "b"]}}}},
        {"generation_config": {"tool_choice": {"allowed_tools": {"mode": "any"}}}},
        {"generation_config": {}},
        {"generation_config": None},
        {"generation_config": {"stop_sequences": "a", "thinking_level": "off", "seed": "x"}},
        {"response_format": {"type": "text", "mime_type": "text/plain"}},
        {"response_format": [{"type": "text"}, {"type": "image"}]},
        {"response_format": {"type": "object", "properties": {}}},
        {"tools": []},
        {"tools": [{"type": "function"}, {"type": "function", "name": "a"}]},
        {"stream": False},
        {"system_instruction": ""},
        {"cached_content": "cachedContents/a", "labels": {"a": "b"}},
    ],
)  # fmt: skip
def test_other_fields_are_written_as_they_came(fields: dict[str, Any]) -> None:
    ROOM.read(body(ASK, **fields))


def test_a_word_of_its_own_is_a_loss_elsewhere() -> None:
    tools = [{"type": "function", "name": "look"}]
    asked = body(ASK, tools=tools, generation_config={"tool_choice": "validated"})
    losses = {
        (loss.code, loss.where)
        for loss in convert(asked, "gemini-interactions", "openai-chat").losses
    }
    assert ("word.other_provider", "$.generation_config.tool_choice") in losses


@pytest.mark.parametrize("name", ["previous_interaction_id", "continuation_token",
                                  "cached_content"])  # fmt: skip
@pytest.mark.parametrize("target", ["gemini", "openai-responses", "anthropic"])
def test_what_the_provider_keeps_is_refused_elsewhere(name: str, target: str) -> None:
    with pytest.raises(WriteError) as error:
        convert(body(ASK, **{name: "v1_a"}), "gemini-interactions", target)
    assert (error.value.code, error.value.path) == ("state.server_side", f"$.{name}")


def test_other_state_is_named_elsewhere() -> None:
    asked = {"agent": "deep-research", "input": [ASK], "background": True, "store": True}
    losses = {
        (loss.code, loss.where)
        for loss in convert(asked, "gemini-interactions", "openai-chat").losses
    }
    assert {
        ("extras.other_provider", f"$.{name}") for name in ("agent", "background", "store")
    } <= losses
    assert any(code == "model.default" for code, _ in losses)


def test_an_agent_is_written_without_a_model() -> None:
    asked = {"agent": "deep-research", "input": [ASK]}
    req = WIRE.read_request(asked)
    assert WIRE.write_request(req).body == asked
    req.messages.append(dragoman.Msg("", "And?", "user"))
    assert "model" not in WIRE.write_request(req).body


def test_an_edited_message_is_composed_and_the_rest_as_it_came() -> None:
    odd = {**SAID, "error": {"code": 13}}
    req = WIRE.read_request(body(ASK, THOUGHT, odd, ASK))
    req.messages[-1] = dragoman.Msg("", "And Bukhara?", "user")
    steps = WIRE.write_request(req).body["input"]
    assert steps[:3] == [ASK, THOUGHT, odd]
    assert steps[3]["content"] == [{"type": "text", "text": "And Bukhara?"}]


def test_a_string_that_goes_on_becomes_steps() -> None:
    req = WIRE.read_request({"model": "gemini-3.8-flash", "input": "Hi"})
    req.messages += [dragoman.Msg("", "Hello.", "assistant"), dragoman.Msg("", "Bye", "user")]
    kinds = [step["type"] for step in WIRE.write_request(req).body["input"]]
    assert kinds == ["user_input", "model_output", "user_input"]


@pytest.mark.parametrize(
    ("asked", "path", "wire"),
    [
        (body(ASK), None, "gemini-interactions"),
        ({"model": "gemini-3.8-flash", "input": "Hi"}, None, "gemini-interactions"),
        ({"model": "m", "input": "Hi"}, "/v1beta/interactions", "gemini-interactions"),
        ({"agent": "a", "input": "Hi"}, None, "gemini-interactions"),
        ({"model": "gpt-5.6", "input": "Hi"}, None, "openai-responses"),
        ({"model": "gemini-3.8-flash", "input": "Hi"}, "/v1/responses", "openai-responses"),
        ({"model": "gpt-5.6", "input": [{"role": "user", "content": "Hi"}]}, None,
         "openai-responses"),
    ],
)  # fmt: skip
def test_whose_body_it_is(asked: Any, path: str | None, wire: str) -> None:
    assert detect(asked, path).wire == wire
