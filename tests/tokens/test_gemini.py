"""Gemini's count endpoint, asked through the real SDK over a transport without a socket."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai.types import HttpOptions

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.errors import ConfigError, ProviderError
from dragoman.message import ToolResultBlock, ToolUseBlock
from dragoman.tokens import CachedTokenCounter, GeminiTokenCounter

from .conversations import GEMINI, TOOLS

MODEL = "gemini-3.5-flash"
HISTORY = [
    Msg.system("You are X."),
    Msg.user("What is the weather?"),
    Msg.assistant([ToolUseBlock("c1", "look", {"at": "Paris"})]),
    Msg("", [ToolResultBlock("c1", "look", "sunny")], "tool"),
]
LOOK = Tool("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})


class Api:
    """What the endpoint was asked, and an answer: as many tokens as the body has bytes."""

    def __init__(self, status: int = 200) -> None:
        self.asked: list[dict[str, Any]] = []
        self.urls: list[str] = []
        self.status = status

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.urls.append(request.url.path)
        self.asked.append(json.loads(request.content))
        if self.status != 200:
            error = {"code": self.status, "message": "no", "status": "INVALID_ARGUMENT"}
            return httpx2.Response(self.status, json={"error": error})
        return httpx2.Response(200, json={"totalTokens": len(request.content)})

    def client(self, **options: Any) -> genai.Client:
        transport = httpx2.MockTransport(self)
        http = HttpOptions(
            httpx_client=httpx2.Client(transport=transport),
            httpx_async_client=httpx2.AsyncClient(transport=transport),
        )
        return genai.Client(api_key="k", http_options=http, **options)


def counter(api: Api, **options: Any) -> GeminiTokenCounter:
    return GeminiTokenCounter(MODEL, client=api.client(**options))


def test_the_whole_request_is_counted_as_it_would_be_sent() -> None:
    api = Api()
    body = dragoman.wire("gemini").write_request(ChatRequest(HISTORY, tools=[LOOK]), MODEL).body
    before = copy.deepcopy(body)
    figure = asyncio.run(counter(api).count_body(body))
    assert api.urls == [f"/v1/models/{MODEL}:countTokens"]
    sent = {"model": f"models/{MODEL}"}
    sent |= {key: body[key] for key in ("systemInstruction", "contents", "tools")}
    assert api.asked == [{"generateContentRequest": sent}]
    assert figure > len(json.dumps(sent, separators=(",", ":")))
    assert counter(api).count_body_sync(body) == figure
    assert api.asked[1] == api.asked[0]
    assert body == before


@pytest.mark.parametrize("plain", [True, False])
def test_formatted_messages_go_as_they_stand(plain: bool) -> None:
    api = Api()
    formatter = dragoman.Formatter("gemini", model=MODEL)
    messages, tools = formatter.format_sync(HISTORY), formatter.format_tools([LOOK])
    before = copy.deepcopy((messages, tools))
    if plain:
        counter(api).count_sync(messages, tools)
    else:
        asyncio.run(counter(api).count(messages, tools))
    assert (messages, tools) == before
    [asked] = api.asked
    assert asked["generateContentRequest"]["contents"] == messages
    assert asked["generateContentRequest"]["tools"] == tools


def test_vertex_takes_the_same_parts_side_by_side() -> None:
    api = Api()
    asyncio.run(counter(api, vertexai=True).count(GEMINI, TOOLS, system_instruction="Be brief."))
    [asked] = api.asked
    assert api.urls[0].endswith(f"/publishers/google/models/{MODEL}:countTokens")
    assert set(asked) == {"contents", "tools", "systemInstruction"}
    assert asked["contents"] == GEMINI
    assert asked["systemInstruction"] == {"parts": [{"text": "Be brief."}]}


def test_fields_in_either_spelling() -> None:
    api = Api()
    config = {"temperature": 0}
    for fields in (
        {"generation_config": config, "system_instruction": "S"},
        {"generationConfig": config, "systemInstruction": {"parts": [{"text": "S"}]}},
    ):
        counter(api).count_sync(GEMINI, None, **fields)
    assert api.asked[0] == api.asked[1]
    with pytest.raises(ConfigError, match="takes no temperature"):
        counter(api).count_sync(GEMINI, temperature=0)


def test_system_messages_at_the_beginning_are_the_instruction() -> None:
    api = Api()
    said: list[dict[str, Any]] = [
        {"role": "system", "content": "One."},
        {"role": "system", "parts": [{"text": "Two."}]},
        {"role": "user", "parts": [{"text": "Hi"}]},
    ]
    counter(api).count_sync(said)
    request = api.asked[0]["generateContentRequest"]
    assert request["systemInstruction"] == {"parts": [{"text": "One."}, {"text": "Two."}]}
    assert request["contents"] == said[2:]


def test_tools_of_openais_form_become_declarations() -> None:
    api = Api()
    search: dict[str, Any] = {"googleSearch": {}}
    bare = {"type": "function", "function": {"name": "nothing"}}
    counter(api).count_sync(GEMINI, [*TOOLS, search, bare])
    function = TOOLS[0]["function"]
    assert api.asked[0]["generateContentRequest"]["tools"] == [
        {
            "functionDeclarations": [
                {
                    "name": function["name"],
                    "description": function["description"],
                    "parametersJsonSchema": function["parameters"],
                },
                {"name": "nothing"},
            ]
        },
        search,
    ]


def test_nothing_asks_nobody() -> None:
    api = Api()
    assert asyncio.run(counter(api).count([])) == counter(api).count_sync([]) == 0
    assert api.asked == []


def test_clients_are_made_when_they_are_needed_one_for_each_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = Api()
    own = GeminiTokenCounter(MODEL, "key", http_options={"timeout": 5000})
    made: list[genai.Client] = []

    def make(_is_async: bool) -> genai.Client:
        made.append(api.client())
        return made[-1]

    monkeypatch.setattr(own, "_make", make)
    for _ in range(2):

        async def twice() -> None:
            await own.count(GEMINI)
            await own.count(GEMINI)

        asyncio.run(twice())
    own.count_sync(GEMINI)
    assert len(made) == 3
    monkeypatch.undo()
    assert isinstance(own._make(True), genai.Client)
    assert pickle.loads(pickle.dumps(own)).model_name == MODEL
    with pytest.raises(ConfigError, match="a client was given"):
        GeminiTokenCounter(MODEL, "key", client=api.client())


@pytest.mark.parametrize("plain", [True, False])
def test_a_refusal_is_a_typed_error(plain: bool) -> None:
    one = counter(Api(400))
    with pytest.raises(ProviderError, match="did not count") as caught:
        one.count_sync(GEMINI) if plain else asyncio.run(one.count(GEMINI))
    assert (caught.value.status, caught.value.type) == (400, "INVALID_ARGUMENT")


def test_with_a_memory_the_same_list_is_asked_for_once() -> None:
    api = Api()
    kept = CachedTokenCounter(counter(api))
    assert len({kept.count_sync(copy.deepcopy(GEMINI), TOOLS) for _ in range(3)}) == 1
    assert len(api.asked) == 1
    assert kept.counts_sync
