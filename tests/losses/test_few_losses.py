"""The paths of a few losses, for which not the whole request is walked, are those of the walk."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

import dragoman
from dragoman import DragomanError
from dragoman.codec.reading import BodyPaths
from dragoman.losses import Report
from dragoman.losses.loss import locate_losses
from tests.contract.agents.recorded import AGENTS, CORPUS

WIRES = {
    "anthropic": "/v1/messages",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-3.5-flash:generateContent",
    "gemini-interactions": "/v1beta/interactions",
    "bedrock-converse": "/model/anthropic.claude-opus-4-6-v1/converse",
    "ollama": "/api/chat",
    "cohere": "/v2/chat",
    "mistral": "/v1/chat/completions",
    "dashscope": "/api/v1/services/aigc/text-generation/generation",
}
_STEP = [
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "I look.", "signature": "c2ln"},
            {"type": "text", "text": "So.", "odd": 1},
            {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"a": 1}},
            {"type": "tool_use", "id": "toolu_2", "name": "look", "input": {}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "A", "odd": 2},
            {
                "type": "tool_result",
                "tool_use_id": "toolu_2",
                "is_error": True,
                "content": [
                    {"type": "text", "text": "B"},
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/bmp", "data": "Qk0="},
                    },
                ],
            },
            {"type": "text", "text": "And?", "cache_control": {"type": "ephemeral"}},
        ],
    },
]
BODY: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 99,
    "top_k": 7,
    "system": [{"type": "text", "text": "Be.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "odd", "x": 1}]},
        *(json.loads(json.dumps(_STEP).replace("toolu_", f"toolu_{n}_")) for n in range(3)),
    ],
    "tools": [
        {"name": "look", "description": "Look.", "input_schema": {"type": "object"}, "odd": 3},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 2},
    ],
    "tool_choice": {"type": "tool", "name": "look", "disable_parallel_tool_use": True},
}
BODY["messages"] = [BODY["messages"][0], *(m for step in BODY["messages"][1:] for m in step)]


def _convert(body: Any, source: str, target: str, path: str) -> Any:
    data = json.loads(json.dumps(body))
    return dragoman.convert(data, source, target, policy="ignore", path=path).losses


def check_paths(body: Any, source: str, target: str, path: str) -> int:
    """Compare the paths of some losses with those of the whole walk; return how many."""
    try:
        places = [loss.where for loss in _convert(body, source, target, path)]
    except DragomanError:
        return 0
    for most in (1, 2, 5, len(places)):
        losses = _convert(body, source, target, path)
        chosen = Random(most).sample(range(len(places)), min(most, len(places)))
        locate_losses([losses[i] for i in chosen])
        assert [(i, losses[i]._where) for i in chosen] == [(i, places[i]) for i in chosen]
        assert [loss.where for loss in losses] == places
    return len(places)


@pytest.mark.parametrize("source", WIRES)
def test_a_few_losses_are_where_the_whole_walk_finds_them(source: str) -> None:
    body: Any = BODY
    if source != "anthropic":
        out = dragoman.convert(BODY, "anthropic", source, policy="ignore")
        body = json.loads(out.to_json())
        body |= {"odd": {"x": 1}}
    targets = [target for target in WIRES if target != source]
    assert sum(check_paths(body, source, target, WIRES[source]) for target in targets) > 20


@pytest.mark.parametrize("agent", AGENTS)
def test_a_few_losses_of_recorded_requests(agent: str) -> None:
    if not CORPUS.is_dir():
        pytest.skip("needs ../shared: recorded traffic")
    with (CORPUS / f"{agent}.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][::5]
    source = AGENTS[agent]
    targets = [target for target in ("openai-chat", "anthropic", "gemini") if target != source]
    for row in rows:
        for target in targets:
            check_paths(row["request"], source, target, row["path"])


def test_one_object_in_several_places_is_found_in_each() -> None:
    step = json.loads(json.dumps(_STEP[1:]))
    text = {"type": "text", "text": "Hi", "odd": 1}
    messages = [{"role": "user", "content": [text, text]}, *step, *step]
    body = {**BODY, "messages": [*messages, *messages[:1]]}
    places = [
        loss.where for loss in dragoman.convert(body, "anthropic", "ollama", policy="ignore").losses
    ]
    for i in range(len(places)):
        losses = dragoman.convert(body, "anthropic", "ollama", policy="ignore").losses
        locate_losses([losses[i]])
        assert losses[i]._where == places[i]


def test_only_messages_with_a_loss_are_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = _convert(BODY, "anthropic", "openai-chat", WIRES["anthropic"])
    walked: list[object] = []
    places = BodyPaths.__call__

    def walk(self: BodyPaths) -> Any:
        walked.extend(m for m in self.messages if m.content)
        return places(self)

    monkeypatch.setattr(BodyPaths, "__call__", walk)
    loss = next(loss for loss in losses if loss.code == "thinking.unsupported")
    locate_losses([loss])
    assert loss._where == "$.messages[1].content[0]"
    assert len(walked) == 2  # the system prompt, and the message
    walked.clear()
    locate_losses([next(loss for loss in losses if loss.code == "option.unsupported")])
    assert not walked  # it is one of the options
    locate_losses(losses)
    assert [loss.where for loss in losses] == [loss._where for loss in losses]
    body = json.loads(dragoman.convert(BODY, "anthropic", "gemini", policy="ignore").to_json())
    losses = _convert(body, "gemini", "openai-chat", WIRES["gemini"])
    walked.clear()
    locate_losses([next(loss for loss in losses if loss.code == "option.unsupported")])
    assert not walked  # options are in no place of their own there, but their fields are


def test_losses_of_no_request_are_found_as_ever() -> None:
    report = Report()
    report.add_loss("thinking.unsupported", object())
    losses = [*report.losses]
    locate_losses([*losses, *losses])
    assert losses[0].where == "$"
    locate_losses([loss.detach() for loss in losses])
