"""What a strategy and whoever drives it say to each other.

    plan = strategy.candidates(msgs, limit)
    candidate = next(plan)             # a history; the driver formats it and counts its tokens
    candidate = plan.send(tokens)      # the next one, until StopIteration brings the choice

A strategy that makes messages of its own yields `Cut`s, which name what they were made of, and one
that needs an answer from outside yields `Asked`. Both are optional: plain lists are enough.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from ...errors import ConfigError
from ...message import Msg
from ...shown import shown

__all__ = ["Asked", "Candidates", "Cut", "Made", "Plan", "Truncation", "replaced", "strategic"]


class Asked(NamedTuple):
    """A question of a strategy: it is sent what `call(msgs)` gives, awaited if need be."""

    call: Callable[[list[Msg]], str | Awaitable[str]]
    msgs: list[Msg]


class Made(NamedTuple):
    """A message that stands in a cut for others: a shorter form of one, or a summary of several."""

    msg: Msg
    of: Sequence[Msg]
    how: Literal["cleared", "summary"]


class Cut(list[Msg]):
    """A candidate that holds messages which are not in the given history."""

    __slots__ = ("made",)

    def __init__(self, msgs: Iterable[Msg], made: Iterable[Made]) -> None:
        super().__init__(msgs)
        self.made = tuple(made)


# a strategy of one's own needs no more than this
Candidates: TypeAlias = Generator[list[Msg], int, list[Msg]]
Plan: TypeAlias = Generator[list[Msg] | Asked, Any, list[Msg]]


class Truncation(Protocol):
    """A way to cut: yields candidates, is sent the token count of each, returns the chosen one."""

    def candidates(self, msgs: list[Msg], limit: int) -> Plan:
        """Raises ContextOverflow when even the shortest history exceeds `limit` tokens."""
        ...


def strategic(value: object, name: str = "truncate") -> None:
    """Raise ConfigError unless the value of this option is a strategy; its class is none yet."""
    if isinstance(value, type) or not callable(getattr(value, "candidates", None)):
        raise ConfigError(
            f"{name} must be a strategy, an object with a method candidates, not {shown(value)}",
            hint="truncate=DropOldest(), KeepFirst(n), ClearToolResults() or Summarize(call)",
            code="truncate.strategy",
        )


def replaced(chosen: list[Msg]) -> list[Made]:
    """What the messages that a cut made, and that still stand in it, were made of in the end."""
    if not isinstance(chosen, Cut):
        return []
    made = {id(one.msg): one for one in chosen.made}
    return [
        Made(m, _origins(one.of, made), one.how)
        for m in chosen
        if (one := made.get(id(m))) is not None
    ]


def _origins(of: Sequence[Msg], made: dict[int, Made]) -> list[Msg]:
    """Made of made messages: what they were made of. Each is younger than its origins."""
    found: list[Msg] = []
    waiting = list(reversed(of))
    while waiting:
        m = waiting.pop()
        if (one := made.get(id(m))) is not None:
            waiting.extend(reversed(one.of))
        else:
            found.append(m)
    return found
