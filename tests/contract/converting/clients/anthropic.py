"""The client `anthropic`: Messages, streams summed by its own `messages.stream`."""

from __future__ import annotations

from functools import cache
from typing import Any

import httpx2
from anthropic import Anthropic

from .said import Call, Said, Spent, arguments, total_of
from .transport import Events, Ready

__all__ = ["streamed", "whole"]

READY = Ready()
ASKED: list[Any] = [{"role": "user", "content": "?"}]


@cache
def _client(strict: bool) -> Anthropic:
    return Anthropic(
        api_key="none", base_url="http://localhost", max_retries=0,
        http_client=httpx2.Client(transport=READY), _strict_response_validation=strict,
    )  # fmt: skip


def whole(body: Any, strict: bool = False) -> list[Said]:
    """What the one candidate of a message says."""
    READY.whole(body)
    return _said(_client(strict).messages.create(model="m", messages=ASKED, max_tokens=9))


def streamed(events: Events, strict: bool = False) -> list[Said]:
    """What the one candidate of a stream says."""
    READY.events(events)
    with _client(strict).messages.stream(model="m", messages=ASKED, max_tokens=9) as stream:
        return _said(stream.get_final_message())


def _said(made: Any) -> list[Said]:
    blocks = made.content
    text = "".join(block.text for block in blocks if block.type == "text")
    calls = [Call(b.name, arguments(b.input)) for b in blocks if b.type == "tool_use"]
    thinking = "".join(block.thinking for block in blocks if block.type == "thinking")
    return [Said(text, calls, _spent(made.usage), made.stop_reason, thinking)]


def _spent(usage: Any) -> Spent:
    """Its input is what no cache knew; there is no total."""
    if usage is None:
        return Spent()
    cached = (usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    return Spent(total_of(usage.input_tokens, *cached), usage.output_tokens)
