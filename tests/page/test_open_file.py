"""What is in a file is judged by what stands in it: every kind that the page opens."""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from typing import Any
from zlib import crc32

import pytest

import dragoman
from dragoman import Msg, ReadError
from dragoman.agent_logs import read_session_log
from dragoman.gateway.telemetry.observed_exchange import ExchangeRecord, Kept
from dragoman.gateway.telemetry.recording import build_row
from dragoman.message import ChatRequest, dump
from dragoman.page.exchange import PageExchange
from dragoman.page.open_file import read_exchanges
from tests.agent_logs import test_atif, test_claude_code, test_codex, test_gemini_cli, test_opencode
from tests.agent_logs.jsonl import lines

from . import samples

_CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
_ANSWER = {
    "id": "chat-1", "object": "chat.completion", "created": 1, "model": "gpt-5.6",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "In France."}}],
}  # fmt: skip


def one(data: bytes | str | Any, name: str = "file.json") -> PageExchange:
    """The only exchange of a file."""
    text = data if isinstance(data, (bytes, str)) else json.dumps(data)
    [exchange] = read_exchanges(text if isinstance(text, bytes) else text.encode(), name)
    return exchange


def said(exchange: PageExchange) -> list[str]:
    texts = [m.text for m in exchange.messages]
    return [*texts, exchange.response.msg.text] if exchange.response is not None else texts


def test_a_request_of_any_wire_is_detected() -> None:
    exchange = one(samples.JOURNEY)
    assert (exchange.wire, exchange.shape) == ("anthropic", "")
    assert exchange.messages[1].text.startswith("How many passengers")


def test_an_answer_is_detected() -> None:
    exchange = one(_ANSWER)
    assert (exchange.wire, exchange.shape, exchange.request) == ("openai-chat", "whole", None)
    assert said(exchange) == ["In France."]


@pytest.mark.parametrize("name", ["answer.sse", "answer.txt", "stdin"])
def test_server_sent_events_are_a_stream(name: str) -> None:
    exchange = one(samples.STREAM, name)
    assert (exchange.wire, exchange.shape) == ("anthropic", "stream")
    assert said(exchange)[0].startswith("Most of them got off in **Vienna**")


def test_json_lines_of_events_are_a_stream() -> None:
    events = [
        {"model": "qwen3", "message": {"role": "assistant", "content": word}, "done": False}
        for word in ("In ", "France.")
    ]
    last = {"model": "qwen3", "message": {"role": "assistant", "content": ""}, "done": True,
            "done_reason": "stop"}  # fmt: skip
    exchange = one(samples.lines([*events, last]), "answer.ndjson")
    assert (exchange.wire, exchange.shape) == ("ollama", "stream")
    assert said(exchange) == ["In France."]


def test_a_list_of_events_is_a_stream() -> None:
    parts = [{"candidates": [{"content": {"role": "model", "parts": [{"text": word}]}}]}
             for word in ("In ", "France.")]  # fmt: skip
    exchange = one(parts)
    assert (exchange.wire, exchange.shape) == ("gemini", "stream")
    assert said(exchange) == ["In France."]


def _frame(event: str, payload: Any) -> bytes:
    """A frame of an AWS event stream: a prelude with a checksum, headers, a payload, a checksum."""
    headers = b""
    for name, value in ((":message-type", "event"), (":event-type", event),
                        (":content-type", "application/json")):  # fmt: skip
        headers += bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value))
        headers += value.encode()
    data = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(data), len(headers))
    body = prelude + struct.pack(">I", crc32(prelude)) + headers + data
    return body + struct.pack(">I", crc32(body))


def test_an_aws_event_stream_is_a_stream() -> None:
    frames = _frame("messageStart", {"role": "assistant"})
    frames += _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "In France."}})
    frames += _frame("messageStop", {"stopReason": "end_turn"})
    exchange = one(frames, "answer.bin")
    assert (exchange.wire, exchange.shape) == ("bedrock-converse", "stream")
    assert said(exchange) == ["In France."]


