"""Whatever is wrong gives a typed error that names the path, and changes nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

from dragoman.errors import DragomanError, InvalidMessage, NotMessages, WriteError
from dragoman.message import (
    Base64Source,
    Citation,
    FileSource,
    ImageBlock,
    LocalSource,
    Msg,
    RawBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    URLSource,
    check_messages,
)
from dragoman.message.check import check_block
from tests.each_case import each_case

NAN, INF = float("nan"), float("inf")


def wrong(value: object) -> Any:
    """A value of the wrong type, as a caller without a type checker passes it."""
    return value


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def looped() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["again"] = value
    return value


def results(depth: int) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": "x"}
    for _ in range(depth):
        block = {"type": "tool_result", "id": "c", "output": [block]}
    return block


def result_blocks(depth: int) -> ToolResultBlock:
    block = ToolResultBlock("c", "f", [TextBlock("x")])
    for _ in range(depth - 1):
        block = ToolResultBlock("c", "f", [block])
    return block


def tool_use(**fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "c", "name": "f", **fields}


def image(source: Any) -> dict[str, Any]:
    return {"type": "image", "source": source}


BAD_MESSAGES: list[tuple[dict[str, Any], str]] = [
    ({"role": "bot"}, "$.role"),
    ({"role": None}, "$.role"),
    ({"role": ["user"]}, "$.role"),
    ({"role": "User"}, "$.role"),
    ({"name": None}, "$.name"),
    ({"name": 7}, "$.name"),
    ({"content": None}, "$.content"),
    ({"content": 7}, "$.content"),
    ({"content": b"x"}, "$.content[0]"),
    ({"content": (7,)}, "$.content[0]"),
    ({"content": {"type": "text", "text": "x"}}, "$.content"),
    ({"metadata": "x"}, "$.metadata"),
    ({"metadata": [("k", 1)]}, "$.metadata"),
    ({"timestamp": 7}, "$.timestamp"),
    ({"id": 7}, "$.id"),
    ({"cache": "ephemeral"}, "$.cache"),
    ({"cache": {"ttl": "1h"}}, "$.cache"),
    ({"origin": "openai"}, "$.origin"),
    ({"extras": {"openai": 1}}, "$.extras.openai"),
    ({"extras": [1]}, "$.extras"),
    ({"extras": {"openai": {"k": NAN}}}, "$.extras.openai.k"),
    ({"extras": {1: {}}}, "$.extras"),
]
BAD_BLOCKS: list[tuple[Any, str]] = [
    (None, ""),
    (7, ""),
    (["x"], ""),
    (object(), ""),
    (Msg("", "x"), ""),
    (URLSource("https://example.com/a.png"), ""),
    (TextBlock, ""),
    ({}, ""),
    ({"text": "x"}, ""),
    ({"type": "txt", "text": "x"}, ""),
    ({"type": None}, ""),
    ({"type": ["text"]}, ""),
    ({"type": "text"}, ""),
    ({"type": "image"}, ""),
    ({"type": "tool_use", "name": "f"}, ""),
    ({"type": "tool_use", "id": "c"}, ""),
    ({"type": "tool_result"}, ""),
    ({"type": "raw", "issuer": "openai"}, ""),
    ({"type": "text", "text": None}, ".text"),
    ({"type": "text", "text": 7}, ".text"),
    (TextBlock(wrong(None)), ".text"),
    (TextBlock("x", cache=wrong("1h")), ".cache"),
    (TextBlock("x", citations=wrong("y")), ".citations"),
    (TextBlock("x", citations=[Citation(), wrong(1)]), ".citations[1]"),
    (TextBlock("x", extras=wrong({"": 1})), ".extras."),
    (TextBlock("x", extras=wrong("y")), ".extras"),
    (TextBlock("x", origin=wrong("openai")), ".origin"),
    ({"type": "text", "text": "x", "extras": "y"}, ".extras"),
    ({"type": "text", "text": "x", "odd": NAN}, '.extras[""].odd'),
    ({"type": "text", "text": "x", 7: 1}, '.extras[""]'),
    ({"type": "text", "text": "x", "cache": "1h"}, ".cache"),
    ({"type": "text", "text": "x", "cache": {"until": 1}}, ".cache"),
    ({"type": "text", "text": "x", "citations": [{"page": 1}]}, ".citations[0]"),
    ({"type": "text", "text": "x", "origin": {"model": "m"}}, ".origin"),
    (ThinkingBlock(wrong(None)), ".thinking"),
    (ThinkingBlock("x", signature=wrong(b"s")), ".signature"),
    (ThinkingBlock("x", redacted=wrong(7)), ".redacted"),
    (RefusalBlock("x", wrong(7)), ".category"),
    (RefusalBlock(wrong(7)), ".text"),
    (tool_use(id=7), ".id"),
    (tool_use(name=None), ".name"),
    (tool_use(raw_input={}), ".raw_input"),
    (tool_use(input={"n": NAN}), ".input.n"),
    (tool_use(input={"n": [1, INF]}), ".input.n[1]"),
    (tool_use(input={"n": {"m": -INF}}), ".input.n.m"),
    (tool_use(input={1: 1}), ".input"),
    (tool_use(input={"n": {1, 2}}), ".input.n"),
    (tool_use(input={"n": b"x"}), ".input.n"),
    (tool_use(input={"n": MappingProxyType({})}), ".input.n"),
    (ToolUseBlock("c", "f", object()), ".input"),
    ({"type": "tool_result", "id": 7}, ".id"),
    ({"type": "tool_result", "id": "c", "name": 7}, ".name"),
    ({"type": "tool_result", "id": "c", "output": 7}, ".output"),
    ({"type": "tool_result", "id": "c", "output": ("x",)}, ".output"),
    ({"type": "tool_result", "id": "c", "output": {"n": NAN}}, ".output.n"),
    ({"type": "tool_result", "id": "c", "output": ["x"]}, ".output[0]"),
    ({"type": "tool_result", "id": "c", "output": [{"type": "text"}]}, ".output[0]"),
    ({"type": "tool_result", "id": "c", "is_error": "yes"}, ".is_error"),
    (ToolResultBlock("c", "f", [TextBlock(wrong(None))]), ".output[0].text"),
    (image(None), ".source"),
    (image("https://example.com/a.png"), ".source"),
    (image({"type": "web", "url": "x"}), ".source"),
    (image({"url": "x"}), ".source"),
    (image({"type": "url"}), ".source"),
    (image({"type": "url", "url": 7}), ".source.url"),
    (image({"type": "url", "url": "x", "size": 1}), ".source"),
    (image({"type": "base64", "data": "x"}), ".source"),
    (ImageBlock(Base64Source("image/png", wrong(b"x"))), ".source.data"),
    (ImageBlock(Base64Source(wrong(7), "x")), ".source.media_type"),
    (ImageBlock(LocalSource(wrong(7))), ".source.path"),
    (ImageBlock(FileSource(wrong(7))), ".source.file_id"),
    (ImageBlock(FileSource("f", wrong(7))), ".source.issuer"),
    (ImageBlock(wrong(TextBlock("x"))), ".source"),
    (ImageBlock(URLSource("x"), title=wrong(7)), ".title"),
    (ImageBlock(URLSource("x"), detail=wrong(7)), ".detail"),
    (ImageBlock(URLSource("x", wrong(7))), ".source.media_type"),
    (ImageBlock(Base64Source("image/png", "x", wrong(7))), ".source.uri"),
    (ImageBlock(LocalSource("x", wrong(7))), ".source.media_type"),
    (ImageBlock(FileSource("f", "p", wrong(7))), ".source.media_type"),
    (RawBlock(wrong(7), {}), ".issuer"),
    (RawBlock("openai", {"n": NAN}), ".data.n"),
    (RawBlock("openai", {}, role=wrong("x")), ".role"),
    (RawBlock("openai", {}, by=wrong("x")), ".by"),
    (RawBlock("openai", {}, pair=wrong(7)), ".pair"),
]  # fmt: skip


@each_case(("fields", "path"), BAD_MESSAGES)
def test_a_wrong_message_is_refused_with_its_path(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidMessage) as caught:
        Msg(**fields)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: ")


@each_case(("block", "path"), BAD_BLOCKS)
def test_a_wrong_block_is_refused_with_its_path(block: Any, path: str) -> None:
    content = [TextBlock("before"), block]
    before = copy.deepcopy(content[0])
    with pytest.raises(InvalidMessage) as caught:
        Msg("", content, "assistant", path="$.messages[4]")
    assert caught.value.path == f"$.messages[4].content[1]{path}"
    assert content[0] == before
    assert content[1] is block, "nothing was half-built in the caller's list"


@pytest.mark.parametrize("make", [looped, lambda: nested(1001), lambda: {"l": [nested(999)]}])
def test_endless_and_very_deep_values_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidMessage) as caught:
        Msg("", [ToolUseBlock("c", "f", make())], "assistant")
    assert caught.value.code == "json.deep"


def test_deep_values_are_taken_to_the_limit() -> None:
    Msg("", [ToolUseBlock("c", "f", nested(998))], "assistant")


def test_deeply_nested_results() -> None:
    for make in (results, result_blocks):
        Msg("", [make(20)], "tool")
        check_block(make(20), "$")
        for depth in (21, 3_000):
            with pytest.raises(InvalidMessage) as caught:
                Msg("", [make(depth)], "tool")
            assert caught.value.code == "message.deep"


def test_errors_are_what_callers_catch() -> None:
    kinds: tuple[type[Exception], ...] = (DragomanError, WriteError, ValueError)
    for kind in kinds:
        with pytest.raises(kind):
            Msg("", "x", "bot")
    kinds = (DragomanError, WriteError, TypeError)
    for kind in kinds:
        with pytest.raises(kind):
            check_messages("x")


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("hello", "$.messages"),
        (b"hello", "$.messages"),
        (None, "$.messages"),
        (7, "$.messages"),
        ({"role": "user"}, "$.messages"),
        (Msg("", "x"), "$.messages"),
        ([Msg("", "x"), {"role": "user"}], "$.messages[1]"),
        ([None], "$.messages[0]"),
        ((Msg("", "x"), "y"), "$.messages[1]"),
    ],
)
def test_no_list_of_messages(given: object, path: str) -> None:
    with pytest.raises(NotMessages) as caught:
        check_messages(given)
    assert caught.value.path == path


def test_any_iterable_of_messages_is_a_list_and_a_list_stays_itself() -> None:
    msgs = [Msg("", "x")]
    assert check_messages(msgs) is msgs
    own = [type("Own", (Msg,), {})("", "x"), *msgs]
    assert check_messages(own) is own
    assert check_messages(iter(msgs)) == msgs
    assert check_messages(tuple(msgs)) == msgs
