"""Document 001: messages and blocks, spelled as it spells them."""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from typing import Any

import pytest

from dragoman import DropOldest, InvalidMessage, Msg, fit_history_sync
from dragoman.formatter import OpenAIChatFormatter, OpenAIMultiAgentFormatter
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.losses import Report
from dragoman.message import ContentBlock, TextBlock, ToolResultBlock, ToolUseBlock
from dragoman.tokens import CharTokenCounter
from tests.each_case import each_case

from .cells import conversation


def chat(turns: int = 6) -> list[Msg]:
    """A system prompt, then question and answer in turn."""
    said = [
        Msg("Tony" if i % 2 else "Friday", f"Sentence {i}.", "user" if i % 2 else "assistant")
        for i in range(1, turns + 1)
    ]
    return [Msg("system", "You are Friday.", "system"), *said]


@pytest.mark.demand("S117")
def test_a_message_is_name_content_and_role_in_this_order() -> None:
    plain = Msg("Bob", "谢谢，Friday！", "user")
    assert (plain.name, plain.content, plain.role) == ("Bob", "谢谢，Friday！", "user")
    assert Msg(role="user", name="Bob", content="谢谢，Friday！").to_dict() == plain.to_dict()
    blocks: list[ContentBlock] = [TextBlock(type="text", text="Hello")]
    assert Msg("Bob", blocks, "user").content == blocks


@pytest.mark.demand("S118")
def test_blocks_take_the_keywords_of_the_document() -> None:
    text = TextBlock(type="text", text="104.48, 36.30")
    call = ToolUseBlock(type="tool_use", name="get_current_location", id="1", input={})
    result = ToolResultBlock(type="tool_result", name="get_current_location", id="1", output=[text])
    assert [block["type"] for block in (text, call, result)] == ["text", "tool_use", "tool_result"]
    assert text.text == text["text"] == "104.48, 36.30"
    assert (call.id, call.name, call.input) == ("1", "get_current_location", {})
    assert (result.id, result.name, result.output) == ("1", "get_current_location", [text])


@pytest.mark.demand("S118")
@pytest.mark.parametrize(
    ("made", "fields", "own"),
    [
        (TextBlock, {"type": "tool_use", "text": "Hello"}, "text"),
        (ToolUseBlock, {"type": "text", "name": "f", "id": "1", "input": {}}, "tool_use"),
        (ToolResultBlock, {"type": "text", "name": "f", "id": "1", "output": []}, "tool_result"),
    ],
)
def test_a_block_says_its_own_type(made: Any, fields: dict[str, Any], own: str) -> None:
    with pytest.raises(InvalidMessage, match=f"{made.__name__} is '{own}', not '") as refused:
        Msg("Friday", [made(**fields)], "assistant")
    assert refused.value.path == "$.content[0].type"
    block = made(**{**fields, "type": own})
    [written] = Msg("Friday", [block], "assistant").to_dict()["content"]
    assert written == {**fields, "type": own}


@pytest.mark.demand("S119", "S120")
def test_format_is_awaited_and_gives_plain_json() -> None:
    written = asyncio.run(OpenAIChatFormatter().format(chat()))
    assert isinstance(written, list)
    assert {type(message) for message in written} == {dict}
    assert json.loads(json.dumps(written, indent=4, ensure_ascii=False)) == written


@pytest.mark.demand("S119", "S120")
@each_case("name", FORMATTERS)
def test_every_formatter_of_ours_is_awaited_and_gives_plain_json(name: str) -> None:
    made = getattr(import_module("dragoman.formatter"), name)()
    written = asyncio.run(made.format(conversation()))
    assert {type(message) for message in written} == {dict}
    assert json.loads(json.dumps(written, indent=4, ensure_ascii=False)) == written


@pytest.mark.demand("S76", "S129")
def test_a_formatter_cuts_to_its_limit_and_keeps_the_prompt() -> None:
    counter = CharTokenCounter()
    whole = OpenAIChatFormatter().format_sync(chat())
    limit = counter.count_sync(whole) - 1
    cut = OpenAIChatFormatter(token_counter=counter, max_tokens=limit).format_sync(chat())
    assert cut == [whole[0], *whole[2:]]
    assert counter.count_sync(cut) <= limit


def summarised(msgs: list[Msg], report: Report) -> list[Msg]:
    """Prompt engineering of a user's own: what is old becomes one sentence."""
    prompt, *said = msgs
    if len(said) <= 2:
        return msgs
    told = Msg.user(f"[{len(said) - 2} earlier messages about sentences]")
    report.record_copy(told, said[:-2])
    return [prompt, told, *said[-2:]]


@pytest.mark.demand("S77")
def test_a_long_conversation_is_summarised_by_a_rewrite() -> None:
    formatter = OpenAIMultiAgentFormatter(rewrites=(summarised,))
    [_, history] = formatter.format_sync(chat())
    text = history["content"][0]["text"]
    assert "[4 earlier messages about sentences]" in text
    assert "Tony: Sentence 5." in text
    assert "Sentence 4." not in text
    assert formatter.format_sync(chat(2)) == OpenAIMultiAgentFormatter().format_sync(chat(2))


@pytest.mark.demand("S78")
def test_memory_or_agent_may_cut_and_summarise_themselves() -> None:
    plain = OpenAIChatFormatter()
    counter = CharTokenCounter()
    limit = counter.count_sync(plain.format_sync(chat())) - 1
    counting = OpenAIChatFormatter(token_counter=counter, max_tokens=limit)
    fitted = fit_history_sync(chat(), formatter=counting)
    assert [m.text for m in fitted.msgs] == [m.text for m in (chat()[0], *chat()[2:])]
    assert (fitted.receipt.before, fitted.receipt.after) == (7, 6)
    assert plain.format_sync(fitted.msgs) == counting.format_sync(chat())

    short = summarised(chat(), Report())
    assert len(plain.format_sync(short)) == 4

    def last_two(msgs: list[Msg]) -> list[Msg]:
        """An agent's own loop around a strategy; its measure is a message."""
        cutting = DropOldest().candidates(msgs, 3)
        candidate = next(cutting)
        try:
            while True:
                candidate = cutting.send(len(candidate))
        except StopIteration as done:
            chosen: list[Msg] = done.value
            return chosen

    assert [m.text for m in last_two(chat())] == ["You are Friday.", "Sentence 5.", "Sentence 6."]
