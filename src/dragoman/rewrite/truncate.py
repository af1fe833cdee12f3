"""Cut a history to a token budget: which messages go, in what order, without splitting a pair.

A strategy is a generator: it yields candidate histories and is sent their token counts. It knows
no wire and no tokenizer; whoever drives it formats and counts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Generator
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol, TypeAlias

from ..errors import ContextOverflow
from ..message import Msg, TextBlock, ToolResultBlock, ToolUseBlock
from ..message.blocks import MEDIA_KINDS, ContentBlock

__all__ = ["Candidates", "DropOldest", "Truncation", "left_out", "units", "without_oldest"]

Candidates: TypeAlias = Generator[list[Msg], int, list[Msg]]
_MEDIUM = 3000  # characters that a medium weighs in an estimate
_MESSAGE = 16  # and what every message weighs beside its text


class Truncation(Protocol):
    """A way to cut: yields candidates, is sent the token count of each, returns the chosen one."""

    def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
        """Raises ContextOverflow when even the shortest history exceeds `limit` tokens."""
        ...


@dataclass(frozen=True, slots=True)
class DropOldest:
    """Leave out the oldest messages until the rest fits (first in, first out).

    The system prompt, the latest user message and the last turn stay; a call goes with its
    results. The given list comes back itself if it fits.
    """

    def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
        """The longest history that fits, found by estimates that each count makes better."""
        tokens = yield msgs
        if tokens <= limit:
            return msgs
        groups = units(msgs)
        pinned = _pinned(msgs, groups)
        droppable = [group for group in groups if not pinned.intersection(group)]
        weights = [0, *accumulate(sum(_weight(msgs[i]) for i in group) for group in droppable)]
        rate = tokens / max(1, sum(map(_weight, msgs)))
        fits, over, over_tokens = len(droppable), 0, tokens
        best: list[Msg] | None = None
        tries = 0
        while best is None or fits - over > 1:
            # drop as much as the last count says is too much; bisect if guessing does not settle
            need = weights[over] + (over_tokens - limit) / max(rate, 1e-9)
            guess = bisect_left(weights, need) if tries < _GUESSES else (over + fits) // 2
            drop = max(over + 1, min(guess, fits if best is None else fits - 1))
            if drop > len(droppable):
                raise ContextOverflow(over_tokens, limit, len(msgs) - _length(droppable))
            candidate = _without(msgs, droppable[:drop])
            tokens = yield candidate
            tries += 1
            if tokens <= limit:
                fits, best = drop, candidate
                continue
            if drop == len(droppable):
                raise ContextOverflow(tokens, limit, len(candidate))
            freed = weights[drop] - weights[over]
            if freed and over_tokens > tokens:
                rate = (over_tokens - tokens) / freed
            over, over_tokens = drop, tokens
        return best


_GUESSES = 12


def without_oldest(msgs: list[Msg]) -> list[Msg]:
    """The messages without the oldest unit that may go; the very list if none may."""
    groups = units(msgs)
    pinned = _pinned(msgs, groups)
    oldest = next((group for group in groups if not pinned.intersection(group)), None)
    return msgs if oldest is None else _without(msgs, [oldest])


def left_out(msgs: list[Msg], kept: list[Msg]) -> list[int]:
    """Indexes of the messages that `kept`, a later part of them in order, does not hold."""
    own = set(map(id, msgs))
    rest = [m for m in kept if id(m) in own]
    gone = []
    for i in range(len(msgs) - 1, -1, -1):  # of a message that stands twice the older one goes
        if rest and rest[-1] is msgs[i]:
            rest.pop()
        else:
            gone.append(i)
    return gone[::-1]


def _length(groups: list[list[int]]) -> int:
    return sum(map(len, groups))


def _without(msgs: list[Msg], groups: list[list[int]]) -> list[Msg]:
    gone = {i for group in groups for i in group}
    return [m for i, m in enumerate(msgs) if i not in gone]


def units(msgs: list[Msg]) -> list[list[int]]:
    """Indexes of messages that stay or go together: a call with its results and what is between.

    A call that nobody answers is a unit of its own.
    """
    answers = _answers(msgs)
    made: list[list[int]] = []
    end = -1  # the last index that belongs to the current unit
    for i, m in enumerate(msgs):
        if i <= end:
            made[-1].append(i)
        else:
            made.append([i])
        for block in _blocks(m):
            if type(block) is ToolUseBlock:
                queue = answers.get(block.id)
                while queue and queue[0] < i:
                    queue.popleft()
                if queue:
                    end = max(end, queue.popleft())
    return made


def _answers(msgs: list[Msg]) -> dict[str, deque[int]]:
    found: dict[str, deque[int]] = defaultdict(deque)
    for i, m in enumerate(msgs):
        for block in _blocks(m):
            if type(block) is ToolResultBlock:
                found[block.id].append(i)
    return found


def _blocks(m: Msg) -> list[ContentBlock]:
    return [] if isinstance(m.content, str) else m.content


def _pinned(msgs: list[Msg], groups: list[list[int]]) -> set[int]:
    """What must stay: leading system messages, the latest user message, the last unit."""
    stays: set[int] = set()
    for i, m in enumerate(msgs):
        if m.role not in ("system", "developer") or _results(m):
            break
        stays.add(i)
    for i in range(len(msgs) - 1, -1, -1):
        if msgs[i].role == "user" and not _results(msgs[i]):
            stays.add(i)
            break
    if groups:
        stays.update(groups[-1])
    return stays


def _results(m: Msg) -> bool:
    return any(type(block) is ToolResultBlock for block in _blocks(m))


def _weight(m: Msg) -> int:
    """Roughly how long a message is, in characters; only the proportions matter."""
    content = m.content
    if isinstance(content, str):
        return len(content) + _MESSAGE
    return _MESSAGE + sum(map(_block_weight, content))


def _block_weight(block: ContentBlock) -> int:
    if type(block) is TextBlock:
        return len(block.text)
    if type(block) is ToolUseBlock:
        return len(block.raw_input or str(block.input)) + _MESSAGE
    if type(block) is ToolResultBlock:
        output = block.output
        if isinstance(output, list):
            return _MESSAGE + sum(map(_block_weight, output))
        return _MESSAGE + len(output if isinstance(output, str) else str(output or ""))
    return _MEDIUM if block.type in MEDIA_KINDS else _MESSAGE
