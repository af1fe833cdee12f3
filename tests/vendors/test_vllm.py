"""vLLM: thinking by the template's own switch, under both names, and no host's rules."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import Msg
from dragoman.message import AudioBlock, TextBlock, ThinkingBlock, URLSource
from tests.vendors.asking import LOOK, called, codes, said, wrote


@pytest.mark.parametrize(
    ("model", "reasoning", "written"),
    [
        ("Qwen/Qwen3-8B", "off", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("zai-org/GLM-4.7", "on", {"chat_template_kwargs": {"enable_thinking": True}}),
        ("deepseek-ai/DeepSeek-V3.2", "off", {"chat_template_kwargs": {"thinking": False}}),
        ("deepseek-ai/DeepSeek-V4-Pro", "high",
         {"chat_template_kwargs": {"thinking": True}, "reasoning_effort": "high"}),
        ("moonshotai/Kimi-K2.6", "off", {"chat_template_kwargs": {"thinking": False}}),
        ("openai/gpt-oss-20b", "low", {"reasoning_effort": "low"}),
        ("somebody/new", "high", {"reasoning_effort": "high"}),
    ],
)  # fmt: skip
def test_the_switch_stands_in_the_template(
    model: str, reasoning: str, written: dict[str, Any]
) -> None:
    body = wrote("vllm", model, options={"reasoning": reasoning}).body
    keys = ("chat_template_kwargs", "reasoning_effort", "thinking", "enable_thinking")
    assert {key: body[key] for key in keys if key in body} == written


def test_thinking_goes_back_under_both_names() -> None:
    """Case 32: servers renamed the field, and read one or both."""
    turn = said("vllm", None, *called(ThinkingBlock("hm")))[1]
    assert (turn["reasoning"], turn["reasoning_content"]) == ("hm", "hm")


def test_what_hosts_forbid_an_engine_does() -> None:
    given: dict[str, Any] = {"tools": [LOOK], "tool_choice": "look"}
    for model in ("Qwen/Qwen3-8B", "moonshotai/Kimi-K2.6", "deepseek-ai/DeepSeek-V4-Pro"):
        out = wrote("vllm", model, options={"temperature": 0.5, "top_k": 20}, **given)
        assert out.body["tool_choice"]["function"] == {"name": "look"}
        assert (out.body["temperature"], out.body["top_k"]) == (0.5, 20)
        assert codes(out) == []


def test_templates_that_take_one_system_message_first() -> None:
    """Case 34: "System message must be at the beginning."."""
    history = [Msg.system("Be."), Msg.user("?"), Msg.assistant("!"), Msg.system("Stop."),
               Msg.user("Well?")]  # fmt: skip
    for model, count in (("Qwen/Qwen3.5-35B-A3B", 1), ("Qwen/Qwen3-8B", 2)):
        roles = [m["role"] for m in said("vllm", model, *history)]
        assert roles.count("system") == count


def test_sounds_by_link() -> None:
    sound = AudioBlock(URLSource("https://example.com/a.mp3"))
    content = said("vllm", None, Msg.user([TextBlock("?"), sound]))[0]["content"]
    assert content[1] == {"type": "audio_url", "audio_url": {"url": "https://example.com/a.mp3"}}


def test_its_responses_want_each_field_of_an_answer() -> None:
    """Case 73."""
    turn = called(ThinkingBlock("hm"), TextBlock("I look."))
    items = wrote("vllm/openai-responses", None, *turn).body["input"]
    assert items[1] == {"type": "reasoning", "summary": [], "id": "rs_1",
                        "content": [{"type": "reasoning_text", "text": "hm"}]}  # fmt: skip
    assert items[2]["content"] == [{"type": "output_text", "text": "I look.", "annotations": []}]
    assert items[2]["status"] == "completed"


@pytest.mark.parametrize("wire", ["vllm", "vllm/openai-responses"])
def test_gpt_oss_is_not_asked_for_a_call_that_it_would_not_heed(wire: str) -> None:
    out = wrote(wire, "openai/gpt-oss-20b", tools=[LOOK], tool_choice="required")
    assert out.body["tool_choice"] == "auto"
    assert codes(out) == ["tool_choice.lowered"]
    asked = wrote(wire, "Qwen/Qwen3-8B", tools=[LOOK], tool_choice="required")
    assert (asked.body["tool_choice"], codes(asked)) == ("required", [])
