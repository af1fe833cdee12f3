"""Anthropic's count endpoint, asked through the real SDK over a transport without a socket."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from typing import Any

import anthropic
import httpx2
import pytest

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.errors import ConfigError, ProviderError
from dragoman.message import ToolResultBlock, ToolUseBlock
from dragoman.tokens import AnthropicTokenCounter, CachedTokenCounter

from .conversations import ANTHROPIC, TOOLS

MODEL = "claude-sonnet-5"
HISTORY = [
    Msg.system("You are X."),
    Msg.user("What is the weather?"),
    Msg.assistant([ToolUseBlock("toolu_1", "look", {"at": "Paris"})]),
    Msg("", [ToolResultBlock("toolu_1", "look", "sunny")], "tool"),
]
LOOK = Tool("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})


class Api:
    """What the endpoint was asked, and an answer: as many tokens as the body has bytes."""

    def __init__(self, status: int = 200) -> None:
        self.asked: list[dict[str, Any]] = []
        self.urls: list[str] = []
        self.betas: list[str] = []
        self.status = status

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.urls.append(request.url.path)
        self.betas.append(request.headers.get("anthropic-beta", ""))
        self.asked.append(json.loads(request.content))
        if self.status != 200:
            error = {"type": "invalid_request_error", "message": "messages.0: no"}
            return httpx2.Response(self.status, json={"type": "error", "error": error})
        return httpx2.Response(200, json={"input_tokens": len(request.content)})

    def client(self) -> anthropic.AsyncAnthropic:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        return anthropic.AsyncAnthropic(api_key="k", http_client=http, max_retries=0)

    def plain(self) -> anthropic.Anthropic:
        http = httpx2.Client(transport=httpx2.MockTransport(self))
        return anthropic.Anthropic(api_key="k", http_client=http, max_retries=0)


def test_the_request_is_counted_as_it_would_be_sent() -> None:
    api = Api()
    counter = AnthropicTokenCounter(MODEL, client=api.client())
    formatter = dragoman.Formatter("anthropic", model=MODEL)
    request = ChatRequest(HISTORY, tools=[LOOK])
    body = dragoman.wire("anthropic").write_request(request, MODEL).body
    messages, tools = formatter.format_sync(HISTORY), formatter.format_tools([LOOK])
    before = copy.deepcopy((messages, tools))
    figure = asyncio.run(counter.count(messages, tools))
    sent = {key: body[key] for key in ("model", "system", "messages", "tools")}
    assert api.asked == [sent]
    assert api.urls == ["/v1/messages/count_tokens"]
    assert figure == len(json.dumps(sent, separators=(",", ":"), ensure_ascii=False))
    assert (messages, tools) == before


def test_a_body_is_counted_without_what_the_endpoint_refuses() -> None:
    api = Api()
    counter = AnthropicTokenCounter("other", client=api.client())
    body = dragoman.wire("anthropic").write_request(ChatRequest(HISTORY, tools=[LOOK]), MODEL).body
    body["thinking"] = {"type": "adaptive"}
    before = copy.deepcopy(body)
    asyncio.run(counter.count_body(body))
    [asked] = api.asked
    assert asked == {**{k: v for k, v in body.items() if k != "max_tokens"}, "model": "other"}
    assert body == before
    plain = AnthropicTokenCounter("other", sync_client=api.plain())
    assert plain.count_body_sync(body) > 100
    assert api.asked[1] == asked


def test_several_system_messages_become_one_prompt() -> None:
    api = Api()
    counter = AnthropicTokenCounter(MODEL, client=api.client())
    late: dict[str, Any] = {"role": "system", "content": "Be brief."}
    said: list[dict[str, Any]] = [
        {"role": "system", "content": "One."},
        {"role": "system", "content": [{"type": "text", "text": "Two."}]},
        {"role": "user", "content": "Hi"},
        late,
    ]
    asyncio.run(counter.count(said))
    assert api.asked[0]["system"] == [
        {"type": "text", "text": "One."},
        {"type": "text", "text": "Two."},
    ]
    assert api.asked[0]["messages"] == said[2:]  # a later one stays where it stands


def test_tools_of_openais_form_and_of_the_servers() -> None:
    api = Api()
    counter = AnthropicTokenCounter(MODEL, client=api.client())
    server = {"type": "web_search_20250305", "name": "web_search"}
    bare = {"type": "function", "function": {"name": "nothing"}}
    asyncio.run(counter.count(ANTHROPIC, [*TOOLS, server, bare]))
    function = TOOLS[0]["function"]
    assert api.asked[0]["tools"] == [
        {
            "name": function["name"],
            "description": function["description"],
            "input_schema": function["parameters"],
        },
        server,
        {"name": "nothing", "input_schema": {"type": "object", "properties": {}}},
    ]


def test_fields_of_the_request_are_keywords() -> None:
    api = Api()
    counter = AnthropicTokenCounter(MODEL, client=api.client())
    asyncio.run(counter.count(ANTHROPIC, system="S", thinking={"type": "adaptive"}, timeout=5))
    assert api.asked[0]["system"] == "S"
    assert api.asked[0]["thinking"] == {"type": "adaptive"}
    edits = {"edits": [{"type": "clear_tool_uses_20250919"}]}
    beta = "context-management-2025-06-27"
    asyncio.run(counter.count(ANTHROPIC, betas=[beta], context_management=edits))
    assert api.asked[1]["context_management"] == edits
    assert beta in api.betas[1]
    with pytest.raises(ConfigError, match="takes no temperature"):
        asyncio.run(counter.count(ANTHROPIC, temperature=1))


def test_nothing_asks_nobody() -> None:
    api = Api()
    assert asyncio.run(AnthropicTokenCounter(MODEL, client=api.client()).count([])) == 0
    assert AnthropicTokenCounter(MODEL, sync_client=api.plain()).count_sync([]) == 0
    assert api.asked == []


def test_plain_code_counts_with_a_plain_client() -> None:
    api = Api()
    counter = AnthropicTokenCounter(MODEL, sync_client=api.plain())
    assert counter.counts_sync
    assert counter.count_sync(ANTHROPIC) > 100
    only = AnthropicTokenCounter(MODEL, client=api.client())
    assert not only.counts_sync
    with pytest.raises(ConfigError, match="counts only asynchronously"):
        only.count_sync(ANTHROPIC)


def test_clients_are_made_when_they_are_needed_one_for_each_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = Api()
    counter = AnthropicTokenCounter(MODEL, "key", base_url="https://example.com", max_retries=0)
    made: list[bool] = []

    def make(is_async: bool) -> Any:
        made.append(is_async)
        return api.client() if is_async else api.plain()

    monkeypatch.setattr(counter, "_make", make)
    for _ in range(2):

        async def twice() -> None:
            await counter.count(ANTHROPIC)
            await counter.count(ANTHROPIC)

        asyncio.run(twice())
    counter.count_sync(ANTHROPIC)
    counter.count_sync(ANTHROPIC)
    assert made == [True, True, False]


def test_the_clients_of_its_own_have_the_users_options() -> None:
    counter = AnthropicTokenCounter(MODEL, "key", base_url="https://example.com/x", max_retries=7)
    for is_async, kind in ((True, anthropic.AsyncAnthropic), (False, anthropic.Anthropic)):
        client = counter._make(is_async)
        assert isinstance(client, kind)
        assert (client.api_key, client.max_retries) == ("key", 7)
        assert str(client.base_url).startswith("https://example.com/x")
    copied = pickle.loads(pickle.dumps(counter))
    assert copied._make(False).api_key == "key"


def test_a_client_and_a_key_are_one_too_many() -> None:
    with pytest.raises(ConfigError, match="a client was given"):
        AnthropicTokenCounter(MODEL, "key", client=Api().client())


def asked(counter: AnthropicTokenCounter, plain: bool) -> int:
    return counter.count_sync(ANTHROPIC) if plain else asyncio.run(counter.count(ANTHROPIC))


@pytest.mark.parametrize("plain", [True, False])
def test_a_refusal_is_a_typed_error(plain: bool) -> None:
    api = Api(400)
    counter = AnthropicTokenCounter(
        MODEL,
        client=None if plain else api.client(),
        sync_client=api.plain() if plain else None,
    )
    with pytest.raises(ProviderError, match="did not count") as caught:
        asked(counter, plain)
    assert caught.value.status == 400
    assert caught.value.type == "invalid_request_error"
    assert caught.value.body["error"]["message"] == "messages.0: no"


def test_with_a_memory_the_same_list_is_asked_for_once() -> None:
    api = Api()
    counter = CachedTokenCounter(AnthropicTokenCounter(MODEL, client=api.client()))

    async def three() -> set[int]:
        return {await counter.count(copy.deepcopy(ANTHROPIC)) for _ in range(3)}

    assert len(asyncio.run(three())) == 1
    assert len(api.asked) == 1
