"""Cases of what a request asks for beside its messages, on the way between wires."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman.vendors import PROTOCOLS

from .converting import (
    HI,
    Losses,
    chat,
    claude,
    converted,
    function,
    gemini,
    responses,
)

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
          "additionalProperties": False}  # fmt: skip
ASK = {"role": "user", "content": "Answer in JSON."}
NAMED = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
HELLO = {"role": "user", "parts": [{"text": "Hi"}]}


@pytest.mark.parametrize("target", [name for name in PROTOCOLS if name != "bedrock-converse"])
def test_case_17_the_schema_of_an_answer_is_asked_for(target: str) -> None:
    body, losses = converted("openai-chat", target, chat(ASK, response_format=NAMED))
    assert json.dumps(SCHEMA)[1:-1] in json.dumps(body) or target == "cohere"
    assert losses in ([], [("format.field", "$.response_format.json_schema.name")])


@pytest.mark.parametrize("target", PROTOCOLS)
def test_any_json_is_asked_for_or_named(target: str) -> None:
    body, losses = converted("openai-chat", target,
                             chat(ASK, response_format={"type": "json_object"}))  # fmt: skip
    said = [word for word in ('"json_object"', '"json"', '"application/json"')
            if word in json.dumps(body)]  # fmt: skip
    assert (len(said), losses) in [(1, []), (0, [("format.unsupported", "$.response_format")])]
    assert bool(said) == (target not in ("anthropic", "bedrock-converse"))


@pytest.mark.parametrize("target", PROTOCOLS)
def test_plain_text_is_no_loss(target: str) -> None:
    _, losses = converted("openai-chat", target, chat(ASK, response_format={"type": "text"}))
    assert losses == []


@pytest.mark.parametrize(("source", "told"), [
    ("openai-responses", responses(ASK, text={"format": {
        "type": "json_schema", "name": "x", "schema": SCHEMA}})),
    ("anthropic", claude(ASK, output_config={"format": {
        "type": "json_schema", "schema": SCHEMA}})),
    ("gemini", gemini(HELLO, generationConfig={
        "responseMimeType": "application/json", "responseJsonSchema": SCHEMA})),
    ("ollama", {"model": "qwen3", "messages": [ASK], "format": SCHEMA, "stream": False}),
    ("mistral", {"model": "m", "messages": [ASK], "response_format": NAMED}),
])  # fmt: skip
def test_every_wires_schema_of_an_answer_is_read(source: str, told: dict[str, Any]) -> None:
    body, losses = converted(source, "openai-chat", told)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert losses == []


@pytest.mark.parametrize("target", PROTOCOLS)
def test_candidates(target: str) -> None:
    told = gemini(HELLO, generationConfig={"candidateCount": 2})
    body, losses = converted("gemini", target, told,
                             "gemini-2.0-flash" if target == "gemini" else None)  # fmt: skip
    where = "$.generationConfig.candidateCount"
    said = 2 in (body.get("n"), body.get("parameters", {}).get("n"),
                 body.get("generationConfig", {}).get("candidateCount"))  # fmt: skip
    assert said == (where not in {path for _, path in losses})


@pytest.mark.parametrize("target", PROTOCOLS)
def test_texts_that_end_the_answer(target: str) -> None:
    body, losses = converted("openai-chat", target, chat(HI, stop=["END", "HALT"]))
    assert ('["END", "HALT"]' in json.dumps(body)) == (losses == [])
    assert losses in ([], [("option.unsupported", "$.stop")])
    assert (losses == []) == (target != "openai-responses")
    one, _ = converted("openai-chat", target, chat(HI, stop="END"))
    assert ('["END"]' in json.dumps(one) or '"stop": "END"' in json.dumps(one)) == (losses == [])


def test_no_more_of_them_than_the_wire_takes() -> None:
    body, losses = converted("anthropic", "openai-chat", claude(HI, stop_sequences=[*"abcdef"]))
    assert body["stop"] == [*"abcd"]
    assert losses == [("option.range", "$.stop_sequences")]


@pytest.mark.parametrize(("target", "said"), [
    ("openai-responses", {"service_tier": "flex"}), ("gemini", {"serviceTier": "flex"}),
    ("bedrock-converse", {"serviceTier": {"type": "flex"}}), ("anthropic", {}), ("ollama", {}),
    ("dashscope", {}),
])  # fmt: skip
def test_service_tiers(target: str, said: dict[str, Any]) -> None:
    body, losses = converted("openai-chat", target, chat(HI, service_tier="flex"))
    assert {key: body[key] for key in ("service_tier", "serviceTier") if key in body} == said
    assert [where for _, where in losses] == ([] if said else ["$.service_tier"])


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "gemini"])
def test_a_service_tier_that_only_claude_has_is_named(target: str) -> None:
    body, losses = converted("anthropic", target, claude(HI, service_tier="standard_only"))
    assert "standard_only" not in json.dumps(body)
    assert [where for _, where in losses] == ["$.service_tier"]


@pytest.mark.parametrize(("target", "said"), [
    ("openai-chat", {"user": "u1"}), ("openai-responses", {"safety_identifier": "u1"}),
    ("gemini", None), ("mistral", None), ("openrouter", {"user": "u1"}),
])  # fmt: skip
def test_who_is_asking(target: str, said: dict[str, Any] | None) -> None:
    body, losses = converted("anthropic", target, claude(HI, metadata={"user_id": "u1"}))
    if said is None:
        assert losses == [("option.unsupported", "$.metadata.user_id")]
        assert "u1" not in json.dumps(body)
    else:
        assert said.items() <= body.items()
        assert losses == []


def efforts(body: dict[str, Any]) -> Any:
    config = body.get("generationConfig", {}).get("thinkingConfig", {})
    return (body.get("reasoning", {}).get("effort") or body.get("output_config", {}).get("effort")
            or body.get("reasoning_effort") or config.get("thinkingLevel")
            or config.get("thinkingBudget")
            or body.get("thinking", {}).get("budget_tokens"))  # fmt: skip


EFFORT = "$.reasoning.effort"


@pytest.mark.parametrize(("effort", "target", "model", "made", "losses"), [
    ("low", "anthropic", None, "low", []),
    ("xhigh", "anthropic", None, "xhigh", []),
    ("minimal", "anthropic", None, "low", [("option.range", EFFORT)]),
    ("none", "anthropic", None, "low", [("reasoning.always", EFFORT)]),
    ("high", "anthropic", "claude-sonnet-4-5", 24576, []),
    ("high", "gemini", None, "HIGH", []),
    ("xhigh", "gemini", None, "HIGH", [("option.range", EFFORT)]),
    ("high", "gemini", "gemini-2.5-flash", 24576, []),
    ("high", "openai-chat", "gpt-5.5", "high", []),
    ("high", "openai-chat", "gpt-4.1", None, [("option.refused", EFFORT)]),
])  # fmt: skip
def test_efforts(effort: str, target: str, model: str, made: Any, losses: Losses) -> None:
    body, lost = converted("openai-responses", target, responses(HI, reasoning={"effort": effort}),
                           model)  # fmt: skip
    assert (efforts(body), lost) == (made, losses)


@pytest.mark.parametrize(("think", "made", "losses"), [
    (True, None, [("reasoning.moot", "$.think")]),
    (False, "none", []),
    ("high", "high", []),
])  # fmt: skip
@pytest.mark.parametrize("model", ["qwen3:8b", "qwen3.5-plus"])
def test_what_belongs_to_a_host_is_not_guessed_from_a_models_name(
    model: str, think: Any, made: Any, losses: Losses
) -> None:
    told = {"model": model, "messages": [HI], "think": think, "stream": False}
    body, lost = converted("ollama", "openai-chat", told, model)
    assert "enable_thinking" not in str(body)
    assert (body.get("reasoning_effort"), lost) == (made, losses)


BUDGET = "$.thinking.budget_tokens"


@pytest.mark.parametrize(("target", "model", "made", "losses"), [
    ("openai-responses", None, "medium", [("option.range", BUDGET)]),
    ("gemini", None, "MEDIUM", [("option.range", BUDGET)]),
    ("gemini", "gemini-2.5-flash", 2048, []),
    ("openai-chat", "gpt-4.1", None, [("option.refused", BUDGET)]),
])  # fmt: skip
def test_budgets(target: str, model: str, made: Any, losses: Losses) -> None:
    told = {**claude(HI, thinking={"type": "enabled", "budget_tokens": 2048}),
            "model": "claude-sonnet-4-5", "max_tokens": 8000}  # fmt: skip
    body, lost = converted("anthropic", target, told, model)
    assert (efforts(body), lost) == (made, losses)


def test_case_13c_no_forced_tool_beside_thinking() -> None:
    choice = {"type": "function", "function": {"name": "look"}}
    told = chat(HI, tools=[function()], tool_choice=choice, reasoning_effort="high")
    body, losses = converted("openai-chat", "anthropic", told)
    assert body["tool_choice"] == {"type": "auto"}
    assert losses == [("tool_choice.lowered", "$.tool_choice")]


@pytest.mark.parametrize(("target", "model", "key"), [
    ("openai-chat", "gpt-5.5", "max_completion_tokens"), ("mistral", None, "max_tokens"),
    ("vllm", "m", "max_tokens"), ("openai-responses", None, "max_output_tokens"),
])  # fmt: skip
def test_case_19_one_key_for_the_maximum(target: str, model: str, key: str) -> None:
    body, losses = converted("anthropic", target, claude(HI), model)
    assert [name for name in body if name.startswith("max_")] == [key]
    assert body[key] == 100
    assert losses == []


@pytest.mark.parametrize("target", [name for name in PROTOCOLS if name != "openai-chat"])
def test_case_22_no_empty_list_of_tools_and_no_choice_without_tools(target: str) -> None:
    told = chat(HI, tools=[], tool_choice="required")
    body, losses = converted("openai-chat", target, told)
    assert "tool" not in json.dumps(body).lower()
    assert ("tool_choice.no_tools", "$.tool_choice") in losses


def test_functions_of_long_ago_are_tools() -> None:
    look = {"name": "look", "description": "looks", "parameters": SCHEMA}
    called = {"role": "assistant", "content": None,
              "function_call": {"name": "look", "arguments": '{"a":"x"}'}}  # fmt: skip
    told = chat(HI, called, {"role": "function", "name": "look", "content": "seen"},
                functions=[look], function_call={"name": "look"})  # fmt: skip
    body, losses = converted("openai-chat", "gemini", told)
    (declaration,) = body["tools"][0]["functionDeclarations"]
    assert declaration["name"] == "look"
    call, back = (body["contents"][n]["parts"][0] for n in (1, 2))
    assert call["functionCall"]["args"] == {"a": "x"}
    assert back["functionResponse"]["id"] == call["functionCall"]["id"]
    assert body["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"] == ["look"]
    assert losses == [("call.bypass", "$.messages[1].function_call")]
    assert dragoman.convert(told, "openai-chat", "openai-chat").body == told


@pytest.mark.parametrize(("asked", "where"), [
    ({"parallel_tool_calls": True}, ["$.parallel_tool_calls"]),
    ({"tool_choice": "auto"}, ["$.tool_choice"]),
    ({"tool_choice": "auto", "parallel_tool_calls": False},
     ["$.tool_choice", "$.parallel_tool_calls"]),
])  # fmt: skip
@pytest.mark.parametrize("source", ["openai-chat", "mistral", "openai-responses"])
def test_a_choice_among_no_tools_is_named_where_it_stands(
    source: str, asked: dict[str, Any], where: list[str]
) -> None:
    told = responses(HI, **asked) if source == "openai-responses" else chat(HI, **asked)
    _, losses = converted(source, "gemini", told)
    assert [path for code, path in losses if code == "tool_choice.no_tools"] == where
