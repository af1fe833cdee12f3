"""A server without a network: the recorded answers that the snippets of docs/*/api.md are given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx

from dragoman.message import Written

__all__ = ["URL", "Server", "chunks"]

URL = "https://api.example"


class Server:
    """Gives one answer to every request, JSON or the chunks of a stream; keeps what it is asked."""

    def __init__(self, answer: dict | Iterator[bytes]) -> None:
        self.answer = answer
        self.asked: list[httpx.Request] = []
        self.client = httpx.Client(transport=httpx.MockTransport(self._reply))

    def send(self, out: Written) -> Any:
        """What any HTTP client does with a request that was written."""
        return self.client.post(URL + out.path, headers=out.headers, json=out.body).json()

    def _reply(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if isinstance(self.answer, dict):
            return httpx.Response(200, json=self.answer)
        return httpx.Response(200, content=self.answer)


def chunks() -> Iterator[bytes]:
    """A stream of Anthropic's, its bytes cut anywhere."""
    start = {"id": "msg_1", "role": "assistant", "model": "m", "usage": {"input_tokens": 9}}
    delta: dict[str, Any] = {"stop_reason": "end_turn"}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}
          for word in ("In ", "Fran", "ce.")),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]  # fmt: skip
    said = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()
    return (said[i : i + 7] for i in range(0, len(said), 7))
