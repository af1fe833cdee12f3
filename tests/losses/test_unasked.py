"""A policy that refuses losses lets pass what nobody asked for and nobody misses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool

BOOK = {
    "type": "object",
    "properties": {"city": {"type": "string"},
                   "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}},
    "required": ["city"],
}  # fmt: skip


def refused(wire: str, model: str, **fields: Any) -> list[str]:
    """Codes that a policy refuses which lets nothing pass but what is expected."""
    req = ChatRequest([Msg.user("A table for two.")], **fields)
    policy = dragoman.Policy(refuse=("dropped", "degraded", "moved", "repaired", "added"))
    try:
        dragoman.wire(wire, policy=policy).write_request(req, model)
    except dragoman.LossRefused as error:
        return [loss.code for loss in error.losses]
    return []


MODELS = [("openai", "gpt-5.6"), ("openai/openai-responses", "gpt-5.6"),
          ("gemini", "gemini-3.8-flash"), ("ollama", "qwen3")]  # fmt: skip


def test_thinking_that_nobody_asked_for_may_be_off_for_tools() -> None:
    tools = [Tool("book", "a table")]
    assert refused("openai", "gpt-5.6", tools=tools) == []
    asked = Options(reasoning="high")
    assert refused("openai", "gpt-5.6", tools=tools, options=asked) == ["reasoning.off_for_tools"]


@pytest.mark.parametrize(("wire", "model"), MODELS)
def test_options_that_say_the_usual_may_stay_out(wire: str, model: str) -> None:
    usual = Options(n=1, logprobs=False, presence_penalty=0, frequency_penalty=0.0)
    assert refused(wire, model, options=usual) == []
    assert refused("openai/openai-responses", "gpt-5.6", options=Options(n=2)) == [
        "option.unsupported"
    ]


@pytest.mark.parametrize(("wire", "model"), MODELS)
def test_a_stream_may_ask_for_its_usage(wire: str, model: str) -> None:
    assert refused(wire, model, stream=True) == []


def test_a_strict_tool_may_be_closed() -> None:
    for wire, model in (("openai", "gpt-4.1"), ("anthropic", "claude-opus-5-5")):
        tools = [Tool("book", "a table", BOOK, strict=True)]
        lost = refused(wire, model, tools=tools, options=Options(max_tokens=99))
        assert "schema.narrower" not in lost, wire


def test_a_signature_that_stands_for_none_is_none() -> None:
    part = {"functionCall": {"name": "look", "args": {}}}
    for dummy in ("skip_thought_signature_validator",
                  "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="):  # fmt: skip
        answer = {"functionResponse": {"name": "look", "response": {"output": "1"}}}
        body = {"contents": [
            {"role": "user", "parts": [{"text": "Look."}]},
            {"role": "model", "parts": [{**part, "thoughtSignature": dummy}]},
            {"role": "user", "parts": [answer]},
        ]}  # fmt: skip
        out = dragoman.convert(body, "gemini", "openai", model="gpt-5.6", policy="refuse")
        assert {loss.kind for loss in out.losses} <= {"expected", "added"}


def book(city: str, seats: int = 2) -> None:
    """A table.

    Args:
        city: where
    """


ORDINARY = [("openai", "gpt-4.1"), ("anthropic", "claude-opus-5-5"), ("gemini", "gemini-3.8-flash"),
            ("mistral", "mistral-large-latest"), ("bedrock", "us.anthropic.claude-opus-4-5-v1:0"),
            ("ollama", "qwen3"), ("dashscope", "qwen3.7-plus")]  # fmt: skip


@pytest.mark.parametrize(("wire", "model"), ORDINARY)
def test_a_call_that_another_provider_made_goes_on(wire: str, model: str) -> None:
    """Its id is respelled where the wire demands it, and mapped back."""
    id = "toolu_01A09q90qw90lq917835lq9"
    call = {"type": "tool_use", "id": id, "name": "book", "input": {"city": "Rome"}}
    msgs = [Msg.user("A table."), Msg.assistant([call]), Msg.tool(id, "Done.", "book")]
    req = ChatRequest(msgs, tools=[Tool.of(book)], options=Options(max_tokens=99))
    out = dragoman.wire(wire, policy="refuse").write_request(req, model)
    assert out.body


def test_an_optional_argument_of_a_strict_tool_may_be_null() -> None:
    tools = [replace(Tool.of(book), strict=True)]
    assert refused("openai", "gpt-4.1", tools=tools) == []


def test_it_is_off_too_for_tools_that_become_functions() -> None:
    body = {"model": "gpt-5.6", "input": "What is here?", "tools": [{"type": "local_shell"}]}
    out = dragoman.convert(body, "openai-responses", "openai-chat")
    assert [tool["type"] for tool in out.body["tools"]] == ["function"]
    assert out.body["reasoning_effort"] == "none"
    assert "reasoning.off_for_tools" in {loss.code for loss in out.losses}
    native = dragoman.convert(body, "openai-responses", "openai-responses")
    assert "reasoning" not in native.body
