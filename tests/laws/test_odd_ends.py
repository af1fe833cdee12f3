"""Law: no odd end passes for a good one, on any wire, whole and streamed, at any door.

The bodies are those that hosts are known to send; `None` is a word that no table has.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from dragoman import LLM, AsyncLLM, NoAnswer, ProviderError, ReActAgent
from dragoman.gateway import http_client
from tests.each_case import each_case
from tests.laws.endings.doors import Canned
from tests.llm.hosts import HOSTS

Body = Mapping[str, Any]
UNKNOWN = "of_tomorrow"


def chat(text: str, word: Any) -> tuple[Body, list[Body]]:
    choice = {"index": 0, "finish_reason": word}
    about = {"id": "c", "created": 1, "model": "m"}
    message = {"role": "assistant", "content": text}
    whole = {**about, "object": "chat.completion", "choices": [{**choice, "message": message}]}
    chunk = {**about, "object": "chat.completion.chunk"}
    parts = [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None},
             {**choice, "delta": {}}]  # fmt: skip
    return whole, [{**chunk, "choices": [part]} for part in parts]


def messages(text: str, word: Any) -> tuple[Body, list[Body]]:
    content = [{"type": "text", "text": text}] if text else []
    usage = {"input_tokens": 5, "output_tokens": 2}
    whole = {"id": "m", "type": "message", "role": "assistant", "model": "c", "content": content,
             "stop_reason": word, "stop_sequence": None, "usage": usage}  # fmt: skip
    events: list[Body] = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    ]
    for block in content:
        events += [
            {"type": "content_block_start", "index": 0, "content_block": {**block, "text": ""}},
            {"type": "content_block_delta", "index": 0,
             "delta": {"type": "text_delta", "text": text}},
            {"type": "content_block_stop", "index": 0},
        ]  # fmt: skip
    delta = {"stop_reason": word, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]
    return whole, events


def gemini(text: str, word: Any) -> tuple[Body, list[Body]]:
    content = {"role": "model", "parts": [{"text": text}]} if text else {}
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}
    body = {"candidates": [{"content": content, "finishReason": word, "index": 0}],
            "usageMetadata": usage, "modelVersion": "g", "responseId": "r"}  # fmt: skip
    return body, [body]


def cohere(text: str, word: Any) -> tuple[Body, list[Body]]:
    content = [{"type": "text", "text": text}] if text else []
    whole = {"id": "c", "finish_reason": word, "message": {"role": "assistant", "content": content}}
    events: list[Body] = [{"type": "message-start", "id": "c",
                           "delta": {"message": {"role": "assistant", "content": []}}}]  # fmt: skip
    if text:
        events += [
            {"type": "content-start", "index": 0,
             "delta": {"message": {"content": {"type": "text", "text": ""}}}},
            {"type": "content-delta", "index": 0,
             "delta": {"message": {"content": {"text": text}}}},
            {"type": "content-end", "index": 0},
        ]  # fmt: skip
    return whole, [*events, {"type": "message-end", "delta": {"finish_reason": word}}]


def dashscope(text: str, word: Any) -> tuple[Body, list[Body]]:
    message = {"role": "assistant", "content": text}
    body = {"output": {"choices": [{"finish_reason": word, "message": message}]},
            "request_id": "r"}  # fmt: skip
    return body, [body]


SHAPES: dict[str, Callable[[str, Any], tuple[Body, list[Body]]]] = {
    "openai-chat": chat, "mistral": chat, "anthropic": messages, "gemini": gemini,
    "cohere": cohere, "dashscope": dashscope,
}  # fmt: skip
PATHS = {
    "/v1/chat/completions": {},
    "/v1/messages": {"max_tokens": 9},
}


def settings(wire: str, text: str, word: Any, streams: bool) -> tuple[str, dict[str, Any]]:
    whole, events = SHAPES[wire](text, word)
    body = json.dumps(whole).encode()
    if streams:
        body = b"".join(
            (f"event: {one['type']}\n" if "type" in one else "").encode()
            + b"data: %s\n\n" % json.dumps(one).encode()
            for one in events
        )
    kind = "text/event-stream" if streams else "application/json"
    host, model = HOSTS[wire]
    return f"{host}/{model}", {"key": "k", "transport": Canned(body, kind)}


def ask(way: str, wire: str, text: str, word: Any) -> Any:
    """The answer, or a run's reply."""
    streams = "stream" in way
    name, given = settings(wire, text, word, streams)
    given |= {"retries": 0, "policy": "ignore"}
    if way in ("agent", "agent stream"):
        agent = ReActAgent("Friday", None, LLM(name, **given))
        if not streams:
            return agent.run("Hi")
        *_, end = agent.run_events("Hi")
        assert end.type == "end"
        return end.reply
    if way == "async stream":

        async def read() -> Any:
            async with AsyncLLM(name, **given).stream("Hi") as events:
                [event async for event in events]
                return events.response

        return asyncio.run(read())
    llm = LLM(name, **given)
    if not streams:
        return llm.ask("Hi")
    with llm.stream("Hi") as events:
        list(events)
        return events.response


