"""Answers for clients of Interactions, whole and as streams."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import convert, convert_stream
from tests.laws.streams import STREAMS
from tests.laws.streams.gemini_interactions import created, ended, step

WIRE = dragoman.wire("gemini-interactions", policy="ignore")


def again(events: Any, source: str = "gemini-interactions") -> list[Any]:
    stream = convert_stream(iter(events), source, WIRE)
    return [(one.event, one.data if one.data == "[DONE]" else json.loads(one.data))
            for one in stream]  # fmt: skip


@pytest.mark.parametrize("events", STREAMS["gemini-interactions"][:2])
def test_a_stream_is_written_as_it_came(events: Any) -> None:
    assert again(events) == [(name, data) for name, data in events]


def test_contents_of_one_step_stay_in_it_and_its_fields_too() -> None:
    image = {"type": "image", "data": "iVBORw0KGgo=", "mime_type": "image/png"}
    texts = [{"type": "text", "text": text} for text in ("a", "b")]
    events = [
        *created(),
        *step(0, {"type": "model_output", "error": {"code": 13}}, [texts[0], image, texts[1]]),
        *step(1, {"type": "model_output"}, texts),
        ended("completed"),
        ("done", "[DONE]"),
    ]
    assert again(events) == events


@pytest.mark.parametrize("source", ["anthropic", "openai-responses", "openai-chat", "gemini"])
def test_streams_of_others_say_the_same_as_whole_answers(source: str) -> None:
    events = STREAMS[source][0]
    got = again(events, source)
    names = [name for name, _ in got]
    assert names[:2] == ["interaction.created", "interaction.status_update"]
    assert names[-2:] == ["interaction.completed", "done"]
    indexes = [data["index"] for name, data in got if name == "step.start"]
    assert indexes == [data["index"] for name, data in got if name == "step.stop"]
    assert indexes == [*range(len(indexes))]
    decoder = WIRE.stream_decoder()
    for name, data in got:
        decoder.feed(data, name)
    read = decoder.finish()
    theirs = dragoman.wire(source).stream_decoder()
    for one, payload in events:
        theirs.feed(payload, one)
    resp = theirs.finish()
    assert read.text == resp.text
    assert [(c.name, c.input) for c in read.calls] == [(c.name, c.input) for c in resp.calls]
    assert read.finish.reason == resp.finish.reason
    body = WIRE.write_response(resp).body
    assert WIRE.read_response(body).text.replace("\n", "") == resp.text.replace("\n", "")


def test_an_answer_of_another_wire() -> None:
    message = {"role": "assistant", "content": "There.", "refusal": None}
    answer = {"id": "c", "object": "chat.completion", "created": 1795309200, "model": "gpt-5.6",
              "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
              "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}  # fmt: skip
    out = convert(answer, "openai-chat", WIRE, "response")
    assert out.body == {
        "id": "c", "status": "completed", "object": "interaction", "model": "gpt-5.6",
        "created": "2026-11-22T01:00:00Z", "updated": "2026-11-22T01:00:00Z",
        "steps": [{"type": "model_output", "content": [{"type": "text", "text": "There."}]}],
        "usage": {"total_input_tokens": 3, "total_cached_tokens": 0, "total_output_tokens": 2,
                  "total_thought_tokens": 0, "total_tokens": 5},
    }  # fmt: skip
    assert not [loss for loss in out.losses if loss.kind != "expected"]


def test_citations_of_others_count_bytes_here() -> None:
    page = {"type": "url_citation", "url": "https://example.com", "title": "t", "start_index": 0,
            "end_index": 2}  # fmt: skip
    content = [{"type": "output_text", "text": "Üb.", "annotations": [page]}]
    answer = {"id": "r", "object": "response", "status": "completed", "model": "gpt-5.6",
              "output": [{"type": "message", "id": "m", "status": "completed",
                          "role": "assistant", "content": content}]}  # fmt: skip
    out = convert(answer, "openai-responses", WIRE, "response").body
    [said] = out["steps"][0]["content"]
    assert said["annotations"] == [{**page, "end_index": 3}]
