"""The client `openai`: Chat Completions, streams summed by its own `chat.completions.stream`."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import httpx2
from openai import OpenAI

from .said import Call, Said, Spent, arguments
from .transport import Events, Ready

__all__ = ["streamed", "whole"]

READY = Ready()
ASKED: list[Any] = [{"role": "user", "content": "?"}]


@cache
def _client(strict: bool) -> OpenAI:
    return OpenAI(
        api_key="none", base_url="http://localhost/v1", max_retries=0,
        http_client=httpx2.Client(transport=READY), _strict_response_validation=strict,
    )  # fmt: skip


def whole(body: Any, strict: bool = False) -> list[Said]:
    """What each choice of a completion says."""
    READY.whole(body)
    return _said(_client(strict).chat.completions.create(model="m", messages=ASKED))


def streamed(events: Events, strict: bool = False) -> list[Said]:
    """What each choice of a stream of chunks says.

    The types have no custom call in streams, which the API sends: openai/openai-openapi issue 576.
    """
    listed = list(events)
    strict = strict and not any('"custom"' in json.dumps(data) for _, data in listed)
    READY.events(listed, "[DONE]")
    with _client(strict).chat.completions.stream(model="m", messages=ASKED) as stream:
        stream.until_done()  # get_final_completion would also parse, and raise for a cut answer
        return _said(stream.current_completion_snapshot)


def _said(made: Any) -> list[Said]:
    return [_choice(one, _spent(made.usage)) for one in made.choices or ()]


def _spent(usage: Any) -> Spent:
    """Some hosts count reasoning beside the completion, and in the total."""
    if usage is None:
        return Spent()
    output, total = usage.completion_tokens, usage.total_tokens
    details = usage.completion_tokens_details
    apart = (details and details.reasoning_tokens) or 0
    if total is not None and apart and total == (usage.prompt_tokens or 0) + (output or 0) + apart:
        output = (output or 0) + apart
    return Spent(usage.prompt_tokens, output, total)


def _choice(one: Any, spent: Spent) -> Said:
    message = one.message
    calls = []
    for call in message.tool_calls or ():
        if getattr(call, "function", None) is not None:
            calls.append(Call(call.function.name, arguments(call.function.arguments)))
        elif getattr(call, "custom", None) is not None:
            custom = call.custom if isinstance(call.custom, dict) else call.custom.to_dict()
            calls.append(Call(custom["name"], custom["input"]))
    if message.function_call is not None and message.function_call.name:
        calls.append(Call(message.function_call.name, arguments(message.function_call.arguments)))
    text = _text(message.content) + (message.refusal or "")
    if message.audio is not None:
        text += getattr(message.audio, "transcript", None) or ""
    said = Said(text, calls, spent, one.finish_reason, _thinking(message))
    return replace(said, refused=bool(message.refusal))


def _text(content: Any) -> str:
    """The text of a string, or of the text parts that some hosts send."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
    return content or ""


def _thinking(message: Any) -> str:
    for name in ("reasoning_content", "reasoning"):
        if isinstance(getattr(message, name, None), str):
            return str(getattr(message, name))
    return ""
