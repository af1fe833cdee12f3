"""The JSON of the GenAI conventions, judged by the types and writer of opentelemetry-util-genai."""

from __future__ import annotations

import json
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.util.genai import types
from opentelemetry.util.genai.handler import TelemetryHandler
from opentelemetry.util.genai.utils import gen_ai_json_dumps
from pydantic import TypeAdapter

from dragoman import ChatResponse, Msg, NotMessages, ServerTool, Tool
from dragoman.bridges.otel_genai import (
    LIMITS,
    finish_word,
    read_messages,
    read_system,
    read_tools,
    write_messages,
    write_system,
    write_tools,
)
from dragoman.message import (
    Base64Source,
    Candidate,
    ContentBlock,
    DocumentBlock,
    FileSource,
    Finish,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.message.answer import FinishReason
from tests.each_case import each_case

from .conversations import CONVERSATIONS, PNG

INPUT = TypeAdapter(list[types.InputMessage])
OUTPUT = TypeAdapter(list[types.OutputMessage])
TOOLS = TypeAdapter(list[types.FunctionToolDefinition | types.GenericToolDefinition])
# more than one of ours stands for the same word there
FEWER = {"refusal": "content_filter", "context_overflow": "length", "malformed_call": "error"}


def judged(messages: list[Any], adapter: TypeAdapter[Any] = INPUT) -> list[Any]:
    """The messages as the package's own types; a part that is none of them is an error."""
    found: list[Any] = adapter.validate_python(messages)
    parts = [part for msg in found for part in msg.parts]
    assert not [part for part in parts if isinstance(part, types.GenericPart)]
    return found


@each_case("name", CONVERSATIONS)
def test_what_is_written_has_the_types_of_the_conventions(name: str) -> None:
    written = write_messages(CONVERSATIONS[name], policy="ignore").messages
    judged(written)
    assert json.loads(json.dumps(written)) == written


def test_their_writer_and_ours_write_the_same() -> None:
    """Their dataclasses through their encoder; what they write as null has no key here."""
    theirs = [
        types.InputMessage("user", [
            types.TextPart("Look."),
            types.BlobPart("image/png", types.Modality.IMAGE, b"\x89PNG\r\n\x1a\n"),
            types.UriPart(None, "image", "https://example.com/a.png"),
            types.FilePart(None, "document", "file_1"),
        ]),
        types.OutputMessage("assistant", [
            types.ReasoningPart("Hm."),
            types.ToolCallRequestPart({"city": "Paris"}, "warmth", "c_1"),
        ], "tool_call"),
        types.InputMessage("tool", [types.ToolCallResponsePart("18 degrees", "c_1")]),
    ]  # fmt: skip
    text = gen_ai_json_dumps(theirs)
    read = read_messages(text).messages
    assert read == [
        Msg.user([
            TextBlock("Look."), ImageBlock(Base64Source("image/png", PNG)),
            ImageBlock(URLSource("https://example.com/a.png")),
            DocumentBlock(FileSource("file_1")),
        ]),
        Msg("", [ThinkingBlock("Hm."), ToolUseBlock("c_1", "warmth", {"city": "Paris"})],
            "assistant", metadata={"finish": {"reason": "tool_calls", "raw": "tool_call"}}),
        Msg.tool("c_1", "18 degrees", "warmth"),
    ]  # fmt: skip

    def without_nulls(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: without_nulls(one) for key, one in value.items() if one is not None}
        return [without_nulls(one) for one in value] if isinstance(value, list) else value

    ours = without_nulls(write_messages(read).messages)
    assert ours == without_nulls(json.loads(text))


def test_spans_of_their_handler_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "span_only")
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with TelemetryHandler(tracer_provider=provider).inference("openai") as seen:
        seen.input_messages = [types.InputMessage("user", [types.TextPart("Where is Paris?")])]
        seen.output_messages = [
            types.OutputMessage("assistant", [types.TextPart("In France.")], "stop")
        ]
        seen.system_instruction = [types.TextPart("Be brief.")]
        seen.tool_definitions = [types.FunctionToolDefinition("warmth", None, {"type": "object"})]
    [span] = exporter.get_finished_spans()
    found = dict(span.attributes or {})
    asked = read_messages(found["gen_ai.input.messages"]).messages
    [said] = read_messages(found["gen_ai.output.messages"]).messages
    assert [msg.text for msg in (*asked, said)] == ["Where is Paris?", "In France."]
    assert said.metadata["finish"] == {"reason": "stop", "raw": "stop"}
    assert read_system(found["gen_ai.system_instructions"]) == "Be brief."
    assert read_tools(found["gen_ai.tool.definitions"]) == [Tool("warmth", "", {"type": "object"})]


@each_case("reason", FinishReason.__args__)  # type: ignore[attr-defined]
def test_why_an_answer_ended(reason: Any) -> None:
    answer = ChatResponse([Candidate(Msg.assistant("Yes."), Finish(reason))])
    written = write_messages(answer).messages
    judged(written, OUTPUT)
    word = written[0]["finish_reason"]
    known = set(types.FinishReason.__args__) | {"pause", "other"}  # type: ignore[attr-defined]
    assert word == finish_word(reason)
    assert word in known
    [back] = read_messages(written).messages
    again = write_messages(back).messages
    assert again == written
    expected = finish_word(reason) if reason in FEWER else reason
    assert finish_word(back.metadata["finish"]["reason"]) == finish_word(expected)


