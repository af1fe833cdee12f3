"""What no cut may take: the system prompt, the latest question, the last turn, and what is pinned.

Knows no order in which the rest goes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...errors import ConfigError, ContextOverflow
from ...message import Msg, identify
from ...shown import shown
from .units import has_results

__all__ = ["Keeping", "Pin", "at_least", "head", "overflow", "texts"]

# which messages stay whatever happens: a predicate, or ids as `Msg.id` and receipts have them
Pin: TypeAlias = Callable[[Msg], bool] | Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """What every strategy here keeps.

    The system prompt, the latest user message and the last turn stay, and so does each message
    whose `metadata` has `"pinned": True`, or that `pin` names: a predicate, or ids. A call and its
    results stay together. `reserve` is how many of the tokens are kept free for the answer.
    """

    pin: Pin = ()
    reserve: int = 0

    def __post_init__(self) -> None:
        at_least(0, self, "reserve")
        if not callable(self.pin):
            if not texts(self.pin):
                raise ConfigError(
                    f"pin must be a function or ids of messages, not {shown(self.pin)}",
                    hint="pin=[msg.id], or pin=lambda msg: ...",
                    code="truncate.pin",
                )
            object.__setattr__(self, "pin", frozenset(self.pin))

    def room(self, limit: int) -> int:
        """The tokens that the history may take. Raises ConfigError if the reserve takes all."""
        if self.reserve and self.reserve >= limit:
            raise ConfigError(
                f"a reserve of {self.reserve} leaves nothing of {limit} tokens",
                hint="raise max_tokens, or lower the reserve",
                code="truncate.reserve",
            )
        return limit - self.reserve

    def stays(self, msgs: Sequence[Msg], groups: Sequence[Sequence[int]]) -> set[int]:
        """The indexes of what must stay; a unit that holds one of them stays whole."""
        return {*range(head(msgs)), *self.newest(msgs, groups)}

    def newest(self, msgs: Sequence[Msg], groups: Sequence[Sequence[int]]) -> set[int]:
        """The same without the system prompt, which stands before everything else."""
        stays = self.pinned(msgs)
        asked = latest(msgs)
        if asked is not None:
            stays.add(asked)
        if groups:
            stays.update(groups[-1])
        return stays

    def pinned(self, msgs: Sequence[Msg]) -> set[int]:
        """The indexes of what the user pinned."""
        found: set[int] = set()
        if [m for m in msgs if m._metadata]:  # seldom any, which is seen at the least cost
            told = ((i, m._metadata or {}) for i, m in enumerate(msgs))
            found.update(i for i, facts in told if facts.get("pinned") is True)
        pin = self.pin
        if callable(pin):
            found.update(i for i, m in enumerate(msgs) if pin(m))
        elif pin:
            found.update(i for i, one in enumerate(identify(msgs)) if one in pin)
        return found


def overflow(tokens: int, limit: int, left: Sequence[Msg]) -> ContextOverflow:
    """The error when nothing is left but what must stay."""
    return ContextOverflow(tokens, limit, len(left), tuple(identify(left)))


def head(msgs: Sequence[Msg]) -> int:
    """How many system messages stand before everything else."""
    for i, m in enumerate(msgs):
        if m.role not in ("system", "developer") or has_results(m):
            return i
    return len(msgs)


def texts(value: object) -> bool:
    """Whether the value holds texts and nothing else; a text itself is one too many."""
    if isinstance(value, str) or not isinstance(value, Collection):
        return False
    return all(isinstance(one, str) for one in value)


def latest(msgs: Sequence[Msg]) -> int | None:
    """The index of the latest user message."""
    for i in range(len(msgs) - 1, -1, -1):
        if msgs[i].role == "user" and not has_results(msgs[i]):
            return i
    return None


def at_least(lowest: int, owner: object, *names: str) -> None:
    """Raise ConfigError unless these fields are whole numbers that are not too small."""
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
            raise ConfigError(
                f"{name} of {type(owner).__name__} must be a whole number of at least {lowest},"
                f" not {shown(value)}",
                code="truncate.option",
            )
