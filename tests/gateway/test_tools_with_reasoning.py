"""Which wire a request takes where a target leaves it open: the client's, if the model does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from dragoman.gateway.config.config_values import Config, config_for

from .exchange.opening import asked, begun

FUNCTION = {"name": "f", "parameters": {"type": "object", "properties": {}}}
TOOLS: dict[str, list[dict[str, Any]]] = {
    "/v1/chat/completions": [{"type": "function", "function": FUNCTION}],
    "/v1/responses": [{"type": "function", **FUNCTION}],
    "/v1/messages": [{"name": "f", "input_schema": FUNCTION["parameters"]}],
    "/v1beta/models/gpt-5.6:generateContent": [{"functionDeclarations": [{"name": "f"}]}],
    "/api/chat": [{"type": "function", "function": FUNCTION}],
}
BODIES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": "Hi"}]},
    "/v1/responses": {"input": "Hi"},
    "/v1/messages": {"max_tokens": 99, "messages": [{"role": "user", "content": "Hi"}]},
    "/v1beta/models/gpt-5.6:generateContent": {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}]
    },
    "/api/chat": {"messages": [{"role": "user", "content": "Hi"}]},
}


def config(name: str) -> Config:
    made = config_for(name)
    target = replace(made.routes[0].target, secret="of-the-provider")
    return replace(made, routes=(replace(made.routes[0], target=target),))


def sent(name: str, path: str, tools: bool = True, **more: Any) -> tuple[str, dict[str, Any], bool]:
    """(path, body, whether it passed untouched) of what a target is asked."""
    body = {"model": "gpt-5.6", **BODIES[path], **more}
    if tools:
        body["tools"] = TOOLS[path]
    exchange = begun(config(name), asked(path, body))
    call = exchange.call()
    return call.url.rpartition("/v1")[2], json.loads(call.body), exchange.passes


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize("name", ["openai/gpt-5.6", "openai/*"])
def test_tools_go_where_the_model_takes_them_with_its_reasoning(path: str, name: str) -> None:
    url, body, passes = sent(name, path)
    assert url == "/responses"
    assert body["tools"][0]["name"] == "f"
    assert "none" not in json.dumps(body.get("reasoning", {}))
    assert passes is (path == "/v1/responses")


def test_what_chat_takes_passes_untouched() -> None:
    path = "/v1/chat/completions"
    for more in ({"tools": False}, {"reasoning_effort": "none"}):
        url, body, passes = sent("openai/gpt-5.6", path, **more)
        assert (url, passes) == ("/chat/completions", True)
        assert body["messages"] == BODIES[path]["messages"]
    url, _, passes = sent("openai/gpt-5.2", path)  # which thinks only if it is asked to
    assert (url, passes) == ("/chat/completions", True)
    url, body, _ = sent("openai/gpt-5.2", path, reasoning_effort="high")
    assert (url, body["reasoning"]["effort"]) == ("/responses", "high")


@pytest.mark.parametrize("name", ["openai/openai-chat/gpt-5.6", "deepseek/deepseek-chat",
                                  "openai/gpt-4.1"])  # fmt: skip
def test_a_wire_that_is_named_or_that_takes_them_is_kept(name: str) -> None:
    assert sent(name, "/v1/chat/completions")[0].endswith("/chat/completions")


def test_each_request_of_a_client_is_judged_alone() -> None:
    made = config("openai/gpt-5.6")
    path = "/v1/chat/completions"
    plain = asked(path, {"model": "gpt-5.6", **BODIES[path]})
    tooled = asked(path, {"model": "gpt-5.6", **BODIES[path], "tools": TOOLS[path]})
    urls = [begun(made, one).call().url.rpartition("/v1")[2] for one in (plain, tooled, plain)]
    assert urls == ["/chat/completions", "/responses", "/chat/completions"]


def test_a_request_that_cannot_be_read_is_told_as_ever() -> None:
    path = "/v1/chat/completions"
    exchange = begun(
        config("openai/gpt-5.6"), asked(path, {"model": "m", "messages": 5, "tools": [1]})
    )
    assert exchange.call().url.endswith("/chat/completions")  # the provider says what is wrong
