"""The classes with AgentScope's names: arguments, attributes, and what a program does with them."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, LossRefused, Msg, Tool
from dragoman.capabilities import ChatConfig
from dragoman.errors import ConfigError, NotMessages
from dragoman.formatter.agentscope import FORMATTERS
from dragoman.history.wording import Wording
from dragoman.message import (
    AudioBlock,
    Base64Source,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    VideoBlock,
)
from dragoman.tokens import CharTokenCounter

ALIASES = {
    "OpenAIFormatter": "OpenAIChatFormatter",
    "OpenAIResponsesChatFormatter": "OpenAIResponseChatFormatter",
    "OpenAIResponsesMultiAgentFormatter": "OpenAIResponseMultiAgentFormatter",
}
NAMES = sorted(set(FORMATTERS) - set(ALIASES))
IMAGES = ("promote_tool_result_images",)
ALL = (*IMAGES, "promote_tool_result_audios", "promote_tool_result_videos")
PROMOTES = {"OpenAI": IMAGES, "Gemini": IMAGES, "Ollama": IMAGES, "DashScope": ALL,
            "Anthropic": (), "DeepSeek": ()}  # fmt: skip
COUNTER = CharTokenCounter()
MSGS = [Msg("system", "Be.", "system"), Msg("Bob", "Hi."), Msg("Friday", "Hello.", "assistant")]


def cls_of(name: str) -> Any:
    return getattr(dragoman.formatter, name)


def promotes(name: str) -> tuple[str, ...]:
    return next(flags for vendor, flags in PROMOTES.items() if name.startswith(vendor))


def order(name: str) -> list[str]:
    head = ["conversation_history_prompt"] if "MultiAgent" in name else []
    return [*head, *promotes(name), "token_counter", "max_tokens"]


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_one_class_by_two_names(alias: str, name: str) -> None:
    assert cls_of(alias) is cls_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_positional_arguments_in_agentscopes_order(name: str) -> None:
    given: dict[str, Any] = dict.fromkeys(promotes(name), True)
    given |= {"token_counter": COUNTER, "max_tokens": 900}
    if "MultiAgent" in name:
        given["conversation_history_prompt"] = "Before:\n"
    by_place = cls_of(name)(*(given[word] for word in order(name)))
    by_name = cls_of(name)(**given)
    for formatter in (by_place, by_name):
        assert formatter.token_counter is COUNTER
        assert formatter.max_tokens == 900
        assert [getattr(formatter, word) for word in promotes(name)] == [True] * len(promotes(name))
        assert formatter.can.move_media == {word.split("_")[-1][:-1] for word in promotes(name)}
    assert by_place.format_sync(MSGS) == by_name.format_sync(MSGS)
    assert ("Before:" in str(by_place.format_sync(MSGS))) is ("MultiAgent" in name)


@pytest.mark.parametrize("name", NAMES)
def test_one_argument_too_many_or_twice(name: str) -> None:
    with pytest.raises(TypeError, match="at most"):
        cls_of(name)(*[None] * (len(order(name)) + 1))
    with pytest.raises(TypeError, match=f"got {order(name)[0]} twice"):
        cls_of(name)(None, **{order(name)[0]: None})
    with pytest.raises(TypeError):
        cls_of(name)(no_such_argument=1)


@pytest.mark.parametrize("name", NAMES)
def test_without_arguments(name: str) -> None:
    formatter = cls_of(name)()
    assert formatter.can.move_media == frozenset()
    assert (formatter.token_counter, formatter.max_tokens) == (None, None)
    assert formatter.support_tools_api
    assert cls_of(name).support_multiagent is ("MultiAgent" in name or name.startswith("OpenAI"))
    assert cls_of(name).support_vision is not name.startswith("DeepSeek")
    assert repr(formatter).startswith(f"{name}(")


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("OpenAI", {TextBlock, ImageBlock, AudioBlock}), ("Anthropic", {TextBlock, ImageBlock}),
        ("OpenAIResponse", {TextBlock, ImageBlock}),
        ("DashScope", {TextBlock, ImageBlock, AudioBlock, VideoBlock}),
        ("Gemini", {TextBlock, ImageBlock, AudioBlock, VideoBlock}),
        ("Ollama", {TextBlock, ImageBlock}), ("DeepSeek", {TextBlock}),
    ],
)  # fmt: skip
def test_supported_blocks(name: str, kinds: set[Any]) -> None:
    for kind in ("Chat", "MultiAgent"):
        formatter = cls_of(f"{name}{kind}Formatter")()
        assert set(formatter.supported_blocks) == kinds | {ToolUseBlock, ToolResultBlock}
        mute = cls_of(f"{name}{kind}Formatter")(can={"tools": False})
        assert not {ToolUseBlock, ToolResultBlock} & set(mute.supported_blocks)


@pytest.mark.parametrize("name", NAMES)
def test_pickles_and_copies_format_alike(name: str) -> None:
    formatter = cls_of(name)(token_counter=COUNTER, max_tokens=5_000, model="some-model")
    for made in (pickle.loads(pickle.dumps(formatter)), copy.copy(formatter),
                 copy.deepcopy(formatter)):  # fmt: skip
        assert made.format_sync(MSGS) == formatter.format_sync(MSGS)
        assert made.max_tokens == 5_000
        assert made.can == formatter.can


@pytest.mark.parametrize("name", NAMES)
def test_one_formatter_for_many_threads(name: str) -> None:
    formatter = cls_of(name)(policy="ignore", token_counter=COUNTER, max_tokens=10_000)
    expected = formatter.format_sync(MSGS)
    found: list[Any] = []

    def work() -> None:
        for _ in range(20):
            found.append(formatter.format_sync(MSGS))
            found.append(asyncio.run(formatter.format(MSGS)))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 120
    assert all(one == expected for one in found)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_list_of_messages(name: str) -> None:
    formatter = cls_of(name)()
    for wrong in ("Hi.", None, 7, {"role": "user"}, [{"role": "user"}], ["Hi."]):
        with pytest.raises(NotMessages):
            formatter.format_sync(wrong)
        with pytest.raises(TypeError):
            asyncio.run(formatter.format(wrong))
    assert formatter.format_sync(tuple(MSGS)) == formatter.format_sync(MSGS)
    assert formatter.format_sync([]) == []


@pytest.mark.parametrize("name", NAMES)
def test_policy_refuse(name: str) -> None:
    video: Any = VideoBlock(Base64Source("video/x-odd", "AAAA"), title="t")
    msgs = [Msg("", [TextBlock("x"), video])]
    with pytest.raises(LossRefused) as caught:
        cls_of(name)(policy="refuse", can={"video": False}).format_sync(msgs)
    assert caught.value.losses[0].where.startswith("$.messages[0].content[1]")
    assert cls_of(name)(policy="ignore", can={"video": False}).format_sync(msgs)


@pytest.mark.parametrize("name", NAMES)
def test_a_call_is_what_a_model_is_called_with(name: str) -> None:
    formatter = cls_of(name)()
    tools = [Tool("look", "at it", {"type": "object", "properties": {}})]
    messages, schemas, stream = asyncio.run(formatter.call(MSGS, tools, True))
    assert messages == formatter.format_sync(MSGS)
    assert schemas == formatter.format_tools(tools)
    assert stream is True
    assert "look" in str(schemas)
    assert asyncio.run(formatter.call(MSGS)) == (messages, None, False)
    assert formatter.format_tools(None) == formatter.format_tools([]) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_tools_for_a_model_that_takes_none(name: str) -> None:
    for can in ({"tools": False}, ChatConfig(support_tool=False)):
        formatter = cls_of(name)(can=can, policy="ignore")
        assert formatter.format_tools([Tool("look")]) == []
        out = formatter.format_request(ChatRequest([Msg.user("Hi.")], tools=[Tool("look")]))
        assert "look" not in str(out.body)
        assert ("tools.unsupported", "$.tools[0]") in [(x.code, x.where) for x in out.losses]


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_request(name: str) -> None:
    formatter = cls_of(name)(model="own-model", policy="ignore")
    req = ChatRequest([Msg("Bob", "Hi.")], system="Be.", tools=[Tool("look")])
    before = copy.deepcopy(req)
    out = formatter.format_request(req)
    assert out.model == "own-model"
    assert req == before
    assert "Hi." in str(out.body)
    assert "Be." in str(out.body)
    assert formatter.format_request(req, "other").model == "other"


def test_own_words_speakers_and_wrong_overrides() -> None:
    cls = cls_of("OpenAIChatFormatter")
    said = cls(wording=Wording(missing="无。"), policy="ignore").format_sync(
        [Msg("", [ToolUseBlock("c", "f")], "assistant"), Msg("", "x")]
    )
    assert "无。" in str(said)
    tagged = cls(speakers=dragoman.Tagged("Friday")).format_sync(MSGS[1:])
    assert [m["role"] for m in tagged] == ["user", "assistant"]
    for can in ({"images": False}, {"tools": "no"}, 7):
        with pytest.raises(ConfigError):
            cls(can=can)
