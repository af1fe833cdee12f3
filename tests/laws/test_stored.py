"""Laws of storage: what is written comes back as it was, and junk is refused by name."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import InvalidMessage
from dragoman.message import ChatRequest, ChatResponse, Msg, dump, identify, load

from .trees import blocks, json_values, messages, requests, responses

SLOTS = ("name", "content", "role", "metadata", "timestamp", "cache", "extras", "spelling",
         "origin", "_id")  # fmt: skip


def deep(value: Any) -> Any:
    """The value with every field of every node, those that equality leaves out as well."""
    if isinstance(value, Msg):
        return ("Msg", *(deep(getattr(value, slot)) for slot in SLOTS))
    if is_dataclass(value):
        return (type(value), *((f.name, deep(getattr(value, f.name))) for f in fields(value)))
    if isinstance(value, (list, tuple)):
        return [deep(inner) for inner in value]
    if isinstance(value, dict):
        return {key: deep(inner) for key, inner in value.items()}
    return (type(value), value)


def stored(value: Any) -> Any:
    """Through `dump`, JSON text and `load`."""
    return load(json.loads(json.dumps(dump(value), allow_nan=False)))


@given(messages)
def test_messages_come_back(msg: Msg) -> None:
    before = copy.deepcopy(msg)
    assert deep(stored(msg)) == deep(msg)
    assert deep(Msg.from_dict(json.loads(json.dumps(msg.to_dict())))) == deep(msg)
    assert deep(msg) == deep(before)


@given(st.lists(messages, max_size=3))
def test_histories_come_back_with_their_ids(msgs: list[Msg]) -> None:
    made = stored(msgs)
    assert deep(made) == deep(msgs)
    assert identify(made) == identify(msgs)


@given(requests)
def test_requests_come_back(req: ChatRequest) -> None:
    before = copy.deepcopy(req)
    assert deep(stored(req)) == deep(req)
    assert deep(req) == deep(before)


@given(responses)
def test_responses_come_back(resp: ChatResponse) -> None:
    assert deep(stored(resp)) == deep(resp)


@given(requests)
def test_pickles_come_back(req: ChatRequest) -> None:
    assert deep(pickle.loads(pickle.dumps(req))) == deep(req)


@given(blocks)
def test_nothing_of_a_dict_is_shared_with_the_message(block: Any) -> None:
    msg = Msg("", [block], "assistant")
    before = deep(msg)
    _scribble(msg.to_dict())
    assert deep(msg) == before


def _scribble(value: Any) -> None:
    """Change every list and dict inside."""
    if isinstance(value, dict):
        for inner in list(value.values()):
            _scribble(inner)
        value["scribbled"] = True
    elif isinstance(value, list):
        for inner in value:
            _scribble(inner)
        value.append("scribbled")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner: Any = value.items() if isinstance(value, dict) else []
    inner = enumerate(value) if isinstance(value, list) else inner
    for key, item in inner:
        yield from places(item, (*path, key))


@given(st.one_of(messages, requests, responses), st.data())
def test_a_damaged_store_loads_or_is_refused(value: Any, data: st.DataObject) -> None:
    plain = json.loads(json.dumps(dump(value)))
    path = data.draw(st.sampled_from(list(places(plain))[1:]))
    junk = data.draw(json_values | st.sampled_from((["x"], {"type": "text"}, [[1]], {"a": {}})))
    at = plain
    for step in path[:-1]:
        at = at[step]
    if data.draw(st.booleans()):
        at[path[-1]] = junk
    else:
        del at[path[-1]]
    with suppress(InvalidMessage):  # anything else is a fault
        load(plain)


@given(json_values)
def test_junk_is_no_store(value: Any) -> None:
    with pytest.raises(InvalidMessage):
        load(value)
