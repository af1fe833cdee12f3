"""read_stream and aread_stream: what goes in, what comes out, and how a loop may be left."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import dragoman
from dragoman import ConfigError, ReadError, StreamError, Tool
from dragoman.message import ThinkingBlock, ToolUseBlock
from dragoman.stream.events import StreamEvent
from dragoman.stream.framing import Decoder, ServerEvent
from dragoman.stream.pieces import Part

from .streaming import BODY, CHUNKS, FAILED, sse

DONE = b"data: [DONE]\n\n"
WIRE = dragoman.wire("openai-chat")
EXPECTED = WIRE.read_stream([BODY])
EVENTS = list(EXPECTED)


def short(events: list[StreamEvent]) -> list[tuple[str, str]]:
    """Types and texts; neighbours of one type as one, however they were cut."""
    made: list[tuple[str, str]] = []
    for event in events:
        if made and made[-1][0] == event.type:
            made[-1] = (event.type, made[-1][1] + event.text)
        else:
            made.append((event.type, event.text))
    return made


class Source:
    """Chunks that know whether they were closed, and may break."""

    def __init__(self, chunks: list[Any], breaks: Exception | None = None) -> None:
        self.chunks = iter(chunks)
        self.breaks = breaks
        self.closed = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self.chunks)
        except StopIteration:
            if self.breaks is not None:
                raise self.breaks from None
            raise

    async def __anext__(self) -> Any:
        await asyncio.sleep(0)
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None

    def close(self) -> None:
        self.closed += 1

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        self.closed += 1


async def alisted(stream: Any) -> list[StreamEvent]:
    return [event async for event in stream]


def test_the_events_and_the_answer_behind_the_last() -> None:
    assert short(EVENTS) == [
        ("thinking-start", ""), ("thinking-delta", "Hm."), ("thinking-end", ""),
        ("text-start", ""), ("text-delta", "Let me look."), ("text-end", ""),
        ("tool-start", ""), ("tool-delta", '{"city": "Samarkand"}'), ("tool-end", ""),
        ("finish", ""),
    ]  # fmt: skip
    resp = EXPECTED.response
    assert EVENTS[-1].response is resp
    assert EXPECTED.error is None
    assert (resp.status, resp.finish.reason, resp.usage.output) == ("complete", "tool_calls", 4)
    [end] = [event.block for event in EVENTS if event.type == "tool-end"]
    assert [end] == resp.calls
    assert resp.calls[0].input == {"city": "Samarkand"}


def test_a_stream_is_the_sum_that_its_decoder_makes() -> None:
    decoder = WIRE.stream_decoder()
    for one in CHUNKS:
        decoder.feed(one)
    assert decoder.finish() == EXPECTED.response


def _objects(chunks: list[Any]) -> list[Any]:
    from openai.types.chat import ChatCompletionChunk

    return [ChatCompletionChunk.construct(**one) for one in chunks]


FORMS: dict[str, Callable[[], list[Any]]] = {
    "one body": lambda: [BODY],
    "single bytes": lambda: [BODY[i : i + 1] for i in range(len(BODY))],
    "bytearrays": lambda: [bytearray(BODY[:99]), memoryview(BODY)[99:]],
    "parsed": lambda: CHUNKS,
    "named": lambda: [(None, one) for one in CHUNKS],
    "named texts": lambda: [("chunk", json.dumps(one)) for one in CHUNKS],
    "server events": lambda: list(Decoder().feed(BODY)),
    "made server events": lambda: [ServerEvent(None, json.dumps(one)) for one in CHUNKS],
    "another's server events": lambda: [
        SimpleNamespace(event="message", data=json.dumps(one), id="", retry=None) for one in CHUNKS
    ],
    "objects": lambda: _objects(CHUNKS),
    "mixed": lambda: [CHUNKS[0], sse(CHUNKS[1:])],
}


@pytest.mark.parametrize("form", FORMS)
def test_whatever_form_it_comes_in(form: str) -> None:
    if form == "objects":
        pytest.importorskip("openai")
    stream = WIRE.read_stream(FORMS[form]())
    assert short(list(stream)) == short(EVENTS)
    assert stream.response == EXPECTED.response
    arriving = WIRE.aread_stream(Source(FORMS[form]()))
    assert short(asyncio.run(alisted(arriving))) == short(EVENTS)
    assert arriving.response == EXPECTED.response


def test_calls_have_the_names_of_the_tools() -> None:
    tool = Tool("look.up", "Looks up.", [])
    stream = WIRE.read_stream([BODY], [tool])
    named = [event.block["name"] for event in stream if event.block is not None]
    assert named == ["look.up", "look.up"]
    assert stream.response.calls[0].name == "look.up"


def test_pieces_carry_the_names_of_the_tools_to_an_encoder() -> None:
    tool = Tool("look.up", "Looks up.", [])
    pieces = WIRE.stream_decoder([tool]).feed_bytes(BODY)
    named = [p.block.name for p in pieces if type(p) is Part and type(p.block) is ToolUseBlock]
    assert [name for name in named if name] == ["look.up"]
    encoder = dragoman.wire("anthropic").stream_encoder()
    events = [event for piece in pieces for event in encoder.feed(piece)] + encoder.finish()
    assert "'name': 'look.up'" in str(events)
    assert "'stop_reason': 'tool_use'" in str(events)


# -- leaving early ----------------------------------------------------------------------------


def test_a_loop_that_is_left_can_be_gone_on_with() -> None:
    source = Source(CHUNKS)
    stream = WIRE.read_stream(source)
    first = []
    for event in stream:
        first.append(event)
        if event.type == "text-delta":
            break
    assert source.closed == 0
    assert stream.partial.text == "Let me "
    assert stream.partial.status == "interrupted"
    with pytest.raises(ConfigError, match="not read to its end"):
        _ = stream.response
    assert short([*first, *stream]) == short(EVENTS)
    assert stream.partial is stream.response
    assert list(stream) == []


def test_close_closes_the_source_and_keeps_what_came() -> None:
    source = Source(CHUNKS)
    stream = WIRE.read_stream(source)
    while next(stream).type != "tool-delta":
        pass
    stream.close()
    assert source.closed > 0
    assert list(stream) == []
    assert stream.partial.text == "Let me look."
    [call] = stream.partial.msg.calls
    assert (call.unfinished, call.raw_input) == (True, '{"city": "Sama')
    assert stream.partial.calls == []


@pytest.mark.parametrize("begun", [True, False])
def test_a_with_block_closes_what_was_begun_or_not(begun: bool) -> None:
    source = Source(CHUNKS)
    with WIRE.read_stream(source) as stream:
        if begun:
            next(stream)
    assert source.closed > 0


def test_a_source_without_close_can_be_left_too() -> None:
    stream = WIRE.read_stream(iter(CHUNKS))
    next(stream)
    stream.close()
    assert stream.partial.msg.blocks != []


def test_a_generator_as_source_is_ended() -> None:
    ended = []

    def chunks() -> Iterator[bytes]:
        try:
            yield BODY[:900]
            yield BODY[900:]
        finally:
            ended.append(True)

    with WIRE.read_stream(chunks()) as stream:
        next(stream)
    assert ended == [True]


def test_leaving_asynchronously() -> None:
    async def left(source: Source) -> Any:
        async with WIRE.aread_stream(source) as stream:
            async for event in stream:
                if event.type == "text-delta":
                    break
            assert source.closed == 0
        assert [event async for event in stream] == []
        return stream

    source = Source(CHUNKS)
    stream = asyncio.run(left(source))
    assert source.closed > 0
    assert stream.partial.text == "Let me "

    async def unbegun(source: Source) -> None:
        await WIRE.aread_stream(source).aclose()

    source = Source(CHUNKS)
    asyncio.run(unbegun(source))
    assert source.closed > 0


def test_an_asynchronous_source_that_has_only_close() -> None:
    class Client:
        closed = False

        async def __aiter__(self) -> AsyncIterator[Any]:
            for one in CHUNKS:
                yield one

        async def close(self) -> None:
            self.closed = True

    async def read(client: Client) -> None:
        async with WIRE.aread_stream(client) as stream:
            await anext(stream)

    client = Client()
    asyncio.run(read(client))
    assert client.closed


def test_a_task_that_is_cancelled_closes_the_source() -> None:
    class Slow(Source):
        async def __anext__(self) -> Any:
            await asyncio.sleep(30 if self.closed == 0 and not self.left else 0)
            self.left -= 1
            return next(self)

        left = 5

    async def cancelled(source: Slow) -> Any:
        stream = WIRE.aread_stream(source)
        task = asyncio.ensure_future(alisted(stream))
        for _ in range(50):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return stream

    source = Slow(CHUNKS)
    stream = asyncio.run(cancelled(source))
    assert source.closed > 0
    assert stream.partial.text == "Let me look."


# -- what goes wrong --------------------------------------------------------------------------


def test_what_the_connection_raises_passes_and_the_answer_so_far_stays() -> None:
    for breaks in (ConnectionError("reset"), TimeoutError("slow")):
        stream = WIRE.read_stream(Source(CHUNKS[:7], breaks))
        with pytest.raises(type(breaks)) as raised:
            list(stream)
        assert raised.value is breaks
        assert stream.partial.text == "Let me look."
        assert stream.decoder.snapshot() == stream.partial
        assert [call.unfinished for call in stream.partial.msg.calls] == [True]
        assert list(stream) == []
        arriving = WIRE.aread_stream(Source(CHUNKS[:7], breaks))
        with pytest.raises(type(breaks)):
            asyncio.run(alisted(arriving))
        assert arriving.partial == stream.partial


def test_a_stream_that_just_ends_was_interrupted() -> None:
    stream = WIRE.read_stream([sse(CHUNKS[:7])[: -len(DONE)]])
    events = list(stream)
    assert stream.response.status == "interrupted"
    assert events[-2].type == "tool-end"
    assert events[-2].block is not None
    assert events[-2].block["unfinished"] is True
    assert stream.response.calls == []


@pytest.mark.parametrize("name", ["openai-chat", "deepseek", "mistral"])
@pytest.mark.parametrize("reason", [None, ""])
def test_the_sign_of_the_end_ends_it_without_a_reason(name: str, reason: str | None) -> None:
    choice = {"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": reason}
    chunk = {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}
    bound = dragoman.wire(name)
    ended = bound.read_stream([sse([chunk])])
    types = [event.type for event in ended]
    assert (ended.response.status, ended.response.text) == ("complete", "Hi")
    assert types[-2:] == ["text-end", "finish"]
    message = {"role": "assistant", "content": "Hi"}
    body = {"id": "c", "object": "chat.completion", "model": "m", "choices": [
        {"index": 0, "message": message, "finish_reason": reason}]}  # fmt: skip
    whole = bound.read_response(body)
    assert (ended.response.finish.reason, whole.status) == (whole.finish.reason, "complete")
    cut = bound.read_stream([sse([chunk])[: -len(DONE)]])
    assert list(cut)
    assert cut.response.status == "interrupted"
    empty = bound.read_stream([DONE])
    assert list(empty)
    assert empty.response.status == "interrupted"  # nothing came that could have ended


def test_an_error_in_the_stream_is_told_by_the_answer() -> None:
    stream = WIRE.read_stream([sse([*CHUNKS[:5], FAILED])])
    assert short(list(stream))[-1] == ("finish", "")
    assert stream.response.status == "error"
    assert isinstance(stream.error, StreamError)
    assert stream.error.status == 503
    assert stream.error.response is stream.response
    assert stream.response.text == "Let me look."


@pytest.mark.parametrize("odd", [None, 7, 1.5, True, [], [{}], {}, {"a": 1}])
def test_an_event_that_nobody_knows_is_kept(odd: Any) -> None:
    told = [*CHUNKS[:3], (None, odd), *CHUNKS[3:]]
    parsed, sent = WIRE.read_stream(told), WIRE.read_stream([sse(CHUNKS[:3])[:-len(DONE)],
        f"data: {json.dumps(odd)}\n\n".encode(), sse(CHUNKS[3:])])  # fmt: skip
    assert short(list(parsed)) == short(list(sent)) == short(EVENTS)
    assert parsed.response.extras == sent.response.extras
    assert parsed.response.msg == EXPECTED.response.msg


def test_text_is_no_body() -> None:
    with pytest.raises(ReadError, match=r"not text \(iter_bytes\(\) of the HTTP client"):
        list(WIRE.read_stream([BODY.decode()]))
    with pytest.raises(ReadError, match="not text"):
        asyncio.run(alisted(WIRE.aread_stream(Source([BODY.decode()]))))


@pytest.mark.parametrize("chunks", ["data: x", b"data: x", {"a": 1}, 7, None, Source([]).__anext__])
def test_what_is_no_stream_is_refused_at_once(chunks: Any) -> None:
    with pytest.raises(ConfigError, match=r"is no iterable of chunks"):
        WIRE.read_stream(chunks)


def test_a_plain_iterable_does_not_arrive_asynchronously() -> None:
    chunks: Any = [BODY]
    with pytest.raises(ConfigError, match=r"await what a client gives; read_stream"):
        WIRE.aread_stream(chunks)


def test_a_broken_frame_ends_the_stream_with_an_error_of_ours() -> None:
    source = Source([b"\x00" * 64])
    stream = dragoman.wire("bedrock").read_stream(source)
    with pytest.raises(ReadError, match="prelude"):
        list(stream)
    assert source.closed > 0


# -- arguments while they arrive --------------------------------------------------------------


def test_arguments_so_far() -> None:
    stream = WIRE.read_stream(CHUNKS)
    seen = [stream.decoder.arguments(event.key) for event in stream if event.type == "tool-delta"]
    assert seen == [{"city": "Sama"}, {"city": "Samarkand"}]


def test_arguments_of_what_is_no_call() -> None:
    stream = WIRE.read_stream(CHUNKS)
    start = next(event for event in stream if event.type == "text-start")
    with pytest.raises(ReadError, match="text is no call"):
        stream.decoder.arguments(start.key)
    with pytest.raises(ReadError, match="nothing came under this key"):
        stream.decoder.arguments((7, 7))


def test_thinking_of_which_nothing_may_be_read_is_an_event() -> None:
    sealed = {"type": "redacted_thinking", "data": "c2VhbGVk"}
    chunks: list[Any] = [
        {"type": "message_start", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4",
            "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": sealed},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        {"type": "message_stop"},
    ]  # fmt: skip
    first, last = dragoman.wire("anthropic").read_stream(chunks)
    assert (first.type, last.type) == ("block", "finish")
    assert getattr(first, "block", None) == ThinkingBlock("", redacted="c2VhbGVk")
