"""Cases of whole histories that come in over one wire and go out over another."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman.capabilities import Facts
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

from .converting import (
    HI,
    calls,
    chat,
    claude,
    converted,
    function,
    responses,
    result,
)

TWO = calls(("a", "look", "{}"), ("b", "look", "{}"))
GO_ON = {"role": "user", "content": "go on"}


def used(id: str, *more: dict[str, Any], input: Any = None) -> dict[str, Any]:
    """A call of Claude's in a message of its own."""
    call = {"type": "tool_use", "id": id, "name": "look", "input": {} if input is None else input}
    return {"role": "assistant", "content": [call, *more]}


def answered(id: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": "s", **more}


def test_case_1_every_call_is_answered_in_the_next_message() -> None:
    body, losses = converted("openai-chat", "anthropic", chat(HI, TWO, result("a"), GO_ON))
    given = body["messages"][2]["content"]
    assert [(one["tool_use_id"], one.get("is_error")) for one in given] == [
        ("a", None),
        ("b", True),
    ]
    assert losses == [("result.missing", "$.messages[1].tool_calls[1]")]


def test_case_1_late_results_come_first_and_orphans_go() -> None:
    told = chat(HI, TWO, GO_ON, result("b"), result("a"), result("zz"))
    body, losses = converted("openai-chat", "anthropic", told)
    assert [one["tool_use_id"] for one in body["messages"][2]["content"]] == ["a", "b"]
    assert body["messages"][3] == GO_ON
    assert ("result.moved", "$.messages[3]") in losses
    assert ("result.orphan", "$.messages[5]") in losses


@pytest.mark.parametrize("target", ["anthropic", "gemini"])
def test_case_8_no_model_goes_on_with_its_own_turn(target: str) -> None:
    told = chat(HI, {"role": "assistant", "content": "{"})
    model = "gemini-3.8-flash" if target == "gemini" else None  # older ones go on
    body, losses = converted("openai-chat", target, told, model)
    assert (body.get("messages") or body["contents"])[-1]["role"] == "user"
    assert losses == [("turn.last", "$.messages[1]")]


def test_case_8_where_a_turn_can_be_gone_on_with_it_is() -> None:
    told = chat(HI, {"role": "assistant", "content": "{"})
    body, losses = converted("openai-chat", "mistral", told)
    assert body["messages"][-1] == {"role": "assistant", "content": "{", "prefix": True}
    assert losses == []


def test_case_10_ids_that_are_used_twice_are_two() -> None:
    told = chat(HI, calls(("call_0", "look", "{}")), result("call_0"), GO_ON,
                calls(("call_0", "look", "{}")), result("call_0"))  # fmt: skip
    body, losses = converted("openai-chat", "anthropic", told)
    blocks = [b for m in body["messages"] for b in m["content"] if isinstance(b, dict)]
    uses = [b["id"] for b in blocks if b["type"] == "tool_use"]
    assert uses == [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
    assert len(set(uses)) == 2
    assert "id.made" in {code for code, _ in losses}


@pytest.mark.parametrize("given", ["text", [], 1, '{"city":'])
def test_case_11_input_that_is_no_object_never_reaches_another_wire(given: Any) -> None:
    call = {"type": "tool_use", "id": "a", "name": "look", "input": given}
    told = claude(HI, {"role": "assistant", "content": [call]},
                  {"role": "user", "content": [answered("a")]})  # fmt: skip
    body, losses = converted("anthropic", "ollama", told)
    sent = body["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(sent, dict)
    assert any(where.startswith("$.messages[1].content[0]") for _, where in losses)


def test_case_12_results_of_several_messages_are_one_answer() -> None:
    body, losses = converted("openai-chat", "anthropic", chat(HI, TWO, result("a"), result("b")))
    assert [one["tool_use_id"] for one in body["messages"][2]["content"]] == ["a", "b"]
    assert losses == []


def test_case_12_text_before_a_result_follows_it() -> None:
    text = {"type": "text", "text": "before"}
    told = claude(HI, used("a"), {"role": "user", "content": [text, answered("a")]})
    body, losses = converted("anthropic", "openai-chat", told)
    assert [m["role"] for m in body["messages"]] == ["user", "assistant", "tool", "user"]
    assert losses == [("result.moved", "$.messages[2].content[1]")]


@pytest.mark.parametrize("target", ["anthropic", "gemini", "bedrock-converse"])
def test_case_13a_a_prompt_alone_is_said_by_the_user(target: str) -> None:
    body, losses = converted("openai-chat", target, chat({"role": "system", "content": "S"}))
    turns = body.get("messages") or body["contents"]
    assert [m["role"] for m in turns] == ["user"]
    assert losses == [("system.alone", "$.messages[0]")]


def test_case_14_a_call_of_claude_without_a_result() -> None:
    other = {"type": "tool_use", "id": "b", "name": "look", "input": {}}
    told = claude(HI, used("a", other), {"role": "user", "content": [answered("a")]},
                  GO_ON)  # fmt: skip
    body, losses = converted("anthropic", "openai-chat", told)
    assert [m.get("tool_call_id") for m in body["messages"]] == [None, None, "a", "b", None]
    assert losses == [("result.missing", "$.messages[1].content[1]")]


@each_case("text", ["", " ", None])
@each_case("target", PROTOCOLS)
def test_case_16_a_call_without_arguments_has_none_anywhere(target: str, text: Any) -> None:
    body, _ = converted("openai-chat", target, chat(HI, calls(("a", "look", text)), result("a")))
    assert any(f'": {one}' in json.dumps(body) for one in ('"{}"', "{}"))
    assert "_raw" not in json.dumps(body)


@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai-responses", "bedrock-converse"])
def test_case_18_names_of_any_length_come_back_as_they_were(target: str) -> None:
    long = "mcp__" + "x" * 130 + ".get/v1"
    told = chat(HI, calls(("a", long, "{}")), result("a"), tools=[function(long), function("天气")],
                tool_choice={"type": "function", "function": {"name": long}})  # fmt: skip
    out = dragoman.convert(told, "openai-chat", target, model=dragoman.wire(target).room.model)
    assert sorted(out.names.values()) == sorted([long, "天气"])
    assert not set(out.names) & {long, "天气"}
    assert all(len(name) <= 128 for name in out.names)
    spelled = next(name for name, own in out.names.items() if own == long)
    assert json.dumps(out.body).count(f'"{spelled}"') >= 2


def test_case_23_no_state_hides_in_an_id() -> None:
    long = "call_ab__thought__" + "x" * 900
    told = claude(HI, used(long), {"role": "user", "content": [answered(long)]})
    body, losses = converted("anthropic", "openai-chat", told)
    sent = body["messages"][1]["tool_calls"][0]["id"]
    assert len(sent) <= 40
    assert body["messages"][2]["tool_call_id"] == sent
    assert [code for code, _ in losses] == ["id.mapped", "id.mapped"]


def test_case_33_turns_alternate_where_a_template_wants_it() -> None:
    strict = Facts(always={"alternation": "merged"}, since="2024-06-27", source="the template")
    wire = dragoman.wire("vllm", policy="ignore").knowing((strict,))
    out = dragoman.convert(chat(HI, GO_ON, {"role": "assistant", "content": "x"}, HI),
                           "openai-chat", wire, model="gemma-2", policy="ignore")  # fmt: skip
    assert [m["role"] for m in out.body["messages"]] == ["user", "assistant", "user"]
    assert [loss.where for loss in out.losses if loss.code == "turn.merged"] == ["$.messages[1]"]


@pytest.mark.parametrize(("model", "hoisted"), [("gemma-3-27b-it", False), ("gemma-4-31b", True)])
def test_case_34_gemma_before_the_fourth_knows_no_system_instruction(
    model: str, hoisted: bool
) -> None:
    told = chat({"role": "system", "content": "S"}, HI)
    body, losses = converted("openai-chat", "gemini", told, model)
    assert ("systemInstruction" in body) is hoisted
    assert len(body["contents"]) == 2 - hoisted
    assert losses == ([] if hoisted else [("system.as_user", "$.messages[0]")])


def test_case_34_one_prompt_and_at_the_beginning() -> None:
    late = {"role": "system", "content": "Sum up."}
    told = chat({"role": "system", "content": "S"}, HI, {"role": "assistant", "content": "x"}, late,
                GO_ON)  # fmt: skip
    body, losses = converted("openai-chat", "vllm", told, "qwen3.5-27b")
    assert [m["role"] for m in body["messages"]] == ["system", "user", "assistant", "user", "user"]
    assert ("system.late", "$.messages[3]") in losses


@pytest.mark.parametrize("target", [*PROTOCOLS, "deepseek", "moonshot", "zhipu"])
def test_case_35a_a_developer_is_whoever_gives_the_prompt_there(target: str) -> None:
    told = responses({"role": "developer", "content": "Be brief."}, HI)
    body, losses = converted("openai-responses", target, told,
                             dragoman.wire(target).room.model)  # fmt: skip
    assert json.dumps(body).count("Be brief.") == 1
    assert ("developer" in json.dumps(body)) == (target in ("openai-chat", "openai-responses"))
    assert losses == []
