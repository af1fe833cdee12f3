"""What stays or goes together: a call with its results, reasoning with what it led to.

Also which messages a cut left out. Knows no budget and no strategy.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

from ...message import Msg, RawBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock

__all__ = ["has_results", "left_out", "paired", "units"]


def units(msgs: Sequence[Msg]) -> list[list[int]]:
    """Indexes of messages that stay or go together.

    A call with its results and what stands between them; an assistant's reasoning with the message
    behind it. A call that nobody answers is a unit of its own.
    """
    held = [i for i, m in enumerate(msgs) if not isinstance(m.content, str)]
    reach = _answered(msgs, held)  # the last message that one takes with it, if it takes any
    for i in held:
        if i < len(msgs) - 1 and msgs[i + 1].role == "assistant" and _only_thinks(msgs[i]):
            reach[i] = max(reach.get(i, i), i + 1)
    return _ranges(reach, len(msgs)) if reach else [[i] for i in range(len(msgs))]


def _answered(msgs: Sequence[Msg], held: Iterable[int]) -> dict[int, int]:
    """For each message with calls that are answered, the last one that holds a result of theirs.

    As repair pairs them: a result answers a call of the turn that it stands behind; what is left
    over, the first call of its id that waits. An id may come again in every turn.
    """
    reach: dict[int, int] = {}
    waiting: list[tuple[int, str]] = []  # a message, and the id of a call in it
    free: dict[str, deque[int]] = defaultdict(deque)
    here: dict[str, int] = {}  # how many calls of an id the turn has that nobody has answered
    turn = at = -1
    for i in held:
        plain = True
        for block in msgs[i].blocks:
            if (pair := paired(block, ToolUseBlock)) is not None:
                if turn != i:
                    waiting += _each(turn, here)
                    turn, here = i, {}
                here[pair] = here.get(pair, 0) + 1
            elif (pair := paired(block, ToolResultBlock)) is None:
                continue
            elif here.get(pair) and i - at < 2:
                here[pair] -= 1
                reach[turn] = i
            else:
                free[pair].append(i)
            plain, at = False, i
        if plain:
            at = -1
    waiting += _each(turn, here)
    for i, id in waiting if free else ():
        queue = free.get(id)
        while queue and queue[0] < i:
            queue.popleft()
        if queue:
            reach[i] = max(reach.get(i, i), queue.popleft())
    return reach


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
        paired(block, ToolResultBlock) is not None for block in content
    )


def _each(turn: int, calls: dict[str, int]) -> list[tuple[int, str]]:
    return [(turn, id) for id, count in calls.items() for _ in range(count)]


def paired(block: ContentBlock, kind: type[ToolUseBlock | ToolResultBlock]) -> str | None:
    """The id that pairs a block, if it is one of this kind (or one that only one protocol has)."""
    if type(block) is kind:
        return block.id
    role = "call" if kind is ToolUseBlock else "result"
    return block.pair if type(block) is RawBlock and block.role == role else None


def _only_thinks(m: Msg) -> bool:
    content = m.content
    return (
        m.role == "assistant"
        and not isinstance(content, str)
        and bool(content)
        and all(type(block) is ThinkingBlock for block in content)
    )
