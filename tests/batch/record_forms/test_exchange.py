"""Exchanges: both bodies are converted, and everything else in the record stays."""

from __future__ import annotations

import copy
import json
from typing import Any

import anthropic.types
import openai.types.chat
import pydantic
import pytest
from google.genai import types as gemini

from dragoman import LossRefused, Policy, ReadError, WriteError, convert, wire
from dragoman.batch import converter

REQUEST: dict[str, Any] = {
    "model": "gpt-5.6", "seed": 3,
    "messages": [{"role": "user", "content": "How warm is it?"}],
    "tools": [{"type": "function", "function": {
        "name": "weather.now", "description": "the weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }}],
}  # fmt: skip
ANSWER: dict[str, Any] = {
    "id": "a1", "object": "chat.completion", "created": 1, "model": "gpt-5.6",
    "system_fingerprint": "fp_1",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": None, "tool_calls": [{
            "id": "call_1", "type": "function",
            "function": {"name": "weather.now", "arguments": '{"city": "Paris"}'},
        }],
    }}],
    "usage": {"prompt_tokens": 30, "completion_tokens": 2, "total_tokens": 32},
}  # fmt: skip
_CHUNK = {"id": "a1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.6"}
EVENTS: list[Any] = [
    {**_CHUNK, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "War"}}]},
    {**_CHUNK, "choices": [{"index": 0, "delta": {"content": "m."}}]},
    {**_CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
]
FAILED = {"error": {"message": "Too fast.", "type": "requests", "code": "rate_limit_exceeded"}}


def _to(target: str, record: Any, **rest: Any) -> Any:
    before = copy.deepcopy(record)
    result = converter(target=target, policy="ignore", **rest)(record)
    assert record == before
    return result


@pytest.mark.parametrize("source", ["auto", "openai-chat"])
def test_both_bodies_are_converted_and_other_keys_stay(source: str) -> None:
    record = {"ts": 7, "request": REQUEST, "id": "r1", "response": ANSWER, "labels": ["good"]}
    result = _to("anthropic", record, source=source)
    assert [*result] == [*record]
    assert (result["ts"], result["id"], result["labels"]) == (7, "r1", ["good"])
    wanted = convert(REQUEST, "openai-chat", "anthropic", policy="ignore").body
    assert result["request"] == wanted
    message = anthropic.types.Message.model_validate(result["response"])
    assert message.stop_reason == "tool_use"
    assert message.usage.input_tokens == 30
    # the call is one of a tool that the request has, under the name that it has there
    [tool] = result["request"]["tools"]
    calls = [block for block in message.content if block.type == "tool_use"]
    assert [block.name for block in calls] == [tool["name"]]


def test_events_become_the_events_of_the_targets_streams() -> None:
    record = {"request": {**REQUEST, "stream": True}, "events": [*EVENTS, "[DONE]"], "n": 1}
    result = _to("anthropic", record)
    assert [*result] == ["request", "events", "n"]
    event: Any = pydantic.TypeAdapter(anthropic.types.RawMessageStreamEvent)
    for row in result["events"]:
        event.validate_python(row)
    assert result["events"][0]["type"] == "message_start"
    stream = wire("anthropic").read_stream(result["events"])
    assert [*stream]
    assert stream.response.text == "Warm."


def test_events_have_names_where_the_data_does_not_repeat_them() -> None:
    result = _to("bedrock-converse", {"request": REQUEST, "events": EVENTS})
    assert result["events"][0] == {"event": "messageStart", "data": {"role": "assistant"}}
    back = _to("openai-chat", result)
    chunks = [openai.types.chat.ChatCompletionChunk.model_validate(row) for row in back["events"]]
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(texts) == "Warm."


def test_an_exchange_is_the_same_whenever_it_is_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    source = _to("bedrock-converse", {"request": REQUEST, "events": EVENTS})
    first = _to("openai-chat", source)
    monkeypatch.setattr("dragoman.conversion.stream_converter.time", lambda: 4_000_000_000)
    assert _to("openai-chat", source) == first


