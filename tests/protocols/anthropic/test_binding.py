"""Bound thinking that the provider drops itself: `can={"unbound": "switch"}`."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options
from dragoman.errors import LossRefused
from tests.bound import ALL, MODEL, kept, session


def test_the_provider_is_told_to_drop_it() -> None:
    made = session()
    made.msgs[2] = Msg.user("Look there.")
    formatter = dragoman.Formatter(
        "anthropic", model=MODEL, can={"unbound": "switch"}, policy="ignore"
    )
    req = ChatRequest(made.msgs, **made.fields, options=Options(reasoning="high"))
    out = formatter.format_request(req)
    assert kept(out) == ALL
    assert out.body["thinking"] == {
        "type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    }  # fmt: skip
    assert out.headers["anthropic-beta"] == "thinking-binding-controls-2026-08-01"
    assert [loss.did for loss in out.losses if loss.code == "thinking.unbound"] == [
        "the provider drops it"
    ] * 2
    still = formatter.format_request(ChatRequest(session().msgs, **made.fields))
    assert "thinking" not in still.body, "where nothing is unbound nothing is said"


def test_on_bedrock_the_beta_stands_in_the_body() -> None:
    made = session()
    made.msgs[2] = Msg.user("Look there.")
    formatter = dragoman.Formatter(
        "bedrock/anthropic", model="us.anthropic.claude-opus-5-5", can={"unbound": "switch"},
        policy="ignore",
    )  # fmt: skip
    out = formatter.format_request(
        ChatRequest(made.msgs, extras={"anthropic": {"anthropic_beta": ["x"]}}, **made.fields)
    )
    assert out.body["anthropic_beta"] == ["x", "thinking-binding-controls-2026-08-01"]
    assert out.headers == {}
    assert out.body["thinking"]["block_binding"] == {"prefix_mismatch_behavior": "drop_block"}


def test_the_switch_stands_inside_of_ones_own_thinking() -> None:
    made = session()
    made.msgs[0] = Msg.user("Hey.")
    own = {"anthropic": {"thinking": {"type": "adaptive", "display": "summarized"}}}
    formatter = dragoman.Formatter("anthropic", model=MODEL, can={"unbound": "switch"})
    out = formatter.format_request(ChatRequest(made.msgs, extras=own, **made.fields))
    assert out.body["thinking"] == {
        "type": "adaptive", "display": "summarized",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    }  # fmt: skip
    assert own["anthropic"]["thinking"].keys() == {"type", "display"}


def test_without_thinking_there_is_no_switch() -> None:
    made = session()
    made.msgs[2] = Msg.user("Look there.")
    formatter = dragoman.Formatter("anthropic", can={"unbound": "switch"}, policy="ignore")
    req = ChatRequest(made.msgs, **made.fields, options=Options(reasoning="off"))
    out = formatter.format_request(req, "claude-sonnet-5-5")
    assert out.body["thinking"] == {"type": "between_tools"}
    assert kept(out) == ALL[:1]


def test_what_follows_the_switch_is_bound_to_what_was_left() -> None:
    made = session()
    made.msgs[2] = Msg.user("Look there.")
    formatter = dragoman.Formatter("anthropic", model=MODEL, can={"unbound": "switch"})
    prefix = formatter.format_request(ChatRequest(made.msgs, **made.fields)).prefix
    assert prefix == made.write().prefix


def test_append_only_refuses_the_switch_too() -> None:
    made = session()
    made.msgs[2] = Msg.user("Look there.")
    formatter = dragoman.Formatter(
        "anthropic", model=MODEL, can={"unbound": "switch"}, policy="append_only"
    )
    with pytest.raises(LossRefused):
        formatter.format_request(ChatRequest(made.msgs, **made.fields))
