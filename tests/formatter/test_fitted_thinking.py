"""What fit_history gives is fit to be sent: thinking that a cut unbinds is not in it."""

from __future__ import annotations

from typing import Any

import pytest

import dragoman
from dragoman import (
    ClearToolResults,
    DropOldest,
    KeepFirst,
    Msg,
    Summarize,
    fit_history_sync,
)
from dragoman.message import Origin, ThinkingBlock, ToolUseBlock, identify
from dragoman.tokens import CharTokenCounter

CLAUDE = "claude-opus-5-5"
STRATEGIES = [
    DropOldest(), DropOldest(step=4), KeepFirst(1), ClearToolResults(), ClearToolResults(keep=0),
    Summarize(lambda _: "short"),
]  # fmt: skip


def rounds(count: int) -> list[Msg]:
    history = [Msg.user("Go on.")]
    for i in range(count):
        thought = ThinkingBlock("Hm. " * 9, f"signature {i}", origin=Origin("anthropic"))
        call = ToolUseBlock(f"c{i}", "look", {"at": i})
        history += [Msg.assistant([thought, call]), Msg.tool(f"c{i}", "seen " * 30, "look")]
    return [*history, Msg.assistant("Done."), Msg.user("So?")]


def formatter(**options: Any) -> Any:
    return dragoman.Formatter("anthropic", model=CLAUDE, policy="ignore", **options)


def thoughts(msgs: list[Msg]) -> int:
    return sum(type(block) is ThinkingBlock for m in msgs for block in m.blocks)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda one: type(one).__name__)
def test_what_is_fitted_is_written_as_the_formatter_writes_it(strategy: Any) -> None:
    counter, msgs = CharTokenCounter(), rounds(12)
    cut = formatter(token_counter=counter, max_tokens=2200, truncate=strategy)
    fitted = fit_history_sync(msgs, formatter=cut)
    written = formatter().format_sync(fitted.msgs)
    assert written == cut.format_sync(msgs)
    assert counter.count_sync(written) == fitted.receipt.tokens_after <= 2200
    assert fitted.receipt.unbound, "the case is worth a test"
    assert thoughts(fitted.msgs) == 0
    assert thoughts(msgs) == 12, "what was given is as it was"


def test_thinking_holds_where_nothing_binds_it() -> None:
    cut = dragoman.Formatter(
        "anthropic", model="claude-sonnet-5", token_counter=CharTokenCounter(), max_tokens=2200
    )
    fitted = fit_history_sync(rounds(12), formatter=cut)
    assert fitted.receipt.unbound == ()
    assert thoughts(fitted.msgs) > 2


def test_a_message_of_thinking_alone_goes() -> None:
    msgs = rounds(12)
    thought, call = msgs[-4].blocks
    msgs[-4:-3] = [Msg.assistant([thought]), Msg.assistant([call])]
    cut = formatter(token_counter=CharTokenCounter(), max_tokens=900)
    fitted = fit_history_sync(msgs, formatter=cut)
    receipt, ids = fitted.receipt, identify(msgs)
    assert ids[-5] in receipt.dropped
    assert ids[-5] in receipt.unbound
    assert receipt.after == len(fitted.msgs) == len(msgs) - len(receipt.dropped)
    assert formatter().format_sync(fitted.msgs) == cut.format_sync(msgs)
