"""Tools: functions declared flat, the host's own tools, and the choice among them."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool, ToolChoice
from dragoman.message import CacheHint, ServerTool, ToolUseBlock

from .writing import codes, own, wire, wrote

CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
LOOK = Tool("look", "look at it", CITY)
NOW = Tool("now")


def test_a_function_is_flat_and_says_whether_it_is_strict() -> None:
    closed = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    out = wrote(tools=[LOOK, NOW, Tool("sure", "", closed, strict=True)])
    empty = {"type": "object", "properties": {}}
    assert out.body["tools"] == [
        {
            "type": "function",
            "name": "look",
            "description": "look at it",
            "parameters": CITY,
            "strict": False,
        },
        {"type": "function", "name": "now", "parameters": empty, "strict": False},
        {"type": "function", "name": "sure", "parameters": closed, "strict": True},
    ]
    assert codes(out) == []


def test_what_a_function_can_not_say() -> None:
    tool = Tool(
        "look", strict=True, cache=CacheHint(),
        extras={**own(defer_loading=True), "anthropic": {"type": "custom"}},
    )  # fmt: skip
    out = wrote(tools=[tool], can={"strict_tools": False})
    [made] = out.body["tools"]
    assert (made["strict"], made["defer_loading"]) == (False, True)
    assert codes(out) == [
        "tool.strict $.tools[0].strict",
        "tool.cache $.tools[0].cache",
        "extras.other_provider $.tools[0].extras.anthropic.type",
    ]


def test_names_of_tools_are_respelled_everywhere() -> None:
    out = wrote(
        Msg.user("Go"),
        Msg.assistant([ToolUseBlock("c", "a.b c", {})]),
        Msg.tool("c", "seen"),
        tools=[Tool("a.b c")],
        tool_choice="a.b c",
    )
    name = out.body["tools"][0]["name"]
    assert name != "a.b c"
    assert out.body["input"][1]["name"] == name
    assert out.body["tool_choice"] == {"type": "function", "name": name}


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("look", {"type": "function", "name": "look"}),
        (
            ToolChoice("auto", allowed=("now",)),
            {
                "type": "allowed_tools",
                "mode": "auto",
                "tools": [{"type": "function", "name": "now"}],
            },
        ),
        (
            ToolChoice("required", allowed=("look", "now")),
            {
                "type": "allowed_tools",
                "mode": "required",
                "tools": [
                    {"type": "function", "name": "look"},
                    {"type": "function", "name": "now"},
                ],
            },
        ),
        (ToolChoice("none", allowed=("now",)), "none"),
    ],
)
def test_choices(choice: Any, written: Any) -> None:
    out = wrote(tools=[LOOK, NOW], tool_choice=ToolChoice.of(choice))
    assert out.body["tool_choice"] == written
    assert codes(out) == []


def test_one_call_at_a_time() -> None:
    out = wrote(tools=[LOOK], tool_choice=ToolChoice("auto", parallel=False))
    assert out.body["tool_choice"] == "auto"
    assert out.body["parallel_tool_calls"] is False


def test_a_choice_without_tools_is_not_sent() -> None:
    out = wrote(tool_choice=ToolChoice("required", parallel=False))
    assert list(out.body) == ["model", "input"]
    assert codes(out) == ["tool_choice.no_tools $.tool_choice"]


SEARCH = ServerTool("web_search")


@pytest.mark.parametrize(
    ("tool", "written"),
    [
        (SEARCH, {"type": "web_search"}),
        (
            ServerTool(
                "web_search", domains=("a.com",), location={"city": "Rome", "country": "IT"},
                extras=own(search_context_size="low"),
            ),
            {
                "type": "web_search",
                "filters": {"allowed_domains": ["a.com"]},
                "user_location": {"type": "approximate", "city": "Rome", "country": "IT"},
                "search_context_size": "low",
            },
        ),
        (
            ServerTool("code_execution"),
            {"type": "code_interpreter", "container": {"type": "auto"}},
        ),
        (
            ServerTool("code_execution", extras=own(container="cntr_1")),
            {"type": "code_interpreter", "container": "cntr_1"},
        ),
        (
            ServerTool("file_search", stores=("vs_1", "vs_2")),
            {"type": "file_search", "vector_store_ids": ["vs_1", "vs_2"]},
        ),
        (
            ServerTool("file_search", extras=own(vector_store_ids=["vs_3"])),
            {"type": "file_search", "vector_store_ids": ["vs_3"]},
        ),
    ],
)  # fmt: skip
def test_tools_that_the_host_runs(tool: ServerTool, written: dict[str, Any]) -> None:
    out = wrote(tools=[LOOK, tool, NOW])
    assert [one.get("name") for one in out.body["tools"]] == ["look", None, "now"]
    assert out.body["tools"][1] == written
    assert codes(out) == []


def test_fields_that_the_hosts_tools_lack_are_losses() -> None:
    tools: list[Tool | ServerTool] = [
        ServerTool(
            "web_search", blocked_domains=("b.com",), max_uses=2, stores=("vs_1",),
            location={"city": "Rome", "planet": "Earth"},
        ),
        ServerTool("code_execution", max_uses=1),
        ServerTool("file_search", stores=("vs_1",), domains=("a.com",)),
    ]  # fmt: skip
    out = wrote(tools=tools)
    place = {"type": "approximate", "city": "Rome"}
    assert out.body["tools"][0] == {"type": "web_search", "user_location": place}
    assert codes(out) == [
        "server_tool.field $.tools[0].location.planet",
        "server_tool.field $.tools[0].blocked_domains",
        "server_tool.field $.tools[0].stores",
        "server_tool.field $.tools[0].max_uses",
        "server_tool.field $.tools[1].max_uses",
        "server_tool.field $.tools[2].domains",
    ]


def test_a_host_that_can_keep_a_search_away_from_places() -> None:
    tool = ServerTool("web_search", blocked_domains=("b.com",))
    request = ChatRequest([Msg.user("Hi")], tools=[tool], model="m")
    out = wire(blocked_domains="excluded_domains").write_request(request)
    assert out.body["tools"] == [{"type": "web_search", "filters": {"excluded_domains": ["b.com"]}}]
    assert codes(out) == []
    both = ServerTool("web_search", ("a.com",), ("b.com",))
    filters = {"allowed_domains": ["a.com"], "blocked_domains": ["b.com"]}
    out = dragoman.wire("openai/openai-responses").write_request(
        ChatRequest([Msg.user("Hi")], tools=[both], model="gpt-6-astra")
    )
    assert out.body["tools"] == [{"type": "web_search", "filters": filters}]
    assert codes(out) == []


def test_a_search_of_files_needs_stores() -> None:
    out = wrote(tools=[ServerTool("file_search")], tool_choice="required")
    assert list(out.body) == ["model", "input"]
    assert codes(out) == [
        "server_tool.unsupported $.tools[0]",
        "tool_choice.no_tools $.tool_choice",
    ]


def test_a_choice_among_the_hosts_tools_alone() -> None:
    out = wrote(tools=[SEARCH], tool_choice="required")
    assert out.body["tool_choice"] == "required"
    assert codes(out) == []


def test_a_host_without_the_tool() -> None:
    out = wrote(tools=[SEARCH], can={"server_tools": ()})
    assert "tools" not in out.body
    assert codes(out) == ["server_tool.unsupported $.tools[0]"]
