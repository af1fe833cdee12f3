"""A request that wants no call, on a wire that says so by declaring no tools."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.capabilities import Capabilities
from dragoman.history.passes.lower import withhold_tools
from dragoman.losses import Report
from dragoman.message import CacheHint, ChatRequest, Msg, ServerTool, Tool, ToolChoice, places

TOOLS: list[Any] = [Tool("f"), ServerTool("web_search")]


def run(choice: str | None, **can: Any) -> tuple[list[Any], Capabilities, list[str]]:
    request = ChatRequest([Msg.user("hi")], tools=TOOLS, tool_choice=choice)  # type: ignore[arg-type]
    report = Report(request.messages, request, places)
    tools, made = withhold_tools(request, Capabilities(**can), report)
    return list(tools), made, [f"{loss.code} {loss.where}" for loss in report.losses]


@pytest.mark.parametrize("choice", [None, "auto", "required", "f"])
def test_tools_that_may_be_called_are_declared(choice: str | None) -> None:
    can = Capabilities(none_by="withholding", tool_stubs=True)
    assert run(choice, none_by="withholding", tool_stubs=True) == (TOOLS, can, [])


def test_none_declares_nothing_and_names_the_choice_and_each_tool() -> None:
    tools, made, losses = run("none", none_by="withholding")
    assert tools == []
    assert made.tool_messages
    assert losses == [
        "tools.withheld $.tool_choice.mode",
        "tools.withheld $.tools[0]",
        "tools.withheld $.tools[1]",
    ]


def test_the_cache_hint_of_a_tool_goes_with_it() -> None:
    hinted = Tool("f", cache=CacheHint())
    request = ChatRequest([Msg.user("hi")], tools=[hinted], tool_choice=ToolChoice("none"))
    report = Report(request.messages, request, places)
    withhold_tools(request, Capabilities(none_by="withholding"), report)
    assert ("cache.unsupported", "$.tools[0].cache") in [
        (loss.code, loss.where) for loss in report.losses
    ]


def test_calls_that_would_need_declared_tools_are_told_as_text() -> None:
    assert not run("none", tool_stubs=True)[1].tool_messages


def test_thinking_that_is_bound_to_the_tools_hears_of_it() -> None:
    request = ChatRequest([Msg.user("hi")], tools=TOOLS, tool_choice="none")  # type: ignore[arg-type]
    report = Report(request.messages, request, places)
    withhold_tools(request, Capabilities(binding="prefix"), report)
    [(by, node, until)] = report.edits
    assert (by, until) == ("the withholding of tools", None)
    assert node is request.messages[0]
