"""Thinking is bound to what was written before it: every edit of that is noticed, nothing else is.

What is written decides, so the oracle reads the bodies: it compares what stood before the answer
when it was asked for with what stands before it now.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dragoman
from dragoman import ChatRequest, Msg, Tool
from dragoman.message import (
    Base64Source,
    ImageBlock,
    Origin,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Written,
)

from .histories import PNG, histories, msgs, tools

MODEL = "claude-opus-5-5"
HOSTS = ("anthropic", "vertex/anthropic", "bedrock/anthropic")
SIGNED = "the signature of the answer"
ANSWER = "the answer"


def wrote(host: str, req: ChatRequest) -> Written:
    return dragoman.wire(host, policy="ignore", fetch=None).write_request(req, MODEL)


def answered(host: str, req: ChatRequest) -> Msg:
    """An answer that knows what it was an answer to."""
    thought = ThinkingBlock("Hm.", signature=SIGNED)
    prefix = wrote(host, req).prefix
    return Msg.assistant([thought, TextBlock(ANSWER)], origin=Origin("anthropic", prefix=prefix))


def said(value: Any) -> Any:
    """A body as the model is told it: a text is a block, hints and thinking say nothing."""
    if isinstance(value, list):
        return [said(one) for one in value if not _thinks(one)]
    if not isinstance(value, dict):
        return value
    made = {k: v if k == "input" else said(v) for k, v in value.items() if k != "cache_control"}
    if isinstance(made.get("content"), str):
        made["content"] = [{"type": "text", "text": made["content"]}]
    return made


def _thinks(one: Any) -> bool:
    return isinstance(one, dict) and one.get("type") in ("thinking", "redacted_thinking")


def before(body: dict[str, Any], end: int | None = None) -> Any:
    """System prompt, tools and the messages before index `end`."""
    told = [said(message) for message in body["messages"][:end]]
    system = said(body.get("system") or [])
    system = [{"type": "text", "text": system}] if isinstance(system, str) else system
    return system, said(body.get("tools") or []), [one for one in told if one["content"]]


def found(body: dict[str, Any]) -> tuple[int, bool]:
    """Where the answer stands, and whether with its thinking."""
    for i, message in enumerate(body["messages"]):
        content = message["content"]
        if content == ANSWER:
            return i, False
        if isinstance(content, list) and any(block.get("text") == ANSWER for block in content):
            return i, any(block.get("signature") == SIGNED for block in content)
    raise AssertionError("the answer itself is always said")


def changed(m: Msg) -> Msg:
    """The same message with other words."""
    if isinstance(m.content, str):
        return Msg(m.name, m.content + "!", m.role, extras=m.extras)
    return Msg(m.name, [*m.content, TextBlock("!")], m.role, extras=m.extras)


@st.composite
def edits(draw: st.DrawFn, history: list[Msg]) -> list[Msg]:
    """The history with one message changed, removed, put in, or in another place."""
    i = draw(st.integers(0, len(history) - 1))
    how = draw(st.sampled_from(("change", "remove", "insert", "move", "repeat")))
    made = list(history)
    if how == "change":
        made[i] = changed(made[i])
    elif how == "remove":
        del made[i]
    elif how == "insert":
        made.insert(i, draw(msgs()))
    elif how == "move":
        made.insert(draw(st.integers(0, len(history) - 1)), made.pop(i))
    else:
        made.insert(i, made[i])
    return made


def written_or_none(host: str, req: ChatRequest) -> Written | None:
    try:
        return wrote(host, req)
    except dragoman.WriteError as error:
        if error.code != "messages.empty":
            raise
        return None


ASK = Msg.user("Go on.")


@pytest.mark.parametrize("host", HOSTS)
@given(st.data())
def test_an_edit_is_noticed_if_and_only_if_the_model_is_told_something_else(
    host: str, data: st.DataObject
) -> None:
    history = [*data.draw(histories()), ASK]
    offered = data.draw(tools)
    system = data.draw(st.sampled_from((None, "Be.")))
    req = ChatRequest(history, system=system, tools=offered)
    then = before(wrote(host, req).body)
    answer = answered(host, req)
    other = ChatRequest([*data.draw(edits(history)), answer, ASK], system=system, tools=offered)
    out = written_or_none(host, other)
    assume(out is not None)
    assert out is not None
    at, kept = found(out.body)
    assert kept == (before(out.body, at) == then)
    named = [loss.what for loss in out.losses if loss.code == "thinking.unbound"]
    assert any("an edit of the history" in what for what in named) != kept or _others(named, kept)


def _others(named: list[str], kept: bool) -> bool:
    """Thinking of the generated history, whose answers know nothing, may go behind what went."""
    return kept and bool(named)


@pytest.mark.parametrize("host", HOSTS)
@given(st.data())
def test_other_tools_and_another_prompt_are_noticed(host: str, data: st.DataObject) -> None:
    history = [*data.draw(histories()), ASK]
    offered, others = data.draw(tools), data.draw(tools)
    system, prompt = data.draw(st.tuples(*[st.sampled_from((None, "Be.", "Be brief."))] * 2))
    req = ChatRequest(history, system=system, tools=offered)
    then = before(wrote(host, req).body)
    answer = answered(host, req)
    out = wrote(host, ChatRequest([*history, answer, ASK], system=prompt, tools=others))
    at, kept = found(out.body)
    assert kept == (before(out.body, at) == then)


NEXT = st.sampled_from((
    [ASK], [Msg.user([ImageBlock(Base64Source("image/png", PNG)), TextBlock("So?")])],
    [Msg.user(""), ASK], [Msg.system("Be brief."), ASK], [ASK, Msg.system("Be brief.")],
    [Msg.user("Look."), Msg.assistant([ToolUseBlock("new_1", "look", {"at": "it"})]),
     Msg.tool("new_1", "seen", "look")],
    [ASK, Msg.assistant("Yes."), ASK],
    [ASK, Msg.assistant([ThinkingBlock("", signature="later"), TextBlock("No.")]), ASK],
))  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
@given(histories(), tools, st.lists(NEXT, min_size=1, max_size=4))
def test_what_is_appended_unbinds_nothing(
    host: str, history: list[Msg], offered: list[Tool], turns: list[list[Msg]]
) -> None:
    req = ChatRequest([*history, ASK], tools=offered)
    grown = [*req.messages, answered(host, req)]
    for turn in turns:
        grown = [*grown, *turn]
        assert found(wrote(host, ChatRequest(grown, tools=offered)).body)[1]
