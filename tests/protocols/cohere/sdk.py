"""Cohere's own client over a transport of ours: what it sends, and what it hears."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["heard", "sent", "streamed"]


def _client(answer: bytes, kind: str, asked: list[Any] | None = None) -> Any:
    cohere = pytest.importorskip("cohere", reason="the extra `cohere` is missing")
    import httpx

    def respond(request: httpx.Request) -> httpx.Response:
        if asked is not None:
            asked.append((request.url.path, json.loads(request.content)))
        return httpx.Response(200, content=answer, headers={"content-type": kind})

    http = httpx.Client(transport=httpx.MockTransport(respond))
    return cohere.ClientV2(api_key="none", httpx_client=http)


_HI: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def heard(body: dict[str, Any]) -> Any:
    """The answer as the client gives it to its user."""
    return _client(json.dumps(body).encode(), "application/json").chat(**_HI)


def streamed(events: Iterable[tuple[str | None, Any]]) -> list[Any]:
    """The events as the client gives them to its user."""
    frames = []
    for name, payload in events:
        data = payload if isinstance(payload, str) else json.dumps(payload)
        frames.append(f"event: {name}\ndata: {data}\n\n" if name else f"data: {data}\n\n")
    return list(_client("".join(frames).encode(), "text/event-stream").chat_stream(**_HI))


def sent(body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """(path, body) of what the client sends for the arguments of a body."""
    asked: list[Any] = []
    given = {key: value for key, value in body.items() if key != "stream"}
    _client(b'{"id": "c1"}', "application/json", asked).chat(**given)
    path, said = asked[0]
    return path, said