@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai-responses", "bedrock-converse"])
@pytest.mark.parametrize("body", [FAILED, "upstream timed out", json.dumps(FAILED)])
def test_the_error_of_a_provider_stays_an_error(target: str, body: Any) -> None:
    result = _to(target, {"request": REQUEST, "response": body, "status": 429})
    home = wire(target)
    error = home.error(429, result["response"])
    assert error.kind == "rate_limit"
    assert "candidates" not in result["response"]
    assert result["response"].get("status") != "failed"
    words = "Too fast." if "Too fast" in str(body) else "upstream timed out"
    assert words in json.dumps(result["response"])


def test_an_error_among_the_events_stays_there() -> None:
    result = _to("anthropic", {"request": REQUEST, "events": [EVENTS[0], FAILED]})
    assert result["events"][-1]["type"] == "error"
    assert result["events"][-1]["error"]["message"] == "Too fast."


def test_what_was_not_asked_or_answered_stays_so() -> None:
    result = _to("gemini", {"request": REQUEST, "response": None, "events": None})
    assert (result["response"], result["events"]) == (None, None)
    assert result["request"]["contents"]
    result = _to("gemini", {"request": None, "response": ANSWER})
    assert result["request"] is None
    answer = gemini.GenerateContentResponse.model_validate(result["response"])
    assert answer.candidates


def test_bodies_may_be_below_body_and_be_text() -> None:
    record = {
        "request": {"method": "POST", "url": "https://h/v1", "body": json.dumps(REQUEST)},
        "response": {"status": 200, "headers": {"x": "1"}, "body": ANSWER},
    }
    result = _to("anthropic", record)
    assert result["request"]["method"] == "POST"
    assert result["request"]["body"]["messages"][0]["role"] == "user"
    assert result["response"]["headers"] == {"x": "1"}
    anthropic.types.Message.model_validate(result["response"]["body"])


def test_an_address_is_the_one_that_the_new_body_goes_to() -> None:
    record = {
        "protocol": "openai-chat", "url_path": "/v1/chat/completions",
        "request": REQUEST, "response": ANSWER,
    }  # fmt: skip
    result = _to("anthropic", record)
    assert (result["protocol"], result["url_path"]) == ("anthropic", "/v1/messages")
    assert _to("openai-chat", result)["response"]["choices"][0]["finish_reason"] == "tool_calls"


def test_losses_have_their_paths_in_the_record() -> None:
    work = converter(target="anthropic", policy="ignore")
    twice = {**ANSWER, "choices": [*ANSWER["choices"], {**ANSWER["choices"][0], "index": 1}]}
    _, losses = work.convert({"request": REQUEST, "response": twice})
    places = {loss.code: loss.where for loss in losses}
    assert places["option.unsupported"] == "$.request.seed"
    assert places["answer.candidates"].startswith("$.response")
    _, losses = work.convert({"request": {"body": REQUEST}, "events": EVENTS})
    assert {loss.code: loss.where for loss in losses}["option.unsupported"] == "$.request.body.seed"
    with pytest.raises(LossRefused, match=r"\$\.response"):
        converter(target="anthropic", policy=Policy(refuse=("answer.*",)))(
            {"request": REQUEST, "response": twice}
        )


@pytest.mark.parametrize(
    ("record", "error", "path"),
    [
        ({"request": REQUEST, "response": {"odd": 1}}, ReadError, "$.response"),
        ({"request": REQUEST, "response": "words"}, ReadError, "$.response"),
        ({"request": REQUEST, "events": [{"odd": 1}]}, ReadError, "$.events"),
        ({"request": {"model": "m", "messages": []}, "response": ANSWER}, WriteError, "$.request"),
    ],
)
def test_what_is_no_exchange_is_an_error_with_its_place(
    record: Any, error: type[ReadError], path: str
) -> None:
    with pytest.raises(error) as raised:
        converter(source="openai-chat", target="anthropic", policy="ignore")(record)
    assert raised.value.path.startswith(path)


def test_a_form_that_is_named_is_asked_for() -> None:
    with pytest.raises(ReadError, match="form exchange"):
        converter(form="exchange", target="anthropic")(REQUEST)
