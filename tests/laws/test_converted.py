"""Laws 1, 3, 5, 7 and 8 over requests that one wire wrote, read, and writes again, or another.

The histories are broken in every way; what a wire makes of them is what a client of it sends.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest, Msg, Options
from dragoman.errors import DragomanError, WriteError
from dragoman.message import ResponseFormat, Written, dump, load
from dragoman.vendors import PROTOCOLS
from tests.contract.converting.requests import REFUSABLE

from .each import for_each
from .histories import choices, histories, tools
from .judging import request_faults

WIRES = {name: dragoman.wire(name, policy="ignore") for name in PROTOCOLS}
PAIRS = [(source, target) for source in PROTOCOLS for target in PROTOCOLS if source != target]
# recorded 200s with {"text": ""}; a whole request leaves it out all the same
ACCEPTED = "gemini.empty_text"
# behind calls that wait for their results nothing may stand, so such a history ends in them
WAITING = "[mistral.last]"

_schema = {"type": "object", "properties": {"a": {"type": "string"}}}
options = st.builds(
    Options,
    max_tokens=st.none() | st.sampled_from((1, 100)),
    temperature=st.none() | st.sampled_from((0, 0.5, 1)),
    top_p=st.none() | st.just(0.9),
    seed=st.none() | st.just(7),
    stop=st.none() | st.sampled_from((("END",), ("a", "b"))),
    reasoning=st.none() | st.sampled_from(("off", "low", "high")),
    user=st.none() | st.just("u1"),
)
formats = st.none() | st.sampled_from(
    (ResponseFormat("schema", _schema, "answer"), ResponseFormat("text"))
)


@st.composite
def requests(draw: st.DrawFn) -> ChatRequest:
    """A whole request, with all that it may ask for."""
    return ChatRequest(
        draw(histories()), tools=draw(tools), tool_choice=draw(choices), options=draw(options),
        response_format=draw(formats), stream=draw(st.booleans()),
    )  # fmt: skip


def written(name: str, req: ChatRequest) -> tuple[dict[str, Any], str] | None:
    """The body and path that a client of this wire sends; None for what it cannot send."""
    try:
        out = WIRES[name].write_request(req)
    except WriteError:
        return None
    return json.loads(json.dumps(out.body)), out.path


@settings(max_examples=25)
@given(requests())
@for_each("name", PROTOCOLS)
def test_the_same_wire_says_the_same(name: str, req: ChatRequest) -> None:
    """Law 1, also with a turn behind it, and after it was stored."""
    made = written(name, req)
    if made is None:
        return
    body, path = made
    before = copy.deepcopy(body)
    read = WIRES[name].read_request(body, path)
    again = WIRES[name].write_request(read)
    assert again.body == body
    assert again.losses == []
    assert json.dumps(again.body, sort_keys=True) == json.dumps(body, sort_keys=True)
    loaded = load(json.loads(json.dumps(dump(read))))
    assert isinstance(loaded, ChatRequest)
    assert WIRES[name].write_request(loaded).body == body
    read.messages.append(Msg("", "And now?", "user"))
    grown = WIRES[name].write_request(read).body
    assert _prefix(grown, body)
    assert body == before  # law 5


def _prefix(grown: Any, body: Any) -> bool:
    """Whether everything of `body` stands in `grown`, where lists may only have grown."""
    if isinstance(body, dict):
        return isinstance(grown, dict) and all(
            key in grown and _prefix(grown[key], value) for key, value in body.items()
        )
    if isinstance(body, list) and isinstance(grown, list):
        return grown[: len(body)] == body
    return bool(grown == body)


def converted(body: dict[str, Any], path: str, source: str, target: str) -> Written | None:
    """The request over the other wire; None where it is refused by one of the codes that may."""
    try:
        return dragoman.convert(body, source, target, model=WIRES[target].room.model, path=path,
                                policy="ignore")  # fmt: skip
    except WriteError as error:
        if error.code not in REFUSABLE:
            raise
        return None


@settings(max_examples=4)
@given(requests())
@for_each(("source", "target"), PAIRS)
def test_every_other_wire_takes_it(source: str, target: str, req: ChatRequest) -> None:
    """Laws 3, 5, 7 and 8: valid, or a refusal with a code; the body that was read is the same."""
    made = written(source, req)
    if made is None:
        return
    body, path = made
    before = copy.deepcopy(body)
    wire = WIRES[target]
    out = converted(body, path, source, target)
    if out is None:
        return
    faults = [fault for fault in request_faults(wire, out) if not fault.endswith(WAITING)]
    assert faults in ([], [ACCEPTED])
    assert body == before
    for loss in out.losses:
        assert loss.where.startswith("$"), loss


@pytest.mark.parametrize("name", PROTOCOLS)
@settings(max_examples=25)
@given(requests(), st.data())
def test_anything_is_read(name: str, req: ChatRequest, data: st.DataObject) -> None:
    """Law 8: one value of a body replaced by any other, at any depth."""
    made = written(name, req)
    if made is None:
        return
    body, path = made
    places = list(_places(body))
    keys = data.draw(st.sampled_from(places))
    odd = data.draw(st.sampled_from((None, 0, "", "x", [], {}, [None], {"type": 1}, True)))
    holder = body
    for key in keys[:-1]:
        holder = holder[key]
    holder[keys[-1]] = odd
    for wire in (name, "openai-chat", "anthropic"):
        try:
            out = dragoman.convert(body, name, wire, path=path, policy="ignore")
            json.dumps(out.body)
            assert all(loss.where for loss in out.losses)
        except DragomanError:
            continue


def _places(value: Any, keys: tuple[Any, ...] = ()) -> Any:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in inner:
        yield (*keys, key)
        if isinstance(one, (dict, list)):
            yield from _places(one, (*keys, key))
