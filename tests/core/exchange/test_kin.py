"""What both of OpenAI's wires have, and nobody else: said on the other one under its name there."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman

CHAT = "openai-chat"
RESPONSES = "openai-responses"
HI = {"role": "user", "content": "Hi"}
SHARED = {
    "prompt_cache_key": "k", "prompt_cache_retention": "24h", "metadata": {"a": "b"},
    "prompt_cache_options": {"mode": "explicit"}, "store": False,
    "stream_options": {"include_obfuscation": False},
}  # fmt: skip
GRAMMAR = {"syntax": "lark", "definition": 'start: "x"'}


def converted(
    source: str, target: str, body: dict[str, Any]
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The other body, and the losses that are no more than the model's kept name."""
    out = dragoman.convert(body, source, target, policy="ignore")
    losses = [(loss.code, loss.where) for loss in out.losses if loss.code != "model.kept"]
    return out.body, losses


def both(chat: dict[str, Any], responses: dict[str, Any]) -> None:
    """Each of the two is made of the other, and nothing is lost."""
    chat = {"model": "gpt-5.6", "messages": [HI], **chat}
    responses = {"model": "gpt-5.6", "input": [HI], **responses}
    for source, target, given, made in (
        (CHAT, RESPONSES, chat, responses), (RESPONSES, CHAT, responses, chat),
    ):  # fmt: skip
        body, losses = converted(source, target, given)
        body.pop("include", None)  # the sealed form of thoughts, which nobody keeps
        assert body == made
        assert [code for code, _ in losses if code != "include.added"] == []


def test_fields_of_one_name() -> None:
    both(SHARED, SHARED)


def test_verbosity() -> None:
    both({"verbosity": "low"}, {"text": {"verbosity": "low"}})


def test_verbosity_beside_a_format() -> None:
    form = {"name": "n", "schema": {"type": "object"}, "description": "d", "strict": False}
    both(
        {"verbosity": "low", "response_format": {"type": "json_schema", "json_schema": form}},
        {"text": {"verbosity": "low", "format": {"type": "json_schema", **form}}},
    )


@pytest.mark.parametrize("users", [
    {"safety_identifier": "s"},
    {"safety_identifier": "s", "user": "u"},
])  # fmt: skip
def test_users_by_both_of_their_names(users: dict[str, str]) -> None:
    both(users, users)


def test_custom_tools_and_the_choice_among_them() -> None:
    named = {"name": "c", "description": "d"}
    nested = {"type": "grammar", "grammar": GRAMMAR}
    flat = {"type": "grammar", **GRAMMAR}
    both(
        {"tools": [{"type": "custom", "custom": {**named, "format": nested}}],
         "tool_choice": {"type": "custom", "custom": {"name": "c"}}},
        {"tools": [{"type": "custom", **named, "format": flat}],
         "tool_choice": {"type": "custom", "name": "c"}},
    )  # fmt: skip


def test_a_choice_among_custom_tools() -> None:
    custom = {"type": "custom", "custom": {"name": "c"}}
    flat = {"type": "custom", "name": "c"}
    both(
        {"tools": [custom], "tool_choice": {
            "type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [custom]}}},
        {"tools": [flat], "tool_choice": {"type": "allowed_tools", "mode": "auto",
                                          "tools": [flat]}},
    )  # fmt: skip


def test_calls_of_custom_tools_and_their_results() -> None:
    call = {"id": "c2", "type": "custom", "custom": {"name": "c", "input": "xx"}}
    both(
        {"messages": [HI, {"role": "assistant", "content": None, "tool_calls": [call]},
                      {"role": "tool", "tool_call_id": "c2", "content": "R"}, HI],
         "tools": [{"type": "custom", "custom": {"name": "c"}}]},
        {"input": [HI, {"type": "custom_tool_call", "call_id": "c2", "name": "c", "input": "xx"},
                   {"type": "custom_tool_call_output", "call_id": "c2", "output": "R"}, HI],
         "tools": [{"type": "custom", "name": "c"}]},
    )  # fmt: skip


def test_texts_of_a_custom_tools_result() -> None:
    call = {"id": "c2", "type": "custom", "custom": {"name": "c", "input": "xx"}}
    said = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    told = {"model": "gpt-5.6", "messages": [
        HI, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c2", "content": said}]}  # fmt: skip
    body, losses = converted(CHAT, RESPONSES, told)
    texts = [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]
    assert body["input"][-1] == {"type": "custom_tool_call_output", "call_id": "c2",
                                 "output": texts}  # fmt: skip
    assert [code for code, _ in losses if code != "include.added"] == []
    back, _ = converted(RESPONSES, CHAT, body)
    assert back["messages"][-1] == told["messages"][-1]


def test_what_a_call_has_beyond_that_is_lost_by_name() -> None:
    item = {"type": "custom_tool_call", "call_id": "c2", "name": "c", "input": "x",
            "namespace": "n", "caller": {"type": "direct"}}  # fmt: skip
    body, losses = converted(RESPONSES, CHAT, {"model": "m", "input": [HI, item]})
    assert body["messages"][1]["tool_calls"] == [
        {"id": "c2", "type": "custom", "custom": {"name": "n__c", "input": "x"}}]  # fmt: skip
    assert ("tool.namespace", "$.input[1].namespace") in losses
    assert ("extras.foreign", "$.input[1].caller.type") in losses


def test_one_host_speaks_to_itself_and_others_are_no_kin() -> None:
    chat = {"model": "gpt-5.6", "messages": [HI], "verbosity": "low"}
    body, losses = converted("azure/openai-chat", "azure/openai-responses", chat)
    assert body["text"] == {"verbosity": "low"}
    assert "verbosity" not in body
    assert [code for code, _ in losses if code != "include.added"] == []
    _, losses = converted("groq", RESPONSES, chat)
    assert ("extras.foreign", "$.verbosity") in losses


def test_other_wires_name_each_as_lost() -> None:
    body, losses = converted(CHAT, "anthropic", {
        "model": "m", "messages": [HI], "verbosity": "low", "safety_identifier": "s"})  # fmt: skip
    assert ("extras.foreign", "$.verbosity") in losses
    assert body["metadata"] == {"user_id": "s"}


@pytest.mark.parametrize("tools", [None, 7, [{}], ["look"], [{"type": None, "name": "look"}]])
def test_a_choice_among_what_is_no_tool_is_named(tools: object) -> None:
    choice = {"type": "allowed_tools", "mode": "auto", "tools": tools}
    asked = {"model": "gpt-5.6", "input": [HI], "tool_choice": choice}
    _, losses = converted(RESPONSES, CHAT, asked)
    assert ("extras.foreign", "$.tool_choice.mode") in losses
