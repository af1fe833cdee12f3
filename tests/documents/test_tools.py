"""Documents 000 and 004: tools and their schemas, the weather tool in two languages."""

from __future__ import annotations

from typing import Any

import pytest

from dragoman import ChatRequest, Formatter, Msg, Tool

TEXTS = {
    "English": ("Get weather for a city", "City name"),
    "Chinese": ("获取指定城市的天气", "城市名称"),
}


def parameters(city: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"city": {"type": "string", "description": city}},
        "required": ["city"],
    }


def schema(does: str, city: str) -> dict[str, Any]:
    """The JSON that the documents print."""
    return {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": does,
            "parameters": parameters(city),
        },
    }


@pytest.mark.demand("S42", "S44", "S45")
@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("name", ["dashscope", "openai-chat"])
def test_the_weather_tool_is_written_as_the_documents_print_it(name: str, language: str) -> None:
    does, city = TEXTS[language]
    tool = Tool("get_weather", does, parameters(city))
    formatter = Formatter(name)
    assert formatter.format_tools([tool]) == [schema(does, city)]
    request = ChatRequest([Msg.user("How is Beijing?")], tools=[tool])
    body = formatter.format_request(request).body
    place = body["parameters"] if name == "dashscope" else body
    assert place["tools"] == [schema(does, city)]


@pytest.mark.demand("S43")
def test_a_tool_offers_its_name_description_and_parameters() -> None:
    tool = Tool("get_weather", "Get weather for a city", parameters("City name"))
    assert tool.name == "get_weather"
    assert tool.description == "Get weather for a city"
    assert tool.parameters == parameters("City name")


@pytest.mark.demand("S42", "S43")
def test_a_schema_of_somebody_elses_making_is_a_tool() -> None:
    given = schema(*TEXTS["English"])
    assert Tool.of(given) == Tool("get_weather", "Get weather for a city", parameters("City name"))
    assert Formatter("openai-chat").format_tools([given]) == [given]
