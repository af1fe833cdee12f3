"""Reprs of requests, of answers and of what is written show a line of each text at most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from dragoman import ChatRequest, Formatter, Msg
from dragoman.message import (
    Candidate,
    ChatResponse,
    Finish,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from dragoman.message.blocks import BLOCKS
from dragoman.text.redaction import CAP
from tests.each_case import each_case
from tests.wires import ONE_OF_EACH_KIND

from .planted import BASE64, LONG, SECRET, blocks, leaks, requests


def test_a_leak_is_found() -> None:
    assert leaks(SECRET)
    assert leaks(f"... {SECRET[55:140]}")
    assert leaks(f"data:{BASE64[801:832]}")
    assert leaks(f"{SECRET[:CAP]}... {BASE64[:20]}...") == []


def nodes(value: Any) -> Iterator[Any]:
    """A value and everything inside of it that has a repr of its own."""
    yield value
    inner: list[Any] = []
    if is_dataclass(value):
        inner = [getattr(value, f.name) for f in fields(value)]
    elif isinstance(value, Msg):
        inner = [value.blocks, value.origin, value.cache]
    elif isinstance(value, (list, tuple)):
        inner = list(value)
    for one in inner:
        if is_dataclass(one) or isinstance(one, (Msg, list, tuple)):
            yield from nodes(one)


def shown_nodes(value: Any) -> list[str]:
    """The reprs of all nodes but of plain lists, whose items are capped each by itself."""
    return [repr(node) for node in nodes(value) if not isinstance(node, (list, tuple))]


def test_every_block_kind_is_planted() -> None:
    assert {block.type for block in blocks(SECRET)} == set(BLOCKS)


@pytest.mark.parametrize("text", LONG, ids=["secret", "base64"])
def test_reprs_of_requests_and_all_they_hold(text: str) -> None:
    for request in requests(text):
        assert [leak for said in shown_nodes(request) for leak in leaks(said)] == []


@pytest.mark.parametrize("text", LONG, ids=["secret", "base64"])
def test_reprs_of_answers(text: str) -> None:
    extras = {text: {text: text}}
    msg = Msg(text, [TextBlock(text)], "assistant", extras=extras)
    answer = ChatResponse(
        [Candidate(msg, Finish("other", text), extras)], Usage(extras=extras), "complete",
        text, text, extras,
    )  # fmt: skip
    assert [leak for said in shown_nodes(answer) for leak in leaks(said)] == []


@each_case("text", LONG)
@each_case("wire", ONE_OF_EACH_KIND)
def test_reprs_of_what_is_written(wire: str, text: str) -> None:
    msgs = [Msg("", text), Msg("", [ToolUseBlock("1", "f", {"x": text})], "assistant")]
    msgs.append(Msg("", [ToolResultBlock("1", "f", text)], "tool"))
    made = Formatter(wire, policy="ignore")
    assert leaks(repr(made.write(msgs))) == []
    assert leaks(repr(made.format_request(ChatRequest(msgs, system=text)))) == []
    assert leaks(repr(made)) == []
