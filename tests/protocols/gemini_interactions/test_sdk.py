"""What the official SDK makes of bodies, answers and events, and what we make of its objects."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from tests.fuzz.seeds import ANSWERS
from tests.laws.streams import STREAMS

WIRE = dragoman.wire("gemini-interactions", policy="ignore")
ANSWER: dict[str, Any] = ANSWERS["gemini-interactions"][0]


def sdk(name: str) -> Any:
    pytest.importorskip("google.genai")
    from google.genai import interactions

    return getattr(interactions, name)


def test_an_object_of_the_sdk_is_the_answer() -> None:
    made = sdk("Interaction").model_validate(ANSWER)
    read = WIRE.read_response(made)
    assert read.msg.blocks == WIRE.read_response(ANSWER).msg.blocks
    assert read.usage.total == 29


def test_events_of_the_sdk_are_the_stream() -> None:
    import pydantic

    union = pydantic.TypeAdapter(sdk("InteractionSSEEvent"))
    for events in STREAMS["gemini-interactions"][:2]:
        ours, theirs = WIRE.stream_decoder(), WIRE.stream_decoder()
        for name, data in events:
            ours.feed(data, name)
            theirs.feed(union.validate_python(data) if isinstance(data, dict) else data, name)
        one, two = ours.finish(), theirs.finish()
        assert two.msg.blocks == one.msg.blocks
        assert (two.finish, two.usage.total) == (one.finish, one.usage.total)


@pytest.mark.parametrize("wire", sorted(ANSWERS))
def test_answers_of_other_wires_are_interactions_to_the_sdk(wire: str) -> None:
    unknown = ("UnknownStep", "UnknownContent", "UnknownAnnotation")
    for body in ANSWERS[wire]:
        out = dragoman.convert(body, wire, WIRE, "response").body
        made = sdk("Interaction").model_validate(out)
        assert made.status in ("completed", "requires_action", "incomplete", "failed")
        for step in made.steps:
            assert type(step).__name__ not in unknown
            for content in getattr(step, "content", None) or ():
                assert type(content).__name__ not in unknown


@pytest.mark.parametrize("wire", sorted(STREAMS))
def test_streams_of_other_wires_are_events_to_the_sdk(wire: str) -> None:
    import pydantic

    union = pydantic.TypeAdapter(sdk("InteractionSSEEvent"))
    for events in STREAMS[wire]:
        for event in dragoman.convert_stream(iter(events), wire, WIRE):
            if event.data != "[DONE]":
                made = union.validate_json(event.data)
                assert made.event_type == event.event
