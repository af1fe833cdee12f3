"""The HTTP of the clients: a transport that answers every request with what stands ready."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeAlias

import httpx2

__all__ = ["Events", "Ready"]

Events: TypeAlias = Iterable[tuple[str | None, Any]]


class Ready(httpx2.BaseTransport):
    """Answers with the body that was put here last."""

    def __init__(self) -> None:
        self._body = b""
        self._type = ""

    def whole(self, body: Any) -> None:
        """The next answer is this JSON."""
        self._body, self._type = json.dumps(body).encode(), "application/json"

    def events(self, events: Events, closing: str = "") -> None:
        """The next answer is these events as server-sent events, with `closing` at its end."""
        lines = []
        for name, payload in events:
            data = payload if isinstance(payload, str) else json.dumps(payload)
            if data != closing:
                lines.append(f"event: {name}\ndata: {data}\n\n" if name else f"data: {data}\n\n")
        if closing:
            lines.append(f"data: {closing}\n\n")
        self._body, self._type = "".join(lines).encode(), "text/event-stream"

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer that stands ready, whatever was asked."""
        return httpx2.Response(200, headers={"content-type": self._type}, content=self._body)
