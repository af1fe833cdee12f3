"""A request that was read is written again: what nobody edited as it came, the rest composed."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice
from dragoman.message import CacheHint, TextBlock, ToolResultBlock, ToolUseBlock, dump, load

CALLS = [
    {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}},
    {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}, "index": 1},
]
BODY: dict[str, Any] = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "system", "content": "S"},
        {"role": "user", "content": [{"type": "text", "text": "hi"}], "name": "Bo"},
        {"role": "assistant", "content": "", "refusal": None, "tool_calls": CALLS},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "user", "content": "ok"},
    ],
    "max_tokens": 5,
    "temperature": 1,
    "tools": [{"type": "function", "function": {"name": "f"}}],
    "tool_choice": "auto",
    "odd": None,
}
WIRE = dragoman.wire("openai-chat", policy="ignore")


def read() -> ChatRequest:
    return WIRE.read_request(copy.deepcopy(BODY))


def codes(req: ChatRequest) -> list[tuple[str, str]]:
    return [(loss.code, loss.where) for loss in WIRE.write_request(req).losses]


def test_nothing_edited() -> None:
    out = WIRE.write_request(read())
    assert out.body == BODY
    assert out.losses == []


COPIES: dict[str, Callable[[ChatRequest], Any]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda req: pickle.loads(pickle.dumps(req)),
    "stored": lambda req: load(json.loads(json.dumps(dump(req)))),
    "replaced": replace,
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_goes_back_as_it_came(way: str) -> None:
    req = read()
    req.messages.append(Msg("", "And now?", "user"))
    body = WIRE.write_request(COPIES[way](req)).body
    assert body == {
        **BODY,
        "messages": [*BODY["messages"], {"role": "user", "content": "And now?"}],
    }


def test_nothing_is_written_from_the_body() -> None:
    req = read()
    assert req.read is not None
    req.read.places = None
    assert WIRE.write_request(req).body == BODY


def test_one_message_replaced() -> None:
    req = read()
    req.messages[1] = Msg("", "hello", "user")
    assert WIRE.write_request(req).body["messages"] == [
        BODY["messages"][0], {"role": "user", "content": "hello"}, *BODY["messages"][2:],
    ]  # fmt: skip


def test_a_message_edited_in_place() -> None:
    req = read()
    req.messages[1].content = "hello"
    said = WIRE.write_request(req).body["messages"]
    assert said[1] == {"role": "user", "name": "Bo", "content": "hello"}
    assert said[2:] == BODY["messages"][2:]


WITH_ARGUMENT_TEXT = ["openai-chat", "openai-responses", "dashscope", "mistral", "cohere"]


@pytest.mark.parametrize("name", WITH_ARGUMENT_TEXT)
def test_arguments_edited_in_place_are_sent(name: str) -> None:
    call = ToolUseBlock("call_aaa1", "f", {"x": 1, "at": {"y": 2}})
    msgs = [Msg.user("Go."), Msg.assistant([call]), Msg.tool("call_aaa1", "Done.", "f")]
    wire = dragoman.wire(name, policy="ignore")
    sent = wire.write_request(ChatRequest(msgs, tools=[Tool("f")])).body
    req = wire.read_request(copy.deepcopy(sent))
    assert wire.write_request(req).body == sent
    block = next(call for m in req.messages for call in m.calls)
    block.input["at"]["y"] = 3
    edited = wire.write_request(req).body
    said = [json.dumps(body, sort_keys=True) for body in (sent, edited)]
    assert said[1] == said[0].replace('{\\"y\\": 2}', '{\\"y\\": 3}')
    block.input = {}
    again = next(
        c for m in wire.read_request(wire.write_request(req).body).messages for c in m.calls
    )
    assert again.input == {}


def test_a_tool_edited_in_place_is_declared_as_it_is_now() -> None:
    req = read()
    tool = req.tools[0]
    assert isinstance(tool, Tool)
    tool.cache = CacheHint()
    out = WIRE.write_request(req)
    assert out.body["tools"][0]["function"]["name"] == "f"
    assert [(loss.code, loss.where) for loss in out.losses] == [
        ("tool.cache", "$.tools[0].cache_control")
    ]
    host = dragoman.wire("openrouter", policy="ignore")
    req = host.read_request({**copy.deepcopy(BODY), "model": "anthropic/claude-opus-4.5"})
    tool = req.tools[0]
    assert isinstance(tool, Tool)
    tool.cache = CacheHint()
    marked = host.write_request(req).body["tools"][0]
    assert marked["cache_control"] == {"type": "ephemeral"}


def test_a_text_changed_in_its_block_is_told() -> None:
    req = read()
    block = req.messages[1].blocks[0]
    assert isinstance(block, TextBlock)
    block.text = "hello"
    assert WIRE.write_request(req).body["messages"][1]["content"][0]["text"] == "hello"


def test_a_result_that_was_removed_is_repaired() -> None:
    req = read()
    del req.messages[4]
    out = WIRE.write_request(req)
    assert [loss.code for loss in out.losses] == ["result.missing"]
    assert out.body["messages"][:4] == BODY["messages"][:4]
    assert out.body["messages"][4]["tool_call_id"] == "b"


def test_a_call_that_was_removed_takes_its_results_along() -> None:
    req = read()
    del req.messages[2]
    out = WIRE.write_request(req)
    assert [loss.code for loss in out.losses] == ["result.orphan", "result.orphan"]
    assert out.body["messages"] == [*BODY["messages"][:2], BODY["messages"][5]]


def test_results_that_answer_calls_which_were_read() -> None:
    req = WIRE.read_request({**BODY, "messages": BODY["messages"][:3]})
    req.messages.append(Msg("", [ToolResultBlock("b", "f", "2"), ToolResultBlock("a", "f", "1")],
                            "tool"))  # fmt: skip
    said = WIRE.write_request(req).body["messages"]
    assert said[:3] == BODY["messages"][:3]
    assert [m["tool_call_id"] for m in said[3:]] == ["b", "a"]


def test_an_id_that_stands_there_already_is_not_used_again() -> None:
    claude = dragoman.wire("anthropic", policy="ignore")
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "1"}
    said = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]}]  # fmt: skip
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": said,
            "tools": [{"name": "f", "input_schema": {"type": "object"}}]}  # fmt: skip
    req = claude.read_request(body)
    req.messages += [Msg("", [ToolUseBlock("toolu_1", "f", {})], "assistant"),
                     Msg("", [ToolResultBlock("toolu_1", "f", "2")], "tool")]  # fmt: skip
    made = claude.write_request(req).body["messages"]
    assert made[:3] == said
    second = made[3]["content"][0]["id"]
    assert second != "toolu_1"
    assert made[4]["content"][0]["tool_use_id"] == second


def test_an_option_changed() -> None:
    req = read()
    req.options = replace(req.options, max_tokens=7)
    body = WIRE.write_request(req).body
    assert body.pop("max_tokens") == 7
    assert body == {key: value for key, value in BODY.items() if key != "max_tokens"}


def test_an_option_taken_out_and_one_put_in() -> None:
    req = read()
    req.options = Options(max_tokens=5, seed=3)
    body = WIRE.write_request(req).body
    assert "temperature" not in body
    assert (body["seed"], body["max_tokens"]) == (3, 5)


def test_a_tool_put_in() -> None:
    req = read()
    req.tools = [*req.tools, Tool("g", "G.", {"type": "object"})]
    body = WIRE.write_request(req).body
    assert [tool["function"]["name"] for tool in body["tools"]] == ["f", "g"]
    assert body["messages"] == BODY["messages"]


STREAMED: dict[str, tuple[dict[str, Any], str]] = {
    "openai-chat": ({"model": "m", "messages": BODY["messages"][:2]}, "/chat/completions"),
    "openai-responses": ({"model": "m", "input": "hi"}, "/responses"),
    "anthropic": ({"model": "claude-opus-5-5", "max_tokens": 9,
                   "messages": [{"role": "user", "content": "hi"}]}, "/v1/messages"),
    "gemini": ({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
               "/models/gemini-2.5-pro:generateContent"),
    "dashscope": ({"model": "qwen-plus", "input": {"messages": [{"role": "user",
                  "content": "hi"}]}, "parameters": {"result_format": "message"}},
                  "/services/aigc/text-generation/generation"),
    "ollama": ({"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": False},
               "/api/chat"),
    "bedrock-converse": ({"messages": [{"role": "user", "content": [{"text": "hi"}]}]},
                         "/model/amazon.nova-lite-v1%3A0/converse"),
    "mistral": ({"model": "m", "messages": [{"role": "user", "content": "hi"}]},
                "/chat/completions"),
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMED)
def test_a_stream_put_in_and_taken_out(name: str) -> None:
    body, path = STREAMED[name]
    wire = dragoman.wire(name, policy="ignore")
    req = wire.read_request(body, path)
    req.stream = True
    out = wire.write_request(req)
    again = wire.read_request(out.body, out.path, out.headers)
    assert again.stream
    assert wire.write_request(again).body == out.body
    again.stream = False
    still = wire.write_request(again)
    assert not wire.read_request(still.body, still.path, still.headers).stream
    assert still.path == path


def test_a_choice_changed() -> None:
    req = read()
    req.tool_choice = ToolChoice("required")
    body = WIRE.write_request(req).body
    assert body == {**BODY, "tool_choice": "required"}


def test_another_prompt_before_the_old_one() -> None:
    req = read()
    req.messages.insert(0, Msg("", "First.", "system"))
    said = WIRE.write_request(req).body["messages"]
    assert said == [{"role": "system", "content": "First."}, *BODY["messages"]]


def test_a_prompt_that_stands_apart_is_replaced() -> None:
    claude = dragoman.wire("anthropic", policy="ignore")
    said = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    body = {"model": "claude-opus-5-5", "max_tokens": 9, "messages": said,
            "system": [{"type": "text", "text": "A"}]}  # fmt: skip
    req = claude.read_request(body)
    assert claude.write_request(req).body == body
    req.messages[0] = Msg("", "B", "system")
    assert claude.write_request(req).body == {**body, "system": "B"}
    del req.messages[0]
    assert claude.write_request(req).body == {k: v for k, v in body.items() if k != "system"}


def test_another_model_has_other_rules() -> None:
    out = WIRE.write_request(read(), model="gpt-5.5")
    assert out.body["max_completion_tokens"] == 5
    assert "max_tokens" not in out.body


def test_another_wire_gets_nothing_as_it_was_read() -> None:
    out = dragoman.wire("mistral", policy="ignore").write_request(read(), model="mistral-large-3")
    assert out.body["messages"][0] == {"role": "system", "content": "S"}
    assert ("extras.empty", "$.odd") in [(loss.code, loss.where) for loss in out.losses]


def test_losses_name_their_place_in_the_body() -> None:
    out = dragoman.wire("anthropic", policy="ignore").write_request(read(), model="claude-opus-5-5")
    where = {loss.code: loss.where for loss in out.losses}
    assert where["name.unsupported"] == "$.messages[1].name"
    assert where["option.refused"] == "$.temperature"


def test_what_a_provider_keeps_is_refused_elsewhere() -> None:
    body = {"model": "gpt-5.5", "input": "And now?", "previous_response_id": "resp_1"}
    req = dragoman.wire("openai-responses").read_request(body)
    with pytest.raises(dragoman.WriteError) as caught:
        WIRE.write_request(req, model="gpt-5.5")
    assert caught.value.code == "state.server_side"
    assert caught.value.path == "$.previous_response_id"


@pytest.mark.parametrize(("name", "body", "option", "made"), [
    ("openai-chat", {"model": "m", "messages": [HELLO], "max_tokens": 5}, {"max_tokens": 9},
     {"max_tokens": 9}),
    ("openai-chat", {"model": "m", "messages": [HELLO], "max_completion_tokens": 5},
     {"max_tokens": 9}, {"max_completion_tokens": 9}),
    ("openai-chat", {"model": "m", "messages": [HELLO], "safety_identifier": "a"}, {"user": "b"},
     {"safety_identifier": "b"}),
    ("openai-responses", {"model": "m", "input": "Hi", "user": "a"}, {"user": "b"}, {"user": "b"}),
    ("gemini", {"contents": [{"parts": [{"text": "Hi"}]}],
                "generation_config": {"max_output_tokens": 5, "top_k": None}},
     {"max_tokens": 9, "top_k": 3}, {"generation_config": {"max_output_tokens": 9, "topK": 3}}),
] if (HELLO := {"role": "user", "content": "Hi"}) else [])  # fmt: skip
def test_an_option_that_is_changed_keeps_its_spelling(
    name: str, body: dict[str, Any], option: dict[str, Any], made: dict[str, Any]
) -> None:
    wire = dragoman.wire(name, policy="ignore")
    req = wire.read_request(body)
    req.options = replace(req.options, **option)
    assert wire.write_request(req).body == {**body, **made}
