"""Fitting tools: each name once, whatever else the model takes."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, ServerTool, Tool
from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower import fit_tools
from dragoman.losses import Report
from dragoman.message import places

TAKING_TOOLS = [name for name in dragoman.wires() if dragoman.wire(name).can().tools]


@pytest.mark.parametrize("wire", TAKING_TOOLS)
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


OWN = ServerTool("own", extras={"mine": {"type": "computer"}})


def kept(*tools: Tool | ServerTool, **can: Any) -> tuple[list[Any], list[str]]:
    request = ChatRequest([], tools=tools)
    report = Report([], request, places)
    made = fit_tools(request.tools, Capabilities(**can), report)
    return list(made), [f"{loss.code} {loss.where}" for loss in report.losses]


def test_no_tools_are_no_tools() -> None:
    none: list[Tool] = []
    assert fit_tools(none, Capabilities(), Report()) is none


def test_a_model_without_functions() -> None:
    search = ServerTool("web_search")
    can: dict[str, Any] = {"tools": False, "server_tools": frozenset({"web_search"})}
    assert kept(Tool("f"), search, **can) == ([search], ["tools.unsupported $.tools[0]"])
    assert kept(Tool("f"), search, **can, mixed_tools=False)[0] == [search]
    both = {**can, "tools": True, "mixed_tools": False}
    assert kept(Tool("f"), search, **both) == ([Tool("f")], ["server_tool.unsupported $.tools[1]"])


def test_a_tool_that_only_one_provider_has() -> None:
    assert kept(OWN, OWN, reads=frozenset({"mine"})) == ([OWN, OWN], [])
    assert kept(OWN, ServerTool("own"), reads=frozenset({"theirs"})) == (
        [], ["tool.other_provider $.tools[0]", "tool.other_provider $.tools[1]"])  # fmt: skip
