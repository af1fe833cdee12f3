"""Web fetch: one tool on every wire that has it, named by the providers' own names for it."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, ServerTool
from tests.each_case import each_case

HELLO = [{"role": "user", "content": "What does https://example.com say?"}]
CONTENTS = [{"role": "user", "parts": [{"text": "What does https://example.com say?"}]}]
FETCH = {"type": "web_fetch_20250910", "name": "web_fetch"}
BODIES: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "claude-opus-5-5", "max_tokens": 99, "messages": HELLO,
                  "tools": [FETCH]},
    "gemini": {"contents": CONTENTS, "tools": [{"urlContext": {}}]},
    "gemini/gemini-interactions": {"model": "gemini-3.8-flash", "input": HELLO[0]["content"],
                                   "tools": [{"type": "url_context"}]},
    "openrouter": {"model": "z-ai/glm-5.3", "messages": HELLO,
                   "tools": [{"type": "openrouter:web_fetch"}]},
}  # fmt: skip
MODELS = {"anthropic": "claude-opus-5-5", "openrouter": "z-ai/glm-5.3"}


def written(wire: str, *tools: Any, model: str | None = None) -> Any:
    request = ChatRequest([Msg.user("Hi")], tools=list(tools))
    return dragoman.wire(wire, policy="ignore").write_request(request, model=model)


@each_case("source", BODIES)
@each_case("target", BODIES)
def test_it_is_the_same_tool_on_every_wire(source: str, target: str) -> None:
    request = dragoman.wire(source).read_request(BODIES[source])
    assert request.tools == [ServerTool("web_fetch")]
    out = dragoman.wire(target).write_request(request, model=MODELS.get(target, "gemini-3.8-flash"))
    assert out.body["tools"] == BODIES[target]["tools"]
    assert [loss.code for loss in out.losses if loss.code.startswith(("tool", "server_tool"))] == []


def test_its_bounds_go_where_there_are_such() -> None:
    tool = ServerTool("web_fetch", domains=("example.com",), max_uses=2)
    out = written("anthropic", tool, model="claude-opus-5-5")
    assert out.body["tools"] == [{**FETCH, "allowed_domains": ["example.com"], "max_uses": 2}]
    out = written("openrouter", tool, model="z-ai/glm-5.3")
    assert out.body["tools"] == [{
        "type": "openrouter:web_fetch",
        "parameters": {"allowed_domains": ["example.com"], "max_uses": 2},
    }]  # fmt: skip
    out = written("gemini", tool, model="gemini-3.8-flash")
    assert out.body["tools"] == [{"urlContext": {}}]
    assert sorted(loss.what for loss in out.losses) == [
        "domains of web_fetch",
        "max_uses of web_fetch",
    ]


@pytest.mark.parametrize("kind", ["web_fetch_20260209", "web_fetch_20260318"])
def test_a_later_edition_goes_back_as_it_came(kind: str) -> None:
    tool = {"type": kind, "name": "web_fetch", "max_content_tokens": 5000,
            "citations": {"enabled": True}, "blocked_domains": ["a.example"]}  # fmt: skip
    body = {**BODIES["anthropic"], "tools": [tool]}
    wire = dragoman.wire("anthropic")
    request = wire.read_request(body)
    assert request.tools[0].blocked_domains == ("a.example",)  # type: ignore[union-attr]
    assert wire.write_request(request).body == body
    request.messages.append(Msg.user("And now?"))
    assert wire.write_request(request).body["tools"] == [tool]


@pytest.mark.parametrize("wire", ["openai/openai-responses", "mistral", "bedrock", "vllm",
                                  "vertex/anthropic", "deepseek/anthropic"])  # fmt: skip
def test_where_there_is_none_it_is_a_loss_by_its_name(wire: str) -> None:
    out = written(wire, ServerTool("web_fetch"))
    assert "tools" not in out.body
    assert [loss.what for loss in out.losses if loss.code == "server_tool.unsupported"] == [
        "web_fetch"
    ]


def test_gemini_two_keeps_its_functions() -> None:
    look = {"name": "look", "parameters": {"type": "object", "properties": {}}}
    out = written("gemini", ServerTool("web_fetch"), look, model="gemini-2.5-flash")
    assert "urlContext" not in str(out.body["tools"])
    out = written("gemini", ServerTool("web_fetch"), look, model="gemini-3.8-flash")
    assert "urlContext" in str(out.body["tools"])
