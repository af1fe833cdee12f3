"""A history that is right is not repaired: it passes strictly, and goes out byte by byte the same.

Right is: every call answered at once and once, ids and names that every wire takes, turns that
alternate, nothing blank, a user's turn or results at the end.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.history.pipeline import FormatStyle, prepare
from dragoman.losses import Report
from dragoman.message import TextBlock, ToolResultBlock, ToolUseBlock, dump, load

from .each import for_each

WIRES = [name for name in dragoman.wires() if dragoman.wire(name).can().tools]
TOOLS = [Tool("look", "Look.", {"type": "object", "properties": {"at": {"type": "string"}}}),
         Tool("find_it", "Find.", {"type": "object", "properties": {}})]  # fmt: skip
# what nobody asked for, and a signature that calls of no provider lack
EXPECTED = {"model.default", "max_tokens.default", "reasoning.off_for_tools", "call.bypass"}

_texts = st.sampled_from(("Hi.", "How many?", "天气 \n in two lines", " led by a space"))
_given = st.dictionaries(st.just("at"), st.sampled_from(("here", "dort", "")), max_size=1)


@st.composite
def right_histories(draw: st.DrawFn) -> list[Msg]:
    """Rounds of talk and tools; ids are nine letters and digits, as the narrowest wire has them."""
    msgs = [Msg.system(draw(_texts))] if draw(st.booleans()) else []
    number = 0
    for _ in range(draw(st.integers(1, 3))):
        msgs.append(Msg.user(draw(_texts)))
        for _ in range(draw(st.integers(0, 2))):
            names = draw(st.lists(st.sampled_from(("look", "find_it")), min_size=1, max_size=3))
            calls = [ToolUseBlock(f"call{number + n:05}", name, draw(_given))
                     for n, name in enumerate(names)]  # fmt: skip
            number += len(calls)
            said = [TextBlock(draw(_texts))] if draw(st.booleans()) else []
            msgs.append(Msg("", [*said, *calls], "assistant"))
            results = [ToolResultBlock(call.id, call.name, draw(_texts)) for call in calls]
            together = draw(st.booleans())
            groups = [results] if together else [[one] for one in results]
            msgs += [Msg("", list(group), "tool") for group in groups]
        msgs.append(Msg.assistant(draw(_texts)))
    return msgs[:-1] if draw(st.booleans()) else [*msgs, Msg.user(draw(_texts))]


def said(out: Any) -> list[str]:
    """The turns as text, keys in the order in which they stand."""
    body = out.body.get("input", out.body) if "parameters" in out.body else out.body
    turns = next(body[key] for key in ("messages", "contents", "input") if key in body)
    return [json.dumps(turn, ensure_ascii=False) for turn in turns]


@settings(max_examples=20)
@given(right_histories())
@for_each("name", WIRES)
def test_nothing_is_repaired(name: str, msgs: list[Msg]) -> None:
    wire = dragoman.wire(name, strict=True)
    out = wire.write_request(ChatRequest(msgs, tools=TOOLS))
    assert {loss.code for loss in out.losses} <= EXPECTED
    assert said(out) == said(dragoman.wire(name).write_request(ChatRequest(msgs, tools=TOOLS)))
    assert out.ids == {}
    assert out.names == {}


@settings(max_examples=20)
@given(right_histories())
@for_each("name", WIRES)
def test_what_was_written_is_written_again(name: str, msgs: list[Msg]) -> None:
    """As it was read, and composed anew of what was read: no pass has anything to do."""
    wire = dragoman.wire(name, strict=True)
    out = wire.write_request(ChatRequest(msgs, tools=TOOLS))
    req = wire.read_request(out.body, out.path)
    assert wire.write_request(req).body == out.body
    anew = load(dump(replace(req, read=None)))
    assert isinstance(anew, ChatRequest)
    again = wire.write_request(replace(anew, read=None), out.model)
    assert said(again) == said(out)
    assert {loss.kind for loss in again.losses} <= {"expected", "moved"}


@settings(max_examples=20)
@given(right_histories())
@for_each("name", WIRES)
def test_every_message_is_the_very_one(name: str, msgs: list[Msg]) -> None:
    """Where results need not be gathered, no message is so much as copied."""
    can = dragoman.wire(name).can()
    report = Report(msgs)
    seated = prepare(msgs, [], can, FormatStyle(), report, whole=True).history
    if can.gather_results:
        gathered = {id(m) for m in seated.msgs} - {id(m) for m in msgs}
        assert all(m.role == "tool" for m in seated.msgs if id(m) in gathered)
    else:
        assert [id(m) for m in seated.msgs] == [id(m) for m in msgs]
    assert report.losses == []
