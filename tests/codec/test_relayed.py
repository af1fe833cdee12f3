"""ConvertedStream: what the events of a converted stream lost, and what may be lost of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import dragoman
from dragoman import ConfigError, LossRefused, Policy, ReadError
from dragoman.stream.framing import encode
from dragoman.vendors import PROTOCOLS
from tests.cases.reading import chunk
from tests.each_case import each_case

HELLO = [{**chunk({"role": "assistant", "content": "Hel"}), "system_fingerprint": "fp"},
         chunk({"content": "lo"}), chunk({}, "stop")]  # fmt: skip
EVENT = "data: " + json.dumps(HELLO[0]) + "\n\n"


def test_losses_and_the_answer_stand_beside_the_events() -> None:
    stream = dragoman.convert_stream(HELLO, "openai-chat", "anthropic")
    assert stream.losses == []
    with pytest.raises(ConfigError) as caught:
        _ = stream.response
    assert caught.value.code == "stream.unread"
    assert next(stream).event == "message_start"
    assert [one.event for one in stream][-1] == "message_stop"
    assert (stream.response.text, stream.response.status) == ("Hello", "complete")
    assert ("extras.other_provider", "dropped", "$.extras.openai-chat.system_fingerprint") in [
        (one.code, one.kind, one.where) for one in stream.losses]  # fmt: skip


@pytest.mark.parametrize("target", ["anthropic", dragoman.wire("anthropic", policy="refuse")])
def test_a_policy_refuses_before_the_event_that_loses(target: Any) -> None:
    policy: Any = None if isinstance(target, dragoman.Wire) else "refuse"
    with pytest.raises(LossRefused) as caught:
        next(dragoman.convert_stream(HELLO, "openai-chat", target, policy=policy))
    assert {one.code for one in caught.value.losses} == {"extras.other_provider"}
    allowed = Policy(refuse=("dropped",), allow=("extras.*",))
    assert list(dragoman.convert_stream(HELLO, "openai-chat", target, policy=allowed))


def test_a_policy_collects_at_the_end() -> None:
    seen: list[Any] = []
    policy = Policy(collect=seen.append)
    stream = dragoman.convert_stream(HELLO, "openai-chat", "anthropic", policy=policy)
    next(stream)
    assert seen == []
    assert list(stream)
    assert [one.where for one in seen] == [one.where for one in stream.losses]


@each_case("source", [name for name in PROTOCOLS if name != "mistral"])
@each_case("size", [0, 1, 7, 10_000])
def test_whose_stream_it_is_is_seen(source: str, size: int) -> None:
    events = list(dragoman.convert_stream(HELLO, "openai-chat", source))
    chunks: Any = events
    if size:
        body = encode(events, dragoman.wire(source).room.framing)
        chunks = (body[i : i + size] for i in range(0, len(body), size))
    stream = dragoman.convert_stream(chunks, "auto", "anthropic")
    assert list(stream) == list(dragoman.convert_stream(events, source, "anthropic"))
    assert stream.response.text == "Hello"


@pytest.mark.parametrize("chunks", [
    [], [b""], [b"<html>502</html>"], [b": ping\n\n"], [{"hello": 1}] * 100, [None],
    [b'{"error": {"message": "no"}}'],
])  # fmt: skip
def test_a_stream_of_nobody_is_not_guessed(chunks: Any) -> None:
    with pytest.raises(ReadError) as caught:
        list(dragoman.convert_stream(chunks, "auto", "anthropic"))
    assert caught.value.code == "stream.shape"
    assert caught.value.hint


@each_case("source", ["openai-chat", "openai-responses", "anthropic", "gemini",
                                    "ollama", "cohere"])  # fmt: skip
@each_case("chunks", [
    [], [b""], [b"<html>502</html>"], [b": ping\n\n"], [None], [{"hello": 1}],
    [b"data: hello\n\n"],
])  # fmt: skip
def test_what_is_no_stream_is_no_empty_answer(source: str, chunks: Any) -> None:
    """A gateway would send 200 and nothing: the page of a proxy, or a connection that broke."""
    with pytest.raises(ReadError) as caught:
        list(dragoman.convert_stream(chunks, source, "anthropic"))
    assert caught.value.code == "stream.shape"
    assert source in str(caught.value)
    page = b"<html>502</html>" in chunks
    assert ("<html>502" in str(caught.value)) == page
    assert ("nothing came" in str(caught.value)) == (chunks in ([], [b""]))


def test_an_error_of_the_provider_is_an_event() -> None:
    body = b'{"error": {"message": "Slow down.", "type": "rate_limit_error"}}'
    (event,) = dragoman.convert_stream([body], "openai-chat", "anthropic")
    assert event.event == "error"
    assert "Slow down." in event.data


@each_case("cut", range(len(EVENT), len(EVENT) * 2, 9))
def test_what_breaks_off_has_begun(cut: int) -> None:
    body = (EVENT * 2).encode()[:cut]
    stream = dragoman.convert_stream([body], "openai-chat", "anthropic")
    assert next(stream).event == "message_start"
    assert "message_stop" not in [one.event for one in stream]
    assert stream.response.status == "interrupted"


@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "anthropic", "gemini",
                                    "ollama", "mistral", "dashscope"])  # fmt: skip
@pytest.mark.parametrize("named", [True, False])
def test_the_model_that_clients_see(target: str, named: bool) -> None:
    chunks = [{**one, "model": "theirs"} if named else
              {key: value for key, value in one.items() if key != "model"}
              for one in HELLO]  # fmt: skip
    stream = dragoman.convert_stream(chunks, "openai-chat", target, model="shown")
    text = " ".join(event.data for event in stream)
    assert '"shown"' in text
    assert '"theirs"' not in text
    assert stream.response.model == ("theirs" if named else None)


class Source:
    """An answer that is read from a connection."""

    def __init__(self) -> None:
        self.closed = 0
        self.chunks = iter(HELLO)

    def __iter__(self) -> Iterator[Any]:
        return self.chunks

    def close(self) -> None:
        self.closed += 1


def test_whoever_leaves_closes_the_connection() -> None:
    source = Source()
    with dragoman.convert_stream(source, "openai-chat", "anthropic") as stream:
        next(stream)
        assert not source.closed
    assert source.closed
    assert list(stream) == []
    source = Source()
    with pytest.raises(LossRefused):
        list(dragoman.convert_stream(source, "openai-chat", "anthropic", policy="refuse"))
    assert source.closed


def test_a_wire_that_is_none_is_told_at_once() -> None:
    for source, target in (("nobody", "anthropic"), ("anthropic", "nobody")):
        with pytest.raises(ConfigError):
            dragoman.convert_stream([], source, target)
    with pytest.raises(ConfigError):
        dragoman.convert_stream(b"data: 1", "openai-chat", "anthropic")
