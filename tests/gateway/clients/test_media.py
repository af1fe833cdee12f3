"""Media that a client sends by URL, to a target that takes bytes alone."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from dragoman import MediaFetcher
from dragoman.gateway.config.config_values import Config, config_for
from dragoman.gateway.config.read_toml import parse
from dragoman.message import Base64Source, ImageBlock
from dragoman.testing import StrictServer
from tests.media_fetch.pages import PNG, Web, answer

from .serving import Served

SEEING = "ollama/qwen3-vl:8b"


@pytest.fixture
def web() -> Iterator[Web]:
    with Web() as running:
        yield running


def fetcher(web: Web, host: str) -> MediaFetcher:
    """One to which the loopback address of `web` is the public network."""
    return MediaFetcher([host], schemes=["http"], networks=["127.0.0.1/32"], of_read=True,
                        resolve=lambda host, port: ["127.0.0.1"], roots=())  # fmt: skip


def asked(server: Served, place: str, config: Config, url: str) -> Any:
    """The gateway's answer to a request of OpenAI's that shows a picture by its URL."""
    door = server.door(config) if place == "server" else server.inner_door(config)
    content = [{"type": "text", "text": "What is it?"},
               {"type": "image_url", "image_url": {"url": url}}]  # fmt: skip
    body = {"model": "any", "messages": [{"role": "user", "content": content}]}
    return door.httpx2.post(f"{door.url}/v1/chat/completions", json=body)


def config_of(judge: StrictServer, fetch: MediaFetcher | None) -> Config:
    config = config_for(SEEING, base_url=judge.url)
    return replace(config, routes=(replace(config.routes[0], fetch=fetch),))


def test_a_picture_is_fetched(server: Served, place: str, web: Web) -> None:
    web.pages["/a.png"] = answer(PNG)
    with StrictServer("ollama", "A red point.") as judge:
        config = config_of(judge, fetcher(web, f"*:{web.port}"))
        for _ in range(2):
            told = asked(server, place, config, f"http://img.example:{web.port}/a.png")
            assert told.json()["choices"][0]["message"]["content"] == "A red point."
    shown = [request.messages[0].blocks[-1] for request in judge.requests]
    picture = Base64Source("image/png", base64.b64encode(PNG).decode())
    assert [block.source for block in shown if type(block) is ImageBlock] == [picture] * 2
    assert len(web.asked) == 1  # the second turn names the same picture


def test_without_a_fetcher_the_picture_is_lost_and_named(
    server: Served, place: str, web: Web
) -> None:
    with StrictServer("ollama", "What picture?") as judge:
        told = asked(server, place, config_of(judge, None), f"{web.url}/a.png")
    assert told.status_code == 200
    assert "media." in told.headers["x-dragoman-losses"]
    assert web.asked == []


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://elsewhere.example/a.png", "fetch.host"),
        ("https://169.254.169.254/latest/meta-data", "fetch.address"),
        ("http://img.example/a.png", "fetch.scheme"),
        ("https://user:word@img.example/a.png", "fetch.credentials"),
    ],
)
def test_what_may_not_be_fetched_is_refused_in_the_client_s_shape(
    server: Served, place: str, url: str, code: str
) -> None:
    route = f'[[routes]]\nto = "{SEEING}"\nfetch = ["img.example", "169.254.169.254"]\n'
    with StrictServer("ollama") as judge:
        config = parse(route + f'base_url = "{judge.url}"\n')
        told = asked(server, place, config, url)
        assert judge.requests == []
    assert told.status_code == 400
    error = told.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["code"] == code
    assert "word" not in error["message"]
