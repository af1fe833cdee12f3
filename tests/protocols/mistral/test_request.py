"""Whole requests for Mistral: tools, choice, options, reasoning, response format."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import ResponseFormat, ServerTool, ToolChoice, Written
from dragoman.vendors import vendor
from tests.each_case import each_case

from .sdk import faults

WIRE = dragoman.wire("mistral", policy="ignore")
SMALL = "mistral-small-latest"
LARGE = "mistral-large-4-0"
TINY = "ministral-3b-latest"
CLAUDE = "claude-sonnet-4-5"  # behind a proxy that speaks this wire
HI = {"role": "user", "content": "Hi"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
CLOSED = {**SCHEMA, "additionalProperties": False}  # as a strict one has to be


def wrote(model: str = SMALL, **rest: Any) -> Written:
    """The request; the SDK knows every key."""
    out = WIRE.write_request(ChatRequest([Msg.user("Hi")], **rest), model)
    assert faults(out.body) == []
    return out


def lost(out: Written) -> list[str]:
    return [f"{loss.code} {loss.where}" for loss in out.losses]


def test_the_least_request() -> None:
    out = wrote()
    assert out.body == {"model": SMALL, "messages": [HI]}
    assert (out.path, out.headers) == ("/chat/completions", {})
    assert wrote(stream=True).body["stream"] is True
    assert vendor("mistral").base_url == "https://api.mistral.ai/v1"
    assert vendor("mistral").key == "MISTRAL_API_KEY"


def test_without_a_model_the_default_is_named() -> None:
    out = WIRE.write_request(ChatRequest([Msg.user("Hi")]))
    assert out.body["model"] == SMALL
    assert lost(out) == ["model.default $.model"]


def test_options_under_their_own_names() -> None:
    out = wrote(
        options={"max_tokens": 9, "temperature": 2, "top_p": 0.5, "presence_penalty": 0.1,
                 "frequency_penalty": 0.2, "seed": 7, "stop": ["END"], "n": 2, "top_k": 3,
                 "repetition_penalty": 1.1, "logprobs": True, "top_logprobs": 2, "user": "u"},
    )  # fmt: skip
    assert out.body == {
        "model": SMALL, "messages": [HI], "max_tokens": 9, "temperature": 1.5, "top_p": 0.5,
        "presence_penalty": 0.1, "frequency_penalty": 0.2, "random_seed": 7, "stop": ["END"],
        "n": 2, "top_k": 3, "repetition_penalty": 1.1,
    }  # fmt: skip
    assert sorted(lost(out)) == [
        "option.range $.options.temperature",
        "option.refused $.options.logprobs",
        "option.refused $.options.top_logprobs",
        "option.unsupported $.options.user",
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [("auto", "auto"), ("standard_only", "standard_only"), ("standard", "standard_only"),
     ("priority", None)],
)  # fmt: skip
def test_service_tiers_that_can_be_asked_for(given: str, said: str | None) -> None:
    out = wrote(options={"service_tier": given})
    assert out.body.get("service_tier") == said
    assert lost(out) == ([] if said else ["option.unsupported $.options.service_tier"])


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("auto", "auto"), ("none", "none"), ("required", "any"),
        ("f", {"type": "function", "function": {"name": "f"}}),
    ],
)  # fmt: skip
def test_choices(choice: str, said: Any) -> None:
    out = wrote(tools=[Tool("f", "does", SCHEMA, strict=True)], tool_choice=choice)
    assert out.body["tools"] == [
        {
            "type": "function",
            "function": {"name": "f", "description": "does", "parameters": CLOSED, "strict": True},
        }
    ]
    assert out.body["tool_choice"] == said
    assert lost(out) == ["schema.narrower $.tools[0].parameters.additionalProperties"]


def test_parallel_calls_have_a_switch() -> None:
    out = wrote(tools=[Tool("f")], tool_choice=ToolChoice("auto", parallel=False))
    assert out.body["parallel_tool_calls"] is False
    out = wrote(tools=[])
    assert "tools" not in out.body


def test_no_server_tool_is_offered_here() -> None:
    out = wrote(tools=[Tool("f"), ServerTool("web_search")])
    assert [tool["function"]["name"] for tool in out.body["tools"]] == ["f"]
    assert lost(out) == ["server_tool.unsupported $.tools[1]"]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (ResponseFormat(), {"type": "text"}),
        (ResponseFormat("json"), {"type": "json_object"}),
        (
            ResponseFormat("schema", SCHEMA, "city", "where", strict=True),
            {
                "type": "json_schema",
                "json_schema": {
                    "name": "city", "schema": CLOSED, "description": "where", "strict": True,
                },
            },
        ),
        (
            ResponseFormat("schema", SCHEMA),
            {"type": "json_schema", "json_schema": {"name": "response", "schema": SCHEMA}},
        ),
    ],
)  # fmt: skip
def test_response_formats(form: ResponseFormat, said: Any) -> None:
    assert wrote(response_format=form).body["response_format"] == said


@each_case(
    ("model", "options", "said", "losses"),
    [
        (SMALL, {}, None, []),
        (SMALL, {"reasoning": "high"}, "high", []),
        (SMALL, {"reasoning": "on"}, "high", []),
        (SMALL, {"reasoning": "off"}, "none", []),
        (SMALL, {"reasoning": "low"}, "high", ["option.range reasoning"]),
        (SMALL, {"reasoning_budget": 2000}, "high", ["option.range reasoning_budget"]),
        ("mistral-medium-3-5", {"reasoning": "max"}, "high", ["option.range reasoning"]),
        (LARGE, {"reasoning": "low"}, "low", []),
        (LARGE, {"reasoning": "minimal"}, "low", ["option.range reasoning"]),
        (LARGE, {"reasoning": "on"}, None, ["reasoning.moot reasoning"]),
        (LARGE, {"reasoning": "off"}, "none", []),
        (CLAUDE, {"reasoning_budget": 2000}, "medium", ["option.range reasoning_budget"]),
        (TINY, {"reasoning": "high"}, None, ["option.refused reasoning"]),
        (TINY, {"reasoning": "off"}, None, ["reasoning.moot reasoning"]),
        ("mistral-large-2512", {"reasoning": "high"}, None, ["option.refused reasoning"]),
        ("codestral-latest", {"reasoning": "high"}, None, ["option.refused reasoning"]),
    ],
)
def test_reasoning_by_family(
    model: str, options: dict[str, Any], said: str | None, losses: list[str]
) -> None:
    out = wrote(model, options=options)
    assert out.body.get("reasoning_effort") == said
    assert lost(out) == [loss.replace(" ", " $.options.") for loss in losses]


def test_own_fields_travel_and_those_of_others_do_not() -> None:
    extras = {"mistral": {"prompt_cache_key": "k"}, "openai-chat": {"store": True}}
    out = wrote(extras=extras, metadata={"run": 1})
    assert out.body == {"model": SMALL, "messages": [HI], "prompt_cache_key": "k"}
    assert lost(out) == ["extras.other_provider $.extras.openai-chat.store"]
