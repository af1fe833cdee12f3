"""Documents 000, 002 and 004: a formatter reads answers, chunks of a stream, and think tags."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from dragoman import ChatRequest, Formatter, Msg, Tool, Vendor
from dragoman.formatter import DashScopeChatFormatter, OpenAIChatFormatter, WireFormatter
from dragoman.message import (
    Candidate,
    ChatResponse,
    Finish,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from dragoman.protocols.dashscope import Dialect
from dragoman.stream.builder import build
from dragoman.vendors import PROTOCOLS, VENDORS, vendor
from tests.each_case import each_case

from .weather import WEATHER

CALLS = [
    {"id": f"call_{city}", "type": "function",
     "function": {"name": "get_weather", "arguments": json.dumps({"city": city})}}
    for city in ("Beijing", "Hangzhou")
]  # fmt: skip
ANSWER = {
    "request_id": "r1",
    "output": {"choices": [{"finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": "Let me see.", "reasoning_content": "Two cities.",
        "tool_calls": CALLS,
    }}]},
    "usage": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13},
}  # fmt: skip
# QwQ and its like, behind a server that leaves their tags in the text: by default their blanks are
# the tags', in the documents' own class every letter stays where it stands
SECTIONS = Formatter(Vendor("qwq", wires={"dashscope": Dialect(think_tags="sections")}))
EXACT = DashScopeChatFormatter(facts="documents-2025", model="qwq-plus")


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"id": "a1", "model": "m-1",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}  # fmt: skip


def thought(content: str, formatter: WireFormatter = SECTIONS) -> list[Any]:
    """The blocks of a DashScope answer with this content, cut nowhere and cut everywhere."""
    said = [{"request_id": "r1", "output": {"choices": [
        {"finish_reason": "stop" if part is None else "null",
         "message": {"role": "assistant", "content": part or ""}}]}}
        for part in (*content, None)]  # fmt: skip
    whole = {
        "request_id": "r1",
        "output": {
            "choices": [
                {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
            ]
        },
    }
    blocks = formatter.parse_response(whole).blocks
    assert formatter.parse_stream_sync(said).blocks == blocks
    return blocks


@pytest.mark.demand("S12", "S166")
@pytest.mark.parametrize(
    "formatter",
    [DashScopeChatFormatter(), Formatter("dashscope"), Formatter("dashscope/dashscope")],
)
def test_a_formatter_reads_an_answer_into_a_message(formatter: WireFormatter) -> None:
    msg = formatter.parse_response(ANSWER)
    assert isinstance(msg, Msg)
    assert msg.role == "assistant"
    assert msg.get_text_content() == "Let me see."
    assert formatter.parse_response(json.dumps(ANSWER)) == msg


@pytest.mark.demand("S12")
@each_case("name", [*PROTOCOLS, *VENDORS])
def test_every_formatter_can_read(name: str) -> None:
    wires = [name] if name in PROTOCOLS else [f"{name}/{wire}" for wire in vendor(name).wires]
    answer = ChatResponse([Candidate(Msg.assistant("In Asia."), Finish("stop"))])
    for formatter in map(Formatter, wires):
        msg = formatter.parse_response(formatter.wire.write_response(answer).body)
        assert (type(msg), msg.role, msg.text) == (Msg, "assistant", "In Asia.")


@pytest.mark.demand("S166")
def test_parsing_may_use_the_request() -> None:
    request = ChatRequest([Msg.user("How is it?")], tools=[WEATHER], agent_name="Friday")
    msg = DashScopeChatFormatter().parse_response(ANSWER, request=request)
    assert msg.name == "Friday"
    assert [call.name for call in msg.calls] == [WEATHER.name] * 2


@pytest.mark.demand("S52", "S53")
def test_all_calls_are_there_in_order_with_their_arguments_parsed() -> None:
    calls = DashScopeChatFormatter().parse_response(ANSWER).calls
    assert calls == [
        ToolUseBlock(f"call_{city}", "get_weather", {"city": city}, json.dumps({"city": city}))
        for city in ("Beijing", "Hangzhou")
    ]


@pytest.mark.demand("S166")
def test_parsing_may_use_the_message_that_was_answered() -> None:
    """`parse_response(response, msg)`: the tools that hang on the message restore the names."""
    tool = Tool("天气", "the weather")
    [name] = [schema["function"]["name"] for schema in OpenAIChatFormatter().format_tools([tool])]
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    answer = {
        "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [call]}}]
    }
    asked = Msg.user("How is it?", metadata={"tools": [tool]})
    msg = OpenAIChatFormatter().parse_response(answer, asked)
    assert ([one.name for one in msg.calls], name == tool.name) == (["天气"], False)
    assert OpenAIChatFormatter().parse_response(answer, Msg.user("?")).calls[0].name == name


# -- chunks -----------------------------------------------------------------------------------

DECODER = OpenAIChatFormatter().wire.stream_decoder


@pytest.mark.demand("S46", "S47", "S48", "S51")
@pytest.mark.parametrize(
    ("delta", "block"),
    [
        ({"content": "In "}, TextBlock("In ")),
        ({"reasoning_content": "Hm"}, ThinkingBlock("Hm")),
    ],
)
def test_a_chunk_is_a_message_of_the_assistant(delta: Any, block: Any) -> None:
    msg = build(DECODER().feed(chunk(**delta))).msg
    assert (msg.role, msg.blocks) == ("assistant", [block])


@pytest.mark.demand("S46", "S51")
def test_the_message_so_far_is_there_after_each_chunk() -> None:
    decoder = DECODER()
    seen = []
    for said in ("In ", "Asia", "."):
        decoder.feed(chunk(content=said))
        seen.append(decoder.snapshot().msg)
    assert [msg.get_text_content() for msg in seen] == ["In ", "In Asia", "In Asia."]
    assert {msg.role for msg in seen} == {"assistant"}


@pytest.mark.demand("S50")
def test_one_chunk_may_carry_several_kinds() -> None:
    call = {"index": 0, "id": "c1", "function": {"name": "now", "arguments": "{}"}}
    pieces = DECODER().feed(chunk(reasoning_content="Hm", content="So", tool_calls=[call]))
    msg = build(pieces).msg
    assert msg.role == "assistant"
    assert msg.blocks == [
        ThinkingBlock("Hm"), TextBlock("So"), ToolUseBlock("c1", "now", {}, "{}"),
    ]  # fmt: skip


@pytest.mark.demand("S49")
def test_a_call_is_collected_and_parsed_when_it_is_complete() -> None:
    def part(said: str, **first: Any) -> dict[str, Any]:
        return chunk(tool_calls=[{"index": 0, "function": {"arguments": said}, **first}])

    first = part("", id="c1", function={"name": "get_weather", "arguments": ""})
    chunks = [first, part('{"ci'), part('ty": "Bei'), part('jing"}'), chunk("tool_calls")]
    decoder = DECODER()
    for one in chunks[:3]:
        decoder.feed(one)
    [half] = decoder.snapshot().msg.calls
    assert (half.unfinished, half.raw_input) == (True, '{"city": "Bei')

    async def arriving() -> AsyncIterator[Any]:
        for one in chunks:
            yield one

    msg = asyncio.run(OpenAIChatFormatter().parse_stream(arriving()))
    assert msg.calls == [ToolUseBlock("c1", "get_weather", {"city": "Beijing"},
                                      '{"city": "Beijing"}')]  # fmt: skip


# -- think tags -------------------------------------------------------------------------------


PATTERN = re.compile(r"<think>(.*?)</think>", re.DOTALL)


def documented(content: str) -> list[tuple[str, str]]:
    """`parseResponseWithThinking`, as the documents print it."""
    blocks = []
    last_end = 0
    for found in PATTERN.finditer(content):
        if found.start() > last_end:
            blocks.append(("text", content[last_end : found.start()]))
        blocks.append(("thinking", found[1]))
        last_end = found.end()
    if last_end < len(content):
        blocks.append(("text", content[last_end:]))
    return blocks


@pytest.mark.demand("S54", "S55", "S56", "S57", "S58", "S59")
@pytest.mark.parametrize("content", [
    "<think>Hm.</think>In Asia.", "<think>\nHm.\n</think>\n\nIn Asia.\n", "So: <think>Hm.</think>",
    " a <think> b </think> c <think>\td</think>\ne", "<think>never closed", "a<think>b<think>c</think>d",
    "</think>first", "<think>a</think><think>b</think>", "1 < 2 <thin king>", "a<think>b</think>c</thi",
    "", " ",
])  # fmt: skip
def test_the_documents_own_class_splits_to_the_letter(content: str) -> None:
    blocks = thought(content, EXACT)
    assert [(block.type, block[block.type]) for block in blocks] == documented(content)


@pytest.mark.demand("S54")
@pytest.mark.parametrize("content", ["a <think> b </think> c", "<think></think>x", "<think>open"])
def test_what_was_split_to_the_letter_is_written_again_as_it_stood(content: str) -> None:
    message = {"role": "assistant", "content": content}
    answer = {"output": {"choices": [{"finish_reason": "stop", "message": message}]}}
    wire = EXACT.wire
    assert wire.write_response(wire.read_response(answer)).body["output"] == answer["output"]


@pytest.mark.demand("S54")
def test_where_thinking_has_a_field_the_tags_are_text() -> None:
    message = {"role": "assistant", "reasoning_content": "Hm.", "content": "a <think>b</think>"}
    answer = {"output": {"choices": [{"finish_reason": "stop", "message": message}]}}
    assert EXACT.parse_response(answer).blocks == [
        ThinkingBlock("Hm."), TextBlock("a <think>b</think>"),
    ]  # fmt: skip


@pytest.mark.demand("S54")
@each_case("cut", range(1, 18))
def test_a_field_that_comes_in_the_middle_of_a_section_loses_no_letter(cut: int) -> None:
    content = "a <think>b</think>c"
    said: list[Any] = [
        {"output": {"choices": [{"finish_reason": "null", "message": message}]}}
        for message in (
            {"role": "assistant", "content": content[:cut]},
            {"role": "assistant", "content": "", "reasoning_content": "Hm."},
            {"role": "assistant", "content": content[cut:]},
        )
    ]
    said[-1]["output"]["choices"][0]["finish_reason"] = "stop"
    blocks = EXACT.parse_stream_sync(said).blocks
    assert "".join(block.text for block in blocks if type(block) is TextBlock) == content
    assert [block.thinking for block in blocks if type(block) is ThinkingBlock] == ["Hm."]


@pytest.mark.demand("S54", "S56", "S58")
def test_thinking_between_tags_is_split_from_the_text() -> None:
    assert thought("<think>Hm.</think>In Asia.") == [ThinkingBlock("Hm."), TextBlock("In Asia.")]


@pytest.mark.demand("S55")
def test_text_before_a_section_is_text() -> None:
    assert thought("So: <think>Hm.</think>") == [TextBlock("So: "), ThinkingBlock("Hm.")]


@pytest.mark.demand("S57")
def test_several_sections_keep_their_order() -> None:
    assert thought("a<think>b</think>c<think>d</think>e") == [
        TextBlock("a"), ThinkingBlock("b"), TextBlock("c"), ThinkingBlock("d"), TextBlock("e"),
    ]  # fmt: skip


@pytest.mark.demand("S59")
@pytest.mark.parametrize("content", [
    "<think>Hm.</think>", "<think></think>Hm.", "<think>a</think><think>b</think>", "",
    "<think></think>",
])  # fmt: skip
def test_no_empty_text_is_made(content: str) -> None:
    blocks = thought(content)
    assert all(block["text"] for block in blocks if type(block) is TextBlock)
    assert len(blocks) == len([part for part in content.replace("</think>", "<think>").split(
        "<think>") if part])  # fmt: skip


@pytest.mark.demand("S54")
def test_a_reasoning_model_s_tags_at_the_start_are_split_unasked() -> None:
    body: Any = {"request_id": "r1", "output": {"choices": [
        {"finish_reason": "stop",
         "message": {"role": "assistant", "content": "<think>Hm.</think>In Asia."}}]}}  # fmt: skip
    blocks = DashScopeChatFormatter(model="qwq-plus").parse_response(body).blocks
    assert blocks == [ThinkingBlock("Hm."), TextBlock("In Asia.")]