WAYS = ("ask", "stream", "async stream", "agent", "agent stream")


@each_case("way", WAYS)
@each_case("wire", SHAPES)
def test_nothing_said_under_an_unknown_word_is_no_answer(wire: str, way: str) -> None:
    with pytest.raises(NoAnswer, match=UNKNOWN):
        ask(way, wire, "", UNKNOWN)


@each_case("way", WAYS)
@each_case("wire", SHAPES)
def test_something_said_under_an_unknown_word_has_the_word(wire: str, way: str) -> None:
    answer = ask(way, wire, "Half", UNKNOWN)
    assert answer.text == "Half"
    if "agent" in way:
        assert answer.finish == "other"
    else:
        assert (answer.finish.reason, answer.finish.raw) == ("other", UNKNOWN)


FAILED = {"openai-chat": "error", "mistral": "error", "anthropic": "error", "cohere": "ERROR",
          "gemini": "MALFORMED_RESPONSE"}  # fmt: skip


@each_case("way", WAYS)
@each_case("wire", FAILED)
def test_something_said_before_a_failure_is_an_error_that_has_it(wire: str, way: str) -> None:
    word = FAILED[wire]
    with pytest.raises(ProviderError, match=word) as caught:
        ask(way, wire, "Half", word)
    assert not isinstance(caught.value, NoAnswer)
    assert caught.value.response is not None
    assert caught.value.response.text == "Half"
    assert caught.value.response.finish.reason == "error"


@pytest.mark.parametrize("allowed", [False, True])
def test_a_failure_of_bedrock_s_is_an_error(allowed: bool) -> None:
    """Partial answers are those that broke off; of this one the host says that it is none."""
    body = {"output": {"message": {"role": "assistant", "content": [{"text": "Half"}]}},
            "stopReason": "malformed_model_output",
            "usage": {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}}  # fmt: skip
    host, model = HOSTS["bedrock-converse"]
    canned = Canned(json.dumps(body).encode(), "application/json")
    llm = LLM(f"{host}/{model}", key="k", transport=canned, retries=0, allow_partial=allowed,
              places={"region": "us-east-1"})  # fmt: skip
    with pytest.raises(ProviderError, match="malformed_model_output") as caught:
        llm.ask("Hi")
    assert caught.value.response is not None
    assert caught.value.response.text == "Half"


def told(wire: str, text: str, word: Any, path: str, streams: bool) -> tuple[int, str]:
    """The status and body of the gateway's answer to a client of another protocol."""
    name, given = settings(wire, text, word, streams)
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": streams}
    with http_client(name, **given) as http:
        response = http.post(f"http://g{path}", json={**body, **PATHS[path]})
    return response.status_code, response.text.replace(" ", "")


@each_case("streams", [False, True])
@each_case("path", PATHS)
@each_case("wire", SHAPES)
def test_a_client_of_the_gateway_gets_an_error_for_nothing(
    wire: str, path: str, streams: bool
) -> None:
    own = {"openai-chat": "/v1/chat/completions", "anthropic": "/v1/messages"}
    if own.get(wire) == path:
        return  # it gets the provider's bytes
    assert told(wire, "", UNKNOWN, path, streams)[0] == 502


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("word", ["OTHER", "IMAGE_OTHER"])
def test_an_unusual_end_is_no_usual_one_at_the_gateway(word: str, path: str, streams: bool) -> None:
    status, text = told("gemini", "Half", word, path, streams)
    assert status == 200
    words = {"/v1/chat/completions": ("length", "stop"), "/v1/messages": ("max_tokens", "end_turn")}
    cut, usual = words[path]
    assert f'"{cut}"' in text
    assert f':"{usual}"' not in text


@pytest.mark.parametrize("state", ["queued", "in_progress"])
def test_an_answer_in_the_background_is_not_asked_for_again(state: str) -> None:
    body = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": [],
            "status": state, "background": True, "error": None,
            "incomplete_details": None}  # fmt: skip
    canned = Canned(json.dumps(body).encode(), "application/json")
    llm = LLM("openai/openai-responses/gpt-5.6", key="k", transport=canned, retries=3)
    with pytest.raises(NoAnswer, match=f"is still '{state}'") as caught:
        llm.ask("Hi", extras={"openai-responses": {"background": True}})
    assert len(canned.calls) == 1
    assert "resp_1" in str(caught.value.hint)
    assert caught.value.response is not None
    assert caught.value.response.id == "resp_1"
