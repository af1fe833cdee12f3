"""Law 5: nothing that the caller passed is changed, and the same input gives the same output."""

from __future__ import annotations

import copy
import pickle
from functools import cache, partial
from typing import Any

from hypothesis import given

import dragoman
from dragoman import ByName, ChatRequest, Msg, NameField, Tagged, Tool, ToolChoice
from dragoman.errors import DragomanError, MediaRefused
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.message import dump
from tests.wires import ONE_OF_EACH_KIND

from .each import for_each
from .histories import choices, histories, tools

NAMED = sorted(set(FORMATTERS) - {"OpenAIFormatter"})
wire = cache(partial(dragoman.wire, policy="ignore"))
SPEAKERS = [ByName(), Tagged("Bob"), NameField()]


@cache
def pickled(name: str) -> dragoman.Wire:
    again: dragoman.Wire = pickle.loads(pickle.dumps(wire(name)))
    return again


def written(wire: dragoman.Wire, req: ChatRequest) -> Any:
    try:
        out = wire.write_request(req)
    except DragomanError as error:
        return str(error)
    return out.body, out.path, out.ids, [loss.to_dict() for loss in out.losses]


def formatted(formatter: Any, msgs: list[Msg]) -> Any:
    """The messages of the wire, or where a file may not be read, and why."""
    try:
        return formatter.write(msgs).messages
    except MediaRefused as error:
        return error.code, error.path, str(error)


@given(histories(), tools, choices)
@for_each("name", ONE_OF_EACH_KIND)
def test_requests(
    name: str, msgs: list[Msg], offered: list[Tool], choice: ToolChoice | None
) -> None:
    req = ChatRequest(msgs, tools=offered, tool_choice=choice)
    before = copy.deepcopy(req)
    identities = [id(m) for m in msgs]
    contents = [id(m.content) for m in msgs]
    first = written(wire(name), req)
    assert dump(req) == dump(before)
    assert [id(m) for m in msgs] == identities
    assert [id(m.content) for m in msgs] == contents
    assert written(wire(name), req) == first, "the same twice"
    assert written(pickled(name), before) == first, "and of a copy, through a pickled wire"


@given(histories())
@for_each("name", NAMED)
def test_named_formatters(name: str, msgs: list[Msg]) -> None:
    formatter: Any = getattr(dragoman.formatter, name)(policy="ignore")
    before = copy.deepcopy(msgs)
    first = formatted(formatter, msgs)
    assert dump(msgs) == dump(before)
    assert formatted(formatter, before) == first


@given(histories())
@for_each("speakers", SPEAKERS)
def test_speakers(speakers: Any, msgs: list[Msg]) -> None:
    formatter = dragoman.Formatter("openai-chat", speakers=speakers, policy="ignore", fetch=None)
    before = copy.deepcopy(msgs)
    formatter.write(msgs).losses  # noqa: B018 - losses are found when they are read
    assert dump(msgs) == dump(before)


@given(histories())
def test_what_comes_out_may_be_changed_without_harm(msgs: list[Msg]) -> None:
    """Lists of the output are new; only leaves, tool inputs, schemas and extras are shared."""
    formatter = dragoman.Formatter("openai-chat", policy="ignore", fetch=None)
    before = copy.deepcopy(msgs)
    for message in formatter.format_sync(msgs):
        if isinstance(message.get("content"), list):
            message["content"].clear()
        message.clear()
    assert dump(msgs) == dump(before)
