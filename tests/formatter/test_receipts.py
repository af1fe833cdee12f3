"""The receipt of a cut: what went, what it frees, what it costs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import dragoman
from dragoman import (
    ChatRequest,
    ClearToolResults,
    DropOldest,
    Msg,
    Summarize,
    Tool,
    fit_history,
    fit_history_sync,
)
from dragoman.errors import ConfigError
from dragoman.formatter import OpenAIChatFormatter, TruncatedFormatterBase
from dragoman.message import ThinkingBlock, ToolResultBlock, ToolUseBlock, identify
from dragoman.tokens import CharTokenCounter, TokenCounterBase

from .counting import Messages, Suspending

MSGS = [Msg.system("Be."), *(Msg.user(str(i)) for i in range(9))]
LONG = "x" * 300


def made(counter: Any = None, limit: int = 4, wire: str = "openai-chat", **options: Any) -> Any:
    return dragoman.Formatter(
        wire, token_counter=counter or Messages(), max_tokens=limit, policy="ignore", **options
    )


def rounds(size: int) -> list[Msg]:
    history = [Msg.system("Be.")]
    for i in range(size):
        history += [
            Msg.user(f"round {i}"),
            Msg.assistant([ToolUseBlock(f"c{i}", "look", {})]),
            Msg("", [ToolResultBlock(f"c{i}", "look", LONG)], "tool"),
            Msg.assistant(f"seen {i}"),
        ]
    return [*history, Msg.user("And now?")]


def test_what_is_cut_and_what_it_frees() -> None:
    receipt = fit_history_sync(MSGS, formatter=made()).receipt
    assert (receipt.before, receipt.after, receipt.limit) == (10, 4, 4)
    assert (receipt.tokens_before, receipt.tokens_after, receipt.freed) == (10, 4, 6)
    assert receipt.dropped == tuple(identify(MSGS)[1:7])
    assert (receipt.cleared, receipt.summarized, receipt.summary, receipt.unbound) == (
        (),
        (),
        "",
        (),
    )
    assert (receipt.changed, receipt.cache_lost) == (1, 3), "the system prompt stays in the cache"
    assert asyncio.run(fit_history(MSGS, formatter=made(Suspending()))).receipt == receipt


def test_what_fits_costs_nothing() -> None:
    receipt = fit_history_sync(MSGS, formatter=made(limit=10)).receipt
    assert (receipt.tokens_before, receipt.tokens_after, receipt.freed) == (10, 10, 0)
    assert (receipt.changed, receipt.cache_lost) == (None, 0)


def test_without_a_system_prompt_the_whole_cache_is_lost() -> None:
    receipt = fit_history_sync(MSGS[1:], formatter=made()).receipt
    assert (receipt.changed, receipt.cache_lost) == (0, 4)


def test_cleared_results_go_by_their_calls() -> None:
    counter, msgs = CharTokenCounter(), rounds(4)
    whole = counter.count_sync(made(counter, 10**6).format_sync(msgs))
    formatter = made(counter, whole - 400, truncate=ClearToolResults(keep=1))
    fitted = fit_history_sync(msgs, formatter=formatter)
    receipt = fitted.receipt
    assert (receipt.cleared, receipt.dropped) == (("c0", "c1"), ())
    assert receipt.before == receipt.after == len(msgs)
    assert receipt.tokens_before == whole
    assert receipt.tokens_after == counter.count_sync(formatter.format_sync(msgs))
    assert receipt.changed == 3
    behind = counter.count_sync(made(counter, 10**6).format_sync(msgs[:3]))
    assert receipt.cache_lost == receipt.tokens_after - behind
    assert made(counter, 10**6).format_sync(fitted.msgs) == formatter.format_sync(msgs)


def test_a_summary_tells_whom_it_tells() -> None:
    formatter = made(truncate=Summarize(lambda msgs: f"{len(msgs)} told"))
    fitted = fit_history_sync(MSGS, formatter=formatter)
    assert fitted.receipt.summarized == tuple(identify(MSGS)[1:9])
    assert fitted.receipt.dropped == ()
    assert fitted.receipt.summary == "<summary>\n8 told\n</summary>"
    assert fitted.msgs[1].text == fitted.receipt.summary
    assert fitted.receipt.after == len(fitted.msgs) == 3


def test_cleared_first_then_cut() -> None:
    counter, msgs = CharTokenCounter(), rounds(6)
    formatter = made(counter, 1400, truncate=ClearToolResults(keep=1))
    receipt = fit_history_sync(msgs, formatter=formatter).receipt
    assert receipt.dropped
    assert receipt.cleared
    gone = {identify(msgs).index(one) for one in receipt.dropped}
    assert not {2 + 4 * int(call[1:]) for call in receipt.cleared} & gone
    assert receipt.before - len(receipt.dropped) == receipt.after


@pytest.mark.parametrize("cut", [True, False])
def test_thinking_that_a_cut_unbinds_is_named(cut: bool) -> None:
    msgs = [Msg.system("Be.")]
    for i in range(4):
        thought = ThinkingBlock("Hm.", signature=f"signature {i}")
        msgs += [Msg.user(f"{i}?"), Msg.assistant([thought, {"type": "text", "text": f"{i}."}])]
    msgs.append(Msg.user("So?"))
    formatter = dragoman.Formatter(
        "anthropic", model="claude-opus-5-5", token_counter=Messages(),
        max_tokens=6 if cut else 10, policy="ignore",
    )  # fmt: skip
    receipt = fit_history_sync(msgs, formatter=formatter).receipt
    ids = identify(msgs)
    if cut:
        assert receipt.dropped == (*ids[1:5],)
        assert receipt.unbound == (ids[6], ids[8])
    else:
        assert (receipt.dropped, receipt.unbound) == ((), ())


def test_a_request_is_fitted_with_its_prompt_and_tools() -> None:
    req = ChatRequest(list(MSGS[1:]), system="Be.", tools=[Tool("look", "looks")])
    fitted = fit_history_sync(req, formatter=made())
    assert [m.text for m in fitted.msgs] == ["6", "7", "8"]
    assert fitted.receipt.dropped == tuple(identify(req.messages)[:6])
    assert (fitted.receipt.tokens_before, fitted.receipt.tokens_after) == (10, 4)
    assert (fitted.receipt.before, fitted.receipt.after) == (9, 3)
    assert (fitted.receipt.changed, fitted.receipt.cache_lost) == (0, 3)
    assert fit_history_sync(req, formatter=made(limit=10)).msgs is req.messages


def test_strategies_and_hooks_that_count_nothing_themselves() -> None:
    class Blind:
        def candidates(self, msgs: list[Msg], limit: int) -> Any:
            yield msgs[-1:]
            return msgs[-2:]

    receipt = fit_history_sync(MSGS, formatter=made(truncate=Blind())).receipt
    assert (receipt.tokens_before, receipt.tokens_after) == (10, 2)

    class Plain(TruncatedFormatterBase):
        async def _format_agent_message(self, msgs: list[Msg], is_first: bool = True) -> Any:
            return [{"role": m.role, "content": m.text} for m in msgs]

        async def _truncate(self, msgs: list[Msg]) -> list[Msg]:
            return msgs[1:]

    receipt = fit_history_sync(MSGS, formatter=Plain(Messages(), 4)).receipt
    assert (receipt.tokens_before, receipt.tokens_after, receipt.after) == (10, 4, 4)
    req = ChatRequest(list(MSGS))
    assert fit_history_sync(req, formatter=Plain(Messages(), 4)).receipt == receipt


def test_a_counter_that_gives_no_figure() -> None:
    class Silent(TokenCounterBase):
        async def count(self, messages: Any, tools: Any = None, **kwargs: Any) -> Any:
            return None

    with pytest.raises(ConfigError, match="must give a number, not NoneType"):
        fit_history_sync(MSGS, formatter=made(Silent()))
    with pytest.raises(ConfigError, match="must give a number, not NoneType"):
        made(Silent()).format_sync(MSGS)

    class Uncounted(OpenAIChatFormatter):
        async def _count(self, wire: list[Any]) -> None:
            return None

    fitted = fit_history_sync(MSGS, formatter=Uncounted(max_tokens=4))
    assert fitted.msgs is MSGS, "AgentScope's hook may say that nobody counts"
    assert fitted.receipt.freed == 0


def test_a_receipt_is_short_to_look_at() -> None:
    receipt = fit_history_sync(MSGS, formatter=made(truncate=DropOldest(reserve=1))).receipt
    assert len(repr(receipt)) < 400
    assert receipt.tokens_after == 3
