"""Law 5 over broken histories and refused bodies: nothing that was passed in is changed.

Repair, ids, names, order and truncation make new messages beside the caller's, and convert makes
new objects beside the body's.
"""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings

import dragoman
from dragoman import ChatRequest, ClearToolResults, DropOldest, KeepFirst, Msg, Tool, ToolChoice
from dragoman.errors import ContextOverflow, DragomanError
from dragoman.message import TextBlock, dump
from dragoman.tokens import CharTokenCounter
from dragoman.vendors import PROTOCOLS
from tests.contract.judges.cases import changed
from tests.contract.strict.cases import Case
from tests.contract.test_strict import ROWS, TABLES
from tests.each_case import each_case

from .broken import broken
from .each import for_each
from .histories import choices, tools
from .streams import STREAMS

WIRES = {name: dragoman.wire(name, policy="ignore") for name in PROTOCOLS}
TRUNCATIONS = [DropOldest(), KeepFirst(1), ClearToolResults()]


def objects(value: Any) -> list[int]:
    """Which objects a list of messages holds, at any depth that a caller sees."""
    seen = [id(value)]
    for m in value:
        seen += [id(m), id(m.content)]
        for block in m.content if isinstance(m.content, list) else ():
            seen += [id(block), *(id(getattr(block, key, None)) for key in ("input", "output"))]
    return seen


def test_objects_sees_a_block_that_was_replaced() -> None:
    msgs = [Msg.user([TextBlock("x")])]
    before = objects(msgs)
    assert objects(msgs) == before
    msgs[0].content = list(msgs[0].content)  # type: ignore[arg-type]  # a list of the same
    assert objects(msgs) != before


@settings(max_examples=40)
@given(broken(), tools, choices)
@for_each("name", PROTOCOLS)
def test_requests(
    name: str, msgs: list[Msg], offered: list[Tool], choice: ToolChoice | None
) -> None:
    req = ChatRequest(msgs, tools=offered, tool_choice=choice)
    before, held = copy.deepcopy(req), objects(req.messages)
    try:
        first = WIRES[name].write_request(req)
    except DragomanError as error:
        with pytest.raises(type(error)):
            WIRES[name].write_request(before)
    else:
        assert WIRES[name].write_request(before).body == first.body, "a copy gives the same"
        assert [loss.to_dict() for loss in first.losses] == [
            loss.to_dict() for loss in WIRES[name].write_request(req).losses
        ]
    assert dump(req) == dump(before)
    assert objects(req.messages) == held


@settings(max_examples=25)
@given(broken())
@for_each("truncation", TRUNCATIONS)
@for_each("name", ["openai-chat", "anthropic", "gemini"])
def test_truncation(name: str, truncation: Any, msgs: list[Msg]) -> None:
    formatter = dragoman.Formatter(
        name, token_counter=CharTokenCounter(), max_tokens=300, truncate=truncation, policy="ignore"
    )
    before, held = copy.deepcopy(msgs), objects(msgs)
    with suppress(ContextOverflow):
        formatter.format_sync(msgs)
    assert dump(msgs) == dump(before)
    assert objects(msgs) == held


@each_case(("source", "row"), ROWS, ids=str)
def test_bodies(source: str, row: Case) -> None:
    body = changed(TABLES[source].BASE, row.bad)
    before = copy.deepcopy(body)
    read = WIRES[source].read_request(body)
    assert WIRES[source].write_request(read).body == before, "law 1: it goes back as it came"
    for target in PROTOCOLS:
        with suppress(DragomanError):
            dragoman.convert(body, source, target, model=WIRES[target].room.model, policy="ignore")
    assert body == before


@each_case("source", STREAMS)
@each_case("target", STREAMS)
def test_events(source: str, target: str) -> None:
    """Events that a client took out of the body already are its own."""
    for events in STREAMS[source]:
        chunks: list[Any] = [payload for _, payload in events if not isinstance(payload, str)]
        before = copy.deepcopy(chunks)
        with suppress(DragomanError):
            for _ in dragoman.convert_stream(chunks, source, target, policy="ignore"):
                pass
        assert chunks == before
