"""Messages of Chat Completions' requests have their neutral homes."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import Tool
from dragoman.message import (
    AudioBlock,
    Base64Source,
    CacheHint,
    DocumentBlock,
    FileSource,
    ImageBlock,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
)

from .bodies import HI, LOOK, MESSAGES, PARTS, WIRE, body, read


def one(message: dict[str, Any]) -> Any:
    """The only block of the only message."""
    (m,) = read(body(message)).messages
    (block,) = m.blocks
    return block


def test_the_older_spelling_of_tools_and_calls() -> None:
    req = read(body(
        HI, MESSAGES["function call"], MESSAGES["function result"], MESSAGES["function call"],
        MESSAGES["function result"], functions=[LOOK["function"]],
    ))  # fmt: skip
    assert [tool.name for tool in req.tools if isinstance(tool, Tool)] == ["look"]
    first, result, second, other = (m.blocks[0] for m in req.messages[1:])
    assert isinstance(first, ToolUseBlock)
    assert isinstance(second, ToolUseBlock)
    assert isinstance(result, ToolResultBlock)
    assert isinstance(other, ToolResultBlock)
    assert (first.name, first.input, result.name, result.output) == ("look", {}, "look", "18")
    assert first.id == result.id != second.id == other.id


def test_messages_have_their_neutral_homes() -> None:
    call = one(MESSAGES["call"])
    assert call == ToolUseBlock("c1", "look", {"at": 1}, '{"at": 1}')
    assert one(MESSAGES["broken arguments"]).input == '{"at": '
    assert one(MESSAGES["custom call"]) == ToolUseBlock("c2", "grep", "x", freeform=True)
    raw = one(MESSAGES["odd custom call"])
    assert (raw.role, raw.pair, raw.by) == ("call", "c2", "client")
    assert one(MESSAGES["result of parts"]) == ToolResultBlock("c1", "look", [TextBlock("18")])
    assert one(MESSAGES["refusal"]) == RefusalBlock("No.")
    (m,) = read(body(MESSAGES["marked"])).messages
    assert (m.content, m.cache) == ("Hi", CacheHint("1h"))
    (m,) = read(body(MESSAGES["unknown role"])).messages
    assert m.blocks == [RawBlock(WIRE, MESSAGES["unknown role"], "message", by="client")]


@pytest.mark.parametrize("given", [{}, {"arguments": None}, {"arguments": {}}])
def test_a_function_call_without_arguments_is_a_call(given: dict[str, Any]) -> None:
    said = {"role": "assistant", "content": None, "function_call": {"name": "look", **given}}
    told = body(HI, said, {"role": "function", "name": "look", "content": "seen"})
    req = read(told)
    call, result = req.messages[1].blocks[0], req.messages[2].blocks[0]
    assert isinstance(call, ToolUseBlock)
    assert (call.name, call.input, call.id) == ("look", {}, getattr(result, "id", None))
    assert dragoman.convert(told, WIRE, WIRE, policy="ignore").body == told


def test_thinking_bears_whose_it_is() -> None:
    details = MESSAGES["details"]
    (m,) = read(body(details)).messages
    first, second, third = m.blocks[:3]
    assert first == ThinkingBlock("Hm", "s", extras={WIRE: {"index": 0}})
    assert second.thinking == "H"  # type: ignore[union-attr]
    assert third.redacted == "xyz"  # type: ignore[union-attr]
    assert {(b.origin.issuer, b.origin.model) for b in (first, second, third) if b.origin} == {
        (WIRE, "m")
    }
    assert (m.extras or {})[WIRE] == {"reasoning": "Hm"}
    beside = read(body(MESSAGES["proof beside a thought"])).messages[0].blocks[0]
    assert beside == ThinkingBlock("Hm", "s", extras={WIRE: {"type": "reasoning.text"}})


def test_media_have_their_neutral_homes() -> None:
    def part(name: str) -> Any:
        return one({"role": "user", "content": [PARTS[name]]})

    assert part("image with detail").detail == "low"
    assert part("image") == ImageBlock(URLSource("https://example.com/a.png"))
    assert part("image in data").source.media_type == "image/png"
    assert part("sound") == AudioBlock(Base64Source("audio/wav", "QUJD"))
    assert part("file") == DocumentBlock(FileSource("f1", WIRE))
    assert part("file in data").title == "a.pdf"
    assert part("marked text") == TextBlock("Hi", cache=CacheHint("1h"))
    assert isinstance(part("unknown part"), RawBlock)
