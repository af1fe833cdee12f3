"""Documents 000 and 004: how a system prompt is built, in English and in Chinese."""

from __future__ import annotations

import pytest

from dragoman import ChatRequest, Formatter, Msg, Tool
from dragoman.history.system_prompt import SystemPrompt

from .weather import FOUR, WEATHER

ENGLISH = SystemPrompt(describe_tools="always")
CHINESE = SystemPrompt(describe_tools="always", tools_heading="\n\n你有以下工具可用：\n")
FORECAST = Tool("获取天气", "获取指定城市的天气")


@pytest.mark.demand("S21")
def test_the_base_prompt_comes_first() -> None:
    assert ENGLISH.build("You are Friday.", [WEATHER], "Likes tea.").startswith("You are Friday.")
    assert ENGLISH.build("You are Friday.") == "You are Friday."


@pytest.mark.demand("S22", "S24")
def test_tools_are_listed_under_the_english_heading() -> None:
    text = ENGLISH.build("You are Friday.", [WEATHER, Tool("get_time", "Get the time")])
    assert text == (
        "You are Friday.\n\nYou have the following tools available:\n"
        "- get_weather: Get weather for a city\n- get_time: Get the time\n"
    )


@pytest.mark.demand("S23", "S24")
def test_tools_are_listed_under_the_chinese_heading() -> None:
    text = CHINESE.build("你是 Friday。", [FORECAST])
    assert text == "你是 Friday。\n\n你有以下工具可用：\n- 获取天气: 获取指定城市的天气\n"


@pytest.mark.demand("S25")
def test_without_tools_there_is_no_section_for_them() -> None:
    memories = "\n\n<long_term_memory>\nLikes tea.\n</long_term_memory>"
    for prompt in (ENGLISH, CHINESE):
        assert prompt.build("You are Friday.", [], "Likes tea.") == f"You are Friday.{memories}"
        assert prompt.build("You are Friday.", []) == "You are Friday."


@pytest.mark.demand("S26")
def test_memories_stand_between_their_tags() -> None:
    assert ENGLISH.build("You are Friday.", [], "Likes tea.") == (
        "You are Friday.\n\n<long_term_memory>\nLikes tea.\n</long_term_memory>"
    )


@pytest.mark.demand("S27")
def test_the_order_is_base_tools_memories() -> None:
    assert ENGLISH.build("Base.", [WEATHER], "Likes tea.") == (
        "Base.\n\nYou have the following tools available:\n"
        "- get_weather: Get weather for a city\n"
        "\n\n<long_term_memory>\nLikes tea.\n</long_term_memory>"
    )
    assert "long_term_memory" not in ENGLISH.build("Base.", [WEATHER], None)
    assert "<long_term_memory>\n\n</long_term_memory>" in ENGLISH.build("Base.", [], "")


@pytest.mark.demand("S21", "S22", "S23", "S26", "S27")
@pytest.mark.parametrize(
    ("prompt", "heading"),
    [(ENGLISH, "You have the following tools available:"), (CHINESE, "你有以下工具可用：")],
    ids=["English", "Chinese"],
)
@pytest.mark.parametrize("name", FOUR)
def test_every_provider_gets_the_built_prompt(
    name: str, prompt: SystemPrompt, heading: str
) -> None:
    req = ChatRequest(
        [Msg.user("How is Beijing?")], system="Base.", tools=[WEATHER], memories="Likes tea."
    )
    first = Formatter(name, prompt=prompt).format_sync(req)[0]
    text = first["parts"][0]["text"] if name == "gemini" else first["content"]
    assert text == (
        f"Base.\n\n{heading}\n- get_weather: Get weather for a city\n"
        "\n\n<long_term_memory>\nLikes tea.\n</long_term_memory>"
    )


@pytest.mark.demand("S22", "S25")
def test_by_default_tools_travel_in_their_own_field_alone() -> None:
    req = ChatRequest([Msg.user("How is Beijing?")], system="Base.", tools=[WEATHER])
    body = Formatter("openai-chat").format_request(req).body
    assert body["messages"][0] == {"role": "system", "content": "Base."}
    told = Formatter("openai-chat", prompt=ENGLISH).format_request(req)
    assert "- get_weather: Get weather for a city\n" in told.body["messages"][0]["content"]
    assert "tools" in told.body
    assert "prompt.tools" in [loss.code for loss in told.losses]