@pytest.mark.parametrize(
    "stored",
    [
        [m.to_dict() for m in (Msg.user("Hi"), Msg.assistant("Hello"))],
        dump(ChatRequest([Msg.user("Hi"), Msg.assistant("Hello")])),
        [dump(Msg.user("Hi")), dump(Msg.assistant("Hello"))],
    ],
)
def test_messages_of_ours_are_opened(stored: Any) -> None:
    exchange = one(stored)
    assert (exchange.wire, said(exchange)) == ("", ["Hi", "Hello"])


def test_messages_on_lines_are_one_conversation() -> None:
    rows = [m.to_dict() for m in (Msg.user("Hi"), Msg.assistant("Hello"))]
    assert said(one(samples.lines(rows), "chat.jsonl")) == ["Hi", "Hello"]


def test_a_bare_list_of_chat_messages_is_one_too() -> None:
    exchange = one(_CHAT)
    assert (exchange.wire, said(exchange)) == ("openai-chat", ["Hi", "Hello"])


def test_a_gateways_recording_has_both_sides() -> None:
    exchange = one(samples.lines([samples.gateway()]), "gateway.jsonl")
    assert (exchange.wire, exchange.shape, exchange.session) == ("anthropic", "whole", "books")
    assert exchange.upstream is not None
    assert exchange.upstream.wire == "deepseek"
    assert {loss["code"] for loss in exchange.losses} >= {
        "thinking.other_provider",
        "cache.unsupported",
    }
    assert said(exchange)[-1] == "In Vienna."


SESSIONS = {
    "claude-code": lines(test_claude_code.TURN),
    "codex": lines(test_codex.SESSION),
    "gemini-cli": lines(test_gemini_cli.SESSION),
    "opencode": json.dumps({"info": {"id": "ses_1"}, "messages": test_opencode.SESSION}),
    "atif": json.dumps({"schema_version": "ATIF-v1.8", "session_id": "s-4",
                        "agent": test_atif.AGENT, "steps": test_atif.STEPS}),
}  # fmt: skip


@pytest.mark.parametrize("agent", SESSIONS)
def test_a_session_log_is_one_conversation(agent: str) -> None:
    name = "log.json" if agent in ("opencode", "atif") else "log.jsonl"
    exchange = one(SESSIONS[agent], name)
    assert (exchange.agent, exchange.wire) == (agent, "")
    assert exchange.messages == read_session_log(SESSIONS[agent]).messages
    assert len(exchange.messages) > 3
    assert exchange.request is not None
    assert exchange.request.model is None  # every wire is asked for a model of its own


def test_what_a_gateway_writes_is_what_is_opened() -> None:
    row = samples.gateway()
    kept = Kept(
        json.dumps(row["request"]).encode(), bytearray(samples.STREAM.encode()),
        row["upstream"]["url_path"], json.dumps(row["upstream"]["request"]).encode(),
        bytearray(json.dumps(row["upstream"]["response"]).encode()), "sse", "json",
    )  # fmt: skip
    losses = dragoman.convert(samples.JOURNEY, "anthropic", "deepseek", policy="ignore").losses
    written = build_row(ExchangeRecord(
        "x-2", 1_795_520_620.0, "anthropic", "/v1/messages", "claude-opus-5-5", session="books",
        vendor="deepseek", upstream_protocol="openai-chat", upstream_model="deepseek-flash",
        status=200, upstream_status=200, losses=losses, kept=kept,
    ))  # fmt: skip
    exchange = one(samples.lines([written]), "2026-11-24-1.jsonl")
    assert (exchange.wire, exchange.shape, exchange.session) == ("anthropic", "stream", "books")
    assert exchange.upstream is not None
    assert exchange.upstream.wire == "deepseek"
    assert len(exchange.losses) == len(losses)
    assert said(exchange)[-1].startswith("Most of them got off")


def test_agents_that_were_called_follow_their_session() -> None:
    inner = [{**row, "isSidechain": True} for row in test_claude_code.TURN]
    rows = [
        *test_claude_code.TURN,
        *(
            {
                **row,
                "uuid": f"x{row['uuid']}",
                "parentUuid": row["parentUuid"] and f"x{row['parentUuid']}",
            }
            for row in inner
        ),
    ]
    log = read_session_log(lines(rows))
    exchanges = read_exchanges(lines(rows).encode(), "log.jsonl")
    assert len(exchanges) == 1 + len(log.sidechains) == 2
    assert exchanges[1].place == "log.jsonl: called agent 1"


