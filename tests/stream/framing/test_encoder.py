"""What goes out in a framing is read in it again, whatever the cuts; clients of others read it."""

from __future__ import annotations

import base64
import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman.errors import ConfigError
from dragoman.stream.framing import CONTENT_TYPES, Decoder, Encoder, ServerEvent, encode
from tests.laws.encoding import encoded
from tests.laws.trees import json_values

FRAMINGS = sorted(CONTENT_TYPES)
EVENTS: list[tuple[str | None, Any]] = [
    ("messageStart", {"role": "assistant"}), ("contentBlockDelta", {"delta": {"text": "Né\u2028"}}),
    ("throttlingException", {"message": "Slow down."}), ("messageStop", {"stopReason": "end_turn"}),
]  # fmt: skip
names = st.none() | st.sampled_from(["ping", "message_start", "contentBlockDelta"])
events = st.lists(st.tuples(names, st.dictionaries(st.text(max_size=3), json_values, max_size=3)))


def read(body: bytes, framing: Any, cuts: list[int]) -> list[ServerEvent]:
    """The events of the body, cut at these places."""
    decoder = Decoder(framing)
    ends = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    made: list[ServerEvent] = []
    for start, end in pairwise(ends):
        made += decoder.feed(body[start:end])
    return made + decoder.flush()


@pytest.mark.parametrize("framing", FRAMINGS)
def test_no_events_are_a_body_too(framing: Any) -> None:
    body = encode([], framing)
    assert body == (b"[]" if framing == "json-array" else b"")
    assert read(body, framing, []) == []


@pytest.mark.parametrize("framing", FRAMINGS)
@settings(max_examples=40, deadline=None)
@given(told=events, cuts=st.lists(st.integers(0, 400), max_size=8))
def test_events_come_back_whatever_the_cuts(framing: Any, told: Any, cuts: list[int]) -> None:
    made = read(encode(told, framing), framing, cuts)
    assert [json.loads(one.data) for one in made] == [payload for _, payload in told]
    if framing == "sse":
        assert [one.event for one in made] == [name for name, _ in told]


@pytest.mark.parametrize("framing", FRAMINGS)
def test_another_encoder_is_read_alike(framing: Any) -> None:
    assert read(encode(EVENTS, framing), framing, []) == read(encoded(EVENTS, framing), framing, [])


def test_pieces_are_the_whole() -> None:
    encoder = Encoder("json-array")
    pieces = [encoder.feed(ServerEvent(None, text)) for text in ("{}", '{\n"a": 1}')]
    assert b"".join([*pieces, encoder.finish()]) == b'[{},\r\n{ "a": 1}]'


def test_lines_of_data_stay_one_event() -> None:
    body = encode([ServerEvent("a\nb", "one\r\ntwo\rthree"), ServerEvent(None, "[DONE]")])
    assert body == b"event: a b\ndata: one\ndata: two\ndata: three\n\ndata: [DONE]\n\n"
    assert read(body, "sse", [3, 9])[1] == ServerEvent(None, "[DONE]")


def test_half_of_a_character_is_spelled_as_json_spells_it() -> None:
    body = encode([(None, {"text": "\ud83d"})], "ndjson")
    assert json.loads(body.decode("utf-8")) == {"text": "\ud83d"}


def test_frames_are_read_by_the_client_of_aws() -> None:
    eventstream = pytest.importorskip("botocore.eventstream")
    buffer = eventstream.EventStreamBuffer()
    own = {"type": "message_start", "message": {}}
    buffer.add_data(encode([*EVENTS, ("message_start", own), (None, {"a": 1})], "aws-eventstream"))
    seen = [(one.headers, json.loads(one.payload)) for one in buffer]
    assert [headers.get(":event-type") for headers, _ in seen] == [
        "messageStart", "contentBlockDelta", None, "messageStop", "chunk", "chunk"]  # fmt: skip
    assert seen[2][0][":exception-type"] == "throttlingException"
    assert [headers[":message-type"] for headers, _ in seen[1:3]] == ["event", "exception"]
    assert [json.loads(base64.b64decode(payload["bytes"])) for _, payload in seen[4:]] == [
        own, {"a": 1}]  # fmt: skip


@pytest.mark.parametrize("target", ["openai-chat", "anthropic", "gemini", "bedrock-converse",
                                    "ollama", "openai-responses"])  # fmt: skip
def test_a_gateway_sends_what_the_target_s_clients_read(target: str) -> None:
    chunks = [
        {"type": "message_start", "message": {"id": "msg_1", "type": "message", "model": "m",
         "role": "assistant", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0,
         "delta": {"type": "text_delta", "text": "Sama\nrkand"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
         "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]  # fmt: skip
    wire = dragoman.wire(target)
    body = encode(dragoman.convert_stream(chunks, "anthropic", target), wire.room.framing)
    decoder = wire.stream_decoder()
    for at in range(0, len(body), 7):
        decoder.feed_bytes(body[at : at + 7])
    resp = decoder.finish()
    assert (resp.text, resp.finish.reason, resp.status) == ("Sama\nrkand", "stop", "complete")


def test_an_unknown_framing_is_refused() -> None:
    framing: Any = "smoke"
    with pytest.raises(ConfigError, match="smoke"):
        encode([], framing)
