"""Items of the OpenAI Agents SDK, judged by its converters, its Responses model and a run."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.models.chatcmpl_converter import Converter
from agents.models.openai_responses import OpenAIResponsesModel
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from dragoman import LLM, Msg, NotMessages, wire
from dragoman.bridges.openai_agents import LIMITS, read_messages, write_messages
from dragoman.message import (
    CacheHint,
    Citation,
    ContentBlock,
    DocumentBlock,
    LocalSource,
    RawBlock,
    TextBlock,
    TextSource,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    VideoBlock,
)
from tests.each_case import each_case

from .conversations import CLAUDE, CONVERSATIONS

THOUGHTS = [
    {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"},
    {"type": "redacted_thinking", "data": "c2VhbGVk"},
]


def chat(items: list[Any], model: str = "claude-opus-5-5") -> list[Any]:
    """What the SDK sends over Chat Completions."""
    return [*Converter.items_to_messages(
        items, model, preserve_thinking_blocks=True, preserve_tool_output_all_content=True
    )]  # fmt: skip


def responses(items: list[Any]) -> list[Any]:
    """What the SDK sends to OpenAI."""
    model = OpenAIResponsesModel("gpt-5.6", AsyncOpenAI(api_key="sk-none"))
    return model._remove_openai_responses_api_incompatible_fields(copy.deepcopy(items))


def test_answers_over_chat_completions_come_back() -> None:
    message = ChatCompletionMessage.model_validate({
        "role": "assistant", "content": "Hello!", "thinking_blocks": THOUGHTS,
        "reasoning_content": "A greeting.",
        "tool_calls": [{"id": "c_1", "type": "function",
                        "function": {"name": "f", "arguments": '{"a": 1'}}],
    })  # fmt: skip
    items = Converter.message_to_output_items(message, {"model": "claude-opus-5-5"})
    dumped = [one.model_dump(exclude_unset=True) for one in items]
    given: list[Any] = [{"role": "user", "content": "Hi"}, *dumped]
    for form in (given, [given[0], *items]):
        read = read_messages(form).messages
        thoughts = [block for block in read[1].blocks if isinstance(block, ThinkingBlock)]
        assert [(one.signature, one.redacted) for one in thoughts] == [
            ("c2lnbmVk", None), (None, "c2VhbGVk"),
        ]  # fmt: skip
        assert read[1].origin == CLAUDE
        assert "__fake_id__" not in str(read[1].extras) + str([b.extras for b in read[1].blocks])
        [call] = read[1].calls
        assert (call.input, call.raw_input) == ('{"a": 1', '{"a": 1')
        written = write_messages(read).messages
        assert chat(written) == chat(given)
        body = LLM("anthropic/claude-opus-5-5", key="none").request(read).body
        assert body["messages"][1]["content"][:2] == THOUGHTS


def test_signed_thinking_goes_back_to_claude_and_not_to_openai() -> None:
    items = write_messages(CONVERSATIONS["signed thinking"]).messages
    said = chat(items)[1]
    assert said["thinking_blocks"] == THOUGHTS
    assert [call["id"] for call in said["tool_calls"]] == ["toolu_1"]
    kinds = [item.get("type", item.get("role")) for item in responses(items)]
    assert "reasoning" not in kinds
    assert "__fake_id__" not in str(responses(items))
    assert "provider_data" not in str(responses(items))


def test_items_of_openai_are_sent_to_it_as_they_were() -> None:
    body: Any = {
        "model": "gpt-5.6",
        "input": write_messages(CONVERSATIONS["sealed reasoning"]).messages,
    }
    items = responses(body["input"])
    assert items == body["input"]
    back = wire("openai-responses").read_request(body).messages
    assert back[1].blocks[0] == CONVERSATIONS["sealed reasoning"][1].blocks[0]
    assert write_messages(read_messages(items).messages).messages == items
    signed = write_messages(CONVERSATIONS["signed parts"], policy="ignore").messages
    [call] = chat(signed, "gemini-3-pro")[1]["tool_calls"]
    assert call["extra_content"] == {"google": {"thought_signature": "c2ln"}}


@each_case("name", CONVERSATIONS)
def test_their_converter_takes_what_is_written(name: str) -> None:
    messages = CONVERSATIONS[name]
    items = write_messages(messages, policy="ignore").messages
    kinds = {item.get("type") for item in items}
    if "web_search_call" in kinds:  # which it refuses over Chat Completions
        items = [item for item in items if item.get("type") != "web_search_call"]
    sent = chat(items)
    calls = [call["id"] for one in sent for call in one.get("tool_calls", ())]
    assert calls == [call.id for msg in messages for call in msg.calls]
    results = [one["tool_call_id"] for one in sent if one["role"] == "tool"]
    assert results == [b.id for m in messages for b in m.blocks if isinstance(b, ToolResultBlock)]


class Echo(Model):
    """A model of a program's own, which says how many items it was given."""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> Any:
        text = ResponseOutputText(text=f"{len(input)} items", type="output_text", annotations=[])
        said = ResponseOutputMessage(
            id="msg_9", content=[text], role="assistant", status="completed", type="message"
        )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def test_a_run_takes_items_and_is_read() -> None:
    items: Any = write_messages(CONVERSATIONS["parallel calls with a result that failed"]).messages
    agent = Agent("Echo", model=Echo())
    off = RunConfig(tracing_disabled=True)
    result = asyncio.run(Runner.run(agent, items, run_config=off))
    assert result.final_output == f"{len(items)} items"
    read = read_messages(result).messages
    assert read[-1].text.endswith(result.final_output)
    assert read == read_messages(result.to_input_list()).messages
    assert [msg.role for msg in read] == ["user", "assistant", "tool", "assistant"]


