"""What one wire has a word for and another has not: lowered to the other's own, and named."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman.message import Written
from tests.contract.judges import judge_request

CHAT: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
CLAUDE: dict[str, Any] = {**CHAT, "max_tokens": 9}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
FUNCTION: dict[str, Any] = {"name": "f", "parameters": SCHEMA, "strict": True}
TOOL = {"type": "function", "function": FUNCTION}


def crossed(source: str, target: str, body: dict[str, Any]) -> tuple[Written, dict[str, str]]:
    """(what is written, code of each loss by its place)."""
    out = dragoman.convert(body, source, target, policy="ignore", keep_model=True)
    assert judge_request(target, out.body) == []
    return out, {loss.where: loss.code for loss in out.losses}


@pytest.mark.parametrize("model", ["m", "gpt-5.6", "claude-opus-5-5"])
def test_more_than_any_level_of_gemini_is_its_highest(model: str) -> None:
    out, lost = crossed("anthropic", "gemini", {**CLAUDE, "model": model,
                                                "output_config": {"effort": "max"}})  # fmt: skip
    thinking = out.body["generationConfig"]["thinkingConfig"]
    assert thinking["thinkingLevel"] in ("HIGH", "XHIGH")
    assert lost["$.output_config.effort"] == "option.range"


@pytest.mark.parametrize(
    ("model", "target"), [("m", "gemini"), ("qwen3-235b-a22b-thinking-2507", "dashscope")]
)
def test_thinking_that_needs_no_word_is_named(model: str, target: str) -> None:
    body = {**CHAT, "model": model, "thinking": {"type": "enabled"}, "stream": True}
    assert crossed("openai-chat", target, body)[1]["$.thinking.type"] == "reasoning.moot"


@pytest.mark.parametrize("target", ["openai-responses", "mistral"])
@pytest.mark.parametrize(("given", "sent"), [(-0.5, 0), (1.2, 1)])
def test_what_is_no_probability(target: str, given: float, sent: int) -> None:
    out, lost = crossed("anthropic", target, {**CLAUDE, "top_p": given})
    assert out.body["top_p"] == sent
    assert lost["$.top_p"] == "option.range"


@pytest.mark.parametrize(
    ("source", "tier", "target", "sent"),
    [
        ("anthropic", "standard_only", "openai-chat", "default"),
        ("anthropic", "standard_only", "openai-responses", "default"),
        ("openai-chat", "on_demand", "openai-responses", "default"),
        ("openai-chat", "flex", "openai-responses", "flex"),
    ],
)
def test_the_usual_tier_by_its_name(source: str, tier: str, target: str, sent: str) -> None:
    out, lost = crossed(source, target, {**CLAUDE, "service_tier": tier})
    assert out.body["service_tier"] == sent
    assert ("$.service_tier" in lost) == (tier != sent)


def test_groq_calls_the_usual_tier_otherwise() -> None:
    body = {**CLAUDE, "service_tier": "standard_only"}
    out = dragoman.convert(body, "anthropic", "groq", model="openai/gpt-oss-120b", policy="ignore")
    assert out.body["service_tier"] == "on_demand"


def test_a_strict_schema_of_mistral_is_closed_and_no_more() -> None:
    out, lost = crossed("openai-chat", "mistral", {**CHAT, "tools": [TOOL]})
    function = out.body["tools"][0]["function"]
    assert function["strict"] is True
    assert function["parameters"] == {**SCHEMA, "additionalProperties": False}
    assert list(lost.values()) == ["model.kept", "schema.narrower"]
    free = {**SCHEMA, "additionalProperties": {"type": "string"}}
    tool = {"type": "function", "function": {**FUNCTION, "parameters": free}}
    out, lost = crossed("openai-chat", "mistral", {**CHAT, "tools": [tool]})
    assert out.body["tools"][0]["function"]["strict"] is False
    assert lost["$.tools[0].function.strict"] == "schema.unfit"


def test_names_of_allowed_tools_go_where_all_are_offered() -> None:
    tools = [{"type": "function", "name": name, "parameters": SCHEMA} for name in "fgh"]
    picked = {"type": "allowed_tools", "mode": "required",
              "tools": [{"type": "function", "name": name} for name in "fg"]}  # fmt: skip
    body = {"model": "gpt-5.4", "input": "hi", "tools": tools, "tool_choice": picked}
    out = dragoman.convert(
        body, "openai-responses", "anthropic", model="claude-sonnet-4-5", policy="ignore"
    )
    assert out.body["tool_choice"] == {"type": "any"}
    assert ("$.tool_choice", "tool_choice.lowered") in [
        (loss.where, loss.code) for loss in out.losses
    ]


def test_a_mark_on_an_empty_result_has_a_part_to_stand_on() -> None:
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "a", "cache_control": {"type": "ephemeral"}}
    said = [*CHAT["messages"], {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]}]  # fmt: skip
    out, _ = crossed("anthropic", "openai-chat", {**CLAUDE, "model": "gpt-5.6", "messages": said})
    assert out.body["messages"][-1]["content"] == [
        {"type": "text", "text": "", "prompt_cache_breakpoint": {"mode": "explicit"}}
    ]


def test_of_two_marks_in_one_round_bedrock_keeps_the_last() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    calls = [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in "ab"]
    results = [{"type": "tool_result", "tool_use_id": id, "content": "x", **mark} for id in "ab"]
    said = [*CHAT["messages"], {"role": "assistant", "content": calls},
            {"role": "user", "content": results}]  # fmt: skip
    body = {**CLAUDE, "model": "claude-opus-5-5", "messages": said,
            "tools": [{"name": "f", "input_schema": SCHEMA}]}  # fmt: skip
    out = dragoman.convert(body, "anthropic", "bedrock-converse", policy="ignore")
    kinds = {loss.where: loss.kind for loss in out.losses if loss.code == "cache.unsupported"}
    assert kinds == {"$.messages[2].content[0].cache_control": "dropped"}
    assert "cachePoint" in out.body["messages"][2]["content"][-1]
