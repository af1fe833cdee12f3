"""The client `openai`: Responses, streams summed by its own `responses.stream`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import httpx2
from openai import OpenAI

from .said import Call, Said, Spent, arguments
from .transport import Events, Ready

__all__ = ["streamed", "whole"]

READY = Ready()


@cache
def _client(strict: bool) -> OpenAI:
    return OpenAI(
        api_key="none", base_url="http://localhost/v1", max_retries=0,
        http_client=httpx2.Client(transport=READY), _strict_response_validation=strict,
    )  # fmt: skip


def whole(body: Any, strict: bool = False) -> list[Said]:
    """What the one candidate of a response says."""
    READY.whole(body)
    return _said(_client(strict).responses.create(model="m", input="?"))


def streamed(events: Events, strict: bool = False) -> list[Said]:
    """What the one candidate of a stream says; one that ends early is read from its last event."""
    READY.events(events)
    last: Any = None
    items: list[Any] = []
    with _client(strict).responses.stream(model="m", input="?") as stream:
        for event in stream:
            last = getattr(event, "response", None) or last
            if event.type == "response.output_item.done":
                items.append(event.item)
    return _said(last, items)


def _said(made: Any, items: Sequence[Any] = ()) -> list[Said]:
    """`items`: what the events brought, for hosts that leave it out at the end."""
    output = made.output or items
    parts = [part for item in output if item.type == "message" for part in item.content]
    text = "".join(
        getattr(part, "text", None) or getattr(part, "refusal", None) or "" for part in parts
    )
    calls = [
        Call(item.name, arguments(item.arguments) if item.type == "function_call" else item.input)
        for item in output
        if item.type in ("function_call", "custom_tool_call")
    ]
    thoughts = [part.text for item in output if item.type == "reasoning"
                for part in (*(item.summary or ()), *(item.content or ()))]  # fmt: skip
    finish = made.incomplete_details.reason if made.incomplete_details else made.status
    refused = any(getattr(part, "refusal", None) for part in parts)
    return [Said(text, calls, _spent(made.usage), finish, "".join(thoughts), refused)]


def _spent(usage: Any) -> Spent:
    return Spent(usage.input_tokens, usage.output_tokens, usage.total_tokens) if usage else Spent()
