"""Answers in several bodies: the gateway asks for the rest where its client cannot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from dragoman.gateway import async_http_client, http_client
from dragoman.gateway.config.config_values import Config, Limits, Route, Target
from dragoman.model.segments import MAX_SEGMENTS
from dragoman.transport.retries import Retries
from tests.gateway.faults.provider import Provider, answer
from tests.gateway.faults.serving import route, serving
from tests.gateway.running import LONG

CHAT = {"model": "m", "messages": [{"role": "user", "content": "Count."}]}
NATIVE = {"contents": [{"role": "user", "parts": [{"text": "Count."}]}]}
GEMINI, CLAUDE = "gemini/gemini/gemini-4-argon", "anthropic/claude-opus-5-5"
WAYS = ("threads", "httpx2", "aiohttp", "server")
ways = pytest.mark.parametrize("way", WAYS)


def part(text: str, token: str = "", output: int = 5) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}]},
                                 "finishReason": "CONTINUATION" if token else "STOP"}  # fmt: skip
    if token:
        candidate["continuationToken"] = token
    usage = {"promptTokenCount": 10, "candidatesTokenCount": output,
             "totalTokenCount": 10 + output}  # fmt: skip
    body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-4-argon",
            "responseId": "r"}  # fmt: skip
    return answer(json.dumps(body).encode())


BUSY = answer(b'{"error": {"message": "Busy", "code": 503}}', 503)
PATH = "/v1beta/models/gemini-4-argon:generateContent"


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    running = Provider()
    yield running
    running.close()


def config(provider: Provider, transport: str, model: str = GEMINI, **more: Any) -> Config:
    target = Target(model, secret="upstream-key", base_url=provider.url)
    retries = Retries(attempts=more.pop("attempts", 1), backoff=0)
    limits = Limits(stall=LONG, **more)
    return Config((Route(target, transport=transport, retries=retries),), limits=limits)


def ask(way: str, provider: Provider, body: Any, path: str, **more: Any) -> httpx2.Response:
    """What the gateway answers."""

    async def in_loop() -> httpx2.Response:
        async with async_http_client(config(provider, way, **more)) as http:
            return await http.post(f"http://gateway{path}", json=body)

    if way != "threads":
        return asyncio.run(in_loop())
    with http_client(config(provider, "httpx2", **more)) as http:
        return http.post(f"http://gateway{path}", json=body)


def ask_over(
    way: str,
    folder: Path,
    provider: Provider,
    body: Any,
    path: str = "/v1/chat/completions",
    model: str = GEMINI,
) -> tuple[int, dict[str, Any], str]:
    """The status, the body and the losses, over a server or in a program."""
    if way != "server":
        got = ask(way, provider, body, path, model=model)
        return got.status_code, got.json(), got.headers.get("x-dragoman-losses", "")
    settings = route("*", [(model, provider.url)])
    with serving(settings, folder) as gateway:
        told = gateway.open(path, "POST", json.dumps(body).encode())
        return told.status, json.loads(told.read()), told.headers.get("x-dragoman-losses", "")


@ways
def test_a_client_gets_one_whole_answer(
    way: str, server: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTS_PROVIDER_KEY", "upstream-key")
    server.will([part("One, ", "dDE=")], [part("two, ", "dDI=", 6)], [part("three.", "", 7)])
    status, body, losses = ask_over(way, tmp_path, server, CHAT)
    assert status == 200
    assert body["choices"][0]["message"]["content"] == "One, two, three."
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"]["prompt_tokens"] == 30
    assert body["usage"]["completion_tokens"] == 18
    assert "answer.finish" not in losses
    first, *others = [json.loads(one.body) for one in server.asked]
    assert others == [{**first, "continuationToken": token} for token in ("dDE=", "dDI=")]
    assert all(dict(one.fields)["x-goog-api-key"] == "upstream-key" for one in server.asked)


@ways
def test_a_client_of_the_same_protocol_follows_the_token_itself(
    way: str, server: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTS_PROVIDER_KEY", "upstream-key")
    server.will([part("One, ", "dDE=")])
    status, body, _ = ask_over(way, tmp_path, server, NATIVE, PATH)
    assert status == 200
    assert body["candidates"][0]["finishReason"] == "CONTINUATION"
    assert body["candidates"][0]["continuationToken"] == "dDE="
    assert len(server.asked) == 1


@pytest.mark.parametrize("way", ["threads", "httpx2"])
def test_a_failed_part_alone_is_repeated(way: str, server: Provider) -> None:
    server.will([part("One, ", "dDE=")], [BUSY], [part("two.")])
    got = ask(way, server, CHAT, "/v1/chat/completions", attempts=2)
    assert got.json()["choices"][0]["message"]["content"] == "One, two."
    tokens = [json.loads(one.body).get("continuationToken") for one in server.asked]
    assert tokens == [None, "dDE=", "dDE="]


@pytest.mark.parametrize("way", ["threads", "httpx2"])
def test_an_answer_without_its_rest_is_an_error(way: str, server: Provider) -> None:
    server.will([part("One, ", "dDE=")], [BUSY])
    assert ask(way, server, CHAT, "/v1/chat/completions").status_code == 503
    assert len(server.asked) == 2


def test_the_rounds_are_bounded(server: Provider) -> None:
    server.will(*([part("x", f"t{nth}")] for nth in range(MAX_SEGMENTS + 5)))
    got = ask("threads", server, CHAT, "/v1/chat/completions")
    assert len(server.asked) == MAX_SEGMENTS
    choice = got.json()["choices"][0]
    assert choice["message"]["content"] == "x" * MAX_SEGMENTS
    assert choice["finish_reason"] == "length"
    assert "answer.finish" in got.headers["x-dragoman-losses"]


def test_all_parts_together_have_the_bound_of_an_answer(server: Provider) -> None:
    server.will([part("x" * 3000, "dDE=")], [part("y" * 3000)])
    got = ask("threads", server, CHAT, "/v1/chat/completions", answer=5000)
    assert got.status_code == 502
    assert "5000 bytes" in got.text


SEARCHED = [
    {"type": "thinking", "thinking": "Look it up.", "signature": "U2ln"},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "it"}},
]
ANSWERED = [
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    {"type": "text", "text": "It is so.", "citations": None},
]


def turn(*content: Any, reason: str = "end_turn") -> bytes:
    usage = {"input_tokens": 10, "output_tokens": 5}
    body = {"id": f"msg_{len(content)}", "type": "message", "role": "assistant", "model": "m",
            "content": [*content], "stop_reason": reason, "stop_sequence": None,
            "usage": usage}  # fmt: skip
    return answer(json.dumps(body).encode())


@ways
def test_a_paused_turn_is_followed_for_clients_of_other_protocols(
    way: str, server: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTS_PROVIDER_KEY", "upstream-key")
    server.will([turn(*SEARCHED, reason="pause_turn")], [turn(reason="pause_turn")])
    status, body, losses = ask_over(way, tmp_path, server, CHAT, model=CLAUDE)
    assert (status, len(server.asked)) == (200, 2)  # the second part brought nothing new
    assert body["choices"][0]["finish_reason"] == "length"
    assert "answer.finish" in losses
    server.will([turn(*SEARCHED, reason="pause_turn")], [turn(*ANSWERED)])
    status, body, losses = ask_over(way, tmp_path, server, CHAT, model=CLAUDE)
    assert status == 200
    assert body["choices"][0]["message"]["content"] == "It is so."
    assert body["choices"][0]["finish_reason"] == "stop"
    assert (body["usage"]["prompt_tokens"], body["usage"]["completion_tokens"]) == (20, 10)
    assert "answer.finish" not in losses
    first, second = [json.loads(one.body) for one in server.asked]
    assert second == {**first, "messages": [*first["messages"],
                      {"role": "assistant", "content": SEARCHED}]}  # fmt: skip
    assert all(dict(one.fields)["x-api-key"] == "upstream-key" for one in server.asked)


@ways
def test_a_client_of_messages_resumes_a_paused_turn_itself(
    way: str, server: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAULTS_PROVIDER_KEY", "upstream-key")
    server.will([turn(*SEARCHED, reason="pause_turn")])
    asked = {**CHAT, "max_tokens": 100}
    status, body, _ = ask_over(way, tmp_path, server, asked, "/v1/messages", model=CLAUDE)
    assert (status, body["stop_reason"], body["content"]) == (200, "pause_turn", SEARCHED)
    assert len(server.asked) == 1
