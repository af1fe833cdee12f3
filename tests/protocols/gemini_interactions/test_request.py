"""Requests of other wires, and of programs, as Interactions takes them."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice
from dragoman.message import Origin, ResponseFormat, ServerTool, TextBlock, ThinkingBlock

WIRE = dragoman.wire("gemini-interactions", policy="ignore")
ASK = Msg("", "Where?", "user")


def written(*msgs: Msg, **fields: Any) -> Any:
    return WIRE.write_request(ChatRequest(list(msgs), **fields), model="gemini-3.8-flash")


def losses(out: Any) -> set[str]:
    return {f"{loss.code} {loss.where}" for loss in out.losses}


def test_the_request_around_a_question() -> None:
    out = written(Msg("", "You are Friday.", "system"), Msg("", "Be brief.", "system"), ASK)
    assert (out.path, out.headers) == ("/interactions", {"Api-Revision": "2026-05-20"})
    assert out.body == {
        "model": "gemini-3.8-flash",
        "system_instruction": "You are Friday.\n\nBe brief.",
        "input": [{"type": "user_input", "content": [{"type": "text", "text": "Where?"}]}],
    }


def test_calls_and_results_are_steps() -> None:
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}}
    result = {"type": "tool_result", "id": "a", "name": "look", "output": "There.",
              "is_error": True}  # fmt: skip
    text = {"type": "text", "text": "I look."}
    out = written(ASK, Msg("", [text, call], "assistant"), Msg("", [result], "tool"), ASK,
                  tools=[Tool("look", "Looks.")], tool_choice=ToolChoice("required"))  # fmt: skip
    assert out.body["input"][1:4] == [
        {"type": "model_output", "content": [text]},
        {"type": "function_call", "id": "a", "name": "look", "arguments": {"x": 1}},
        {"type": "function_result", "call_id": "a", "name": "look", "result": "There.",
         "is_error": True},
    ]  # fmt: skip
    assert out.body["generation_config"] == {"tool_choice": "any"}
    assert out.body["tools"][0]["parameters"] == {"type": "object", "properties": {}}
    assert not out.losses


def test_a_result_of_several_parts() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                         "data": "iVBORw0KGgo="}, "detail": "huge"}  # fmt: skip
    result = {"type": "tool_result", "id": "a", "name": "look",
              "output": [{"type": "text", "text": "One."}, image]}  # fmt: skip
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    out = written(ASK, Msg("", [call], "assistant"), Msg("", [result], "tool"), ASK)
    assert out.body["input"][2]["result"] == [
        {"type": "text", "text": "One."},
        {"type": "image", "data": "iVBORw0KGgo=", "mime_type": "image/png"},
    ]
    assert "media.detail $.messages[2].content[0].output[1].detail" in losses(out)


def test_options_that_have_a_field_and_those_that_have_none() -> None:
    options = Options(max_tokens=9, seed=1, stop=("a",), reasoning="low", top_k=3, n=2,
                      service_tier="default", presence_penalty=0.5)  # fmt: skip
    out = written(ASK, options=options, response_format=ResponseFormat("json"), stream=True)
    assert out.body["generation_config"] == {
        "max_output_tokens": 9, "seed": 1, "stop_sequences": ["a"], "thinking_level": "low",
    }  # fmt: skip
    assert out.body["service_tier"] == "standard"
    assert out.body["response_format"] == [{"type": "text", "mime_type": "application/json"}]
    assert out.body["stream"] is True
    assert losses(out) == {
        "option.unsupported $.options.top_k", "option.unsupported $.options.n",
        "option.unsupported $.options.presence_penalty", "option.range $.options.service_tier",
    }  # fmt: skip


def test_thinking_cannot_be_turned_off() -> None:
    out = WIRE.write_request(
        ChatRequest([ASK], options=Options(reasoning="off")), model="gemini-2.5-flash"
    )
    assert out.body["generation_config"] == {"thinking_level": "minimal"}
    assert losses(out) == {"reasoning.always $.options.reasoning"}


def test_thoughts_of_others_and_unsigned_ones_do_not_go_back() -> None:
    foreign = ThinkingBlock("Hm.", "s", origin=Origin("anthropic"))
    told = Msg("", [foreign, ThinkingBlock("Hm."), TextBlock("There.")], "assistant")
    out = written(ASK, told, ASK)
    assert [step["type"] for step in out.body["input"]] == [
        "user_input", "model_output", "user_input",
    ]  # fmt: skip
    codes = [loss.code for loss in out.losses]
    assert codes == ["thinking.other_provider", "thinking.unsigned"]


def test_tools_of_the_providers_own() -> None:
    tools = [ServerTool("web_search", domains=("a.com",)), ServerTool("code_execution"),
             ServerTool("file_search", stores=("s",)), ServerTool("file_search")]  # fmt: skip
    out = written(ASK, tools=tools)
    assert out.body["tools"] == [
        {"type": "google_search"}, {"type": "code_execution"},
        {"type": "file_search", "file_search_store_names": ["s"]},
    ]  # fmt: skip
    assert losses(out) == {
        "server_tool.field $.tools[0].domains", "server_tool.unsupported $.tools[3]",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "value"),
    [
        (ToolChoice("auto"), "auto"),
        (ToolChoice("none"), "none"),
        (ToolChoice("tool", "a"), {"allowed_tools": {"mode": "any", "tools": ["a"]}}),
        (ToolChoice("auto", allowed=("a", "b")),
         {"allowed_tools": {"mode": "auto", "tools": ["a", "b"]}}),
    ],
)  # fmt: skip
def test_the_choice_among_tools(choice: ToolChoice, value: Any) -> None:
    out = written(ASK, tools=[Tool("a"), Tool("b")], tool_choice=choice)
    assert out.body["generation_config"] == {"tool_choice": value}


def test_the_default_model_and_agent() -> None:
    out = WIRE.write_request(ChatRequest([ASK]))
    assert out.body["model"] == "gemini-3.8-flash"
    extras = {"gemini-interactions": {"previous_interaction_id": "v1_a"}}
    out = written(ASK, extras=extras)
    assert out.body["previous_interaction_id"] == "v1_a"
