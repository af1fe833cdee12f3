"""What official clients hear of a stream's bytes: texts, finished calls, figures, and the error.

Each SDK reads the bytes through its own HTTP layer, event by event, so that what came before an
error is known. Knows nothing of the package under test.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx
import httpx2
import ollama
from anthropic import Anthropic, AnthropicError
from google import genai
from google.genai.errors import APIError
from google.genai.types import HttpOptions
from openai import OpenAI, OpenAIError

__all__ = ["Heard", "hear"]

ASKED: list[Any] = [{"role": "user", "content": "?"}]


@dataclass(slots=True)
class Heard:
    """A stream as a client hears it. `calls` are those that it would run: (name, arguments)."""

    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    finish: str | None = None
    error: str = ""  # raised, or told by an event
    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cached: int | None = None


class Ready(httpx2.BaseTransport, httpx.BaseTransport):
    """Answers with the bytes that were put here last, for clients of httpx2 and of httpx."""

    body = b""
    kind = ""

    def handle_request(self, request: Any) -> Any:
        """The answer that stands ready, whatever was asked."""
        made = httpx2 if isinstance(request, httpx2.Request) else httpx
        return made.Response(200, headers={"content-type": self.kind}, content=self.body)


READY = Ready()


def hear(protocol: str, data: bytes, kind: str = "text/event-stream") -> Heard:
    """What the official client of a protocol hears of these bytes."""
    READY.body, READY.kind = data, kind
    heard = Heard()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the SDKs warn of fields that they do not know
        try:
            _LISTENING[protocol](heard)
        except (OpenAIError, AnthropicError, APIError, ollama.ResponseError) as error:
            heard.error = f"{type(error).__name__}: {error}"
    return heard


def _given(text: str) -> Any:
    """The arguments; text that was cut off stays text."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


@cache
def _openai() -> OpenAI:
    client = httpx2.Client(transport=READY)
    return OpenAI(api_key="none", base_url="http://localhost/v1", max_retries=0, http_client=client)


def _chat(heard: Heard) -> None:
    calls: dict[int, list[str]] = {}
    chunks = _openai().chat.completions.create(model="m", messages=ASKED, stream=True)
    for chunk in chunks:
        if chunk.usage is not None:
            _chat_usage(heard, chunk.usage)
        for choice in chunk.choices:
            heard.text += choice.delta.content or ""
            heard.thinking += getattr(choice.delta, "reasoning_content", None) or ""
            for call in choice.delta.tool_calls or ():
                told = calls.setdefault(call.index, ["", ""])
                if call.function is not None:
                    told[0] += call.function.name or ""
                    told[1] += call.function.arguments or ""
            heard.finish = choice.finish_reason or heard.finish
    if heard.finish is not None:  # nothing else says that a call is whole
        heard.calls = [(name, _given(text)) for name, text in calls.values()]


def _chat_usage(heard: Heard, usage: Any) -> None:
    heard.input, heard.output = usage.prompt_tokens, usage.completion_tokens
    if usage.prompt_tokens_details is not None:
        heard.cached = usage.prompt_tokens_details.cached_tokens
    if usage.completion_tokens_details is not None:
        heard.reasoning = usage.completion_tokens_details.reasoning_tokens


def _responses(heard: Heard) -> None:
    for event in _openai().responses.create(model="m", input="?", stream=True):
        match event.type:
            case "response.output_text.delta":
                heard.text += event.delta
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                heard.thinking += event.delta
            case "response.output_item.done" if event.item.type == "function_call":
                heard.calls.append((event.item.name, _given(event.item.arguments)))
            case "error":
                heard.error = f"error: {event.message}"
            case "response.failed":
                heard.error = f"failed: {event.response.error}"
            case "response.completed" | "response.incomplete":
                heard.finish = event.response.status
                if (usage := event.response.usage) is not None:
                    heard.input, heard.output = usage.input_tokens, usage.output_tokens
                    heard.cached = usage.input_tokens_details.cached_tokens
                    heard.reasoning = usage.output_tokens_details.reasoning_tokens
            case _:
                pass


@cache
def _anthropic() -> Anthropic:
    client = httpx2.Client(transport=READY)
    return Anthropic(api_key="none", base_url="http://localhost", max_retries=0, http_client=client)


