"""What drives a strategy in tests: a function counts, questions are answered, all is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dragoman.history.truncate import StrategyCall, Truncation
from dragoman.message import Msg, ToolResultBlock, ToolUseBlock

__all__ = ["Count", "call", "drive", "each", "length", "result", "same"]

Count = Callable[[list[Msg]], Any]


def drive(
    strategy: Truncation, msgs: list[Msg], limit: int, count: Count
) -> tuple[list[Msg], list[list[Msg]]]:
    """(what is chosen, the candidates that were counted)."""
    plan = strategy.candidates(msgs, limit)
    tried: list[list[Msg]] = []
    wanted = next(plan)
    while True:
        try:
            if isinstance(wanted, StrategyCall):
                wanted = plan.send(wanted.call(wanted.msgs))
            else:
                tried.append(wanted)
                wanted = plan.send(count(wanted))
        except StopIteration as done:
            return done.value, tried


def each(msgs: list[Msg]) -> int:
    """One token a message."""
    return len(msgs)


def length(msgs: list[Msg]) -> int:
    """One token a message, and one for each character that it or its results say."""
    outputs = [b.output for m in msgs for b in m.blocks if type(b) is ToolResultBlock]
    return sum(len(m.text) + 1 for m in msgs) + sum(len(str(one or "")) for one in outputs)


def same(one: list[Msg], other: list[Msg]) -> bool:
    """Whether both hold the very same messages."""
    return [*map(id, one)] == [*map(id, other)]


def call(*ids: str, name: str = "f") -> Msg:
    """An assistant's message of calls."""
    return Msg.assistant([ToolUseBlock(id, name, {}) for id in ids])


def result(*ids: str, role: Any = "tool", output: Any = "y") -> Msg:
    """A message of results."""
    return Msg("", [ToolResultBlock(id, "f", output) for id in ids], role)