def test_a_result_that_failed_says_so_and_comes_back() -> None:
    given = [Msg.tool("c_1", "no such city", is_error=True)]
    written = write_messages(given, policy="ignore")
    [sent] = responses(written.messages)
    assert sent["output"] == "Error: no such city"
    assert sent.keys() == {"type", "call_id", "output"}
    assert read_messages(written.messages).messages == given


@each_case("value", [3, None, {"role": "user"}, [3], [{"content": "x"}], [None]])
def test_what_is_no_item_is_refused(value: Any) -> None:
    with pytest.raises(NotMessages) as caught:
        read_messages(value)
    assert caught.value.path in ("$", "$[0]")


# -- what items cannot hold -----------------------------------------------------------------------


def told(*blocks: ContentBlock) -> list[Msg]:
    return [Msg.assistant([*blocks], origin=CLAUDE)]


# in the order of the limits: what is given, and what comes back
PROOFS: list[tuple[list[Msg], list[Msg]]] = [
    (
        [Msg.assistant("a"), Msg.assistant("b"), Msg.tool("1", "x"), Msg.tool("2", "y")],
        [Msg.assistant([TextBlock("a"), TextBlock("b")]),
         Msg("", [ToolResultBlock("1", output="x"), ToolResultBlock("2", output="y")], "tool")],
    ),
    (
        [Msg.user([ToolResultBlock("1", output="x"), TextBlock("y")])],
        [Msg.tool("1", "x"), Msg.user([TextBlock("y")])],
    ),
    ([Msg.user("Hi", "Bob")], [Msg.user("Hi")]),
    ([Msg.tool("1", "x", is_error=True)], [Msg.tool("1", "x", is_error=True)]),
    ([Msg.tool("1", {"x": 1})], [Msg.tool("1", '{"x": 1}')]),
    ([Msg.tool("1", "x", "f")], [Msg.tool("1", "x")]),
    (
        [Msg.user([TextBlock("x"), VideoBlock(URLSource("https://example.com/a.mp4"))])],
        [Msg.user([TextBlock("x")])],
    ),
    (
        [Msg.user([DocumentBlock(TextSource(["a", "b"]))])], [Msg.user([TextBlock("a\n\nb")])],
    ),
    (
        [Msg.user([TextBlock("x"), DocumentBlock(LocalSource("a.pdf"))])],
        [Msg.user([TextBlock("x")])],
    ),
    (told(TextBlock("x", [Citation(title="A")])), told(TextBlock("x"))),
    (told(TextBlock("x", cache=CacheHint())), told(TextBlock("x"))),
    (
        [Msg.assistant([ThinkingBlock("a", "sig"), TextBlock("b")])],
        [Msg.assistant([ThinkingBlock("a"), TextBlock("b")])],
    ),
    (told(RawBlock("anthropic", {"type": "x"}), TextBlock("x")), told(TextBlock("x"))),
    (
        told(ToolUseBlock("a", "f", {}, extras={"anthropic": {"y": 1}})),
        told(ToolUseBlock("a", "f", {}, "{}")),
    ),
]  # fmt: skip


def test_every_limit_is_one() -> None:
    for limit, (given, expected) in zip(LIMITS, PROOFS, strict=True):
        written = write_messages(given, policy="ignore")
        codes = {loss.code for loss in written.losses}
        assert codes == ({limit.code} if limit.code else set()), limit.what
        assert all(loss.where.startswith("$.messages[") for loss in written.losses)
        assert read_messages(written.messages).messages == expected, limit.what
