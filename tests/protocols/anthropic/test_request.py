"""Requests of the Messages API: read into the tree, and said again as they were read."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, ToolChoice
from dragoman.message import (
    Base64Source,
    CacheHint,
    Citation,
    DocumentBlock,
    FileSource,
    ImageBlock,
    Origin,
    RawBlock,
    ResponseFormat,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    dump,
    load,
)
from tests.each_case import each_case
from tests.protocols.anthropic.bodies import (
    BODIES,
    DOCUMENT,
    FORM,
    HI,
    HOUR,
    LOOK,
    SCHEMA,
    body,
    spoken,
    user,
)

ROOM = dragoman.wire("anthropic").room
INVOKE = dragoman.wire("bedrock/anthropic").room
FIELDS = {"tools", "tool_choice", "response_format", "stream", "model", "system",
          *Options.__dataclass_fields__}  # fmt: skip


def again(request: ChatRequest, kept: set[str] = FIELDS) -> dict[str, Any]:
    """The body that the request was read from."""
    inline = [m for m in request.messages if not (m.spelling or "").startswith("top")]
    return ROOM.body_as_read(request, kept, ROOM.messages_as_read(inline))


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true are three values."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def block(told: dict[str, Any], role: str = "user") -> Any:
    """What one content block is read as."""
    return ROOM.read_request(body({"role": role, "content": [told]})).messages[0].blocks[0]


@each_case("name", BODIES)
def test_a_body_is_said_again_as_it_was_read(name: str) -> None:
    told = BODIES[name]
    before = copy.deepcopy(told)
    request = ROOM.read_request(told)
    assert same(again(request), before)
    assert same(told, before), "reading changes nothing"
    stored = load(json.loads(json.dumps(dump(request))))
    assert isinstance(stored, ChatRequest)
    assert same(again(stored), before), "also after storing"


@each_case("name", [n for n in BODIES if type(BODIES[n].get("messages")) is list])
def test_a_turn_is_appended_behind_what_was_read(name: str) -> None:
    wire = dragoman.wire("anthropic", policy="ignore")
    request = wire.read_request(BODIES[name])
    request.messages += [Msg.assistant("Well."), Msg.user("Go on.")]
    made = ROOM.messages_as_read([m for m in request.messages[:-2]
                                  if not (m.spelling or "").startswith("top")])  # fmt: skip
    assert same(made, BODIES[name]["messages"])


@each_case("name", sorted(FIELDS))
def test_a_field_that_is_not_kept_is_left_to_whoever_composes_it(name: str) -> None:
    told = {**BODIES["options"], **BODIES["effort and budget"], **BODIES["choice"],
            "system": "Be kind.", "tools": [LOOK]}  # fmt: skip
    made = again(ROOM.read_request(told), FIELDS - {name})
    places = {"max_tokens": "max_tokens", "stop": "stop_sequences", "tools": "tools",
              "tool_choice": "tool_choice", "stream": "stream", "model": "model",
              "system": "system", "service_tier": "service_tier"}  # fmt: skip
    if name in places:
        assert {*told} - {*made} == {places[name]}
    assert ("user_id" in made["metadata"]) == (name != "user")
    assert ("effort" in made["output_config"]) == (name != "reasoning")
    assert ("format" in made["output_config"]) == (name != "response_format")
    assert ("thinking" in made) == (name != "reasoning_budget")


def test_what_has_a_home_in_the_tree_stands_there() -> None:
    request = ROOM.read_request(body(
        HI, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "look",
                                               "input": {"at": "sky"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": "none"},
            {"type": "text", "text": "So?"}]},
        system=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], stream=True,
        temperature=0.5, top_p=0.9, top_k=3, stop_sequences=["END"], service_tier="auto",
        metadata={"user_id": "u"}, tool_choice={"type": "any", "disable_parallel_tool_use": True},
        tools=[{**LOOK, "strict": True, "cache_control": HOUR}], thinking={"type": "adaptive"},
        output_config={"effort": "low", "format": FORM},
    ))  # fmt: skip
    top, hi, call, mixed = request.messages
    assert (top.role, top.blocks) == ("system", [TextBlock("a"), TextBlock("b")])
    assert (hi.role, hi.content) == ("user", "Hi")
    assert call.blocks == [ToolUseBlock("t", "look", {"at": "sky"})]
    assert mixed.role == "user"
    assert mixed.blocks == [ToolResultBlock("t", "", "none", True), TextBlock("So?")]
    assert request.model == "claude-opus-5-5"
    assert request.stream is True
    assert request.options == Options(
        max_tokens=9, temperature=0.5, top_p=0.9, top_k=3, stop=("END",), service_tier="auto",
        user="u", reasoning="low",
    )  # fmt: skip
    assert request.tool_choice == ToolChoice("required", parallel=False)
    assert request.response_format == ResponseFormat("schema", SCHEMA)
    assert request.tools == [Tool("look", "Looks.", SCHEMA, True, CacheHint("1h"))]
    assert request.extras == {"anthropic (notes)": {"thinking": "adaptive", "effort": True}}


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 1500}},
         Options(max_tokens=9, reasoning_budget=1500)),
        ({"thinking": {"type": "adaptive"}}, Options(max_tokens=9, reasoning="on")),
        ({"thinking": {"type": "disabled"}}, Options(max_tokens=9, reasoning="off")),
        ({"thinking": {"type": "between_tools"}}, Options(max_tokens=9, reasoning="off")),
        ({"output_config": {"effort": "max"}}, Options(max_tokens=9, reasoning="max")),
    ],
)  # fmt: skip
def test_how_the_model_thinks(fields: dict[str, Any], options: Options) -> None:
    assert ROOM.read_request(body(**fields)).options == options


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ({"type": "text", "text": "a", "cache_control": HOUR},
         TextBlock("a", cache=CacheHint("1h"))),
        ({"type": "image", "source": {"type": "url", "url": "https://a.example"}},
         ImageBlock(URLSource("https://a.example"))),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iV"}},
         ImageBlock(Base64Source("image/png", "iV"))),
        ({"type": "image", "source": {"type": "file", "file_id": "f"}},
         ImageBlock(FileSource("f", "anthropic"))),
        ({**DOCUMENT, "title": "T", "context": "C"},
         DocumentBlock(Base64Source("text/plain", "cMOkZ2U="), "T", context="C")),
        ({"type": "document", "source": {"type": "content", "content": "x"}},
         DocumentBlock(Base64Source("text/plain", "eA=="))),
        ({"type": "search_result", "source": "s", "title": "t", "content": []},
         RawBlock("anthropic", {"type": "search_result", "source": "s", "title": "t",
                                "content": []})),
        ({"type": "server_tool_use", "id": "s", "name": "x", "input": {}},
         RawBlock("anthropic", {"type": "server_tool_use", "id": "s", "name": "x", "input": {}},
                  "call", "s")),
        ({"type": "tool_result", "tool_use_id": 5, "content": "x"},
         RawBlock("anthropic", {"type": "tool_result", "tool_use_id": 5, "content": "x"},
                  by="client")),
    ],
)  # fmt: skip
def test_blocks(told: dict[str, Any], read: Any) -> None:
    assert block(told) == read


def test_cited_text_names_its_sources_and_keeps_them_whole() -> None:
    cited = {"type": "web_search_result_location", "url": "https://a.example", "title": "T",
             "cited_text": "A", "encrypted_index": "RW5j"}  # fmt: skip
    made = block({"type": "text", "text": "a", "citations": [cited]}, "assistant")
    assert made.citations == [Citation(url="https://a.example", title="T", quote="A")]
    assert made.extras == {"anthropic": {"citations": [cited]}}


def test_thinking_knows_whose_it_is() -> None:
    made = block({"type": "thinking", "thinking": "hm", "signature": "c2ln"}, "assistant")
    assert made == ThinkingBlock("hm", "c2ln")
    assert made.origin == Origin("anthropic", "claude-opus-5-5")
    sealed = block({"type": "redacted_thinking", "data": "c2VhbA=="}, "assistant")
    assert sealed.origin == made.origin
    for told in ({"signature": ""}, {}):
        unsigned = block({"type": "thinking", "thinking": "hm", **told}, "assistant")
        assert unsigned.origin is None, "anybody may have thought so"


def test_thinking_that_a_gateway_showed_goes_back_to_who_thought_it() -> None:
    shown = {"type": "thinking", "thinking": "hm", "signature": ""}
    used = {"type": "tool_use", "id": "c", "name": "look", "input": {}}
    told = body(HI, {"role": "assistant", "content": [shown, used]}, {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c", "content": "blue"}]}, tools=[LOOK])  # fmt: skip
    out = dragoman.convert(told, "anthropic", "deepseek", model="deepseek-reasoner")
    assert out.body["messages"][1]["reasoning_content"] == "hm"


def test_an_answer_and_the_request_that_brings_it_back_hold_the_same() -> None:
    content = [{"type": "thinking", "thinking": "", "signature": "c2ln"},
               {"type": "text", "text": "a", "citations": []},
               {"type": "tool_use", "id": "t", "name": "look", "input": {"at": 1},
                "caller": {"type": "direct"}},
               {"type": "server_tool_use", "id": "s", "name": "x", "input": {}}]  # fmt: skip
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
              "content": content, "stop_reason": "tool_use", "stop_sequence": None,
              "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
    answered = dragoman.wire("anthropic").read_response(answer).msg
    assert ROOM.read_request(spoken(*content)).messages[1] == answered


def test_tools_of_the_provider() -> None:
    one, other, own = ROOM.read_request(body(tools=[
        {"type": "web_search_20260209", "name": "web_search", "allowed_domains": ["a.example"],
         "max_uses": 2, "user_location": {"type": "approximate", "country": "IT"}},
        {"type": "code_execution_20260521", "name": "code_execution"},
        {"type": "memory_20250818", "name": "memory"},
    ])).tools  # fmt: skip
    assert one == ServerTool(
        "web_search", ("a.example",), max_uses=2, location={"country": "IT"},
        extras={"anthropic": {"type": "web_search_20260209"}},
    )  # fmt: skip
    assert other == ServerTool("code_execution"), "by the type that is written by itself"
    assert own == ServerTool(
        "own", extras={"anthropic": {"type": "memory_20250818", "name": "memory"}}
    )


@pytest.mark.parametrize(
    ("path", "model", "stream"),
    [
        ("/model/us.anthropic.claude-opus-5-5-v1%3A0/invoke", "us.anthropic.claude-opus-5-5-v1:0",
         False),
        ("/model/anthropic.claude-x-v2:1/invoke-with-response-stream?a=b",
         "anthropic.claude-x-v2:1", True),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/claude-x@20260101:rawPredict",
         "claude-x@20260101", False),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/claude-x:streamRawPredict",
         "claude-x", True),
        ("/v1/messages", None, False),
    ],
)  # fmt: skip
def test_a_host_names_the_model_in_the_path(path: str, model: str | None, stream: bool) -> None:
    told = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5, "messages": [HI]}
    request = INVOKE.read_request(told, path)
    assert (request.model, request.stream) == (model, stream)
    assert same(again(request), told)


def test_what_the_body_says_wins_over_the_path() -> None:
    path = "/model/other/invoke-with-response-stream"
    request = ROOM.read_request(body(stream=False), path)
    assert (request.model, request.stream) == ("claude-opus-5-5", False)
    assert same(again(request), body(stream=False))


def test_a_body_of_one_host_takes_the_forms_of_another() -> None:
    told = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5, "messages": [HI]}
    path = "/model/claude-opus-4-6/invoke-with-response-stream"
    read = INVOKE.read_request(told, path)
    assert same(ROOM.read_request(told, path).extras, read.extras)
    out = dragoman.convert(told, "bedrock/anthropic", "anthropic", path=path)
    assert out.path == "/v1/messages"
    assert out.body == {"model": "claude-opus-4-6", "max_tokens": 5, "messages": [HI],
                        "stream": True}  # fmt: skip
    back = dragoman.convert(out.body, "anthropic", "bedrock/anthropic")
    assert (back.path, back.body) == (path, told)
    again_there = dragoman.convert(told, "bedrock/anthropic", "bedrock/anthropic", path=path)
    assert (again_there.path, again_there.body, again_there.losses) == (path, told, [])


def test_betas_of_a_header_are_asked_for_again() -> None:
    wire = dragoman.wire("anthropic")
    request = wire.read_request(body(), headers={"Anthropic-Beta": "one-2026-01-01, two"})
    assert request.extras is not None
    assert request.extras["anthropic"] == {"anthropic_beta": ["one-2026-01-01", "two"]}
    out = wire.write_request(request)
    assert same(out.body, body())
    assert out.headers["anthropic-beta"] == "one-2026-01-01,two"
    # a cloud refuses what it does not know (test_clouds.py), so a known one stands in its body
    request = wire.read_request(body(), headers={"anthropic-beta": "effort-2025-11-24, two"})
    hosted = dragoman.wire("bedrock/anthropic").write_request(request)
    assert hosted.body["anthropic_beta"] == ["effort-2025-11-24"]
    assert "anthropic-beta" not in hosted.headers


def test_betas_of_a_body_become_a_header_where_the_host_wants_one() -> None:
    read = dragoman.wire("bedrock/anthropic").read_request(
        {"anthropic_version": "bedrock-2023-05-31", "anthropic_beta": ["a", "b"], "max_tokens": 5,
         "messages": [HI]}, "/model/claude-opus-5-5/invoke",
    )  # fmt: skip
    out = dragoman.wire("anthropic").write_request(
        ChatRequest(list(read.messages), model="claude-opus-5-5", options=read.options,
                    extras=read.extras)
    )  # fmt: skip
    assert out.headers["anthropic-beta"] == "a,b"
    assert "anthropic_beta" not in out.body
    assert "anthropic_version" not in out.body


def test_an_edited_medium_keeps_what_was_said_of_its_source() -> None:
    told = {"type": "image", "source": {"type": "url", "url": "https://a.example", "x": 1}}
    read = ROOM.read_request(user(told)).messages[0]
    out = dragoman.wire("anthropic").write_request(ChatRequest([Msg.user(read.blocks)]), "m")
    assert out.body["messages"][0]["content"] == [told]


def test_sampling_of_minus_one_is_none() -> None:
    """The API takes it as not given; other APIs refuse it, or would sample from nothing."""
    told = body(HI, top_p=-1, top_k=-1, temperature=1)
    wire = dragoman.wire("anthropic")
    request = wire.read_request(copy.deepcopy(told))
    assert (request.options.top_p, request.options.top_k) == (None, None)
    assert wire.write_request(request).body == told
    for target in ("openai/openai-chat", "gemini"):
        out = dragoman.convert(told, "anthropic", target, model="m")
        assert "-1" not in json.dumps(out.body)
        assert {"top_p", "top_k"} <= {loss.where.rpartition(".")[2] for loss in out.losses}
