"""The parts that all strategies share: units of messages, pins, the messages that must stay.

A unit is what stays or goes together: a call with its results, reasoning with what it led to.
Also finds which messages a cut left out.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from ..._old_names import keeps_old_names
from ...errors import ConfigError, ContextOverflow
from ...message import Msg, RawBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, identify
from ...message.blocks import SEALED_SUMMARY, SUMMARY, ContentBlock, ToolBlock
from ...text.redaction import show


def units(msgs: Sequence[Msg]) -> list[list[int]]:
    """Group messages into units that stay or go together.

    A unit is a call with its results and all messages between them, or an assistant's reasoning
    with the message after it. A call without a result is a unit of its own.

    Args:
        msgs: The history.

    Returns:
        The indexes of the messages of each unit, in order; every message is in one unit.
    """
    with_blocks = [i for i, m in enumerate(msgs) if not isinstance(m.content, str)]
    reach = _last_results(msgs, with_blocks)  # up to which message one takes others with it
    for i in with_blocks:
        if i < len(msgs) - 1 and msgs[i + 1].role == "assistant" and _only_thinks(msgs[i]):
            reach[i] = max(reach.get(i, i), i + 1)
    return _ranges(reach, len(msgs)) if reach else [[i] for i in range(len(msgs))]


def _last_results(msgs: Sequence[Msg], with_blocks: Iterable[int]) -> dict[int, int]:
    """For each message with calls that are answered, the last one that holds a result of theirs.

    Calls and results are paired as repair does it: a result answers a call of the turn that it
    follows; a result that finds none there answers the first call of its id that has no result
    yet. An id may be used again in every turn.
    """
    reach: dict[int, int] = {}
    waiting: list[tuple[int, str]] = []  # a message, and the id of a call in it
    free: dict[str, deque[int]] = defaultdict(deque)
    open_calls: dict[str, int] = {}  # how many calls of an id the turn has without a result
    turn = last_result = -1
    for i in with_blocks:
        no_tools = True
        for block in msgs[i].blocks:
            if (pair := read_pair_id(block, ToolUseBlock)) is not None:
                if turn != i:
                    waiting += _each(turn, open_calls)
                    turn, open_calls = i, {}
                open_calls[pair] = open_calls.get(pair, 0) + 1
            elif (pair := read_pair_id(block, ToolResultBlock)) is None:
                continue
            elif open_calls.get(pair) and i - last_result < 2:
                open_calls[pair] -= 1
                reach[turn] = i
            else:
                free[pair].append(i)
            no_tools, last_result = False, i
        if no_tools:
            last_result = -1
    waiting += _each(turn, open_calls)
    for i, id in waiting if free else ():
        queue = free.get(id)
        while queue and queue[0] < i:
            queue.popleft()
        if queue:
            reach[i] = max(reach.get(i, i), queue.popleft())
    return reach


def _ranges(reach: dict[int, int], size: int) -> list[list[int]]:
    ranges: list[list[int]] = []
    start = 0
    while start < size:
        index = end = start
        while index <= end:
            end = max(end, reach.get(index, index))
            index += 1
        ranges.append([*range(start, index)])
        start = index
    return ranges


def find_omitted(msgs: list[Msg], remaining: list[Msg]) -> list[int]:
    """Find the messages that a cut left out.

    Args:
        msgs: The whole history.
        remaining: The messages after the cut, in the same order.

    Returns:
        The indexes in `msgs` of those that are not in `remaining`.
    """
    missing = _missing(msgs, remaining)
    if len(missing) + len(remaining) != len(msgs):  # it holds others too
        ids = set(map(id, msgs))
        missing = _missing(msgs, [m for m in remaining if id(m) in ids])
    return missing


def _missing(msgs: list[Msg], remaining: list[Msg]) -> list[int]:
    missing = []
    index = len(remaining) - 1
    for i in range(len(msgs) - 1, -1, -1):  # of a message that is there twice the older one goes
        if index >= 0 and remaining[index] is msgs[i]:
            index -= 1
        else:
            missing.append(i)
    return missing[::-1]


def has_results(m: Msg) -> bool:
    """Whether the message holds the result of a tool call."""
    blocks = [] if isinstance(m.content, str) else m.content
    return any(read_pair_id(block, ToolResultBlock) is not None for block in blocks)


def _each(turn: int, calls: dict[str, int]) -> list[tuple[int, str]]:
    return [(turn, id) for id, count in calls.items() for _ in range(count)]


def read_pair_id(block: ContentBlock, kind: type[ToolBlock]) -> str | None:
    """The id that pairs a block, if it is one of this kind (or one that only one protocol has)."""
    if type(block) is kind:
        return block.id
    role = "call" if kind is ToolUseBlock else "result"
    return block.pair if type(block) is RawBlock and block.role == role else None


def _only_thinks(m: Msg) -> bool:
    if m.role != "assistant" or not m.content or isinstance(m.content, str):
        return False
    return all(type(block) is ThinkingBlock for block in m.content)


class StrategyCall(NamedTuple):
    """A request of a strategy: it is sent the result of `call(msgs)`, awaited if need be."""

    call: Callable[[list[Msg]], str | Awaitable[str]]
    msgs: list[Msg]


@keeps_old_names
class Replacement(NamedTuple):
    """A message of a cut that replaces others: a shorter form of one, or a summary of several."""

    msg: Msg
    originals: Sequence[Msg]
    how: Literal["cleared", "summary"]


@keeps_old_names
class Cut(list[Msg]):
    """A candidate that holds messages which are not in the given history.

    Args:
        msgs: The messages of the candidate.
        replacements: The messages among them that the strategy built, and what each replaces.
    """

    __slots__ = ("replacements",)

    def __init__(self, msgs: Iterable[Msg], replacements: Iterable[Replacement]) -> None:
        super().__init__(msgs)
        self.replacements = tuple(replacements)


# a strategy of one's own needs no more than this
Candidates: TypeAlias = Generator[list[Msg], int, list[Msg]]
Plan: TypeAlias = Generator[list[Msg] | StrategyCall, Any, list[Msg]]


class Truncation(Protocol):
    """A way to cut: yields candidates, is sent the token count of each, returns the chosen one."""

    def candidates(self, msgs: list[Msg], limit: int) -> Plan:
        """Yield candidate histories until one fits.

        Args:
            msgs: The whole history.
            limit: The most tokens that the history may take.

        Yields:
            A candidate, for which the token count is sent back; or a StrategyCall, for its result.

        Returns:
            The history that fits.

        Raises:
            ContextOverflow: Even the shortest history exceeds `limit` tokens.
        """
        ...


def check_strategy(value: object, name: str = "truncate") -> None:
    """Check that the value of an option is a strategy; the class of one is none yet.

    Args:
        value: The value.
        name: The name of the option, for the error.

    Raises:
        ConfigError: The value is no object with a method `candidates`.
    """
    if isinstance(value, type) or not callable(getattr(value, "candidates", None)):
        text = f"{name} must be a strategy, an object with a method candidates, not {show(value)}"
        hint = "truncate=DropOldest(), KeepFirst(n), ClearToolResults() or Summarize(call)"
        raise ConfigError(text, hint=hint, code="truncate.strategy")


def find_replacements(chosen: list[Msg]) -> list[Replacement]:
    """List the messages that a cut built and still holds, with the given messages they replace.

    Args:
        chosen: The history that a strategy returned.

    Returns:
        One item for each; empty if `chosen` is no Cut.
    """
    if not isinstance(chosen, Cut):
        return []
    by_id = {id(item.msg): item for item in chosen.replacements}
    standing = [by_id[id(m)] for m in chosen if id(m) in by_id]
    return [Replacement(item.msg, _origins(item.originals, by_id), item.how) for item in standing]


def _origins(messages: Sequence[Msg], by_id: dict[int, Replacement]) -> list[Msg]:
    """Trace items of built messages back to the given ones. Each is younger than its origins."""
    origins: list[Msg] = []
    waiting = list(reversed(messages))
    while waiting:
        m = waiting.pop()
        if id(m) in by_id:
            waiting.extend(reversed(by_id[id(m)].originals))
        else:
            origins.append(m)
    return origins


# which messages stay whatever happens: a predicate, or ids as `Msg.id` and receipts have them
Pin: TypeAlias = Callable[[Msg], bool] | Collection[str]


@keeps_old_names
@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """The base of the strategies here: it decides which messages must stay.

    The system prompt, the latest user message and the last turn stay, and so do the latest summary
    of earlier turns (a compaction, which replaces all that was before it) and each message whose
    `metadata` has `"pinned": True`. A call and its results stay together.

    Args:
        pin: Further messages that stay: a predicate, or ids as `Msg.id` and receipts have them.
        reserve: How many of the tokens stay free for the answer.

    Raises:
        ConfigError: `pin` is neither a function nor ids, or `reserve` is no whole number from 0 on.
    """

    pin: Pin = ()
    reserve: int = 0

    def __post_init__(self) -> None:
        at_least(0, self, "reserve")
        if not callable(self.pin):
            if not texts(self.pin):
                text = f"pin must be a function or ids of messages, not {show(self.pin)}"
                hint = "pin=[msg.id], or pin=lambda msg: ..."
                raise ConfigError(text, hint=hint, code="truncate.pin")
            object.__setattr__(self, "pin", frozenset(self.pin))

    def room(self, limit: int) -> int:
        """Compute the tokens that the history may take.

        Args:
            limit: The tokens of history and reserve together.

        Returns:
            The limit without the reserve.

        Raises:
            ConfigError: The reserve takes all.
        """
        if self.reserve and self.reserve >= limit:
            text = f"a reserve of {self.reserve} leaves nothing of {limit} tokens"
            hint = "raise max_tokens, or lower the reserve"
            raise ConfigError(text, hint=hint, code="truncate.reserve")
        return limit - self.reserve

    def stays(self, msgs: Sequence[Msg], groups: Sequence[Sequence[int]]) -> set[int]:
        """Find the messages that must stay; a unit that holds one of them stays whole.

        Args:
            msgs: The history.
            groups: Its units, as `units` returns them.

        Returns:
            The indexes of these messages.
        """
        return {*range(head(msgs)), *self.newest(msgs, groups)}

    def newest(self, msgs: Sequence[Msg], groups: Sequence[Sequence[int]]) -> set[int]:
        """Find the messages that must stay, apart from the system prompt before all others.

        Args:
            msgs: The history, or its end.
            groups: Its units, as `units` returns them.

        Returns:
            The indexes of these messages.
        """
        stays = self.find_pinned(msgs)
        for index in (latest(msgs), latest_summary(msgs)):
            if index is not None:
                stays.add(index)
        if groups:
            stays.update(groups[-1])
        return stays

    def find_pinned(self, msgs: Sequence[Msg]) -> set[int]:
        """Find the messages that the user pinned.

        Args:
            msgs: The history.

        Returns:
            The indexes of these messages.
        """
        indexes: set[int] = set()
        if [m for m in msgs if m._metadata]:  # seldom any, which is seen at the least cost
            noted = ((i, m._metadata or {}) for i, m in enumerate(msgs))
            indexes.update(i for i, facts in noted if facts.get("pinned") is True)
        pin = self.pin
        if callable(pin):
            indexes.update(i for i, m in enumerate(msgs) if pin(m))
        elif pin:
            indexes.update(i for i, id in enumerate(identify(msgs)) if id in pin)
        return indexes


def overflow(tokens: int, limit: int, remaining: Sequence[Msg]) -> ContextOverflow:
    """Build the error for a history of which all that remains must stay.

    Args:
        tokens: The tokens of what remains.
        limit: The most tokens that the history may take.
        remaining: The messages that remain.

    Returns:
        The error, with the ids of these messages.
    """
    return ContextOverflow(tokens, limit, len(remaining), tuple(identify(remaining)))


def head(msgs: Sequence[Msg]) -> int:
    """How many system messages come before all others."""
    for i, m in enumerate(msgs):
        if m.role not in ("system", "developer") or has_results(m):
            return i
    return len(msgs)


def texts(value: object) -> bool:
    """Whether the value holds texts and nothing else; a text itself is one too many."""
    if isinstance(value, str) or not isinstance(value, Collection):
        return False
    return all(isinstance(item, str) for item in value)


def latest(msgs: Sequence[Msg]) -> int | None:
    """The index of the latest user message."""
    backwards = range(len(msgs) - 1, -1, -1)
    return next((i for i in backwards if msgs[i].role == "user" and not has_results(msgs[i])), None)


def latest_summary(msgs: Sequence[Msg]) -> int | None:
    """The index of the latest message with a provider's summary of the turns before it."""
    for i in range(len(msgs) - 1, -1, -1):
        content = msgs[i].content
        if not isinstance(content, str):
            for block in content:
                if type(block) is RawBlock and block.spelling in (SUMMARY, SEALED_SUMMARY):
                    return i
    return None


def at_least(lowest: int, owner: object, *names: str) -> None:
    """Raise ConfigError unless these fields are whole numbers that are not too small."""
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
            rule = f"must be a whole number of at least {lowest}, not {show(value)}"
            text = f"{name} of {type(owner).__name__} {rule}"
            raise ConfigError(text, code="truncate.option")
