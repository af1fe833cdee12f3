"""Claude by a budget: room for the answer, and nothing gives way to a budget that is not sent."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import wire
from dragoman.message import (
    ChatRequest,
    Msg,
    Options,
    ThinkingBlock,
    Tool,
    ToolChoice,
    ToolUseBlock,
)

HAIKU = "claude-haiku-4-5"


def written(*msgs: Msg, model: str = HAIKU, host: str = "anthropic", **options: Any) -> Any:
    request = ChatRequest(
        list(msgs) or [Msg.user("Hi.")], tools=[Tool("look")], tool_choice=ToolChoice("required"),
        options=Options(**options), model=model,
    )  # fmt: skip
    return wire(host, policy="ignore").write_request(request)


@pytest.mark.parametrize(("options", "budget"), [
    ({"reasoning": "high", "max_tokens": 5000}, 4000),
    ({"reasoning": "high", "max_tokens": 100_000}, 24_576),
    ({"reasoning": "on", "max_tokens": 2000}, 1600),
    ({"reasoning_budget": 9000, "max_tokens": 5000}, 4000),
    ({"reasoning_budget": 63_999}, 51_200),  # the most that the model answers is 64,000
    ({"reasoning_budget": 4999, "max_tokens": 5000}, 4999),  # both were named
    ({"reasoning_budget": 4096}, 4096),
])  # fmt: skip
def test_a_budget_leaves_room_for_the_answer(options: dict[str, Any], budget: int) -> None:
    body = written(**options).body
    assert body["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert body["tool_choice"] == {"type": "auto"}, "no tool is forced while it thinks"


NO_ROOM: list[dict[str, Any]] = [
    {"reasoning": "high", "max_tokens": 1100},
    {"reasoning": "low", "max_tokens": 1279},
    {"reasoning_budget": 2000, "max_tokens": 1024},
]


@pytest.mark.parametrize("options", NO_ROOM)
def test_for_a_budget_that_is_not_sent_nothing_else_gives_way(options: dict[str, Any]) -> None:
    request = written(temperature=0.3, top_k=5, **options)
    assert "thinking" not in request.body
    assert request.body["tool_choice"] == {"type": "any"}
    assert (request.body["temperature"], request.body["top_k"]) == (0.3, 5)
    assert [loss.code for loss in request.losses] == ["option.refused"]


@pytest.mark.parametrize("options", NO_ROOM)
def test_the_same_over_converse(options: dict[str, Any]) -> None:
    model = "us.anthropic.claude-haiku-4-5-20251001-v1:0"
    request = written(host="bedrock", model=model, temperature=0.3, **options)
    assert "additionalModelRequestFields" not in request.body
    assert request.body["toolConfig"]["toolChoice"] == {"any": {}}
    assert request.body["inferenceConfig"]["temperature"] == 0.3
    assert [loss.code for loss in request.losses] == ["option.refused"]


CALLS = [Msg.user("Look."), Msg("", [ToolUseBlock("a", "look", {})], "assistant"),
         Msg.tool("a", "seen")]  # fmt: skip


@pytest.mark.parametrize("options", [{"reasoning": "high"}, {"reasoning_budget": 2048}])
def test_in_the_middle_of_a_round_without_thinking_nothing_gives_way(
    options: dict[str, Any],
) -> None:
    request = written(*CALLS, temperature=0.3, max_tokens=5000, **options)
    assert "thinking" not in request.body
    assert request.body["tool_choice"] == {"type": "any"}
    assert request.body["temperature"] == 0.3
    assert [loss.code for loss in request.losses] == ["reasoning.off_for_history"]


def test_a_round_that_began_with_its_thinking_goes_on_thinking() -> None:
    thought = ThinkingBlock("Hm.", signature="c2ln")
    turn = Msg("", [thought, ToolUseBlock("a", "look", {})], "assistant")
    request = written(CALLS[0], turn, CALLS[2], reasoning_budget=2048, max_tokens=5000,
                      temperature=0.3)  # fmt: skip
    assert request.body["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert request.body["tool_choice"] == {"type": "auto"}
    assert "temperature" not in request.body
    codes = {loss.code for loss in request.losses}
    assert codes == {"tool_choice.lowered", "option.refused"}


def test_an_effort_of_a_model_that_spells_it_as_such_needs_no_room() -> None:
    request = written(model="claude-opus-4-8", reasoning="high", max_tokens=1100)
    assert request.body["thinking"] == {"type": "adaptive"}
    assert request.body["output_config"] == {"effort": "high"}


@pytest.mark.parametrize(("model", "effort"), [
    ("claude-opus-5", "high"), ("claude-haiku-5-5", "high"), ("claude-sonnet-5-5", "high"),
    ("claude-opus-4-7", "max"), ("claude-haiku-4-5", None),
])  # fmt: skip
def test_a_retargeted_request_has_the_effort_that_the_model_takes_while_it_is_still(
    model: str, effort: str | None
) -> None:
    body = {"model": "claude-opus-4-8", "max_tokens": 5000, "thinking": {"type": "disabled"},
            "output_config": {"effort": "max"},
            "messages": [{"role": "user", "content": "Hi."}]}  # fmt: skip
    target = wire("anthropic", policy="ignore")
    request = target.write_request(target.read_request(body), model)
    assert request.body.get("output_config", {}).get("effort") == effort
    said = [loss.where for loss in request.losses if loss.code.startswith("option.")]
    assert said == ([] if effort == "max" else ["$.output_config.effort"])
