"""The client `google-genai`. It sums no streams: the parts of its chunks are taken in turn."""

from __future__ import annotations

from functools import cache
from typing import Any

import httpx2
from google import genai
from google.genai.types import HttpOptions

from .said import Call, Said, Spent, total_of
from .transport import Events, Ready

__all__ = ["streamed", "whole"]

READY = Ready()


@cache
def _client() -> Any:
    options = HttpOptions(httpx_client=httpx2.Client(transport=READY))
    return genai.Client(api_key="none", http_options=options).models


def whole(body: Any, strict: bool = False) -> list[Said]:
    """What each candidate says. Its types refuse wrong values always, unknown fields never."""
    READY.whole(body)
    return _said([_client().generate_content(model="m", contents="?")])


def streamed(events: Events, strict: bool = False) -> list[Said]:
    """What each candidate of a stream says."""
    READY.events(events)
    return _said(list(_client().generate_content_stream(model="m", contents="?")))


def _said(chunks: list[Any]) -> list[Said]:
    parts: dict[int, list[Any]] = {}
    ends: dict[int, str] = {}
    spent = Spent()
    for chunk in chunks:
        spent = _spent(chunk.usage_metadata) or spent
        for nth, one in enumerate(chunk.candidates or ()):
            at = nth if one.index is None else one.index
            parts.setdefault(at, []).extend((one.content and one.content.parts) or ())
            if one.finish_reason is not None:
                ends[at] = one.finish_reason.value
    return [_candidate(parts[at], spent, ends.get(at)) for at in sorted(parts)]


def _candidate(parts: list[Any], spent: Spent, finish: str | None) -> Said:
    if any(part.function_call and part.function_call.name is None for part in parts):
        raise ValueError("arguments in pieces: the client leaves their sum to others")
    texts = [(bool(part.thought), part.text) for part in parts if part.text is not None]
    calls = [
        Call(p.function_call.name, p.function_call.args or {}) for p in parts if p.function_call
    ]
    return Said(
        "".join(text for thought, text in texts if not thought), calls, spent, finish,
        "".join(text for thought, text in texts if thought),
    )  # fmt: skip


def _spent(usage: Any) -> Spent | None:
    """Thoughts count beside the candidates, prompts of tools beside the prompt."""
    if usage is None:
        return None
    return Spent(
        total_of(usage.prompt_token_count, usage.tool_use_prompt_token_count),
        total_of(usage.candidates_token_count, usage.thoughts_token_count),
        usage.total_token_count,
    )
