"""Tools that a request goes back with as they were read are not reported as lost."""

from __future__ import annotations

from typing import Any

from dragoman import Tool, wire
from dragoman.errors import DragomanError
from dragoman.vendors import VENDORS
from tests.each_case import each_case

CHAT = {"model": "m", "messages": [{"role": "user", "content": "Hi."}]}
GEMINI = {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]}
BODIES: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "openai-chat": (CHAT, [{"type": "tool_of_2027", "n": 1}]),
    "openai-responses": (
        {"model": "m", "input": "Hi."},
        [{"type": "tool_of_2027"}, {"type": "file_search", "vector_store_ids": ["vs_1"]}],
    ),
    "anthropic": (
        {**CHAT, "max_tokens": 9},
        [{"type": "tool_20270101", "name": "x"}, {"type": "web_search_20250305",
                                                  "name": "web_search"}],
    ),
    "gemini": (GEMINI, [{"toolOf2027": {"n": 1}}, {"googleSearch": {}}]),
}  # fmt: skip


def hosts() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for vendor in VENDORS:
        for protocol in BODIES:
            try:
                wire(f"{vendor}/{protocol}")
            except DragomanError:
                continue
            found.append((vendor, protocol))
    return found


@each_case(("vendor", "protocol"), hosts())
def test_tools_that_come_back_equal_are_no_loss(vendor: str, protocol: str) -> None:
    body, tools = BODIES[protocol]
    host = wire(f"{vendor}/{protocol}", policy="ignore")
    for some in (*([tool] for tool in tools), tools):
        given = {**body, "tools": some}
        written = host.write_request(host.read_request(given))
        assert written.body == given
        assert {loss.code for loss in written.losses} <= {"model.default"}


def test_tools_that_are_added_to_are_judged_again() -> None:
    body, [tool, _] = BODIES["openai-responses"]
    host = wire("huggingface/openai-responses", policy="ignore")
    request = host.read_request({**body, "tools": [tool]})
    request.tools = [*request.tools, Tool("look", "Look.", {"type": "object"})]
    written = host.write_request(request)
    assert [loss.where for loss in written.losses] == ["$.tools[0]"]
    assert [one["name"] for one in written.body["tools"]] == ["look"]
