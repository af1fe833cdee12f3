"""What stays or goes together: a call with its results, reasoning with what it led to.

Also which messages a cut left out. Knows no budget and no strategy.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

from ...message import Msg, RawBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock

__all__ = ["has_results", "left_out", "units"]


def units(msgs: Sequence[Msg]) -> list[list[int]]:
    """Indexes of messages that stay or go together.

    A call with its results and what stands between them; an assistant's reasoning with the message
    behind it. A call that nobody answers is a unit of its own.
    """
    held = [i for i, m in enumerate(msgs) if not isinstance(m.content, str)]
    answers = _answers(msgs, held)
    reach: dict[int, int] = {}  # the last message that one takes with it, if it takes any
    for i in held:
        end = i
        for block in msgs[i].blocks:
            if (pair := _pair(block, ToolUseBlock, "call")) is not None:
                queue = answers.get(pair)
                while queue and queue[0] < i:
                    queue.popleft()
                end = max(end, queue.popleft()) if queue else end
        if i < len(msgs) - 1 and msgs[i + 1].role == "assistant" and _only_thinks(msgs[i]):
            end = max(end, i + 1)
        if end > i:
            reach[i] = end
    return _ranges(reach, len(msgs)) if reach else [[i] for i in range(len(msgs))]


def _ranges(reach: dict[int, int], size: int) -> list[list[int]]:
    made: list[list[int]] = []
    start = 0
    while start < size:
        at = end = start
        while at <= end:
            end = max(end, reach.get(at, at))
            at += 1
        made.append([*range(start, at)])
        start = at
    return made


def left_out(msgs: list[Msg], kept: list[Msg]) -> list[int]:
    """Indexes of the messages that `kept`, a later part of them in order, does not hold."""
    gone = _apart(msgs, kept)
    if len(gone) + len(kept) != len(msgs):  # it holds others too
        own = set(map(id, msgs))
        gone = _apart(msgs, [m for m in kept if id(m) in own])
    return gone


def _apart(msgs: list[Msg], kept: list[Msg]) -> list[int]:
    gone = []
    at = len(kept) - 1
    for i in range(len(msgs) - 1, -1, -1):  # of a message that stands twice the older one goes
        if at >= 0 and kept[at] is msgs[i]:
            at -= 1
        else:
            gone.append(i)
    return gone[::-1]


def has_results(m: Msg) -> bool:
    """Whether the message holds the result of a tool call."""
    content = m.content
    return not isinstance(content, str) and any(
        _pair(block, ToolResultBlock, "result") is not None for block in content
    )


def _answers(msgs: Sequence[Msg], held: Iterable[int]) -> dict[str, deque[int]]:
    found: dict[str, deque[int]] = defaultdict(deque)
    for i in held:
        for block in msgs[i].blocks:
            if (pair := _pair(block, ToolResultBlock, "result")) is not None:
                found[pair].append(i)
    return found


def _pair(block: ContentBlock, kind: type[ToolUseBlock | ToolResultBlock], role: str) -> str | None:
    """The id that pairs a block, if it is one of this kind (or one that only one protocol has)."""
    if type(block) is kind:
        return block.id
    return block.pair if type(block) is RawBlock and block.role == role else None


def _only_thinks(m: Msg) -> bool:
    content = m.content
    return (
        m.role == "assistant"
        and not isinstance(content, str)
        and bool(content)
        and all(type(block) is ThinkingBlock for block in content)
    )
