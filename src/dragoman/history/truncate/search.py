"""The search for a candidate that fits, and the weights of messages that it goes by.

The search finds the first of several ever shorter candidates that fits. It trusts no counter: each
question narrows the interval, whatever the answer was.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Generator, Sequence
from itertools import accumulate
from typing import NamedTuple, Self

from ...message import Msg, TextBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import MEDIA_KINDS, Content, ContentBlock

_MEDIUM = 3000  # characters that a medium weighs in an estimate
_MESSAGE = 16  # and what every message weighs beside its text
_GUESSES = 12
_MOST = 1 << 53  # more than any history takes; larger figures could overflow the arithmetic


class Counted(int):
    """The tokens of a candidate, and how many of them each of its messages takes."""

    each: Sequence[int]

    def __new__(cls, tokens: int, each: Sequence[int]) -> Self:
        """`each` has one figure a message, in the candidate's order."""
        result = super().__new__(cls, tokens)
        result.each = each
        return result


class Found(NamedTuple):
    """The outcome of a search: which candidate fits, or None with the tokens of the last one."""

    step: int | None
    msgs: list[Msg]
    tokens: int


def weights(msgs: Sequence[Msg], tokens: int) -> Sequence[float]:
    """What each message takes: tokens where the count has them, else an estimate in some unit."""
    if isinstance(tokens, Counted) and len(tokens.each) == len(msgs):
        return tokens.each
    return [_MESSAGE + _size(m.content) for m in msgs]


def per_unit(tokens: int, weight: float) -> float:
    """The tokens in one unit of an estimate."""
    return min(tokens, _MOST) / max(1, weight)


def running(values: Sequence[float]) -> list[float]:
    """Sums from the start: the first is 0, and there is one more than there are values."""
    return [0, *accumulate(values)]


def first_that_fits(
    build: Callable[[int], list[Msg]],
    freed: Sequence[float],
    whole: int,
    limit: int,
    rate: float | None,
    exactly: bool = True,
) -> Generator[list[Msg], int, Found]:
    """The first of `build(1)`, `build(2)`, ... that takes no more than `limit` tokens.

    `freed[i]` is what `build(i)` takes off `whole` tokens, in any unit; `rate` is the tokens of
    one such unit, None if the figures are tokens. Each candidate must be shorter than the one
    before for the answer to be exact; what is returned was counted, and fits, in any case. Not
    `exactly`: a later candidate that is found earlier will do.
    """
    search = _Search(freed, min(whole, _MOST), limit, 1.0 if rate is None else rate)
    best: list[Msg] = []
    while not search.over:
        index = search.guess()
        candidate = build(index)
        tokens = min(max((yield candidate), -_MOST), _MOST)  # in this order NaN stays what it is
        if index == search.high and not tokens <= limit:
            return Found(None, candidate, tokens)
        search.learn(index, tokens)
        if tokens <= limit:
            best = candidate
            # sums that were right once are right about the next longer candidate too
            right = (
                rate is None and whole - tokens == freed[index] and whole - freed[index - 1] > limit
            )
            if right or not exactly:
                break
    return Found(search.high, best, search.high_tokens)


class _Search:
    """Where the first candidate that fits may be: after `low`, which does not, up to `high`."""

    __slots__ = (
        "freed",
        "high",
        "high_tokens",
        "limit",
        "low",
        "low_tokens",
        "rate",
        "settled",
        "streak",
        "tries",
    )

    def __init__(self, freed: Sequence[float], whole: int, limit: int, rate: float) -> None:
        self.freed = freed
        self.limit = limit
        self.rate = rate
        self.low, self.low_tokens = 0, whole
        self.high, self.high_tokens = len(freed) - 1, 0
        self.settled = False  # `high` is known to fit
        self.tries = self.streak = 0  # how often the answer came from the same side

    @property
    def over(self) -> bool:
        """Whether there is nothing between the two."""
        return self.settled and self.high - self.low < 2

    def guess(self) -> int:
        """Where it should be by what is known; the middle, if that has not led anywhere."""
        low, high, freed = self.low, self.high, self.freed
        self.tries += 1
        if self.tries > _GUESSES:
            return max(low + 1, (low + high) // 2)
        excess, rate = self.low_tokens - self.limit, self.rate
        if self.settled:
            rate = (self.low_tokens - self.high_tokens) / max(freed[high] - freed[low], 1e-9)
        index = bisect_left(freed, freed[low] + excess / max(rate, 1e-9))
        if self.streak > 1:  # look beyond, to see the other side
            index = max(index, low + 2 ** (self.streak - 1))
        elif self.streak < -1:
            index = min(index, high - 2 ** (-self.streak - 1))
        return max(low + 1, min(index, high - self.settled))

    def learn(self, index: int, tokens: int) -> None:
        """Narrow the interval by one answer."""
        if tokens <= self.limit:
            self.high, self.high_tokens, self.settled = index, tokens, True
            self.streak = min(self.streak, 0) - 1
            return
        gained = self.freed[index] - self.freed[self.low]
        if gained > 0 and self.low_tokens > tokens:
            self.rate = (self.low_tokens - tokens) / gained
        self.low, self.low_tokens = index, tokens
        self.streak = max(self.streak, 0) + 1


def _size(content: Content) -> int:
    """Roughly how long a content is, in characters; only the proportions matter."""
    return len(content) if isinstance(content, str) else sum(map(_block_weight, content))


def _block_weight(block: ContentBlock) -> int:
    if type(block) is TextBlock:
        return len(block.text)
    if type(block) is ToolUseBlock:
        return len(block.raw_input or str(block.input)) + _MESSAGE
    if type(block) is ToolResultBlock:
        return output_weight(block) + _MESSAGE
    return _MEDIUM if block.type in MEDIA_KINDS else _MESSAGE


def output_weight(block: ToolResultBlock) -> int:
    """Roughly how long the output of a tool is, in characters."""
    output = block.output
    return _size(output if isinstance(output, (list, str)) else str(output or ""))
