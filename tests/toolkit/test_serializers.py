"""The serializer for Chat Completions, and the base for serializers of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dragoman import LossRefused, Policy
from dragoman.capabilities import ChatConfig
from dragoman.losses import Loss
from dragoman.message import (
    AudioBlock,
    ImageBlock,
    Msg,
    TextBlock,
    ThinkingBlock,
    Tool,
    URLSource,
    VideoBlock,
)
from dragoman.toolkit import (
    ChatMessageSerializer,
    MessageSerializer,
    OpenAIChatMessageSerializer,
    attached_tools,
)

from .conversation import WEATHER, WEATHER_JSON, asked, called, jpeg, pictured

FLEX = OpenAIChatMessageSerializer()


def losing(config: ChatConfig, msgs: list[Msg], **options: Any) -> tuple[list[dict], list[Loss]]:
    """The messages, and every loss that is no detail of logging."""
    losses: list[Loss] = []
    flex = OpenAIChatMessageSerializer(policy=Policy(collect=losses.append), **options)
    return flex.serialize_messages(msgs, config), losses


def test_text_beside_a_call_is_emptied_and_named_as_a_loss() -> None:
    written, losses = losing(ChatConfig(), called("Let me look."))
    assert written[1]["content"] == ""
    assert [call["id"] for call in written[1]["tool_calls"]] == ["call_123"]
    assert [(loss.kind, loss.code, loss.where) for loss in losses] == [
        ("dropped", "call.text_dropped", "$.messages[1].content[0].text")
    ]


def test_text_without_a_call_stays() -> None:
    written, losses = losing(ChatConfig(), [*asked(), Msg.assistant("Sunny.")])
    assert (written[1], losses) == ({"role": "assistant", "content": "Sunny."}, [])


def test_media_by_url_become_parts_of_the_user() -> None:
    media = [
        TextBlock("Compare"),
        ImageBlock(URLSource("https://example.com/a.png")),
        AudioBlock(URLSource("https://example.com/a.mp3")),
        VideoBlock(URLSource("https://example.com/a.mp4")),
    ]
    assert FLEX.serialize_messages([Msg.user(media)])[0]["content"] == [
        {"type": "text", "text": "Compare"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {"type": "audio_url", "audio_url": {"url": "https://example.com/a.mp3"}},
        {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}},
    ]


def test_an_assistants_picture_follows_in_a_user_turn() -> None:
    shown = Msg.assistant([TextBlock("Look:"), ImageBlock(URLSource("https://example.com/a.png"))])
    written, losses = losing(ChatConfig(), [*asked(), shown])
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    assert written[1:] == [
        {"role": "assistant", "content": "Look:"},
        {"role": "user", "content": [image]},
    ]
    assert [loss.code for loss in losses] == ["media.moved"]


BASE64_ONLY = ChatConfig(support_image_base64_only=True)


def test_a_picture_that_must_be_base64_is_fetched_by_the_users_function() -> None:
    written, losses = losing(BASE64_ONLY, pictured(), fetch=jpeg)
    assert written[0]["content"][1] == {
        "type": "image_url",
        "image_url": {"url": "data:image/jpeg;base64,/9j/4A=="},
    }
    assert losses == []


def test_without_a_network_its_address_is_told_and_the_loss_named() -> None:
    written, losses = losing(BASE64_ONLY, pictured())
    assert "https://example.com/cat.jpg" in str(written[0]["content"])
    assert "image_url" not in str(written)
    assert [loss.code for loss in losses] == ["media.not_fetched"]


def test_nothing_is_fetched_where_an_address_will_do() -> None:
    def network(source: object, path: str) -> None:
        raise AssertionError(f"fetched {source}")

    written, _ = losing(ChatConfig(), pictured(), fetch=network)
    assert written[0]["content"][1]["image_url"] == {"url": "https://example.com/cat.jpg"}


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (ChatConfig(support_image=False), ImageBlock),
        (ChatConfig(support_audio=False), AudioBlock),
        (ChatConfig(support_video=False), VideoBlock),
    ],
)
def test_media_that_a_model_lacks_are_losses(config: ChatConfig, kind: Any) -> None:
    msgs = [Msg.user([TextBlock("Look"), kind(URLSource("https://example.com/a.bin"))])]
    written, losses = losing(config, msgs)
    assert written == [{"role": "user", "content": "Look"}]
    assert [loss.code for loss in losses] == ["block.unsupported"]
    assert len(FLEX.serialize_messages(msgs)[0]["content"]) == 2


def test_tool_messages_are_told_as_text_where_a_model_takes_none() -> None:
    written, _ = losing(ChatConfig(support_tool_message=False), called("Let me look."))
    assert [set(message) for message in written] == [{"role", "content"}] * 3
    assert [message["role"] for message in written] == ["user", "assistant", "user"]
    assert "Sunny." in written[2]["content"]


@pytest.mark.parametrize("keep", [True, False])
def test_thinking_goes_back_only_where_the_config_says_so(keep: bool) -> None:
    msgs = [*asked(), Msg.assistant([ThinkingBlock("Hm."), TextBlock("Sunny.")])]
    written, losses = losing(ChatConfig(support_thinking=keep), msgs)
    assert written[1].get("reasoning_content") == ("Hm." if keep else None)
    assert [loss.code for loss in losses] == ([] if keep else ["thinking.unsupported"])


def test_tools_are_none_where_a_model_takes_none() -> None:
    assert FLEX.serialize_tools([WEATHER]) == [WEATHER_JSON]
    assert FLEX.serialize_tools([WEATHER], ChatConfig(support_tool=False)) is None
    assert FLEX.serialize_tools([]) is None
    assert FLEX.serialize_tools(None) is None


def test_leaving_tools_out_is_a_loss() -> None:
    strict = OpenAIChatMessageSerializer(policy=Policy(refuse=("tools.unsupported",)))
    with pytest.raises(LossRefused) as refused:
        strict.serialize_tools([WEATHER], ChatConfig(support_tool=False))
    assert [loss.what for loss in refused.value.losses] == ["get_weather"]


def test_one_serializer_serves_models_that_differ() -> None:
    plain = FLEX.serialize_messages(pictured())
    assert FLEX.serialize_messages(pictured(), BASE64_ONLY) != plain
    assert FLEX.serialize_messages(pictured()) == plain


def test_tools_hang_on_a_message() -> None:
    assert attached_tools(None) is None
    assert attached_tools(asked()[0]) is None
    assert attached_tools(asked(WEATHER)[0]) == [WEATHER]
    as_json = Msg.user("Hi", metadata={"tools": [WEATHER_JSON]})
    [made] = attached_tools(as_json) or []
    assert FLEX.serialize_tools([made]) == [WEATHER_JSON]


class Shouting(ChatMessageSerializer):
    """An in-house protocol."""

    def serialize_messages(self, messages: list[Msg], config: ChatConfig) -> list[dict[str, Any]]:
        return [{"who": m.role, "says": m.text.upper()} for m in messages]

    def serialize_tools(
        self, tools: list[Tool] | None, config: ChatConfig
    ) -> list[dict[str, Any]] | None:
        return None if tools is None else [{"tool": tool.name} for tool in tools]


def test_the_base_class_reads_the_tools_of_a_message() -> None:
    own = Shouting()
    assert own.serialize_tools_of(asked(WEATHER)[0], ChatConfig()) == [{"tool": "get_weather"}]
    assert own.serialize_tools_of(asked()[0], ChatConfig()) is None
    assert own.serialize_tools_of(None, ChatConfig()) is None
    assert own.further_fields(asked(), ChatConfig()) == {}
    assert isinstance(own, MessageSerializer)


def test_a_serializer_without_its_two_methods_cannot_be_made() -> None:
    class Half(ChatMessageSerializer):
        def serialize_messages(
            self, messages: list[Msg], config: ChatConfig
        ) -> list[dict[str, Any]]:
            return []

    with pytest.raises(TypeError, match="serialize_tools"):
        Half()  # type: ignore[abstract]


def test_what_was_passed_is_left_alone() -> None:
    msgs = called("Let me look.")
    before: list[Mapping[str, Any]] = [m.to_dict() for m in msgs]
    FLEX.serialize_messages(msgs, BASE64_ONLY)
    assert [m.to_dict() for m in msgs] == before
