"""Server tools: what they take, in every form, and what they say is set."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman.message import ServerTool, Tool, to_tools

LOCATION = {"country": "FR", "city": "Paris"}
SEARCH = ServerTool(
    "web_search", ("a.org",), ("b.org",), max_uses=3, location=LOCATION, extras={"openai": {"k": 1}}
)


def test_only_what_is_set_is_given() -> None:
    assert ServerTool("code_execution").list_values() == []
    assert SEARCH.list_values() == [
        ("domains", ("a.org",)),
        ("blocked_domains", ("b.org",)),
        ("max_uses", 3),
        ("location", LOCATION),
    ]
    assert ServerTool("file_search", stores=("vs_1",)).list_values() == [("stores", ("vs_1",))]


@pytest.mark.parametrize("name", ["domains", "blocked_domains", "stores"])
def test_lists_become_tuples(name: str) -> None:
    given: Any = {name: ["x", "y"]}
    assert getattr(ServerTool("file_search", **given), name) == ("x", "y")


@pytest.mark.parametrize("kind", ["web_search", "code_execution", "file_search", "own"])
def test_the_plain_form_is_the_same_tool(kind: Any) -> None:
    given = {"type": "server", "kind": kind, "max_uses": 1}
    assert ServerTool.of(given) == ServerTool(kind, max_uses=1)
    assert to_tools([given, SEARCH, {"name": "f"}]) == [
        ServerTool(kind, max_uses=1),
        SEARCH,
        Tool("f"),
    ]
    assert ServerTool.of(SEARCH) is SEARCH


@pytest.mark.parametrize("other", [Tool("f"), {"name": "f"}, {"type": "function"}, "server", None])
def test_any_other_tool_is_none_of_them(other: object) -> None:
    assert ServerTool.of(other) is None
