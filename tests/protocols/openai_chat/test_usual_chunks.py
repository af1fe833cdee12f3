"""Most chunks of a stream take a short way; what it reads is what the general way reads."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import dragoman
from dragoman.protocols.openai_chat.answer_read import ChatReader, ChoiceReader
from dragoman.stream.arguments import StreamedCalls

WIRE = "groq"  # whose chunks may have a field of the host's own
PIECES = st.sampled_from(["", "{", '"a": 1', "}"])
FUNCTIONS = st.fixed_dictionaries({"arguments": PIECES}) | st.fixed_dictionaries(
    {}, optional={"name": st.sampled_from(["", "f"]), "arguments": PIECES | st.none()}
)
CALLS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"index": st.sampled_from([0, 0, 1, None]), "function": FUNCTIONS},
    optional={"id": st.sampled_from(["", "call_1", "call_2"]), "type": st.just("function")},
)
DELTAS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"content": st.sampled_from(["", "a", " b", None])}),
    st.fixed_dictionaries({"tool_calls": st.lists(CALLS, min_size=1, max_size=2)}),
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.just("assistant"),
            "content": st.sampled_from(["c", ["d"]]),
            "reasoning_content": st.sampled_from(["", "thought"]),
            "tool_calls": st.lists(CALLS, max_size=1),
            "new": st.integers(0, 1),
        },
    ),
)
CHOICES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"delta": DELTAS, "index": st.sampled_from([0, 0, 0, 1, None, -1, True])},
    optional={
        "finish_reason": st.sampled_from([None, None, "", "stop", "tool_calls"]),
        "logprobs": st.sampled_from([None, {}, {"content": []}]),
        "error": st.sampled_from([None, {"message": "no"}]),
        "new": st.integers(0, 1),
    },
)
CHUNKS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "object": st.sampled_from(["chat.completion.chunk"] * 4 + ["chat.completion"]),
        "choices": st.lists(CHOICES, min_size=1, max_size=1) | st.lists(CHOICES, max_size=2),
    },
    optional={
        "id": st.sampled_from(["one", "two"]),
        "obfuscation": st.text(max_size=3),
        "usage": st.sampled_from([None, {}, {"prompt_tokens": 1, "completion_tokens": 2}]),
        "new": st.sampled_from([None, 0, 1]),
        "x_groq": st.sampled_from([{}, {"usage": {"prompt_tokens": 1}}, {"error": "no"}]),
    },
)


def read(chunks: list[dict[str, Any]]) -> tuple[str, Any]:
    decoder = dragoman.wire(WIRE).stream_decoder()
    # as text, for errors are never equal
    return repr([decoder.feed(chunk) for chunk in chunks]), repr(decoder.finish())


def fragments(*functions: dict[str, Any]) -> list[dict[str, Any]]:
    """Chunks with one fragment of a call each."""
    calls = [{"index": 0, "function": function} for function in functions]
    return [
        {
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"tool_calls": [call]}}],
        }
        for call in calls
    ]


@example(fragments({"arguments": ""}, {"arguments": ""}), 1)
@example(fragments({"name": "f"}, {"name": "g", "arguments": "{}"}), 1)
@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
@given(chunks=st.lists(CHUNKS, max_size=3), repeats=st.sampled_from([1, 3]))
def test_the_short_way_reads_the_same(chunks: list[dict[str, Any]], repeats: int) -> None:
    stream = [chunk for chunk in chunks for _ in range(repeats)]
    short = read(stream)
    never = property(lambda _: None, lambda _, frame: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ChatReader, "_frame", never, raising=False)
        patch.setattr(ChoiceReader, "_frame", never, raising=False)
        patch.setattr(StreamedCalls, "has", lambda _self, _index: False)
        general = read(stream)
    assert short == general
