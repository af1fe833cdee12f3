"""How much of its thinking an answer shows: one word, which every wire spells its own way."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options
from dragoman.text.json_text import field_at, put_field
from tests.each_case import each_case

FIELDS = {
    "gemini": ("generationConfig.thinkingConfig.includeThoughts", "gemini-3.5-flash"),
    "gemini-interactions": ("generation_config.thinking_summaries", "gemini-3.5-flash"),
    "anthropic": ("thinking.display", "claude-opus-5-5"),
    "openai-responses": ("reasoning.summary", "gpt-5.6"),
    "bedrock": ("additionalModelRequestFields.thinking.display",
                "us.anthropic.claude-opus-4-8"),
    "openrouter": ("reasoning.exclude", "anthropic/claude-opus-4.8"),
}  # fmt: skip
SAID: dict[str, dict[str, Any]] = {
    "gemini": {"none": False, "auto": True, "concise": True, "detailed": True},
    "gemini-interactions": {"none": "none", "auto": "auto", "concise": "auto", "detailed": "auto"},
    "anthropic": {"none": "omitted", "auto": "summarized", "concise": "summarized",
                  "detailed": "summarized"},
    "openai-responses": {"none": None, "auto": "auto", "concise": "concise",
                         "detailed": "detailed"},
    "bedrock": {"none": "omitted", "auto": "summarized", "concise": "summarized",
                "detailed": "summarized"},
    "openrouter": {"none": True, "auto": False, "concise": False, "detailed": False},
}  # fmt: skip
BODIES: dict[str, dict[str, Any]] = {
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "generationConfig": {
        "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"}}},
    "gemini-interactions": {"model": "gemini-3.5-flash", "input": "Hi", "generation_config": {
        "thinking_level": "high", "thinking_summaries": "auto"}},
    "anthropic": {"model": "claude-opus-4-8", "max_tokens": 99,
                  "thinking": {"type": "adaptive", "display": "summarized"},
                  "messages": [{"role": "user", "content": "Hi"}]},
    "openai-responses": {"model": "gpt-5.6", "input": "Hi",
                         "reasoning": {"effort": "high", "summary": "auto"}},
    "bedrock": {"messages": [{"role": "user", "content": [{"text": "Hi"}]}],
                "additionalModelRequestFields": {
                    "thinking": {"type": "adaptive", "display": "summarized"},
                    "output_config": {"effort": "high"}}},
    "openrouter": {"model": "anthropic/claude-opus-4.8",
                   "reasoning": {"effort": "high", "exclude": False},
                   "messages": [{"role": "user", "content": "Hi"}]},
}  # fmt: skip


def wire(name: str) -> Any:
    return dragoman.wire(name, policy="ignore")


@each_case("word", ["none", "auto", "concise", "detailed"])
@each_case("name", FIELDS)
def test_each_word_is_said_or_named(name: str, word: str) -> None:
    path, model = FIELDS[name]
    request = ChatRequest([Msg.user("Hi")], options=Options(reasoning="high", thoughts=word))
    out = wire(name).write_request(request, model=model)
    assert field_at(out.body, path) == SAID[name][word]
    named = [loss.code for loss in out.losses if loss.where == "$.options.thoughts"]
    lowered = word in ("concise", "detailed") and name != "openai-responses"
    assert named == (["option.range"] if lowered else
                     ["reasoning.moot"] if SAID[name][word] is None else [])  # fmt: skip


@each_case("target", FIELDS)
@each_case("source", BODIES)
def test_the_fields_become_each_other(source: str, target: str) -> None:
    out = dragoman.convert(BODIES[source], source, target, model=FIELDS[target][1], policy="ignore")
    assert field_at(out.body, FIELDS[target][0]) == SAID[target]["auto"]
    request = wire(source).read_request(BODIES[source])
    assert request.options.thoughts == "auto"
    assert wire(source).write_request(request).body == BODIES[source]


HIDDEN: dict[str, dict[str, Any]] = {
    "anthropic": {**BODIES["anthropic"], "thinking": {"type": "adaptive", "display": "omitted"}},
    "bedrock": {**BODIES["bedrock"], "additionalModelRequestFields": {
        "thinking": {"type": "enabled", "budget_tokens": 2000, "display": "omitted"}}},
    "openrouter": {**BODIES["openrouter"], "reasoning": {"effort": "low", "exclude": True}},
}  # fmt: skip


@each_case("target", FIELDS)
@each_case("source", HIDDEN)
def test_thoughts_stay_hidden(source: str, target: str) -> None:
    out = dragoman.convert(HIDDEN[source], source, target, model=FIELDS[target][1], policy="ignore")
    assert field_at(out.body, FIELDS[target][0]) == SAID[target]["none"]
    request = wire(source).read_request(HIDDEN[source])
    assert request.options.thoughts == "none"
    assert wire(source).write_request(request).body == HIDDEN[source]


@pytest.mark.parametrize(("source", "place", "value"), [
    ("bedrock", FIELDS["bedrock"][0], "updates"), ("openrouter", FIELDS["openrouter"][0], "yes"),
])  # fmt: skip
def test_a_word_that_no_option_has_stays(source: str, place: str, value: str) -> None:
    body = copy.deepcopy(BODIES[source])
    put_field(body, place, value)
    request = wire(source).read_request(body)
    assert request.options.thoughts is None
    assert wire(source).write_request(request).body == body


def test_only_claude_has_the_field_at_converse() -> None:
    request = ChatRequest([Msg.user("Hi")], options=Options(reasoning="high", thoughts="none"))
    out = wire("bedrock").write_request(request, model="amazon.nova-2-lite-v1:0")
    assert ("option.unsupported", "$.options.thoughts") in {(x.code, x.where) for x in out.losses}
    out = dragoman.convert(BODIES["bedrock"], "bedrock", "openai/openai-chat", policy="ignore")
    where = f"$.{FIELDS['bedrock'][0]}"
    assert ("option.unsupported", where) in {(x.code, x.where) for x in out.losses}
    out = dragoman.convert(BODIES["openrouter"], "openrouter", "groq", policy="ignore")
    assert ("option.unsupported", "$.reasoning.exclude") in {(x.code, x.where) for x in out.losses}


@pytest.mark.parametrize("target", ["openai/openai-chat", "ollama", "mistral", "cohere"])
def test_a_wire_without_the_field_names_it(target: str) -> None:
    out = dragoman.convert(BODIES["openai-responses"], "openai-responses", target, policy="ignore")
    assert ("option.unsupported", "$.reasoning.summary") in {(x.code, x.where) for x in out.losses}


@pytest.mark.parametrize("name", FIELDS)
def test_no_thinking_shows_nothing(name: str) -> None:
    request = ChatRequest([Msg.user("Hi")], options=Options(reasoning="off", thoughts="auto"))
    model = {"anthropic": "claude-opus-4-8", "gemini": "gemini-2.5-flash"}.get(name)
    out = wire(name).write_request(request, model=model or FIELDS[name][1])
    if name != "gemini-interactions":  # which has no word for off
        assert field_at(out.body, FIELDS[name][0]) is None
        assert "reasoning.moot" in {loss.code for loss in out.losses}
