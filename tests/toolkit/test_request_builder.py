"""RequestBuilder: any formatter or serializer in, the JSON body of a request out."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ConfigError, LossRefused, Msg, NotMessages, Policy, Tagged, Tool
from dragoman.capabilities import ChatConfig
from dragoman.formatter import (
    DeepSeekChatFormatter,
    Formatter,
)
from dragoman.message import ImageBlock, ToolChoice
from dragoman.toolkit import ChatMessageSerializer, OpenAIChatMessageSerializer, RequestBuilder

from .conversation import WEATHER, WEATHER_JSON, asked, called, jpeg, pictured

BUILDER = RequestBuilder(model="gpt-5.4")
QUESTION = [{"role": "user", "content": "How is Beijing?"}]


def test_messages_and_tools_stand_in_one_body() -> None:
    assert BUILDER.build(asked(), tools=[WEATHER]) == {
        "model": "gpt-5.4",
        "messages": QUESTION,
        "tools": [WEATHER_JSON],
    }


@pytest.mark.parametrize("tools", [None, []])
def test_without_tools_there_is_no_such_field(tools: list[Tool] | None) -> None:
    assert BUILDER.build(asked(), tools=tools) == {"model": "gpt-5.4", "messages": QUESTION}


def test_tools_come_from_the_last_user_message() -> None:
    other = Tool("get_time", "The time")
    earlier = [*asked(other), Msg.assistant("Noon. What else?")]
    assert BUILDER.build([*earlier, *asked(WEATHER)])["tools"] == [WEATHER_JSON]
    assert "tools" not in BUILDER.build([*earlier, *asked()])
    assert "tools" not in BUILDER.build([Msg.system("Be brief."), Msg.assistant("Hello")])


def test_given_tools_win_over_attached_ones() -> None:
    other = Tool("get_time", "The time")
    request = ChatRequest(asked(other), tools=[WEATHER])
    assert BUILDER.build(request)["tools"] == [WEATHER_JSON]
    assert BUILDER.build(asked(other), tools=[WEATHER])["tools"] == [WEATHER_JSON]
    assert "tools" not in BUILDER.build(asked(other), tools=[])


def test_a_model_without_tools_is_sent_none_and_a_loss_says_so() -> None:
    written = BUILDER.write(asked(WEATHER), config=ChatConfig(support_tool=False))
    assert "tools" not in written.body
    assert [(loss.code, loss.what) for loss in written.losses] == [
        ("tools.unsupported", "get_weather")
    ]


def test_what_a_model_supports_is_said_once_or_with_every_request() -> None:
    builder = RequestBuilder(config=ChatConfig(support_tool=False))
    assert "tools" not in builder.build(asked(WEATHER))
    assert "tools" in builder.build(asked(WEATHER), config=ChatConfig(support_tool=True))


def test_text_beside_calls_is_emptied_in_the_body_too() -> None:
    written = BUILDER.write(called("Let me look."))
    assert written.body["messages"][1]["content"] == ""
    assert "call.text_dropped" in [loss.code for loss in written.losses]


def test_options_and_streaming_stand_in_the_body() -> None:
    body = BUILDER.build(asked(), stream=True, options={"max_tokens": 99, "stop": ["."]})
    rest = {key: body[key] for key in body.keys() - {"model", "messages"}}
    asks = {"include_usage": True}
    assert rest == {"stream": True, "stream_options": asks, "max_tokens": 99, "stop": ["."]}


def test_a_request_may_ask_for_a_stream_itself() -> None:
    assert BUILDER.build(ChatRequest(asked(), stream=True))["stream"] is True


def test_options_of_the_call_win_over_those_of_the_request() -> None:
    request = ChatRequest(asked(), model="deepseek-flash", options={"seed": 1, "top_p": 0.5})  # type: ignore[arg-type]
    body = BUILDER.build(request, options={"seed": 2})
    assert (body["model"], body["seed"], body["top_p"]) == ("deepseek-flash", 2, 0.5)
    assert BUILDER.build(request, model="glm-5")["model"] == "glm-5"


def test_any_wire_may_build() -> None:
    builder = RequestBuilder(Formatter("deepseek"), model="deepseek-flash")
    written = builder.write(called("Let me look."), tools=[WEATHER])
    assert written.body["messages"][1]["content"] == "Let me look."
    assert written.body["tools"] == [WEATHER_JSON]
    assert written.path == "/chat/completions"


def test_a_named_formatter_may_build() -> None:
    body = RequestBuilder(DeepSeekChatFormatter(), model="deepseek-flash").build(asked(WEATHER))
    assert body["messages"] == QUESTION
    assert body["tools"] == [WEATHER_JSON]


def test_a_config_changes_what_a_formatter_says_and_not_the_formatter() -> None:
    formatter = Formatter("openai-chat", model="gpt-5.4", fetch=jpeg, speakers=Tagged(me="Friday"))
    builder = RequestBuilder(formatter)
    config = ChatConfig(support_image_base64_only=True, support_tool=False)
    body = builder.build(pictured(), tools=[WEATHER], config=config)
    assert "data:image/jpeg;base64,/9j/4A==" in json.dumps(body)
    assert "tools" not in body
    again = builder.build(pictured(), tools=[WEATHER])
    assert "https://example.com/cat.jpg" in json.dumps(again)
    assert "tools" in again
    assert formatter.can.tools


def test_a_formatters_policy_holds() -> None:
    builder = RequestBuilder(Formatter("openai-chat", policy=Policy(refuse=("tools.unsupported",))))
    with pytest.raises(LossRefused):
        builder.build(asked(WEATHER), config=ChatConfig(support_tool=False))


class Recording(ChatMessageSerializer):
    """A serializer that keeps the system prompt apart, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []

    def serialize_messages(self, messages: list[Msg], config: ChatConfig) -> list[dict[str, Any]]:
        self.asked.append(("messages", config))
        return [{"role": m.role, "said": m.text} for m in messages if m.role != "system"]

    def serialize_tools(
        self, tools: list[Tool] | None, config: ChatConfig
    ) -> list[dict[str, Any]] | None:
        self.asked.append(("tools", [tool.name for tool in tools or []]))
        return [{"name": tool.name, "input_schema": tool.schema} for tool in tools or []]

    def further_fields(self, messages: list[Msg], config: ChatConfig) -> dict[str, Any]:
        return {"system": "\n".join(m.text for m in messages if m.role == "system")}


