"""Bound thinking: what unbinds it, who is named, and what is kept. The law is in tests/laws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, DropOldest, Msg, Options, Policy, Tool
from dragoman.errors import LossRefused
from dragoman.history.passes.thinking_after_edits import first_change
from dragoman.message import (
    CacheHint,
    Origin,
    ServerTool,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Written,
)
from dragoman.message.blocks import ContentBlock
from dragoman.tokens import CharTokenCounter
from tests.bound import ALL, DOT, LOOK, MODEL, WIRE, Session, kept, session, unbound

EDITED = "touched by an edit of the history"


def test_what_only_grows_is_sent_whole() -> None:
    made = session()
    for _ in range(3):
        out = made.write()
        assert kept(out) == [f"signature {n + 1}" for n in range(made.answers)]
        assert unbound(out) == []
        made.answer()
        made.ask(Msg.user("And?"), Msg.user("Well?"))


def replaced(i: int, *msgs: Msg) -> Callable[[Session], None]:
    def edit(made: Session) -> None:
        made.msgs[i : i + 1] = msgs

    return edit


def fields(**changes: Any) -> Callable[[Session], None]:
    return lambda made: made.fields.update(changes)


def swapped(made: Session) -> None:
    made.msgs[0], made.msgs[2] = made.msgs[2], made.msgs[0]


HI = Msg.user([TextBlock("Hi."), DOT])
OTHER = Tool("look", "look at it", {"type": "object", "properties": {"at": {"type": "number"}}})
EDITS: dict[str, tuple[Callable[[Session], None], int]] = {  # and how much thinking is left
    "the system prompt": (fields(system="Be brief."), 0),
    "no system prompt": (fields(system=None), 0),
    "a tool more": (fields(tools=[LOOK, Tool("now")]), 0),
    "a tool less": (fields(tools=[]), 0),
    "another tool": (fields(tools=[OTHER]), 0),
    "another description": (fields(tools=[replace(LOOK, description="look")]), 0),
    "a strict tool": (fields(tools=[replace(LOOK, strict=True)]), 0),
    "a server tool": (fields(tools=[LOOK, ServerTool("web_search")]), 0),
    "the first words": (replaced(0, Msg.user([TextBlock("Hey."), DOT])), 0),
    "a picture": (replaced(0, Msg.user([TextBlock("Hi.")])), 0),
    "the first message": (replaced(0), 0),
    "a message in front": (replaced(0, Msg.user("Listen."), HI), 0),
    "one message in two": (replaced(0, Msg.user([TextBlock("Hi.")]), Msg.user([DOT])), 0),
    "two messages changed places": (swapped, 0),
    "later words": (replaced(2, Msg.user("Look there.")), 1),
    "words in between": (replaced(2, Msg.user("Look."), Msg.user("Now.")), 1),
    "a late prompt in between": (replaced(2, Msg.user("Look."), Msg.system("Now.")), 1),
    "what the model said": (replaced(1, Msg.assistant("No.")), 0),
    "a result": (replaced(4, Msg.tool("c1", "unseen", "look")), 2),
    "a failed result": (replaced(4, Msg.tool("c1", "seen", "look", is_error=True)), 2),
    "a lost result": (replaced(4), 2),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_the_user_is_noticed(name: str) -> None:
    edit, left = EDITS[name]
    made = session()
    edit(made)
    if name == "what the model said":  # its own thinking went with it
        assert kept(made.write()) == []
        return
    out = made.write()
    assert kept(out) == ALL[:left]
    assert [what for _, what in unbound(out)] == [EDITED] * (3 - left)
    with pytest.raises(LossRefused, match="an edit of the history"):
        dragoman.wire("anthropic", policy="append_only").write_request(
            ChatRequest(made.msgs, model=MODEL, **made.fields)
        )


SAME: dict[str, Callable[[Session], None]] = {
    "cache hints": replaced(0, Msg.user([TextBlock("Hi.", cache=CacheHint("1h")), DOT])),
    "a hint of a message": replaced(2, Msg.user("Look.", cache=CacheHint())),
    "a hint of a tool": fields(tools=[replace(LOOK, cache=CacheHint())]),
    "metadata": replaced(2, Msg("user", "Look.", "user", {"seen": True}, "2026-11-21")),
    "text as a block": replaced(2, Msg.user([TextBlock("Look.")])),
    "a result as a block": replaced(4, Msg.tool("c1", [TextBlock("seen")], "look")),
    "the role of a result": replaced(4, Msg("", [ToolResultBlock("c1", "look", "seen")], "system")),
    "the order of keys": fields(
        tools=[replace(LOOK, parameters=dict(reversed((LOOK.schema or {}).items())))]
    ),
    "a wish for this time": fields(tool_choice="none", options=Options(reasoning="low")),
}


@pytest.mark.parametrize("name", SAME)
def test_what_the_model_is_told_the_same_way_is_no_edit(name: str) -> None:
    made = session()
    SAME[name](made)
    out = made.write()
    assert kept(out) == ALL
    assert unbound(out) == []


def test_arguments_in_other_words_are_the_same_arguments() -> None:
    made = session()
    call = made.msgs[3].content[1]
    assert type(call) is ToolUseBlock
    again = replace(call, input={"n": 1, "at": "it"}, raw_input='{"n":1,"at":"it"}')
    made.msgs[3] = Msg.assistant([made.msgs[3].blocks[0], again], origin=made.msgs[3].origin)
    assert kept(made.write()) == ALL
    other = replace(call, input={"n": 2, "at": "it"})
    made.msgs[3] = Msg.assistant([made.msgs[3].blocks[0], other], origin=made.msgs[3].origin)
    assert kept(made.write()) == ALL[:2], "what was called stands before what came of it"


def test_thinking_that_was_taken_out_at_an_end_unbinds_nothing() -> None:
    for gone in ((1,), (1, 3), (5,), (3, 5)):
        made = session()
        for i in gone:
            m = made.msgs[i]
            made.msgs[i] = Msg.assistant(list(m.blocks[1:]), origin=m.origin)
        left = [one for i, one in zip((1, 3, 5), ALL, strict=True) if i not in gone]
        assert kept(made.write()) == left


def test_the_run_that_is_kept_is_never_broken() -> None:
    """Each piece of thinking names the one before it: without it, those behind it fail."""
    made = session()
    m = made.msgs[3]
    made.msgs[3] = Msg.assistant(list(m.blocks[1:]), origin=m.origin)
    out = made.write()
    assert kept(out) == ALL[:1]
    assert unbound(out) == [("$.messages[5].content[0]", EDITED)]


def test_after_an_edit_new_thinking_holds() -> None:
    made = session()
    made.msgs[2] = Msg.user("Look there.")
    assert kept(made.write()) == ALL[:1]
    made.answer()
    made.ask(Msg.user("And?"))
    out = made.write()
    assert kept(out) == ["signature 1", "signature 4"]
    assert len(unbound(out)) == 2


def test_answers_that_know_nothing_are_taken_to_be_right() -> None:
    made = session()
    for m in made.msgs:
        m.origin = None
    made.msgs[0] = Msg.user("Hey.")
    assert kept(made.write()) == ALL


def test_behind_thinking_that_fails_nobody_is_taken_to_be_right() -> None:
    made = session()
    made.msgs[5].origin = None
    made.msgs[2] = Msg.user("Look there.")
    assert kept(made.write()) == ALL[:1]


def test_older_models_check_nothing() -> None:
    made = session()
    made.msgs[0] = Msg.user("Hey.")
    for model in ("claude-opus-5", "claude-opus-4-8", "claude-sonnet-4-6"):
        out = WIRE.write_request(ChatRequest(made.msgs, system="Other."), model)
        assert kept(out) == ALL, model


def test_a_message_of_thinking_alone_goes_with_it() -> None:
    made = session()
    thought, *rest = made.msgs[3].blocks
    made.msgs[3:4] = [
        Msg.assistant([thought], origin=made.msgs[3].origin),
        Msg.assistant(rest, origin=made.msgs[3].origin),
    ]
    assert kept(made.write()) == ALL, "thinking is no part of what it is bound to"
    made.msgs[0] = Msg.user("Hey.")
    out = made.write()
    assert kept(out) == []
    assert len(out.body["messages"]) == len(made.msgs) - 1


# -- passes -------------------------------------------------------------------------------------


def shout(msgs: list[Msg], report: object = None) -> list[Msg]:
    return [
        Msg.user(m.content.upper()) if m.role == "user" and isinstance(m.content, str) else m
        for m in msgs
    ]


def forgetful(msgs: list[Msg], report: object = None) -> list[Msg]:
    return msgs[:1] + msgs[3:]


def unknown(made: Session) -> list[Msg]:
    """The messages of answers that know nothing: then the passes alone are to be asked."""
    for m in made.msgs:
        m.origin = None
    return made.msgs


def format_request(made: Session, **options: Any) -> Written:
    policy = options.pop("policy", "ignore")
    formatter = dragoman.Formatter("anthropic", model=MODEL, policy=policy, **options)
    return formatter.format_request(ChatRequest(unknown(made), **made.fields))


@pytest.mark.parametrize(("rewrite", "left"), [(shout, 1), (forgetful, 0)])
def test_a_rewrite_is_named(rewrite: Any, left: int) -> None:
    out = format_request(session(), rewrites=[rewrite])
    assert kept(out) == ALL[:left]
    says = {what for _, what in unbound(out)}
    assert says == {f"touched by the rewrite {rewrite.__name__}"}
    with pytest.raises(LossRefused, match=f"the rewrite {rewrite.__name__}"):
        format_request(session(), rewrites=[rewrite], policy=Policy(append_only=True))


def test_a_rewrite_that_changes_nothing_said_is_none() -> None:
    def renamed(msgs: list[Msg], report: object = None) -> list[Msg]:
        return [Msg("Bob", m.content, m.role) if m.role == "user" else m for m in msgs]

    assert kept(format_request(session(), rewrites=[renamed])) == ALL


def test_a_rewrite_whose_answers_know_it_is_none_either() -> None:
    """It was there when they answered: the hash is of what was written then."""
    msgs = [Msg.user("Hi.")]
    formatter = dragoman.Formatter("anthropic", model=MODEL, rewrites=[shout], policy="ignore")
    for n in range(2):
        prefix = formatter.format_request(ChatRequest(msgs)).prefix
        thought = ThinkingBlock("Hm.", signature=f"signature {n + 1}")
        origin = Origin("anthropic", prefix=prefix)
        msgs.append(Msg.assistant([thought, TextBlock("Yes.")], origin=origin))
        msgs.append(Msg.user("so?"))
    assert kept(formatter.format_request(ChatRequest(msgs))) == ALL[:2]


def test_a_cut_is_named() -> None:
    cut: dict[str, Any] = {
        "token_counter": CharTokenCounter(), "max_tokens": 420, "truncate": DropOldest(),
    }  # fmt: skip
    out = format_request(session(), **cut)
    assert "history.cut" in {loss.code for loss in out.losses}
    assert kept(out) == []
    assert {what for _, what in unbound(out)} == {"touched by the cut to the token budget"}
    with pytest.raises(LossRefused, match="the cut to the token budget"):
        format_request(session(), **cut, policy="append_only")


def test_a_late_result_is_named_for_who_spoke_before_it() -> None:
    """Who answers behind the late result has seen it where it is moved to."""
    call = ToolUseBlock("c1", "look", {})
    thoughts = [ThinkingBlock("", signature=one) for one in ALL]
    msgs = [
        Msg.user("Go."), Msg.assistant([thoughts[0], call]), Msg.user("Wait."),
        Msg.assistant([thoughts[1], TextBlock("I wait.")]), Msg.tool("c1", "seen", "look"),
        Msg.user("So?"),
    ]  # fmt: skip
    out = WIRE.write_request(ChatRequest(msgs, tools=[LOOK]), MODEL)
    assert kept(out) == ALL[:1]
    assert unbound(out) == [
        ("$.messages[3].content[0]", "touched by the repair of a late result")
    ]  # fmt: skip


@pytest.mark.parametrize("twice", [False, True])
def test_a_late_result_is_noticed_where_one_message_stands_twice(twice: bool) -> None:
    asked = Msg.user("And?")
    thought: list[ContentBlock] = [ThinkingBlock("hm", signature="c2ln"), TextBlock("So.")]
    history = [
        asked,
        Msg("", [ToolUseBlock("c1", "look")], "assistant"),
        Msg.user("Wait."),
        Msg("", thought, "assistant", origin=Origin("anthropic", MODEL)),
        Msg.tool("c1", "seen", "look"),
        asked if twice else Msg.user("And?"),
    ]
    request = ChatRequest(history, tools=[LOOK])
    out = dragoman.wire("anthropic", policy="ignore").write_request(request, MODEL)
    assert [loss.where for loss in out.losses if loss.code == "thinking.unbound"] == [
        "$.messages[3].content[0]"
    ]


def test_what_a_pass_touched_is_found_though_it_stands_no_more() -> None:
    def emptied(msgs: list[Msg], report: object = None) -> list[Msg]:
        return [msgs[0], msgs[1], Msg.user(" "), *msgs[3:]]

    made = session()
    made.msgs[2:3] = [Msg.user("Look."), Msg.user("Now.")]
    assert unbound(format_request(made, rewrites=[emptied])) != []


def test_a_plain_list_knows_neither_tools_nor_prompt() -> None:
    made = session()
    formatter = dragoman.Formatter("anthropic", model=MODEL)
    out = formatter.write(made.msgs)
    assert [loss.code for loss in out.losses] == []


# -- the hash -------------------------------------------------------------------------------------


def test_the_hash_outlives_the_history() -> None:
    made = session()
    out = made.write()
    before = out.prefix
    assert out.detach().prefix == before
    made.msgs.clear()
    assert out.prefix == before


def test_hosts_of_one_provider_agree_on_the_hash() -> None:
    msgs = [Msg.user("Hi.")]
    hosts = ("anthropic", "vertex/anthropic", "bedrock/anthropic")
    found = {
        dragoman.wire(host).write_request(ChatRequest(msgs, tools=[LOOK]), MODEL).prefix
        for host in hosts
    }
    assert len(found) == 1


def test_the_first_change() -> None:
    a, b, c = Msg.user("a"), Msg.user("b"), Msg.user("c")
    assert first_change([a, b], [a, b]) is None
    assert first_change([a, b, c], [a, b]) is None, "added behind"
    assert first_change([a], [a, b]) is None, "cut off behind"
    assert first_change([a, Msg.user([TextBlock("b")])], [a, b]) is None
    assert first_change([a, c], [a, b, c]) is c
    assert first_change([c, a, b], [a, b]) is c
    marked = Msg.user("b", extras={"anthropic": {"x": 1}})
    assert first_change([a, marked], [a, b]) is marked
