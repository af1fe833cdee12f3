"""A choice may name a tool of the provider's own, where the wire can say so."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import ServerTool, Tool, ToolChoice

USER = [Msg("", "Is it raining?", "user")]
LOOK = Tool("look")
CHOSEN = ToolChoice("tool", "web_search")
RESPONSES = "openai/openai-responses"
CHOICES: list[tuple[str, str, dict[str, Any]]] = [
    ("anthropic", "web_search", {"type": "tool", "name": "web_search"}),
    ("anthropic", "code_execution", {"type": "tool", "name": "code_execution"}),
    (RESPONSES, "web_search", {"type": "web_search"}),
    (RESPONSES, "code_execution", {"type": "code_interpreter"}),
]


@pytest.mark.parametrize(("wire", "kind", "choice"), CHOICES)
def test_a_server_tool_is_chosen_by_its_kind(wire: str, kind: Any, choice: dict[str, Any]) -> None:
    req = ChatRequest(USER, tools=[ServerTool(kind), LOOK], tool_choice=kind)
    model = "claude-haiku-4-5" if wire == "anthropic" else None
    out = dragoman.wire(wire).write_request(req, model=model)
    assert out.body["tool_choice"] == choice
    again = dragoman.wire(wire).read_request(out.body)
    assert again.tool_choice == ToolChoice("tool", kind)
    assert dragoman.wire(wire).write_request(again).body == out.body


@pytest.mark.parametrize(("wire", "kind", "choice"), CHOICES)
def test_a_choice_crosses_the_wires_that_have_it(
    wire: str, kind: Any, choice: dict[str, Any]
) -> None:
    model = "claude-haiku-4-5" if wire == "anthropic" else None
    req = ChatRequest(USER, tools=[ServerTool(kind), LOOK], tool_choice=kind)
    body = dragoman.wire(wire).write_request(req, model=model).body
    for target, target_kind, target_choice in CHOICES:
        if target_kind == kind:
            to = "claude-haiku-4-5" if target == "anthropic" else "gpt-5.6"
            out = dragoman.convert(body, wire, target, model=to)
            assert out.body["tool_choice"] == target_choice


@pytest.mark.parametrize("wire", ["gemini", "openai-chat", "xai/openai-responses"])
def test_elsewhere_it_is_a_loss(wire: str) -> None:
    req = ChatRequest(USER, tools=[ServerTool("web_search"), LOOK], tool_choice=CHOSEN)
    out = dragoman.wire(wire).write_request(req)
    assert "tool_choice.unknown" in {loss.code for loss in out.losses}


@pytest.mark.parametrize("wire", ["anthropic", RESPONSES])
def test_a_function_of_that_name_comes_first(wire: str) -> None:
    req = ChatRequest(USER, tools=[Tool("web_search")], tool_choice=CHOSEN)
    body = dragoman.wire(wire).write_request(req, model="claude-haiku-4-5").body
    assert body["tool_choice"]["name"] == "web_search"
    assert body["tool_choice"]["type"] in ("tool", "function")


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [{"type": "web_search_preview"}], "tool_choice": {"type": "web_search_preview"}},
        {"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search_preview"}},
        {"tools": [{"type": "image_generation"}], "tool_choice": {"type": "image_generation"}},
        {"tools": [], "tool_choice": {"type": "web_search"}},
        {"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}},
    ],
)
def test_what_a_body_chooses_goes_back_as_it_came(body: dict[str, Any]) -> None:
    body = {"model": "gpt-5.6", "input": "Hi", **body}
    wire = dragoman.wire(RESPONSES)
    assert wire.write_request(wire.read_request(body)).body == body
