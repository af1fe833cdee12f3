"""Fitting tools: each name once, whatever else the model takes."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import ChatRequest, Msg, ServerTool, Tool


@pytest.mark.parametrize("wire", dragoman.wires())
def test_a_name_is_offered_once(wire: str) -> None:
    tools: list[Tool | ServerTool] = [
        Tool("look", "first"), ServerTool("web_search"), Tool("look", "again"),
    ]  # fmt: skip
    out = dragoman.wire(wire, policy="ignore").write_request(
        ChatRequest([Msg.user("Look.")], tools=tools)
    )
    twice = [loss for loss in out.losses if loss.code == "tools.twice"]
    assert [(loss.where, loss.what) for loss in twice] == [("$.tools[2]", "look")]
    assert "again" not in str(out.body)
    assert "first" in str(out.body)


@pytest.mark.parametrize("wire", ["anthropic", "openai-responses", "gemini", "zhipu"])
def test_a_server_tool_is_offered_once(wire: str) -> None:
    tools = [ServerTool("web_search"), ServerTool("web_search", domains=("example.com",))]
    out = dragoman.wire(wire, policy="ignore").write_request(
        ChatRequest([Msg.user("Look.")], tools=tools)
    )
    assert len(out.body["tools"]) == 1
    assert ("tools.twice", "$.tools[1]") in [(loss.code, loss.where) for loss in out.losses]
