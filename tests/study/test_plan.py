"""Where a conversation can go, what it loses there, and what would have to go for it to fit."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.message import Origin, TextBlock, ThinkingBlock
from dragoman.study import plan
from dragoman.study.edits import removed

SOUND = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
BODY: dict[str, Any] = {
    "model": "gpt-5.5",
    "temperature": 0.3,
    "logit_bias": {"5": 1},
    "messages": [
        {"role": "system", "content": "S"},
        {"role": "user", "name": "Bob", "content": [{"type": "text", "text": "hi"}, SOUND]},
    ],
}


def test_routes_are_ranked_and_say_why() -> None:
    made = plan(BODY, "openai-chat", targets=["anthropic", "gemini", "vllm"], changes=False)
    assert [route.wire for route in made.routes] == ["vllm", "gemini", "anthropic"]
    assert [route.weight for route in made.routes] == sorted(r.weight for r in made.routes)
    best, _, last = made.routes
    assert best.lossless
    assert last.codes["block.unsaid"] == 1
    lost = next(loss for loss in last.losses if loss.code == "block.unsaid")
    assert lost.where == "$.messages[1].content[1]"
    assert lost.rule


@pytest.mark.parametrize("name", ["anthropic", "gemini", "mistral", "ollama", "openai-chat"])
def test_a_change_makes_a_route_lossless(name: str) -> None:
    (route,) = plan(BODY, "openai-chat", targets=[name]).routes
    assert not route.lossless
    assert route.change
    body: Any = copy.deepcopy(BODY)
    for path in reversed(route.change):  # from the back, so that no index moves
        body = removed(body, path)
        assert body is not None
    out = dragoman.convert(body, "openai-chat", name, model=route.model, policy="ignore")
    assert {loss.kind for loss in out.losses} <= {"added", "expected"}


def test_the_cheapest_change() -> None:
    made = plan(BODY, "openai-chat", targets=["anthropic", "gemini"])
    assert made.change is not None
    assert made.change.wire == "gemini"
    assert len(made.change.change or ()) == 3


def test_what_cannot_be_sent_stands_last() -> None:
    body = {**BODY, "response_format": {"type": "json_object"}}
    made = plan(body, "openai-chat", targets=["dashscope", "gemini"])
    refused = made.routes[-1]
    assert refused.wire == "dashscope"
    assert refused.refused is not None
    assert refused.refused.code == "format.json_word"
    assert refused.change
    assert "$.response_format" in refused.change


def test_strategies_where_there_is_thinking() -> None:
    thought = ThinkingBlock("Because.", "c2ln", origin=Origin("anthropic", "claude-opus-5-5"))
    req = ChatRequest([Msg("", "Why?", "user"), Msg("", [thought, TextBlock("So.")], "assistant"),
                       Msg("", "Sure?", "user")])  # fmt: skip
    made = plan(req, targets=["gemini"], changes=False)
    assert {route.strategy for route in made.routes} > {"as it is"}
    quoted = next(route for route in made.routes if route.strategy == "foreign thinking quoted")
    assert quoted.weight < next(r for r in made.routes if r.strategy == "as it is").weight


def test_a_conversation_of_our_own_is_changed_by_its_own_paths() -> None:
    req = ChatRequest([Msg("Bob", "hi", "user")], options=dragoman.Options(top_k=3))
    (route,) = plan(req, targets=["openai-responses"]).routes
    assert set(route.change or ()) == {"$.messages[0].name", "$.options.top_k"}


def test_every_wire_has_a_route() -> None:
    assert {route.wire for route in plan(BODY, changes=False).routes} == set(dragoman.wires())


def test_nothing_is_changed() -> None:
    given = copy.deepcopy(BODY)
    plan(given, "openai-chat", targets=["anthropic"])
    assert given == BODY
