"""What the reader found out about a history while it read it, beside what a survey finds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dragoman
from dragoman.history.passes.survey import RoledHistory, survey
from dragoman.losses import Report
from dragoman.message import places

ROOM = dragoman.wire("openai-chat").room


def call(id: str = "c1", name: str = "walk", raw: str = '{"to": "gate"}') -> dict[str, Any]:
    function = {"name": name, "arguments": raw}
    return {"id": id, "type": "function", "function": function}


def asked(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [*calls]}


def result(id: str = "c1", content: Any = "3 miles") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": content}


def text(role: str, content: Any = "Hello.") -> dict[str, Any]:
    return {"role": role, "content": content}


def seated(messages: list[Any]) -> tuple[RoledHistory | None, RoledHistory]:
    """(what the reader found, what a survey finds)."""
    req, found = ROOM.read_with_history({"model": "gpt-5.5", "messages": messages})
    return found, survey(req.messages, Report(req.messages, req, places, "openai-chat"))


USUAL: dict[str, list[Any]] = {
    "nothing": [],
    "a chat": [text("system"), text("user"), text("assistant"), text("developer"), text("user")],
    "a step": [text("user"), asked(call()), result(), text("assistant")],
    "parallel calls": [asked(call("a"), call("b")), result("a"), result("b", "")],
    "an answer before a call": [text("assistant"), asked(call())],
    "an open call": [text("user"), asked(call())],
    "half of the results": [asked(call("a"), call("b")), result("a")],
    "results the other way around": [asked(call("a"), call("b")), result("b"), result("a")],
    "one id twice": [asked(call()), result(), asked(call()), result()],
    "an empty id": [asked(call("")), result("")],
    "a result of another call": [asked(call()), result("c2")],
}
ODD: dict[str, list[Any]] = {
    "blank text": [text("user", " ")],
    "empty text": [text("user", "")],
    "a blank result": [asked(call()), result(content="\n")],
    "a result too many": [asked(call()), result(), result()],
    "a result of nothing": [result()],
    "a call that nobody waited for": [asked(call("a")), asked(call("b"))],
    "talk before the result": [asked(call()), text("user")],
    "arguments that are no object": [asked(call(raw="[1]"))],
    "a name": [{**text("user"), "name": "Tony"}],
    "parts": [text("user", [{"type": "text", "text": "Hello."}])],
    "a role of nobody's": [text("guest")],
    "a role that is a list": [{"role": ["user"], "content": "Hello."}],
    "no object": ["Hello."],
    "no call": [{"role": "assistant", "content": None, "tool_calls": []}],
    "a call beside no call": [asked(call(), {"id": "c2", "type": "function"}), result()],
}


@pytest.mark.parametrize("messages", USUAL.values(), ids=USUAL.keys())
def test_usual_histories_are_seated_as_a_survey_seats_them(messages: list[Any]) -> None:
    found, surveyed = seated(messages)
    assert found is not None
    assert found == surveyed


@pytest.mark.parametrize("messages", ODD.values(), ids=ODD.keys())
def test_what_is_odd_is_left_to_the_survey(messages: list[Any]) -> None:
    assert seated(messages)[0] is None


STEPS = st.sampled_from([message for told in (*USUAL.values(), *ODD.values()) for message in told])


@given(st.lists(STEPS, max_size=8))
def test_any_history(messages: list[Any]) -> None:
    found, surveyed = seated(messages)
    assert found is None or found == surveyed


@given(st.lists(STEPS, min_size=1, max_size=6))
def test_conversion_says_the_same_with_and_without_it(messages: list[Any]) -> None:
    body = {"model": "gpt-5.5", "messages": messages}
    source, target = dragoman.wire("openai-chat"), dragoman.wire("anthropic", policy="ignore")
    try:
        one = dragoman.convert(body, source, target, policy="ignore")
    except dragoman.DragomanError as error:
        with pytest.raises(type(error)):
            target.write_request(source.read_request(body))
        return
    other = target.write_request(source.read_request(body))
    assert one.body == other.body
    assert one.losses == other.losses