def test_a_serializer_of_ones_own_is_injected() -> None:
    own, config = Recording(), ChatConfig(support_audio=False)
    request = ChatRequest(asked(WEATHER), system="Be brief.", memories="Likes rain.")
    body = RequestBuilder(own, model="house-1").build(
        request, config=config, stream=True, options={"stop": "."}
    )
    assert body == {
        "model": "house-1",
        "messages": [{"role": "user", "said": "How is Beijing?"}],
        "tools": [{"name": "get_weather", "input_schema": WEATHER.parameters}],
        "system": "Be brief.\n\n<long_term_memory>\nLikes rain.\n</long_term_memory>",
        "stop": ["."],
        "stream": True,
    }
    assert own.asked == [("messages", config), ("tools", ["get_weather"])]
    assert "tools" not in RequestBuilder(own).build(asked())


def test_memories_alone_are_a_system_prompt() -> None:
    body = RequestBuilder(Recording()).build(ChatRequest(asked(), memories="Likes rain."))
    assert body["system"] == "<long_term_memory>\nLikes rain.\n</long_term_memory>"


def test_a_serializer_needs_no_base_class() -> None:
    class Duck:
        def serialize_messages(self, messages: Any, config: Any) -> list[dict[str, Any]]:
            return [{"n": len(messages)}]

        def serialize_tools(self, tools: Any, config: Any) -> None:
            return None

    assert RequestBuilder(Duck()).build(asked(WEATHER)) == {"messages": [{"n": 1}]}


def test_a_changed_default_serializer_is_asked_itself() -> None:
    class Polite(OpenAIChatMessageSerializer):
        def serialize_messages(
            self,
            messages: list[Msg],
            config: ChatConfig = ChatConfig(),  # noqa: B008
        ) -> list[dict[str, Any]]:
            return [*super().serialize_messages(messages, config), {"role": "user", "content": "!"}]

    body = RequestBuilder(Polite()).build(asked(WEATHER))
    assert body == {
        "messages": [*QUESTION, {"role": "user", "content": "!"}],
        "tools": [WEATHER_JSON],
    }


@pytest.mark.parametrize("field", ["tool_choice", "response_format", "extras"])
def test_what_a_serializer_cannot_say_is_refused(field: str) -> None:
    values = {
        "tool_choice": ToolChoice("required"),
        "response_format": dragoman.message.ResponseFormat("json"),
        "extras": {"house": {"x": 1}},
    }
    request = ChatRequest(asked(), **{field: values[field]})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=f"Recording says nothing of {field}"):
        RequestBuilder(Recording()).build(request)


def test_what_is_no_serializer_and_no_message_is_refused() -> None:
    with pytest.raises(ConfigError, match="neither a formatter nor a serializer"):
        RequestBuilder("openai")  # type: ignore[arg-type]
    with pytest.raises(NotMessages):
        BUILDER.build("Hi")  # type: ignore[arg-type]
    with pytest.raises(NotMessages):
        BUILDER.build([{"role": "user", "content": "Hi"}])  # type: ignore[list-item]


def test_building_changes_nothing_that_was_passed() -> None:
    request = ChatRequest(pictured(), tools=[WEATHER])
    BUILDER.build(request, tools=[], stream=True, options={"seed": 1})
    assert (request.tools, request.stream, request.options.seed) == ([WEATHER], False, None)
    assert isinstance(request.messages[0].blocks[1], ImageBlock)
