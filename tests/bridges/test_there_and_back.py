"""There and back is equal, but for what the other library cannot hold; no broken call becomes one.

The libraries themselves are on the other side, in the releases that pyproject.toml pins. Those
whose pins collide with ours are in `tests/frameworks`, under the same law.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from dragoman import ChatRequest, wire
from dragoman.bridges import PACKAGES, results
from dragoman.losses.policies import LossLog
from dragoman.message import Msg, Origin, ThinkingBlock, Tool, ToolResultBlock, ToolUseBlock
from tests.each_case import each_case

from .conversations import CONVERSATIONS, CORPUS
from .crossing import BRIDGES
from .law import (
    BROKEN,
    Bridge,
    check_broken_call,
    check_conversation,
    check_missing,
    check_recorded,
    in_frameworks,
)

MODELS = ("langchain", "pydantic_ai", "openai_agents")  # whose models are ours, too
PLAIN_JSON = ("openai_agents", "otel_genai", "strands")  # bridges that need no package
PAIRS = [(bridge, name) for bridge in BRIDGES for name in CONVERSATIONS]


@each_case(("bridge", "name"), PAIRS, ids=lambda one: getattr(one, "name", one))
def test_a_conversation_comes_back(bridge: Bridge, name: str) -> None:
    check_conversation(bridge, name)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="needs the recorded traffic in ../shared/corpus")
@each_case("bridge", BRIDGES, ids=lambda bridge: bridge.name)
def test_recorded_conversations_come_back(bridge: Bridge) -> None:
    check_recorded(bridge)


@each_case(
    ("bridge", "text", "cut"),
    [(bridge, text, cut) for bridge in BRIDGES for text, cut in BROKEN],
    ids=lambda one: getattr(one, "name", one),
)
def test_no_broken_call_is_run(bridge: Bridge, text: str, cut: bool) -> None:
    check_broken_call(bridge, text, cut=cut)


@each_case("name", [name for name, packages in PACKAGES.items() if packages])
def test_a_package_that_is_missing_is_named(name: str) -> None:
    check_missing(name, PACKAGES[name][0], needs=name not in PLAIN_JSON)


def test_every_bridge_is_tested() -> None:
    assert {*(bridge.name for bridge in BRIDGES), *in_frameworks()} == {*PACKAGES}


def test_each_bridge_logs_for_itself(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once an hour for each code, as wires do: what one could not hold says nothing of another."""
    monkeypatch.setattr(results, "_LOGS", defaultdict(LossLog))
    for name in ("openai_agents", "ai_sdk"):
        bridge = next(bridge for bridge in BRIDGES if bridge.name == name)
        for expected in (1, 0):
            caplog.clear()
            with caplog.at_level("DEBUG", "dragoman"):
                bridge.write([Msg.user("Hi", name="Tony")], policy="log")
            lines = [line for line in caplog.messages if "name.unsupported" in line]
            assert len(lines) == expected


@each_case("bridge", [one for one in BRIDGES if one.name in MODELS], ids=lambda one: one.name)
def test_thinking_of_a_host_of_chat_completions_goes_back_to_it(bridge: Bridge) -> None:
    thought = ThinkingBlock("I must look.", origin=Origin("openai-chat", "glm-4.7"))
    answer = Msg("", [thought, ToolUseBlock("c_1", "look", {"city": "Rome"})], "assistant")
    answer.origin = thought.origin
    result = Msg("", [ToolResultBlock("c_1", "look", "warm")], "tool")
    history = [Msg.user("x"), answer, result]
    tool = Tool("look", "", {"type": "object", "properties": {}})

    def sent(messages: list[Msg]) -> Any:
        request = ChatRequest(messages, model="glm-4.7", tools=[tool])
        return wire("zhipu", policy="ignore").write_request(request).body["messages"]

    written = bridge.write(history, policy="ignore").messages
    assert sent(bridge.read(written, policy="ignore").messages) == sent(history)
    assert sent(history)[1]["reasoning_content"] == "I must look."
