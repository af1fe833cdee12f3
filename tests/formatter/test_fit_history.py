"""fit_history: a history cut apart from formatting it, with a receipt of what went."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import dragoman
from dragoman import Msg, fit_history, fit_history_sync
from dragoman.errors import ConfigError, NotMessages
from dragoman.formatter import OpenAIChatFormatter
from dragoman.message import identify

from .counting import Messages

MSGS = [Msg.user(str(i)) for i in range(9)]


def made(limit: int = 3) -> dragoman.Formatter:
    return dragoman.Formatter(
        "openai-chat", token_counter=Messages(), max_tokens=limit, policy="ignore"
    )


def test_fit_history_apart_from_formatting() -> None:
    msgs = [Msg.system("Be."), *MSGS]
    fitted = fit_history_sync(msgs, formatter=made())
    assert [m.text for m in fitted.msgs] == ["Be.", "7", "8"]
    assert all(any(m is one for one in msgs) for m in fitted.msgs)
    receipt = fitted.receipt
    assert (receipt.before, receipt.after, receipt.limit) == (10, 3, 3)
    assert receipt.dropped == tuple(identify(msgs)[1:8])
    assert asyncio.run(fit_history(msgs, formatter=made())).receipt == receipt


def test_a_history_that_fits_is_the_very_list() -> None:
    fitted = fit_history_sync(MSGS, formatter=made(), max_tokens=9)
    assert fitted.msgs is MSGS
    assert fitted.receipt.dropped == ()


def test_the_limit_of_the_call_wins() -> None:
    formatter = made(limit=3)
    assert len(fit_history_sync(MSGS, formatter=formatter, max_tokens=5).msgs) == 5
    assert formatter.max_tokens == 3


def test_a_message_that_stands_twice_is_dropped_once() -> None:
    same = Msg.user("x")
    fitted = fit_history_sync([same, Msg.user("y"), same, Msg.user("z")], formatter=made())
    assert fitted.receipt.before - len(fitted.receipt.dropped) == fitted.receipt.after == 3
    out = made().write([same, Msg.user("y"), same, Msg.user("z")])
    assert [loss.where for loss in out.losses] == ["$.messages[0]"]


def test_fit_history_needs_a_limit_and_a_counter() -> None:
    with pytest.raises(ConfigError, match="fit_history needs"):
        fit_history_sync(MSGS, formatter=dragoman.Formatter("openai-chat"))
    with pytest.raises(ConfigError):
        fit_history_sync(MSGS, formatter=dragoman.Formatter("openai-chat"), max_tokens=5)
    with pytest.raises(NotMessages):
        fit_history_sync("x", formatter=made())  # type: ignore[arg-type]


def test_fit_history_counts_by_a_hook() -> None:
    class Own(OpenAIChatFormatter):
        async def _count(self, wire: list[Any]) -> int | None:
            return len(wire)

    assert len(fit_history_sync(MSGS, formatter=Own(), max_tokens=2).msgs) == 2