def test_a_broken_line_does_not_close_the_others() -> None:
    rows = samples.lines([samples.SESSION[0]]) + b"{broken\n" + samples.lines([["nothing"]])
    good, broken, nothing = read_exchanges(rows, "log.jsonl")
    assert good.fault == ""
    assert broken.place == "log.jsonl:2"
    assert broken.fault
    assert "no conversation" in nothing.fault


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "nothing in it"),
        (b"  \n", "nothing in it"),
        (b"\xff\xfb", "no UTF-8"),
        (b"[]", "empty list"),
        (b"null", "null is no conversation"),
        (base64.b64decode(samples.CHART), "it is a PNG picture"),
        (gzip.compress(b"{}", mtime=0)[:-9], "breaks off"),
        (b"\x1f\x8b\x08" + bytes(20), "gzip file is broken"),
        (b"{", "JSON"),
        (b'{"a": 1}', "no wire"),
        (b"12", "no conversation"),
        (b'"text"', "no conversation"),
    ],
)
def test_what_is_no_conversation_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(ReadError, match=words):
        read_exchanges(data, "file.json")


def test_a_bom_and_odd_line_separators_are_read() -> None:
    row = json.dumps({"request": {**samples.JOURNEY}}, ensure_ascii=False)
    spaced = row.replace("briefly", "briefly\u2028")
    first, second = read_exchanges(f"\ufeff{spaced}\n{row}\n".encode(), "log.jsonl")
    assert "\u2028" in first.messages[0].text
    assert second.wire == "anthropic"


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(json.dumps(samples.JOURNEY).encode()),
        gzip.compress(b'{"model"') + gzip.compress(json.dumps(samples.JOURNEY).encode()[8:]),
        json.dumps(samples.JOURNEY).encode("utf-16"),
    ],
    ids=["gzip", "two parts", "UTF-16"],
)
def test_a_packed_file_is_opened(packed: bytes) -> None:
    assert one(packed).body == samples.JOURNEY


def test_a_packed_file_is_opened_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dragoman.page.open_file.MOST", 1000)
    with pytest.raises(ReadError, match="more than 1000 bytes"):
        read_exchanges(gzip.compress(b" " * 600) + gzip.compress(b" " * 600), "bomb.gz")


def test_a_file_of_very_many_parts_is_read_once_and_not_once_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What stands behind a part is not copied for it, or time would grow with its square."""
    given, usual = 0, zlib.decompressobj

    class Part:
        def __init__(self, window: int) -> None:
            self._part = usual(window)

        def decompress(self, data: Any, most: int) -> bytes:
            nonlocal given
            given += len(data)
            return self._part.decompress(data, most)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._part, name)

    monkeypatch.setattr("dragoman.page.open_file.zlib.decompressobj", Part)
    parts = [gzip.compress(json.dumps(samples.JOURNEY).encode()), *[gzip.compress(b" ")] * 5000]
    packed = b"".join(parts)
    assert one(packed).body == samples.JOURNEY
    assert given < 5000 * 5000
    with pytest.raises(ReadError, match="more than 10000 parts"):
        read_exchanges(packed * 2, "many.gz")


def test_events_are_a_stream_whatever_the_file_is_called() -> None:
    assert one(samples.STREAM, "answer.jsonl").shape == "stream"


def test_messages_of_chats_on_lines_are_one_conversation() -> None:
    exchange = one(samples.lines(_CHAT), "chat.jsonl")
    assert (exchange.wire, said(exchange)) == ("openai-chat", ["Hi", "Hello"])


def test_a_broken_line_among_messages_or_events_is_told() -> None:
    events = [{"model": "q", "message": {"role": "assistant", "content": "Hi"}, "done": True}]
    for rows in (_CHAT, [dump(Msg.user("Hi")), dump(Msg.assistant("Hello"))], events):
        good, broken = read_exchanges(samples.lines(rows) + b'{"role": "us', "chat.ndjson")
        assert said(good)[0] == "Hi"
        assert broken.place == f"chat.ndjson:{len(rows) + 1}"
        assert "JSON" in broken.fault
