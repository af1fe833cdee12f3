"""parse_response, parse_stream and parse_stream_sync of every formatter."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import pytest

import dragoman
from dragoman import (
    ByName,
    ChatRequest,
    ConfigError,
    Formatter,
    Msg,
    Overloaded,
    ProviderError,
    ReadError,
    StreamError,
    Tagged,
    Tool,
)
from dragoman.formatter import OpenAIChatFormatter, OpenAIMultiAgentFormatter, WireFormatter
from dragoman.message import TextBlock, ThinkingBlock, ToolUseBlock
from tests.codec.streaming import BODY, CHUNKS, FAILED, chunk, sse

FORMATTER = Formatter("openai-chat")
ANSWER = {
    "id": "a1", "object": "chat.completion", "model": "m-1",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": "Let me look.", "reasoning_content": "Hm.",
        "tool_calls": [{"id": "c1", "type": "function", "function": {
            "name": "look_up", "arguments": '{"city": "Samarkand"}'}}],
    }}],
}  # fmt: skip
BLOCKS = [
    ThinkingBlock("Hm."), TextBlock("Let me look."),
    ToolUseBlock("c1", "look_up", {"city": "Samarkand"}, '{"city": "Samarkand"}'),
]  # fmt: skip


async def arriving(chunks: Iterable[Any]) -> AsyncIterator[Any]:
    for one in chunks:
        await asyncio.sleep(0)
        yield one


def streamed(formatter: WireFormatter, chunks: Iterable[Any], *rest: Any) -> Msg:
    """The message of a stream; both ways to read it must agree."""
    listed = list(chunks)
    made = [_outcome(lambda: asyncio.run(formatter.parse_stream(arriving(listed), *rest))),
            _outcome(lambda: formatter.parse_stream_sync(listed, *rest))]  # fmt: skip
    assert made[0] == made[1] or repr(made[0]) == repr(made[1])
    if isinstance(made[0], Msg):
        return made[0]
    raise made[0]


def _outcome(read: Callable[[], Msg]) -> Msg | dragoman.DragomanError:
    try:
        return read()
    except dragoman.DragomanError as error:
        return error


@pytest.mark.parametrize("given", [
    ANSWER, json.dumps(ANSWER), json.dumps(ANSWER).encode(),
])  # fmt: skip
@pytest.mark.parametrize("formatter", [
    FORMATTER, OpenAIChatFormatter(), OpenAIMultiAgentFormatter(), Formatter("deepseek"),
])  # fmt: skip
def test_a_whole_answer(formatter: WireFormatter, given: Any) -> None:
    msg = formatter.parse_response(given)
    assert (msg.role, msg.name) == ("assistant", "")
    assert msg.blocks == BLOCKS
    assert msg.origin is not None
    assert msg.origin.model == "m-1"


def test_what_is_parsed_can_be_sent_on() -> None:
    msgs = [Msg.user("Look!"), FORMATTER.parse_response(ANSWER), Msg.tool("c1", "a cat")]
    written = OpenAIChatFormatter().format_sync(msgs)
    assert [message["role"] for message in written] == ["user", "assistant", "tool"]
    assert written[1]["tool_calls"] == ANSWER["choices"][0]["message"]["tool_calls"]  # type: ignore[index]


def test_an_answer_leaves_what_was_given_as_it_was() -> None:
    before = json.dumps(ANSWER)
    FORMATTER.parse_response(ANSWER).name = "Friday"
    assert json.dumps(ANSWER) == before


@pytest.mark.parametrize("chunks", [
    [BODY], [BODY[i : i + 7] for i in range(0, len(BODY), 7)], CHUNKS,
    [("chunk", one) for one in CHUNKS],
])  # fmt: skip
def test_a_stream(chunks: list[Any]) -> None:
    assert streamed(FORMATTER, chunks).blocks == BLOCKS


def test_the_chunks_of_the_official_sdk() -> None:
    pytest.importorskip("openai")
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    whole: Any = ANSWER
    assert FORMATTER.parse_response(ChatCompletion.construct(**whole)).blocks == BLOCKS
    chunks: Any = CHUNKS
    made = [ChatCompletionChunk.construct(**one) for one in chunks]
    assert streamed(FORMATTER, made).blocks == BLOCKS


# -- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize("tools", [
    [Tool("look.up", "Looks up.", [])],
    [{"type": "function", "function": {"name": "look.up", "description": "", "parameters": {}}}],
])  # fmt: skip
def test_calls_have_the_names_that_the_tools_have_here(tools: list[Any]) -> None:
    assert FORMATTER.parse_response(ANSWER, tools).calls[0].name == "look.up"
    assert streamed(FORMATTER, CHUNKS, tools).calls[0].name == "look.up"
    request = ChatRequest([Msg.user("Hi")], tools=tools)
    assert FORMATTER.parse_response(ANSWER, request=request).calls[0].name == "look.up"
    sent = FORMATTER.format_request(request)
    assert streamed(FORMATTER, CHUNKS, None, sent).calls[0].name == "look.up"


def test_the_names_are_those_that_this_formatter_would_write() -> None:
    rule = Formatter("anthropic").can.tool_names
    formatter = Formatter("ollama", can={"tool_names": rule})
    tool = Tool("look.up", "", [])
    [written] = formatter.format_tools([tool])
    assert written["function"]["name"] != "look.up"
    answer = {"model": "m", "done": True, "message": {"role": "assistant", "content": "",
              "tool_calls": [{"function": {"name": written["function"]["name"],
                                           "arguments": {}}}]}}  # fmt: skip
    assert formatter.parse_response(answer, [tool]).calls[0].name == "look.up"


@pytest.mark.parametrize(
    ("formatter", "request_", "name"),
    [
        (Formatter("openai-chat", speakers=Tagged(me="Friday")), None, "Friday"),
        (Formatter("openai-chat", speakers=ByName(me="Friday")), None, "Friday"),
        (Formatter("openai-chat", speakers=ByName()), None, ""),
        (FORMATTER, ChatRequest([], agent_name="Friday"), "Friday"),
        (FORMATTER, ChatRequest([]), ""),
    ],
)
def test_whoever_has_a_point_of_view_has_said_it(
    formatter: WireFormatter, request_: Any, name: str
) -> None:
    assert formatter.parse_response(ANSWER, request=request_).name == name
    assert streamed(formatter, CHUNKS, None, request_).name == name


def test_a_model_that_no_answer_names_is_that_of_the_formatter() -> None:
    said = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}
    origin = Formatter("openai-chat", model="m-7").parse_response(said).origin
    assert origin is not None
    assert origin.model == "m-7"


# -- what goes wrong --------------------------------------------------------------------------


def test_the_body_of_an_error() -> None:
    with pytest.raises(ProviderError, match="overloaded") as raised:
        FORMATTER.parse_response(FAILED)
    assert type(raised.value) is Overloaded
    assert (raised.value.status, raised.value.body) == (503, FAILED)


def test_an_error_beside_what_was_said() -> None:
    body = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Let"},
                         "finish_reason": "error", "error": FAILED["error"]}]}  # fmt: skip
    with pytest.raises(ProviderError, match=r"overloaded \(read_response gives") as raised:
        FORMATTER.parse_response(body)
    assert type(raised.value) is Overloaded
    resp = FORMATTER.wire.read_response(body)
    assert (resp.text, resp.status) == ("Let", "error")


@pytest.mark.parametrize("chunks", [[*CHUNKS[:5], FAILED], [sse([*CHUNKS[:5], FAILED])]])
def test_an_error_in_a_stream_carries_the_answer_so_far(chunks: list[Any]) -> None:
    with pytest.raises(StreamError, match="overloaded") as raised:
        streamed(FORMATTER, chunks)
    assert raised.value.response.text == "Let me look."
    assert raised.value.response.status == "error"


@pytest.mark.parametrize("chunks", [[FAILED], [json.dumps(FAILED).encode()]])
def test_an_error_in_place_of_a_stream(chunks: list[Any]) -> None:
    with pytest.raises(StreamError, match="overloaded") as raised:
        streamed(FORMATTER, chunks)
    assert raised.value.response.msg.blocks == []


def test_a_stream_that_breaks_off_gives_what_has_come() -> None:
    msg = streamed(FORMATTER, CHUNKS[:7])
    assert msg.get_text_content() == "Let me look."
    [call] = msg.calls
    assert (call.name, call.raw_input, call.unfinished) == ("look_up", '{"city": "Sama', True)
    assert streamed(FORMATTER, [BODY[: BODY.index(b"rkand")]]).calls[0].unfinished


@pytest.mark.parametrize(
    "chunks", [[], [b""], [b": ping\n\n"], [b"data: [DONE]\n\n"], [b"<html>no</html>"]]
)
def test_a_stream_that_holds_nothing(chunks: list[Any]) -> None:
    with pytest.raises(ReadError, match=r"nothing in this stream is an event of this wire"):
        streamed(FORMATTER, chunks)


@pytest.mark.parametrize("given", ["no JSON", b"\xff", "[1]", 7, None, "{", "[]", "7", "null"])
def test_what_is_no_answer(given: Any) -> None:
    with pytest.raises(dragoman.DragomanError):
        FORMATTER.parse_response(given)


def test_what_the_connection_raises_passes() -> None:
    async def broken() -> AsyncIterator[Any]:
        yield CHUNKS[0]
        await asyncio.sleep(0)
        raise ConnectionError("reset")

    with pytest.raises(ConnectionError, match="reset"):
        asyncio.run(FORMATTER.parse_stream(broken()))


def test_each_way_to_read_names_the_other() -> None:
    plain: Any = CHUNKS
    with pytest.raises(ConfigError, match="read plain iterables"):
        asyncio.run(FORMATTER.parse_stream(plain))
    waiting: Any = arriving(CHUNKS)
    with pytest.raises(ConfigError, match="read what arrives asynchronously"):
        FORMATTER.parse_stream_sync(waiting)


def test_only_the_first_of_several_candidates_is_parsed() -> None:
    said = [
        {"index": n, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        for n, text in enumerate("ab")
    ]
    assert FORMATTER.parse_response({"choices": said}).get_text_content() == "a"
    assert len(FORMATTER.wire.read_response({"choices": said}).candidates) == 2
    assert streamed(FORMATTER, [chunk(content="a"), chunk("stop")]).get_text_content() == "a"


def test_a_formatter_gives_what_stands_beside_the_message() -> None:
    message = {"role": "assistant", "content": "Friday: Hi."}
    body = {"choices": [{"message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2}}  # fmt: skip
    formatter = Formatter("openai", speakers=Tagged(me="Friday", tag="{name}: "))
    resp = formatter.read_response(body)
    assert resp.msg == formatter.parse_response(body)
    assert (resp.msg.name, resp.text, resp.usage.output) == ("Friday", "Hi.", 2)
