"""An effort is written in a word that the wire knows, whatever the model is called."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

from anthropic.types import OutputConfigParam
from mistralai.client.models import ReasoningEffort as MistralEffort
from openai.types.shared.reasoning_effort import ReasoningEffort

import dragoman
from dragoman import ChatRequest, Msg, Options
from dragoman.vendors import PROTOCOLS
from tests.each_case import each_case

ASKED = ("minimal", "low", "medium", "high", "xhigh", "max", "ultra")
MODELS = (
    "gpt-5", "gpt-5.6", "o3", "claude-opus-5-5", "claude-opus-4-5", "gemini-3.5-flash", "qwen3-8b",
    "deepseek-v4-pro", "kimi-k3", "glm-5.3", "MiniMax-M3", "grok-4.7", "mistral-small-latest",
    "command-a-plus", "somebody-new", None,
)  # fmt: skip


def _words(type_: Any) -> set[str]:
    """The texts of a Literal, however deep it stands in unions and annotations."""
    found = {one for one in get_args(type_) if isinstance(one, str)}
    return found.union(*(_words(one) for one in get_args(type_) if not isinstance(one, str)))


# protocol -> what its SDK or service model says
OPENAI = _words(ReasoningEffort)
ANTHROPIC = _words(get_type_hints(OutputConfigParam)["effort"])
KNOWN: dict[str, set[str]] = {
    "openai-chat": OPENAI,
    "openai-responses": OPENAI,
    "anthropic": ANTHROPIC,
    "mistral": _words(MistralEffort),
    "gemini": {"minimal", "low", "medium", "high", "xhigh"},
    "gemini-interactions": {"minimal", "low", "medium", "high", "xhigh"},
    "dashscope": {"low", "medium", "high", "xhigh", "max"},
    "ollama": {"low", "medium", "high", "max"},  # api/types.go
    "bedrock-converse": {"none", "low", "medium", "high", "xhigh", "max"},
    "cohere": set(),
}


def efforts(value: Any, key: str = "") -> list[str]:
    """Every effort that stands anywhere in a body."""
    if isinstance(value, dict):
        return [word for name, one in value.items() for word in efforts(one, name)]
    if isinstance(value, list):
        return [word for one in value for word in efforts(one, key)]
    named = "ffort" in key or key in ("think", "thinkingLevel", "reasoning_config")
    return [value.lower()] if named and isinstance(value, str) else []


def test_the_words_are_those_of_the_sdks() -> None:
    assert set(KNOWN) == set(PROTOCOLS)
    assert {"none", "minimal", "max"} <= OPENAI
    assert {"none", "high"} <= KNOWN["mistral"]
    assert "minimal" not in ANTHROPIC


@each_case("wire", PROTOCOLS)
@each_case("asked", ASKED)
def test_an_effort_is_one_that_the_wire_knows(wire: str, asked: str) -> None:
    target = dragoman.wire(wire, policy="ignore")
    for model in MODELS:
        req = ChatRequest([Msg.user("Hi.")], options=Options.of({"reasoning": asked}), stream=True)
        out = target.write_request(req, model)
        written = efforts(out.body)
        assert set(written) <= KNOWN[wire], (model, written)
        if written != [asked] and "thinking" not in str(out.body):
            told = {loss.code for loss in out.losses if loss.field == "reasoning"}
            assert told, (model, written)
        elif written not in ([], [asked]):
            assert "option.range" in {loss.code for loss in out.losses}, (model, written)
