"""Residue of requests whose ids and names another wire spells otherwise, or says only in part."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import dragoman
from dragoman.errors import InvalidMessage

HOME = dragoman.wire("anthropic", policy="ignore")


def claude(name: str = "look", **rest: Any) -> dict[str, Any]:
    """A signed thought, a call, its result."""
    return {
        "model": "claude-opus-5-5",
        "max_tokens": 100,
        "tools": [{"name": name, "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                {"type": "tool_use", "id": "toolu_1", "name": name, "input": {"at": 1}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "A gate."},
            ]},
        ],
        **rest,
    }  # fmt: skip


def back(body: dict[str, Any], name: str, model: str | None = None) -> dict[str, Any]:
    """The body, as it is when it has been to another wire and home again."""
    wire = dragoman.wire(name, policy="ignore")
    out = wire.write_request(HOME.read_request(copy.deepcopy(body)), model or wire.room.model)
    said, residue = json.loads(json.dumps([out.body, out.residue]))
    came = wire.read_request(said, out.path, residue=residue)
    made: dict[str, Any] = HOME.write_request(came, body["model"]).body
    return made


def told(body: dict[str, Any]) -> str:
    """What the result says."""
    said = body["messages"][-1]["content"][0]
    assert said["tool_use_id"] == body["messages"][-2]["content"][-1]["id"]
    assert "is_error" not in said
    return said["content"] if isinstance(said["content"], str) else said["content"][0]["text"]


@pytest.mark.parametrize("name", ["mistral", "gemini", "openai-chat", "cohere", "bedrock-converse"])
def test_a_result_comes_back_to_its_call(name: str) -> None:
    assert told(back(claude(), name)) == "A gate."


def test_calls_and_tools_go_by_one_name_again() -> None:
    body = back(claude("9f-x"), "gemini", "gemini-2.5-flash")
    assert [tool["name"] for tool in body["tools"]] == ["9f-x"]
    assert body["messages"][1]["content"][1]["name"] == "9f-x"


def test_turns_that_came_meanwhile_are_spelled_as_before() -> None:
    wire = dragoman.wire("mistral", policy="ignore")
    out = wire.write_request(HOME.read_request(claude()))
    body, residue = json.loads(json.dumps([out.body, out.residue]))
    body["messages"][2]["content"] = "Two gates."  # so that it is not found again
    came = wire.read_request(body, residue=residue)
    assert told(HOME.write_request(came, "claude-opus-5-5").body) == "Two gates."


def test_what_was_added_does_not_stay() -> None:
    body = back(claude(), "openai-chat", "gpt-5.6")  # which asks for no thinking beside tools
    assert "thinking" not in body
    assert "output_config" not in body


def test_hints_on_tools_come_back() -> None:
    body = claude()
    body["tools"][0]["cache_control"] = {"type": "ephemeral"}
    assert back(body, "openai-chat")["tools"] == body["tools"]


def test_a_call_comes_back_with_its_result() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "py", "input": "1+1"}}
    body = {"model": "gpt-5.6", "messages": [
        {"role": "user", "content": "Run it."},
        {"role": "assistant", "content": "I do.", "tool_calls": [custom]},
        {"role": "tool", "tool_call_id": "c1", "content": "2"},
        {"role": "user", "content": "And?"},
    ]}  # fmt: skip
    chat, wire = (dragoman.wire(name, policy="ignore") for name in ("openai-chat", "anthropic"))
    out = wire.write_request(chat.read_request(copy.deepcopy(body)), "claude-opus-5-5")
    said, residue = json.loads(json.dumps([out.body, out.residue]))
    came = wire.read_request(said, residue=residue)
    assert chat.write_request(came, "gpt-5.6").body["messages"] == body["messages"]


@pytest.mark.parametrize("residue", [
    5, {"$": 5}, {"$": {"fields": []}}, {"$": {"fields": {"options.seed": [1]}}}, {"x": {"n": 1}},
    {"$": {"ids": {"a": 1}}}, {"$": {"extras": 1}}, {"$": {"extras": {"a": 1}}},
])  # fmt: skip
def test_no_residue_is_named(residue: Any) -> None:
    with pytest.raises(InvalidMessage):
        dragoman.wire("openai-chat").read_request({"messages": []}, residue=residue)