def _messages(heard: Heard) -> None:
    asked = _anthropic().messages.create(model="m", messages=ASKED, max_tokens=9, stream=True)
    calls: dict[int, list[str]] = {}
    for event in asked:
        match event.type:
            case "message_start":
                _message_usage(heard, event.message.usage)
            case "content_block_start" if event.content_block.type == "tool_use":
                calls[event.index] = [event.content_block.name, ""]
            case "content_block_delta":
                _grow(heard, calls, event.index, event.delta)
            case "content_block_stop" if event.index in calls:
                name, text = calls[event.index]
                heard.calls.append((name, _given(text)))
            case "message_delta":
                heard.finish = event.delta.stop_reason
                _message_usage(heard, event.usage)
            case _:
                pass


def _grow(heard: Heard, calls: dict[int, list[str]], index: int, delta: Any) -> None:
    if delta.type == "text_delta":
        heard.text += delta.text
    elif delta.type == "thinking_delta":
        heard.thinking += delta.thinking
    elif delta.type == "input_json_delta":
        calls[index][1] += delta.partial_json


def _message_usage(heard: Heard, usage: Any) -> None:
    """Its input is what no cache knew."""
    figures = (usage.input_tokens, usage.cache_read_input_tokens,
               usage.cache_creation_input_tokens)  # fmt: skip
    known = [figure for figure in figures if figure is not None]
    heard.input = sum(known) if known and usage.input_tokens is not None else heard.input
    heard.output = usage.output_tokens
    if usage.cache_read_input_tokens is not None:
        heard.cached = usage.cache_read_input_tokens


@cache
def _genai() -> Any:
    options = HttpOptions(httpx_client=httpx2.Client(transport=READY))
    return genai.Client(api_key="none", http_options=options)


def _gemini(heard: Heard) -> None:
    for chunk in _genai().models.generate_content_stream(model="m", contents="?"):
        if (usage := chunk.usage_metadata) is not None:
            heard.input = usage.prompt_token_count
            heard.output = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
            heard.reasoning = usage.thoughts_token_count
            heard.cached = usage.cached_content_token_count
        for candidate in chunk.candidates or ():
            for part in (candidate.content and candidate.content.parts) or ():
                if part.function_call is not None:
                    heard.calls.append((part.function_call.name, part.function_call.args or {}))
                elif part.thought:
                    heard.thinking += part.text or ""
                else:
                    heard.text += part.text or ""
            if candidate.finish_reason is not None:
                heard.finish = candidate.finish_reason.value


def _interactions(heard: Heard) -> None:
    calls: dict[int, list[str]] = {}
    for event in _genai().interactions.create(model="m", input="?", stream=True):
        match event.event_type:
            case "step.start" if event.step.type == "function_call":
                given = event.step.arguments
                calls[event.index] = [event.step.name, json.dumps(given) if given else ""]
            case "step.delta" if event.delta.type == "text":
                heard.text += event.delta.text
            case "step.delta" if event.delta.type == "thought_summary":
                heard.thinking += event.delta.content.text
            case "step.delta" if event.delta.type == "arguments_delta":
                calls[event.index][1] += event.delta.arguments
            case "step.stop" if event.index in calls:
                name, text = calls[event.index]
                heard.calls.append((name, _given(text)))
            case "error":
                heard.error = f"error: {event.error.message}"
            case "interaction.completed":
                heard.finish = event.interaction.status
                if (usage := event.interaction.usage) is not None:
                    heard.input = usage.total_input_tokens
                    heard.output = (usage.total_output_tokens or 0) + (
                        usage.total_thought_tokens or 0)  # fmt: skip
                    heard.reasoning = usage.total_thought_tokens
                    heard.cached = usage.total_cached_tokens
            case _:
                pass


@cache
def _ollama_client() -> Any:
    return ollama.Client(host="http://localhost:9", transport=READY)


def _ollama(heard: Heard) -> None:
    for part in _ollama_parts():
        heard.text += part.message.content or ""
        heard.thinking += part.message.thinking or ""
        for call in part.message.tool_calls or ():
            heard.calls.append((call.function.name, dict(call.function.arguments)))
        if part.done:
            heard.finish = part.done_reason
            heard.input, heard.output = part.prompt_eval_count, part.eval_count


def _ollama_parts() -> Iterator[Any]:
    yield from _ollama_client().chat(model="m", messages=ASKED, stream=True)


_LISTENING: dict[str, Callable[[Heard], None]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic": _messages,
    "gemini": _gemini,
    "gemini-interactions": _interactions,
    "ollama": _ollama,
}
