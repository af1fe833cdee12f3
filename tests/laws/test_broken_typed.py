"""Law 8 over bodies: whatever JSON stands where, it is read, and said on other wires or refused.

Each whole body of the strict validators' cases, with one value at a time replaced by something
that does not belong there; and broken histories over all that a request may ask for.
"""

from __future__ import annotations

import json
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool, ToolChoice
from dragoman.errors import DragomanError
from dragoman.vendors import PROTOCOLS
from tests.contract.judges.cases import changed
from tests.contract.test_strict import TABLES, places

from .broken import broken
from .each import for_each
from .histories import choices, tools

WIRES = {name: dragoman.wire(name, policy="ignore") for name in PROTOCOLS}
DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
JUNK: tuple[Any, ...] = (
    None, True, 7, -1.5, 2**70, "", " ", "x", "\ud800", [], {}, [None], [[]], [7, {}], {"a": None},
    {"type": []}, {"type": "text"}, {"text": {}}, {"function": 7}, {"role": "user"}, DEEP,
)  # fmt: skip


def said(body: Any, source: str, target: str) -> None:
    """Read from one wire and written on another: JSON and losses, or an error by its name."""
    try:
        out = dragoman.convert(body, source, target, model="m", policy="ignore")
    except DragomanError as error:
        assert str(error)  # noqa: PT017 - any code will do, but nothing else than ours
    else:
        json.dumps(out.body)
        assert all(loss.where for loss in out.losses)


@pytest.mark.parametrize("source", PROTOCOLS)
def test_one_value_at_a_time(source: str) -> None:
    """Every other value at each place; JUNK has those of one kind beside each other."""
    base, targets = TABLES[source].BASE, cycle(PROTOCOLS)
    for nth, place in enumerate(places(base, "")):
        for junk in JUNK[nth % 2 :: 2]:
            said(changed(base, {place: junk}), source, next(targets))


@pytest.mark.parametrize("source", PROTOCOLS)
@settings(max_examples=100)
@given(st.data())
def test_several_values_at_a_time(source: str, data: st.DataObject) -> None:
    base = TABLES[source].BASE
    spots = data.draw(st.lists(st.sampled_from(places(base, "")), min_size=2, max_size=5))
    body: Any = base
    for place in sorted(spots, key=len, reverse=True):  # what is inside goes first
        body = changed(body, {place: data.draw(st.sampled_from(JUNK))})
    said(body, source, data.draw(st.sampled_from(list(PROTOCOLS))))


@settings(max_examples=60)
@given(
    broken(),
    tools,
    choices,
    st.builds(
        Options,
        max_tokens=st.sampled_from((None, 0, 1, 2**40)),
        reasoning=st.sampled_from((None, "off", "on", "low", "max", "unheard of")),
        thoughts=st.sampled_from((None, "auto", "detailed", "loudly")),
        reasoning_budget=st.sampled_from((None, 0, 1, 10**9)),
        n=st.sampled_from((None, 0, 3)),
        stop=st.sampled_from((None, (), ("",), tuple("abcdefgh"))),
    ),
    st.sampled_from(("", None, "no such model", "claude-opus-5-5", "gemini-4-neon", "gpt-6-sol")),
)
@for_each("name", PROTOCOLS)
def test_requests(
    name: str,
    msgs: list[Msg],
    offered: list[Tool],
    choice: ToolChoice | None,
    options: Options,
    model: str | None,
) -> None:
    try:
        req = ChatRequest(msgs, tools=offered, tool_choice=choice, options=options, model=model)
        out = WIRES[name].write_request(req)
    except DragomanError as error:
        assert str(error)  # noqa: PT017 - see above
    else:
        json.dumps(out.body)
        assert all(loss.where for loss in out.losses)
