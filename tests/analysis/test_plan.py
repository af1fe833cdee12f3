"""Where a conversation can go, what it loses there, and what would have to go for it to fit."""

from __future__ import annotations

import copy
import importlib
import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, Msg
from dragoman.analysis import check, plan
from dragoman.analysis.paths import remove_path
from dragoman.message import Origin, TextBlock, ThinkingBlock

SOUND = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
plans = importlib.import_module("dragoman.analysis.plan")  # whose name is the function's, too
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
    assert last.codes["block.unsupported"] == 1
    lost = next(loss for loss in last.losses if loss.code == "block.unsupported")
    assert lost.where == "$.messages[1].content[1]"
    assert lost.rule


@pytest.mark.parametrize("name", ["anthropic", "gemini", "mistral", "ollama", "openai-chat"])
def test_a_change_makes_a_route_lossless(name: str) -> None:
    (route,) = plan(BODY, "openai-chat", targets=[name]).routes
    assert not route.lossless
    assert route.change
    body: Any = copy.deepcopy(BODY)
    for path in reversed(route.change):  # from the back, so that no index moves
        body = remove_path(body, path)
        assert body is not None
    out = dragoman.convert(body, "openai-chat", name, model=route.model, policy="ignore")
    assert {loss.kind for loss in out.losses} <= {"added", "expected"}


def test_the_cheapest_change() -> None:
    made = plan(BODY, "openai-chat", targets=["anthropic", "gemini"])
    assert made.change is not None
    assert made.change.wire == "gemini"
    assert len(made.change.change or ()) == 3


def test_what_cannot_be_sent_stands_last() -> None:
    made = plan(BODY, "openai-chat", targets=["openai", "gemini"], models={"openai": "gpt-5-pro"})
    refused = made.routes[-1]
    assert refused.wire == "openai"
    assert refused.refused is not None
    assert refused.refused.code == "model.endpoint"


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


REFUSED = {"model": "gpt-5.6", "temperature": 0.2, "logprobs": True,
           "messages": [{"role": "user", "content": "Hi"}]}  # fmt: skip


def test_what_the_provider_would_refuse_is_no_route() -> None:
    made = plan(REFUSED, targets=["openai", "ollama"])
    assert [route.wire for route in made.routes] == ["ollama", "openai"]
    home = made.routes[-1]
    assert not home.lossless
    assert home.refused is not None
    assert home.refused.path == "$.temperature"
    assert home.refused.hint
    assert [one.where for one in home.against] == [one.where for one in check(REFUSED, "openai")]
    assert home.change == ("$.temperature", "$.logprobs")
    assert made.change is not None


def test_what_is_written_for_another_model_is_fitted() -> None:
    (route,) = plan(REFUSED, targets=["openai"], models={"openai": "gpt-5.5-mini"}).routes
    assert route.refused is None


def test_a_body_may_be_text_and_nothing_else() -> None:
    made = plan(json.dumps(BODY), targets=["vllm"], changes=False)
    assert made.routes[0].lossless
    for odd in (5, None, [BODY], "5"):
        with pytest.raises(dragoman.ReadError):
            plan(odd)  # type: ignore[arg-type]  # what is tested


def test_changes_of_a_huge_schema_are_looked_for_in_few_trials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A schema of thousands of values is written whole for each trial, over each of fifty wires."""
    members = [{"properties": {f"p{nth}": {"type": "string"}}} for nth in range(1000)]
    schema: dict[str, Any] = {"type": "object", "allOf": members}
    trials, usual = 0, plans._try_route

    def tried(*args: Any) -> Any:
        nonlocal trials
        trials += 1
        return usual(*args)

    monkeypatch.setattr(plans, "_try_route", tried)
    made = plan(ChatRequest([Msg.user("Hi")], tools=[dragoman.Tool("f", "", schema)]))
    assert len(made.routes) > 40
    assert 0 < trials <= plans._WORK // 4000
