"""Documents 000 and 004: roles, and how blocks of content are written."""

from __future__ import annotations

from typing import get_args

import pytest

from dragoman import Formatter, LossRefused, Msg, wire
from dragoman.errors import InvalidMessage
from dragoman.formatter import DashScopeChatFormatter
from dragoman.message import (
    Base64Source,
    FileSource,
    ImageBlock,
    LocalSource,
    Source,
    TextBlock,
    ToolUseBlock,
    URLSource,
)
from dragoman.message.msg import ROLES

from .weather import PICTURE, asked

OPENAI, DASHSCOPE = Formatter("openai-chat"), Formatter("dashscope")


@pytest.mark.demand("S28")
def test_the_four_roles_exist() -> None:
    assert {"system", "user", "assistant", "tool"} == ROLES - {"developer"}  # which OpenAI adds
    for role in ("system", "user", "assistant", "tool"):
        assert Msg("Friday", "Hello", role).role == role
    with pytest.raises(InvalidMessage, match="unknown role 'narrator'"):
        Msg("Friday", "Hello", "narrator")


@pytest.mark.demand("S29")
@pytest.mark.parametrize("formatter", [OPENAI, DASHSCOPE], ids=["openai", "dashscope"])
def test_each_role_has_its_word(formatter: Formatter) -> None:
    call = ToolUseBlock(id="call_1", name="now", input={})
    msgs = [*asked(), Msg.assistant([call]), Msg.tool("call_1", "noon", "now")]
    roles = [message["role"] for message in formatter.format_sync(msgs)]
    assert roles == ["system", "user", "assistant", "tool"]


@pytest.mark.demand("S30")
def test_text_is_a_part_of_type_text() -> None:
    msgs = [Msg.user([TextBlock("How is"), TextBlock("Beijing?")])]
    assert OPENAI.format_sync(msgs)[0]["content"] == [
        {"type": "text", "text": "How is"},
        {"type": "text", "text": "Beijing?"},
    ]


@pytest.mark.demand("S30", "S31", "S32")
@pytest.mark.parametrize(
    ("source", "form"),
    [
        (URLSource(PICTURE), {"type": "image", "image": PICTURE}),
        (
            Base64Source("image/png", "iVBO"),
            {"type": "image", "image": "data:image/png;base64,iVBO"},
        ),
    ],
    ids=["URL", "base64"],
)
def test_dashscope_gets_an_image_as_one_text(
    source: URLSource | Base64Source, form: dict[str, str]
) -> None:
    msgs = [Msg.user([TextBlock("Look"), ImageBlock(source)])]
    [message] = DashScopeChatFormatter(facts="documents-2025").format_sync(msgs)
    assert message["content"] == [{"type": "text", "text": "Look"}, form]
    del form["type"]  # today's native wire keys its items by kind alone
    [message] = DASHSCOPE.format_sync(msgs)
    assert message["content"] == [{"text": "Look"}, form]
    body = {"model": "qwen-vl-max", "input": {"messages": [message]}}
    assert DASHSCOPE.format_sync(wire("dashscope").read_request(body).messages) == [message]


@pytest.mark.demand("S33")
def test_an_unknown_source_is_an_error() -> None:
    with pytest.raises(InvalidMessage, match="unknown source type 'telepathy'") as refused:
        Msg.user([{"type": "image", "source": {"type": "telepathy", "url": PICTURE}}])
    assert refused.value.path == "$.content[0].source"


@pytest.mark.demand("S33")
def test_a_source_that_a_provider_cannot_take_is_refused_where_nothing_may_be_lost() -> None:
    strict = Formatter("dashscope", policy="refuse", fetch=None)
    for source in (FileSource("file-1", "anthropic"), LocalSource("sky.png")):
        with pytest.raises(LossRefused) as refused:
            strict.format_sync([Msg.user([TextBlock("Look"), ImageBlock(source)])])
        assert {loss.where for loss in refused.value.losses} == {"$.messages[0].content[1].source"}


@pytest.mark.demand("S34")
def test_sources_are_one_family() -> None:
    by_url = ImageBlock(URLSource(PICTURE))
    in_base64 = ImageBlock(Base64Source("image/png", "iVBO"))
    assert (by_url.source.type, in_base64.source.type) == ("url", "base64")
    assert {URLSource, Base64Source} < set(get_args(Source))
    as_dicts = Msg.user(
        [
            {"type": "image", "source": {"type": "url", "url": PICTURE}},
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"},
            },
        ]
    )
    assert as_dicts.content == [by_url, in_base64]


@pytest.mark.demand("S35", "S36")
@pytest.mark.parametrize("formatter", [OPENAI, DASHSCOPE], ids=["openai", "dashscope"])
def test_a_tool_call_is_a_function_entry_with_arguments_as_text(formatter: Formatter) -> None:
    call = ToolUseBlock(id="call_1", name="get_weather", input={"city": "北京", "days": 2})
    [_, message] = formatter.format_sync([Msg.user("Well?"), Msg.assistant([call])])
    assert message["tool_calls"] == [
        {
            "type": "function",
            "id": "call_1",
            "function": {"name": "get_weather", "arguments": '{"city": "北京", "days": 2}'},
        }
    ]
