"""A scripted transport answers every wire in its own words, and keeps what it was asked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ChatResponse, Msg, ProviderError, Wire
from dragoman.errors import ConfigError, ConnectionFailed, StreamBroken
from dragoman.message import (
    Candidate,
    Finish,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
    Written,
)
from dragoman.testing import Fault, Scripted
from dragoman.transport.call import AsyncTransport, Timeouts, Transport
from dragoman.vendors import PROTOCOLS
from tests.testing.calls import CALL, WARMTH, asked, call_of, written

NEVER = Timeouts()
EACH = pytest.mark.parametrize("name", PROTOCOLS)
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def answered(
    script: Scripted, wire: Wire, out: Written, stream: bool, **headers: str
) -> ChatResponse:
    call = call_of(out, **headers)
    if not stream:
        reply = script.send(call, NEVER)
        return wire.read_response(reply.body, request=out, status=reply.status)
    with script.stream(call, NEVER) as reply_in_pieces:
        read = wire.read_stream(iter(reply_in_pieces), request=out)
        assert len(list(read)) > 1
        return read.response


def test_it_is_a_transport_of_both_kinds() -> None:
    assert isinstance(Scripted(), Transport)
    assert isinstance(Scripted(), AsyncTransport)


@EACH
@BOTH
def test_a_text_is_the_answer_on_every_wire(name: str, stream: bool) -> None:
    script = Scripted("It is warm in Samarkand.")
    wire, out = written(name, asked(stream))
    answer = answered(script, wire, out, stream)
    assert answer.text == "It is warm in Samarkand."
    assert (answer.status, answer.finish.reason) == ("complete", "stop")
    assert script.remaining == 0
    assert [req.messages[-1].text for req in script.requests] == ["How warm is it?"]


@EACH
@BOTH
def test_calls_are_answers_too(name: str, stream: bool) -> None:
    req = asked(stream, tools=[WARMTH])
    wire, out = written(name, req)
    forms: list[Any] = [
        ToolUseBlock("call_1", "warmth", {"city": "Samarkand"}),
        [TextBlock("Let me see."), ToolUseBlock("call_1", "warmth", {"city": "Samarkand"})],
        Msg("Friday", [CALL], "assistant"),
    ]
    for form in forms:
        script = Scripted(form)
        answer = answered(script, wire, out, stream)
        assert [(call.name, call.input) for call in answer.calls] == [
            ("warmth", {"city": "Samarkand"})
        ]
        assert answer.finish.reason == "tool_calls"
        assert [getattr(tool, "name", "") for tool in script.requests[0].tools] == ["warmth"]


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses", "anthropic", "gemini"])
@BOTH
def test_a_whole_response_with_its_figures(name: str, stream: bool) -> None:
    msg = Msg("Friday", [TextBlock("It is"), TextBlock(" warm.")], "assistant")
    resp = ChatResponse([Candidate(msg, Finish("length"))], Usage(input=12, output=3), id="x_1")
    wire, out = written(name, asked(stream))
    answer = answered(Scripted(resp), wire, out, stream)
    assert answer.text == "It is warm."
    assert answer.finish.reason == "length"
    assert (answer.usage.input, answer.usage.output) == (12, 3)
    assert answer.model == out.model


def test_thinking_streams_as_well() -> None:
    wire, out = written("anthropic", asked(True))
    said = Msg("Friday", [ThinkingBlock("Well.", "c2ln"), TextBlock("It is warm.")], "assistant")
    answer = answered(Scripted(said), wire, out, True)
    assert [block.type for block in answer.msg.blocks] == ["thinking", "text"]


@EACH
def test_an_error_of_the_providers_has_its_own_form(name: str) -> None:
    error = ProviderError("slow down", status=429, type="rate_limit_error")
    wire, out = written(name, asked())
    reply = Scripted(Fault(error, headers={"Retry-After": "2"})).send(call_of(out), NEVER)
    assert reply.status == 429
    assert reply.headers["retry-after"] == "2"
    read = wire.error(reply.status, reply.body)
    assert read.message == "slow down"
    assert read.kind == "rate_limit"


def test_an_error_without_a_status_is_raised_as_it_is() -> None:
    _, out = written("openai-chat", asked())
    for error in (ConnectionFailed("no route"), OSError("gone")):
        with pytest.raises(type(error)) as caught:
            Scripted(error).send(call_of(out), NEVER)
        assert caught.value is error


def test_a_function_sees_the_request() -> None:
    def echo(req: ChatRequest) -> str:
        return f"{req.messages[-1].text} {req.options.max_tokens}"

    wire, out = written("cohere", asked(options={"max_tokens": 9}))
    assert answered(Scripted(echo), wire, out, False).text == "How warm is it? 9"


def test_answers_come_in_order_and_end() -> None:
    wire, out = written("openai-chat", asked())
    script = Scripted("one", "two")
    assert [answered(script, wire, out, False).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ConfigError) as caught:
        script.send(call_of(out), NEVER)
    assert caught.value.code == "testing.exhausted"
    script = Scripted("one", "last", repeat=True)
    texts = [answered(script, wire, out, False).text for _ in range(3)]
    assert texts == ["one", "last", "last"]


def test_what_is_no_answer_is_refused() -> None:
    _, out = written("openai-chat", asked())
    with pytest.raises(ConfigError) as caught:
        Scripted(42).send(call_of(out), NEVER)  # type: ignore[arg-type]
    assert caught.value.code == "testing.answer"


def test_the_address_tells_whose_wire_it_is() -> None:
    wire, out = written("mistral", asked())
    known = Scripted("Hi.").send(call_of(out, "https://api.mistral.ai/v1"), NEVER)
    assert known.body == Scripted("Hi.", wire="mistral").send(call_of(out), NEVER).body
    told = Scripted("Hi.", wire="mistral").send(call_of(out), NEVER)
    assert wire.read_response(told.body).text == "Hi."


@EACH
def test_a_stream_may_be_cut(name: str) -> None:
    wire, out = written(name, asked(True))
    script = Scripted(Fault("It is warm in Samarkand.", cut=4))
    stream = script.stream(call_of(out), NEVER)
    chunks: list[bytes] = []
    with pytest.raises(StreamBroken):
        chunks.extend(stream)  # it keeps what came before the break
    assert len(chunks) == 4
    decoder = wire.stream_decoder(request=out)
    for chunk in chunks:
        decoder.feed_bytes(chunk)
    assert decoder.finish().status == "interrupted"


@EACH
def test_a_stream_may_hold_an_error(name: str) -> None:
    wire, out = written(name, asked(True))
    error = ProviderError("too busy", status=529, type="overloaded_error")
    fault = Fault("It is warm in Samarkand.", error=error, after=3)
    read = wire.read_stream(iter(Scripted(fault).stream(call_of(out), NEVER)), request=out)
    list(read)
    assert read.response.status == "error"
    assert read.response.error is not None
    assert "too busy" in read.response.error.message


@EACH
def test_a_stream_may_be_malformed(name: str) -> None:
    _, out = written(name, asked(True))
    good = b"".join(Scripted("It is warm.").stream(call_of(out), NEVER))
    bad = b"".join(Scripted(Fault("It is warm.", malformed=2)).stream(call_of(out), NEVER))
    assert bad != good
    assert len(bad) > len(good) or name == "gemini"


def test_a_whole_answer_may_be_broken_too() -> None:
    _, out = written("openai-chat", asked())
    with pytest.raises(ConnectionFailed):
        Scripted(Fault("Hi.", cut=5)).send(call_of(out), NEVER)
    half = Scripted(Fault("Hi.", malformed=1)).send(call_of(out), NEVER)
    with pytest.raises(dragoman.ReadError):
        dragoman.wire("openai-chat").read_response(half.body)


def test_in_a_loop() -> None:
    async def main() -> None:
        script = Scripted("It is warm.", "It is warm.", Fault("It is warm.", cut=2, pause=0.001))
        wire, out = written("openai-chat", asked(True))
        whole = written("openai-chat", asked())
        reply = await script.asend(call_of(whole[1]), NEVER)
        assert wire.read_response(reply.body).text == "It is warm."
        async with await script.astream(call_of(out), NEVER) as stream:
            read = wire.aread_stream(stream, request=out)
            async for _ in read:
                pass
            assert read.response.text == "It is warm."
        with pytest.raises(StreamBroken):
            await (await script.astream(call_of(out), NEVER)).read()
        await script.aclose()

    asyncio.run(main())


def test_who_closes_a_stream_reads_no_more_of_it() -> None:
    _, out = written("openai-chat", asked(True))
    stream = Scripted("It is warm.").stream(call_of(out), NEVER)
    pieces = iter(stream)
    next(pieces)
    stream.close()
    with pytest.raises(StreamBroken):
        next(pieces)


def test_arguments_are_streamed_as_text_as_hosts_do() -> None:
    """Claude Code takes no other: an input in `content_block_start` is nothing to it."""
    _, out = written("anthropic", asked(True, tools=[WARMTH]))
    with Scripted([CALL], wire="anthropic").stream(call_of(out), NEVER) as reply:
        told = reply.read()
    assert b'"input": {}' in told
    assert b'"type": "input_json_delta"' in told
    assert b'{\\"city\\": \\"Samarkand\\"}' in told
