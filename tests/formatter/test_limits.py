"""Formatters with a limit: what is cut, how it is counted, and what cannot run without a loop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import dragoman
from dragoman import ChatRequest, ContextOverflow, Msg, fit_history_sync
from dragoman.errors import ConfigError
from dragoman.formatter import (
    OpenAIChatFormatter,
    OpenAIMultiAgentFormatter,
    TruncatedFormatterBase,
)
from dragoman.history.truncate import Candidates
from dragoman.message import (
    Base64Source,
    ImageBlock,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)

from .counting import Chars, Messages, Suspending

MSGS = [Msg.user(str(i)) for i in range(9)]


def made(counter: Any = None, limit: Any = 3, **options: Any) -> dragoman.Formatter:
    return dragoman.Formatter(
        "openai-chat", token_counter=counter or Messages(), max_tokens=limit, policy="ignore",
        **options,
    )  # fmt: skip


def texts(messages: list[dict[str, Any]]) -> list[Any]:
    return [message.get("content") for message in messages]


def test_the_newest_messages_stay_and_the_rest_is_named() -> None:
    out = made().write(MSGS)
    assert texts(out.messages) == ["6", "7", "8"]
    assert [(loss.code, loss.where) for loss in out.losses] == [
        ("history.cut", f"$.messages[{i}]") for i in range(6)
    ]
    assert len(MSGS) == 9
    assert texts(asyncio.run(made().format(MSGS))) == ["6", "7", "8"]


def test_the_counter_sees_what_is_sent_and_nothing_is_cut_that_fits() -> None:
    counter = Messages()
    out = made(counter, 9).format_sync(MSGS)
    assert counter.seen == [out]
    assert len(out) == 9


def test_a_counter_alone_and_a_limit_alone() -> None:
    counter = Messages()
    assert len(made(counter, None).format_sync(MSGS)) == 9
    assert counter.seen == []
    for formatter in (dragoman.Formatter("openai-chat", max_tokens=20),
                      OpenAIChatFormatter(max_tokens=20)):  # fmt: skip
        assert 0 < len(formatter.format_sync(MSGS)) < 9
        with pytest.raises(ContextOverflow) as caught:
            formatter.format_sync([*MSGS, Msg.user("word " * 100)])
        assert caught.value.limit == 20
        assert 80 < (caught.value.tokens or 0) < 200, "by a tokenizer, or close to what one says"


@pytest.mark.parametrize("limit", [0, -1, 1.5, "8000", True, float("nan")])
def test_limits_are_positive_integers(limit: Any) -> None:
    with pytest.raises(ConfigError, match="max_tokens must be an integer greater than 0"):
        made(limit=limit)
    with pytest.raises(ConfigError):
        made().with_limit(limit)
    with pytest.raises(ConfigError):
        fit_history_sync(MSGS, formatter=made(), max_tokens=limit)


def test_overflow_has_the_counters_figures() -> None:
    big = Msg.user("x" * 100)
    with pytest.raises(ContextOverflow) as caught:
        made(Chars(), 50).format_sync([*MSGS, big])
    assert caught.value.limit == 50
    assert caught.value.tokens == len(str({"role": "user", "content": "x" * 100}))
    assert caught.value.kept == 1


def test_a_cut_history_is_right_again() -> None:
    call = Msg.assistant([ToolUseBlock("c", "look", {})])
    answer = Msg("", [ToolResultBlock("c", "look", "y")], "tool")
    out = made(limit=2).format_sync(
        [Msg.user("a"), call, answer, Msg.assistant("b"), Msg.user("c")]
    )
    assert [m["role"] for m in out] == ["assistant", "user"]


def test_losses_of_trials_are_not_told() -> None:
    video = {"type": "video", "source": {"type": "url", "url": "https://example.com/a.mp4"}}
    lossy = [Msg.user([TextBlock(str(i)), video]) for i in range(6)]
    losses = made(limit=2).write(lossy).losses
    assert [(x.code, x.where) for x in losses if x.code == "block.unsupported"] == [
        ("block.unsupported", "$.messages[4].content[1]"), ("block.unsupported",
         "$.messages[5].content[1]"),
    ]  # fmt: skip
    assert len([x for x in losses if x.code == "history.cut"]) == 4


def test_a_saver_saves_once_however_often_the_history_is_counted() -> None:
    saved: list[str] = []

    def saver(media_type: str, data: str) -> str:
        saved.append(data)
        return f"/saved/{len(saved)}"

    image: Any = ImageBlock(Base64Source("image/png", "iVBORw0KGgo="))
    msgs = [*MSGS, Msg.assistant([ToolUseBlock("c", "look", {})]),
            Msg("", [ToolResultBlock("c", "look", [image])], "tool"), Msg.user("So?")]  # fmt: skip
    formatter = OpenAIChatFormatter(
        token_counter=Messages(), max_tokens=4, media_saver=saver, policy="ignore"
    )
    out = formatter.format_sync(msgs)
    assert saved == ["iVBORw0KGgo="]
    assert "/saved/1" in str(out)


def test_another_strategy() -> None:
    class Middle:
        def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
            tokens = yield msgs
            while tokens > limit:
                msgs = [*msgs[: len(msgs) // 2], *msgs[len(msgs) // 2 + 1 :]]
                tokens = yield msgs
            return msgs

    out = made(limit=4, truncate=Middle()).write(MSGS)
    assert texts(out.messages) == ["0", "1", "7", "8"]
    assert [x.where for x in out.losses] == [f"$.messages[{i}]" for i in range(2, 7)]


def test_without_a_loop_nothing_may_suspend() -> None:
    formatter = made(Suspending())
    with pytest.raises(ConfigError, match="awaits something") as caught:
        formatter.format_sync(MSGS)
    assert caught.value.code == "sync.suspended"
    with pytest.raises(ConfigError):
        fit_history_sync(MSGS, formatter=formatter)
    assert texts(asyncio.run(formatter.format(MSGS))) == ["6", "7", "8"]


@pytest.mark.parametrize("delay", [0, 0.001])
def test_a_hook_that_suspends(delay: float) -> None:
    class Slow(OpenAIMultiAgentFormatter):
        async def _format_agent_message(self, msgs: list[Msg], is_first: bool = True) -> Any:
            await asyncio.sleep(delay)
            return await super()._format_agent_message(msgs, is_first)

    with pytest.raises(ConfigError, match=r"Slow\.format awaits something"):
        Slow().format_sync(MSGS)
    with pytest.raises(ConfigError):
        Slow().write(MSGS)
    assert asyncio.run(Slow().format(MSGS)) == OpenAIMultiAgentFormatter().format_sync(MSGS)

    async def inside() -> None:
        with pytest.raises(ConfigError):
            Slow().format_sync(MSGS)

    asyncio.run(inside())


def test_a_hook_that_fails_fails_as_it_does() -> None:
    class Broken(OpenAIChatFormatter):
        async def _format(self, msgs: list[Msg]) -> Any:
            raise RuntimeError("no running water")

    with pytest.raises(RuntimeError, match="no running water"):
        Broken().format_sync(MSGS)


def test_async_counters_that_do_not_suspend_work_without_a_loop() -> None:
    assert len(made(Messages()).format_sync(MSGS)) == 3


def test_keyword_arguments_have_no_effect() -> None:
    formatter = made(limit=3)
    assert formatter.format_sync(MSGS, anything=1) == formatter.format_sync(MSGS)
    assert asyncio.run(formatter.format(MSGS, some_hint=True))


def test_a_request_is_cut_as_well() -> None:
    req = ChatRequest(list(MSGS), system="Be.", model="m")
    out = made(limit=4).format_request(req)
    assert texts(out.body["messages"]) == ["Be.", "6", "7", "8"]
    assert [(x.code, x.where) for x in out.losses] == [
        ("history.cut", f"$.messages[{i}]") for i in range(6)
    ]
    assert len(req.messages) == 9


def test_the_bases_are_abstract_about_lists() -> None:
    TruncatedFormatterBase.assert_list_of_msgs(MSGS)
    for wrong in (None, "x", tuple(MSGS), ["x"], {"a": 1}):
        with pytest.raises(TypeError):
            TruncatedFormatterBase.assert_list_of_msgs(wrong)
