"""Cases of DeepSeek and DashScope: thinking that must come back, and what stands in its way."""

from __future__ import annotations

import pytest

import dragoman
from dragoman import ChatRequest, Msg, Options, Tool
from dragoman.message import TextBlock, ThinkingBlock
from tests.cases.writing import answered, call, written

HI = Msg.user("Hi")
LOOK = Tool("look")


def test_case_36_thinking_of_tool_turns_comes_back_in_every_later_turn() -> None:
    msgs = [HI, Msg("", [ThinkingBlock("hm"), call()], "assistant"), answered(),
            Msg.assistant("Done"), Msg.user("And now?")]  # fmt: skip
    body, losses = written("deepseek", msgs)
    assert body["messages"][1]["reasoning_content"] == "hm"
    assert losses == []


@pytest.mark.parametrize("blocks", [[], [ThinkingBlock("")]])
def test_case_37_empty_or_unknown_thinking_is_said_as_empty(blocks: list[ThinkingBlock]) -> None:
    msgs = [HI, Msg("", [*blocks, call()], "assistant"), answered()]
    body, losses = written("deepseek", msgs)
    assert body["messages"][1]["reasoning_content"] == ""
    assert losses == []


def test_case_38_the_rule_belongs_to_the_model_not_to_the_wire() -> None:
    msgs = [HI, Msg("", [ThinkingBlock("hm"), call()], "assistant"), answered()]
    body, losses = written("deepseek/anthropic", msgs)
    thought = body["messages"][1]["content"][0]
    assert (thought["type"], thought["thinking"]) == ("thinking", "hm")
    assert not thought.get("signature")  # its own has none, and none is made up
    assert losses == []


def test_case_38_a_tool_turn_without_thinking_has_an_empty_one_there_too() -> None:
    body, _ = written("deepseek/anthropic", [HI, Msg("", [call()], "assistant"), answered()])
    assert [b["type"] for b in body["messages"][1]["content"]] == ["thinking", "tool_use"]
    assert body["messages"][1]["content"][0]["thinking"] == ""


def test_case_39_thinking_of_other_turns_may_come_back() -> None:
    msgs = [HI, Msg("", [ThinkingBlock("hm"), TextBlock("Yes.")], "assistant"), Msg.user("Why?")]
    body, losses = written("deepseek", msgs)
    assert body["messages"][1]["reasoning_content"] == "hm"
    assert losses == []


def test_case_40_no_forced_tool_while_it_thinks() -> None:
    for choice, field in (("required", ".mode"), ("look", "")):
        body, losses = written("deepseek", [HI], tools=[LOOK], tool_choice=choice)
        assert body["tool_choice"] == "auto"
        assert losses == [("tool_choice.lowered", f"$.tool_choice{field}")]
    body, losses = written("deepseek", [HI], tools=[LOOK], tool_choice="required",
                           options=Options(reasoning="off"))  # fmt: skip
    assert body["tool_choice"] == "required"
    assert body["thinking"] == {"type": "disabled"}
    assert losses == []


def test_case_40_ignored_sampling_is_named() -> None:
    body, losses = written("deepseek", [HI], options=Options(temperature=0.3))
    assert body["temperature"] == 0.3
    assert losses == [("option.ignored", "$.options.temperature")]
    _, losses = written("deepseek", [HI], options=Options(temperature=0.3, reasoning="off"))
    assert losses == []


def test_case_55_tool_only_content_follows_the_endpoint() -> None:
    msgs = [HI, Msg("", [call()], "assistant"), answered()]
    for wire, model, content in (("dashscope", "qwen-max", ""), ("dashscope", "qwen3.7-plus", []),
                                 ("dashscope/openai-chat", "qwen3.7-plus", "")):  # fmt: skip
        body, _ = written(wire, msgs, model)
        said = body.get("messages") or body["input"]["messages"]
        assert said[1]["content"] == content


def test_case_56_thinking_that_needs_a_stream() -> None:
    asked = Options(reasoning="high")
    body, losses = written("dashscope", [HI], "qwen3-32b", options=asked)
    assert body["parameters"]["enable_thinking"] is False
    assert ("reasoning.needs_stream", "$.options.reasoning") in losses
    body, losses = written("dashscope", [HI], "qwen3-32b", options=asked, stream=True)
    assert body["parameters"]["enable_thinking"] is True
    assert body["parameters"]["incremental_output"] is True
    body, losses = written("dashscope", [HI], "qwen3-32b")  # thinks unless it is told not to
    assert body["parameters"]["enable_thinking"] is False
    with pytest.raises(dragoman.WriteError) as caught:
        dragoman.wire("dashscope").write_request(ChatRequest([HI]), "qwq-32b")
    assert caught.value.code == "stream.needed"


def test_case_56_no_forced_tool_while_it_thinks() -> None:
    body, losses = written("dashscope", [HI], "qwen3.7-plus", tools=[LOOK], tool_choice="look",
                           options=Options(reasoning="high"), stream=True)  # fmt: skip
    assert body["parameters"]["tool_choice"] == "auto"
    assert ("tool_choice.lowered", "$.tool_choice") in losses


def test_case_56_each_model_on_its_endpoint() -> None:
    for model, kind in {"qwen3.7-plus": "multimodal", "qwen3.7-max": "text"}.items():
        out = dragoman.wire("dashscope").write_request(ChatRequest([HI]), model)
        assert out.path == f"/services/aigc/{kind}-generation/generation"
