"""The same conversation over every wire has one hash, and differences are named by their places."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.analysis import Difference, diff, hash_conversation
from dragoman.message import (
    Base64Source,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from dragoman.vendors import PROTOCOLS

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


def talk() -> ChatRequest:
    return ChatRequest(
        [
            Msg("", "You are a guide.", "system"),
            Msg("", [TextBlock("What?"), ImageBlock(Base64Source("image/png", PNG))], "user"),
            Msg("", [TextBlock("I look."), ToolUseBlock("a", "look", {"at": 1, "of": [2.5]}),
                     ToolUseBlock("b", "look", {"at": 2})], "assistant"),
            Msg("", [ToolResultBlock("a", "look", "A gate.")], "tool"),
            Msg("", [ToolResultBlock("b", "look", '{"miles": 3}')], "tool"),
            Msg("", "It is a gate.", "assistant"),
            Msg("", "Thanks.", "user"),
        ],
        tools=[Tool("look", "Looks.", {"type": "object", "properties": {"at": {}}})],
        options=Options(temperature=1),
    )  # fmt: skip


def body(name: str, req: ChatRequest) -> dict[str, Any]:
    wire = dragoman.wire(name, policy="ignore")
    model = {"dashscope": "qwen3-vl-plus", "ollama": "gemma3"}.get(name)  # which see
    return wire.write_request(req, model=model).body


@pytest.mark.parametrize("name", PROTOCOLS)
def test_one_hash_over_every_wire(name: str) -> None:
    said = body(name, talk())
    assert diff(talk(), said, right_source=name) == []
    assert hash_conversation(said, name) == hash_conversation(talk())


def test_spelling_ids_and_thinking_are_not_said() -> None:
    other = talk()
    other.options = Options()
    calls = other.messages[2].blocks
    other.messages[2] = Msg("Bo", [ThinkingBlock("Hm.", "c2ln"), *calls], "assistant")
    for m in other.messages:
        for block in m.blocks if not isinstance(m.content, str) else ():
            if isinstance(block, (ToolUseBlock, ToolResultBlock)):
                block.id = "x" + block.id
    assert hash_conversation(other) == hash_conversation(talk())
    assert len(hash_conversation(other)) == 32


CHANGES: dict[str, Any] = {
    "a word": lambda req: req.messages.__setitem__(6, Msg("", "Thank you.", "user")),
    "an argument": lambda req: setattr(req.messages[2].blocks[1], "input", {"at": 1.0, "of": [3]}),
    "a result": lambda req: setattr(req.messages[3].blocks[0], "output", "A door."),
    "a tool": lambda req: setattr(req, "tools", []),
    "who says it": lambda req: setattr(req.messages[6], "role", "assistant"),
    "a message": lambda req: req.messages.pop(5),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_said_differently_has_another_hash(change: str) -> None:
    other = copy.deepcopy(talk())
    CHANGES[change](other)
    assert hash_conversation(other) != hash_conversation(talk())
    assert diff(talk(), other) != []


def test_differences_name_both_places() -> None:
    ours, theirs = body("openai-chat", talk()), body("anthropic", talk())
    theirs["messages"][-1]["content"] = "Thank you."
    theirs["messages"][1]["content"].append(
        {"type": "tool_use", "id": "c", "name": "look", "input": {}}
    )
    found = diff(ours, theirs, left_source="openai-chat", right_source="anthropic")
    assert [(d.change, d.kind, d.left, d.right) for d in found] == [
        ("inserted", "call", "", "$.messages[1].content[3]"),
        ("changed", "text", "$.messages[6]", "$.messages[4]"),
    ]
    assert (found[1].was, found[1].now) == ("Thanks.", "Thank you.")


def test_bodies_are_detected() -> None:
    assert diff(body("openai-chat", talk()), body("gemini", talk())) == []


def test_long_texts_are_cut() -> None:
    found = diff([Msg("", "a" * 500, "user")], [Msg("", "b" * 500, "user")])
    assert isinstance(found[0], Difference)
    assert len(found[0].was) <= 80


HI = {"role": "user", "content": "Hi"}


def test_a_body_may_be_text() -> None:
    told = {"model": "m", "messages": [HI]}
    assert (
        hash_conversation(json.dumps(told))
        == hash_conversation(json.dumps(told).encode())
        == hash_conversation(told)
    )
    assert diff(json.dumps(told), told) == []
    assert hash_conversation(json.dumps(told), "openai-chat") == hash_conversation(told)


@pytest.mark.parametrize("given", [5, None, "5", "nonsense", object(), {}, [HI], [5], (1,)])
def test_what_is_no_conversation(given: Any) -> None:
    for ask in (hash_conversation, lambda odd: diff(odd, [Msg("", "Hi", "user")])):
        with pytest.raises(dragoman.DragomanError):
            ask(given)


def test_arguments_nested_without_end() -> None:
    deep: Any = {}
    for _ in range(5000):
        deep = {"a": deep}
    call = {"type": "tool_use", "id": "c", "name": "look", "input": deep}
    told = {"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": [call]}]}
    for ask in (
        lambda: hash_conversation(told, "anthropic"),
        lambda: diff(told, [Msg("", "Hi", "user")], left_source="anthropic"),
        lambda: diff([Msg("", "Hi", "user")], told, right_source="anthropic"),
    ):
        with pytest.raises(dragoman.InvalidMessage, match="nested too deeply") as refused:
            ask()
        assert refused.value.code == "json.deep"


def test_base64_that_is_none() -> None:
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA\ud83d"}}
    assert (
        len(hash_conversation({"model": "m", "messages": [{"role": "user", "content": [url]}]}))
        == 32
    )
