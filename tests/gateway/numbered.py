"""An upstream whose answers are counted: every event says whose it is and which.

    python -m tests.gateway.numbered

prints the port. A request that holds `numbers 0007 500 0.01` gets, as a stream, 500 texts
`0007:0000 `, `0007:0001 ` and so on, one each 0.01 seconds, and as a whole answer one such text.
So whoever reads behind a gateway sees what was lost, came twice, out of order, or from another's
stream. Speaks Chat Completions and Messages, on the standard library alone, and parses nothing of a
request but its marks: on a small machine it must cost less than what it measures.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_MARK = re.compile(rb"numbers (\d{4}) (\d+) ([\d.]+)")
_STREAMED = re.compile(rb'"stream"\s*:\s*true')
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_NEAR = 2**14  # bytes at both ends of a request that are searched: 20 MB would delay other streams
_FOUND = re.compile(rb"(\d{4}):(\d{4}) ")
WORDS = "It is a long way, and most of it is road. " * 5


class Wire(NamedTuple):
    """How one wire says a text: whole, and as a stream's begin, piece and end."""

    whole: bytes
    begin: bytes
    piece: bytes
    end: bytes


def _event(data: bytes, kind: bytes = b"") -> bytes:
    return (b"event: " + kind + b"\n" if kind else b"") + b"data: " + data + b"\n\n"


def _chunk(delta: bytes, reason: bytes = b"null") -> bytes:
    return _event(
        b'{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,'
        b'"model":"gpt-4o","service_tier":"default","system_fingerprint":"fp_1","choices":[{'
        b'"index":0,"delta":' + delta + b',"logprobs":null,"finish_reason":' + reason + b"}]}"
    )


CHAT = Wire(
    whole=b'{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"gpt-4o",'
    b'"choices":[{"index":0,"message":{"role":"assistant","content":"%s'
    + WORDS.encode()
    + b'","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":20,"completion_tokens":50,"total_tokens":70,'
    b'"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},'
    b'"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}},'
    b'"service_tier":"default","system_fingerprint":"fp_1"}',
    begin=_chunk(b'{"role":"assistant","content":"","refusal":null}'),
    piece=_chunk(b'{"content":"%s"}'),
    end=_chunk(b"{}", b'"stop"')
    + _event(
        b'{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,'
        b'"model":"gpt-4o","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":50,'
        b'"total_tokens":70}}'
    )
    + _event(b"[DONE]"),
)
MESSAGES = Wire(
    whole=b'{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5",'
    b'"content":[{"type":"text","text":"%s' + WORDS.encode() + b'"}],"stop_reason":"end_turn",'
    b'"stop_sequence":null,"usage":{"input_tokens":20,"output_tokens":50,'
    b'"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}',
    begin=_event(
        b'{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",'
        b'"model":"claude-sonnet-4-5","content":[],"stop_reason":null,"stop_sequence":null,'
        b'"usage":{"input_tokens":20,"output_tokens":1,"cache_creation_input_tokens":0,'
        b'"cache_read_input_tokens":0}}}',
        b"message_start",
    )
    + _event(
        b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        b"content_block_start",
    ),
    piece=_event(
        b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"%s"}}',
        b"content_block_delta",
    ),
    end=_event(b'{"type":"content_block_stop","index":0}', b"content_block_stop")
    + _event(
        b'{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},'
        b'"usage":{"output_tokens":50}}',
        b"message_delta",
    )
    + _event(b'{"type":"message_stop"}', b"message_stop"),
)


def asked(stream: int, events: int = 1, pace: float = 0) -> str:
    """What a user says to get this stream, with so many events, one each `pace` seconds."""
    return f"numbers {stream:04} {events} {pace}"


def missed(body: bytes, stream: int, events: int = 1) -> str:
    """What is wrong with what a client got of this stream; empty where all is in its place."""
    expected = [(b"%04d" % stream, b"%04d" % number) for number in range(events)]
    found = [(one[1], one[2]) for one in _FOUND.finditer(body)]
    if found == expected:
        return ""
    strange = sum(whose != b"%04d" % stream for whose, _ in found)
    if strange:
        return f"stream {stream}: {strange} events of other streams"
    if sorted(set(found)) == expected:
        return f"stream {stream}: out of order, or twice"
    return f"stream {stream}: {len(set(found))} of {events} events; the end: {body[-200:]!r}"


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one connection, for as many requests as come."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            body = await reader.readexactly(int(length[1])) if length else b""
            path = head.split(b" ", 2)[1].partition(b"?")[0]
            wire = MESSAGES if path.endswith(b"/messages") else CHAT
            await _send(writer, wire, body)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass  # the client has gone
    finally:
        writer.close()


async def _send(writer: asyncio.StreamWriter, wire: Wire, body: bytes) -> None:
    if len(body) > 2 * _NEAR:
        body = body[:_NEAR] + body[-_NEAR:]
    mark = _MARK.findall(body)
    whose, events, pace = mark[-1] if mark else (b"0000", b"1", b"0")
    if not _STREAMED.search(body):
        whole = wire.whole % (whose + b":0000 ")
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        writer.write(head % len(whole) + whole)
        return
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
        b"transfer-encoding: chunked\r\n\r\n" + _chunked(wire.begin)
    )
    for number in range(int(events)):
        await asyncio.sleep(float(pace))
        writer.write(_chunked(wire.piece % (whose + b":%04d " % number)))
        await writer.drain()
    writer.write(_chunked(wire.end) + b"0\r\n\r\n")


def _chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


@contextmanager
def numbered() -> Iterator[str]:
    """The URL of such an upstream, which runs in a process of its own."""
    command = [sys.executable, "-m", "tests.gateway.numbered"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


if __name__ == "__main__":
    asyncio.run(_serve())