ARGUMENTS: list[tuple[Any, Any]] = [
    ({"a": 1}, {"a": 1}),
    ('{"a": 1}', {"a": 1}),
    (None, {}),
    ("", {}),
    ("{bad", "{bad"),
    ("[1]", "[1]"),
    ([1], "[1]"),
    (3, "3"),
]


@each_case(("given", "value"), ARGUMENTS)
def test_arguments_of_other_writers(given: Any, value: Any) -> None:
    """An object, or what the model wrote; never a list or a number that looks like arguments."""
    part = {"type": "tool_call", "id": "c_1", "name": "f", "arguments": given}
    [msg] = read_messages([{"role": "assistant", "parts": [part]}]).messages
    assert msg.calls[0].input == value


def test_parts_that_have_no_form_here_come_back() -> None:
    parts = [
        {"type": "compaction", "content": "They spoke of Paris."},
        {"type": "server_tool_call", "id": "s_1", "name": "search",
         "server_tool_call": {"type": "web_search", "query": "Paris"}},
        {"type": "server_tool_call_response", "id": "s_1",
         "server_tool_call_response": {"type": "web_search", "hits": 3}},
    ]  # fmt: skip
    given = [{"role": "assistant", "parts": parts}]
    judged(given)
    read = read_messages(given).messages
    assert [block.type for block in read[0].blocks] == ["raw"] * 3
    written = write_messages(read)
    assert written.messages == given
    assert not [*written.losses]
    own = [{"role": "user", "parts": [{"type": "vendor.thing", "x": 1}]}]
    assert write_messages(read_messages(own).messages).messages == own


def test_what_a_provider_runs_itself() -> None:
    call = {"type": "server_tool_use", "id": "s_1", "name": "web_search", "input": {"query": "x"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "s_1", "content": []}
    msg = Msg.assistant([
        RawBlock("anthropic", call, "call", "s_1"), RawBlock("anthropic", result, "result", "s_1"),
    ])  # fmt: skip
    written = write_messages(msg, policy="ignore")
    first, second = judged(written.messages)[0].parts
    assert isinstance(first, types.ServerToolCallPart)
    assert (first.id, first.name, first.server_tool_call) == ("s_1", "web_search", call)
    assert isinstance(second, types.ServerToolCallResponsePart)
    assert [loss.code for loss in written.losses] == ["raw.other_provider"] * 2


WRONG: list[Any] = [
    3, "x", "{}", {"role": "user"}, [3], [{"role": "user"}], [{"role": "user", "parts": "x"}],
    [{"parts": []}], [{"role": "user", "parts": [{"content": "x"}]}], None,
]  # fmt: skip


@each_case("given", WRONG)
def test_what_is_none_of_it(given: Any) -> None:
    with pytest.raises(NotMessages):
        read_messages(given)


def test_tools_and_the_system_prompt() -> None:
    tools: list[Tool | ServerTool] = [
        Tool("warmth", "How warm it is.", {"type": "object"}),
        ServerTool("web_search"),
    ]
    written = write_tools(tools)
    first, second = TOOLS.validate_python(written)
    assert isinstance(first, types.FunctionToolDefinition)
    assert (second.type, second.name) == ("web_search", "web_search")
    back = read_tools(written)
    assert back[0] == tools[0]
    assert write_tools(back) == written
    assert read_system(write_system("Be brief.")) == "Be brief."
    assert (write_system(None), read_system([])) == ([], None)


BLOCKS: dict[str, tuple[ContentBlock, str]] = {
    "signature": (ThinkingBlock("Hm.", "c2ln"), "thinking.other_provider"),
    "sealed": (ThinkingBlock("", redacted="c2VhbGVk"), "thinking.other_provider"),
    "freeform": (ToolUseBlock("c", "f", "text", freeform=True), "call.freeform"),
    "document": (DocumentBlock(TextSource(["Paris."])), "media.as_text"),
    "title": (DocumentBlock(URLSource("https://example.com/a.pdf"), "a.pdf"), "media.detail"),
    "refusal": (RefusalBlock("No."), "refusal.as_text"),
    "raw": (RawBlock("gemini", {"x": 1}), "raw.other_provider"),
    "extras": (TextBlock("x", extras={"gemini": {"a": 1}}), "extras.other_provider"),
}


@each_case("name", BLOCKS)
def test_what_is_lost_is_named(name: str) -> None:
    block, code = BLOCKS[name]
    losses = write_messages(Msg.assistant([block]), policy="ignore").losses
    assert [loss.code for loss in losses] == [code]
    assert code in {limit.code for limit in LIMITS}


def test_a_failed_result_comes_back_as_one() -> None:
    msgs = [Msg.assistant([ToolUseBlock("c", "f")]), Msg.tool("c", "no", "f", is_error=True)]
    written = write_messages(msgs).messages
    judged(written)
    [block] = read_messages(written).messages[1].blocks
    assert isinstance(block, ToolResultBlock)
    assert block.is_error
