"""Every recorded stream says the same through the models of ours as the whole answer does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.messages.utils import message_chunk_to_message
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, ThinkingPart
from pydantic_ai.models import ModelRequestParameters

from dragoman.bridges import langchain, openai_agents, pydantic_ai
from dragoman.bridges.langchain.chunks import ChunkWriter
from dragoman.bridges.openai_agents.events import ResponseEventWriter
from dragoman.bridges.pydantic_ai.model import Streamed
from dragoman.errors import InvalidOutput
from dragoman.losses import Losses
from dragoman.message import ToolUseBlock
from tests.ui.recorded import recorded_streams

from .conversations import CORPUS

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="needs ../shared: recorded traffic")


def test_chunks_of_langchain_read_back_as_the_whole_message() -> None:
    count = 0
    for name, events in recorded_streams():
        count += 1
        whole = _write(events[-1].response)
        for is_list in {False, count % 4 == 0}:  # each takes long
            writer = ChunkWriter(_write, is_list)
            first, *others = [chunk for event in events for chunk in writer.feed(event)]
            full: Any = first + others if others else first
            messages: list[Any] = [full, message_chunk_to_message(full)]
            for message in messages:
                assert _plain_blocks(message) == _plain_blocks(whole), (name, is_list)
                assert message.text == whole.text, (name, is_list)
                assert _calls(message) == _calls(whole), (name, is_list)
                assert message.usage_metadata == whole.usage_metadata, name
    assert count > 1_000


def _write(answer: Any) -> AIMessage:
    [message] = langchain.write_messages([answer], policy="ignore").messages
    assert isinstance(message, AIMessage)
    return message


def _plain_blocks(message: Any) -> list[Any]:
    """The blocks that the bridge reads, without the exact texts of arguments."""
    [msg] = langchain.read_messages([message], policy="ignore").messages
    for block in msg.blocks:
        if isinstance(block, ToolUseBlock):
            block.raw_input = None
    return msg.blocks


def _calls(message: Any) -> list[Any]:
    return [(call["name"], call["args"], call["id"]) for call in message.tool_calls]


class _NoPartial:
    partial = None


def test_events_of_pydantic_ai_build_the_whole_response() -> None:
    model = pydantic_ai.Model("openai/gpt-5.6", key="none", policy="ignore")
    parameters = ModelRequestParameters()
    asked: Any = type("Asked", (), {"losses": Losses()})

    async def play(events: Iterable[Any]) -> tuple[list[Any], Any]:
        async def iterate() -> AsyncIterator[Any]:
            for event in events:
                yield event

        stream: Any = _NoPartial()
        response = Streamed(parameters, model, asked, stream, iterate())
        return [event async for event in response], response.get()

    for name, events in recorded_streams():
        seen, whole = asyncio.run(play(events))
        assert whole.state == "complete", name
        told: dict[int, Any] = {}
        for event in seen:
            if isinstance(event, PartStartEvent):
                told[event.index] = event.part
            elif isinstance(event, PartDeltaEvent):
                told[event.index] = event.delta.apply(told[event.index])
        parts = [*told.values()]
        for kind in (TextPart, ThinkingPart):
            assert _text(parts, kind) == _text(whole.parts, kind), name
        assert _named(parts) == _named(whole.parts), name


def _text(parts: Iterable[Any], kind: type[Any]) -> str:
    texts = [part.content for part in parts if isinstance(part, kind)]
    return "".join(texts).replace("\n", "")  # paragraphs of a summary are parts in the whole


def _named(parts: Iterable[Any]) -> list[Any]:
    calls = [part for part in parts if part.part_kind == "tool-call"]
    return [(part.tool_name, part.tool_call_id) for part in calls]


def test_events_of_the_agents_sdk_build_the_whole_response() -> None:
    model = openai_agents.Model("openai/gpt-5.6", key="none", policy="ignore")
    asked: Any = type("Asked", (), {"losses": Losses()})
    usage = type("Counts", (), dict.fromkeys(("input_tokens", "output_tokens", "total_tokens"), 1))
    cut = 0
    for name, events in recorded_streams():
        answer: Any = events[-1].response
        try:
            items = model.write(asked, answer)
        except InvalidOutput:
            cut += 1
            continue
        counts: Any = usage()
        counts.input_tokens_details = {"cached_tokens": 0, "cache_write_tokens": 0}
        counts.output_tokens_details = {"reasoning_tokens": 0}
        writer = ResponseEventWriter("any", name.split(" ")[0])
        made = [one for event in events[:-1] for one in writer.feed(event)]
        made += writer.finish(answer, items, counts)
        _check_items(made, name)
    assert 0 < cut < 50


def _check_items(events: list[Any], name: str) -> None:
    """Each item of the response was opened once, grew to what it is, and was ended once."""
    output = events[-1].response.output
    opened = {one.output_index: one.item for one in events if one.type.endswith("item.added")}
    ended = {one.output_index: one.item for one in events if one.type.endswith("item.done")}
    assert opened.keys() == ended.keys() == {*range(len(output))}, name
    said = "".join(one.delta for one in events if one.type == "response.output_text.delta")
    texts = [part for item in output if item.type == "message" for part in item.content]
    assert said == "".join(part.text for part in texts if part.type == "output_text"), name
    for index, item in ended.items():
        assert opened[index].type == item.type, name
        if item.type != "function_call":
            continue
        assert opened[index].call_id == item.call_id, name
        grown = "".join(
            one.delta
            for one in events
            if one.type.endswith("arguments.delta") and one.output_index == index
        )
        assert _same_json(grown, item.arguments), name


def _same_json(one: str, other: str) -> bool:
    return one == other or json.loads(one or "{}") == json.loads(other or "{}")
