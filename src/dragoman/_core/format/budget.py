"""Tallies: what the candidates of one cut take, each message counted once where that can be.

Knows counters and formatted messages, no strategy and no wire.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterator
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Protocol, TypeAlias

from ...errors import ConfigError, ContextOverflow
from ...losses import Report
from ...message import Msg
from ...rewrite.truncate import Asked, Counted, Cut, Truncation, left_out, overflow, replaced
from ..counters.base import checked_figure, counts_sync
from ..counters.cached import CachedTokenCounter, with_cache
from ..jsontext import JsonObject


class Tally(Protocol):
    """Counts formatted messages that say so many messages; None if there is no counter."""

    async def __call__(self, written: list[JsonObject], messages: int) -> Any:
        """The tokens, tool schemas included."""
        ...


class BySums:
    """A tally of a counter that decomposes.

    What a candidate has in common with the first one, the whole, is not counted again.
    """

    __slots__ = ("_counter", "_each", "_sync", "_tools", "_whole")

    def __init__(
        self, counter: CachedTokenCounter, tools: list[JsonObject] | None, sync: bool
    ) -> None:
        self._counter = counter
        self._tools = tools
        self._sync = sync
        self._whole: list[JsonObject] = []
        self._each: list[int] = []

    async def __call__(self, written: list[JsonObject], messages: int) -> int:
        """The tokens, and those of each message where they are as many as the formatted ones."""
        whole = self._whole
        if not whole:
            self._whole = written
            self._each = each = await self._counted(written)
        elif len(written) == len(whole):
            each = [*self._each]
            new = [i for i, m in enumerate(written) if m != whole[i]]
            for i, tokens in zip(new, await self._counted([written[i] for i in new]), strict=True):
                each[i] = tokens
        else:
            head, tail = _common(whole, written)
            made = await self._counted(written[head : len(written) - tail])
            each = [*self._each[:head], *made, *self._each[len(whole) - tail :]]
        total = max(0, self._counter.overhead(self._tools) + sum(each))
        return Counted(total, each) if len(each) == messages else total

    async def _counted(self, written: list[JsonObject]) -> list[int]:
        counter = self._counter
        return counter.count_each_sync(written) if self._sync else await counter.count_each(written)


class Whole:
    """A tally of any other counter: every candidate is counted from its beginning."""

    __slots__ = ("_counter", "_sync", "_tools")

    def __init__(self, counter: Any, tools: list[JsonObject] | None, sync: bool) -> None:
        self._counter = counter
        self._tools = tools
        self._sync = sync and counts_sync(counter)

    async def __call__(self, written: list[JsonObject], messages: int) -> Any:
        """The tokens; a counter that knows nothing of tools is not told of none."""
        given = (written, self._tools) if self._tools else (written,)
        made = self._counter.count_sync(*given) if self._sync else await self._counter.count(*given)
        return checked_figure(made)


def remembering(counter: object) -> CachedTokenCounter | None:
    """The counter with a memory; None for what only a hook of the formatter counts with."""
    return with_cache(counter) if callable(getattr(counter, "count", None)) else None


def _common(whole: list[JsonObject], part: list[JsonObject]) -> tuple[int, int]:
    """How many messages are the same at the beginning, and how many at the end."""
    tail = 0
    for a, b in zip(reversed(whole), reversed(part), strict=False):
        if a != b:
            break
        tail += 1
    most = min(len(whole), len(part)) - tail
    head = 0
    while head < most and whole[head] == part[head]:
        head += 1
    return head, tail


Said: TypeAlias = Callable[[list[Msg], Report], Awaitable[list[JsonObject]]]


Tried: TypeAlias = list[tuple[list[Msg], Any]]  # candidates, and the tokens of each


Shorten: TypeAlias = Callable[[list[Msg]], Awaitable[list[Msg]]]


CUT = "the cut to the token budget"


@dataclass(slots=True)
class Choice:
    """What was chosen of a history; the tokens of both as far as somebody counted them."""

    msgs: list[Msg]
    before: float | None = None  # whole numbers, unless the counter lies
    after: float | None = None


async def choose(
    strategy: Truncation, msgs: list[Msg], limit: int, report: Report, said: Said, counted: Tally
) -> Choice:
    """Ask a strategy for candidates until it has chosen one. `counted` gives None for no counter.

    What it has chosen was counted, and fits. Raises ContextOverflow, also for a strategy that
    leaves nothing, and ConfigError for one that gives no messages.
    """

    async def tokens_of(candidate: list[Msg]) -> Any:
        trial = report.trial()
        _remember(candidate, trial)
        touch(msgs, candidate, trial)
        return _figure(await counted(await said(candidate, trial), len(candidate)))

    tried: Tried = []
    chosen = await _chosen(strategy, msgs, limit, tokens_of, tried)
    if chosen is None:  # nobody counts, so nothing is cut
        return Choice(msgs)
    if msgs and not chosen:
        raise ContextOverflow(tried[-1][1] if tried else 0, limit, 0)
    before, after = _known(msgs, tried), _known(chosen, tried)
    if after is None:  # it did not ask what this takes
        after = await tokens_of(chosen)
    if after is not None and not after <= limit:
        raise overflow(after, limit, chosen)
    return Choice(chosen, before, after)


async def _chosen(
    strategy: Truncation,
    msgs: list[Msg],
    limit: int,
    tokens_of: Callable[[list[Msg]], Awaitable[Any]],
    tried: Tried,
) -> list[Msg] | None:
    """What the strategy chooses; None if nobody counts. `tried` gets what it asked for."""
    plan = strategy.candidates(msgs, limit)
    if not isinstance(plan, Generator):
        raise _unlike(strategy, "candidates must be a generator", plan)
    try:
        wanted = next(plan)
        while True:
            if isinstance(wanted, Asked):
                answer: Any = wanted.call(wanted.msgs)
                wanted = plan.send(await answer if isawaitable(answer) else answer)
                continue
            candidate = _listed(strategy, wanted)
            tokens = await tokens_of(candidate)
            if tokens is None:
                return None
            tried.append((candidate, tokens))
            wanted = plan.send(tokens)
    except StopIteration as done:
        return _listed(strategy, done.value)


def _known(msgs: list[Msg], tried: Tried) -> Any:
    """What these messages take, if they were counted."""
    return next((tokens for one, tokens in reversed(tried) if _same(one, msgs)), None)


def _listed(strategy: Truncation, given: Any) -> list[Msg]:
    """What a strategy gives for a history. Raises ConfigError if it cannot be one."""
    if isinstance(given, (list, tuple)):
        return given if isinstance(given, list) else list(given)
    raise _unlike(strategy, "candidates must yield and return lists of messages", given)


def _unlike(strategy: Truncation, rule: str, given: object) -> ConfigError:
    return ConfigError(
        f"{type(strategy).__name__} is no strategy: {rule}, not {type(given).__name__}",
        hint="tokens = yield msgs, as often as needed, then return what fits",
        code="truncate.strategy",
    )


async def by_hook(
    shorten: Shorten, msgs: list[Msg], limit: int, report: Report, said: Said, counted: Tally
) -> Choice:
    """Let a hook take messages away until the rest fits. Raises ContextOverflow if it cannot."""
    given, choice = msgs, Choice(msgs)
    before = None  # the tokens of a list of the same length, which may yet say less
    while True:
        trial = report.trial()
        touch(given, msgs, trial)
        tokens = _figure(await counted(await said(msgs, trial), len(msgs)))
        if tokens is None:
            return choice
        choice.before = tokens if choice.before is None else choice.before
        if tokens <= limit:
            choice.msgs, choice.after = msgs, tokens
            return choice
        if before is not None and tokens >= before:
            raise ContextOverflow(tokens, limit, len(msgs))
        shorter = await shorten(list(msgs))
        if not shorter or len(shorter) > len(msgs):
            raise ContextOverflow(tokens, limit, len(msgs))
        before = tokens if len(shorter) == len(msgs) else None
        msgs = shorter


def _figure(tokens: object) -> Any:
    """What was counted; None where nobody counts. Raises ConfigError if it is no number."""
    return None if tokens is None else checked_figure(tokens)


def name_cut(msgs: list[Msg], chosen: list[Msg], report: Report) -> None:
    """Name what was not chosen, and what stands in its place."""
    if chosen is msgs:
        return
    touch(msgs, chosen, report)
    made = replaced(chosen)
    if not made and len(chosen) < len(msgs):
        report.each("history.cut", _gone([*msgs], [*chosen]))
        return
    how = {id(m): one.how for one in made for m in one.of}
    gone = [msgs[i] for i in left_out(msgs, chosen)]
    if cut := [(m, "", "") for m in gone if id(m) not in how]:
        report.each("history.cut", cut)
    if told := [(m, "", "") for m in gone if how.get(id(m)) == "summary"]:
        report.each("history.told", told)
    _remember(chosen, report)
    for one in made:
        if one.how == "summary":
            report.lost("history.summary", one.msg, did=f"said by the {one.msg.role}")
            continue
        for new, old in zip(one.msg.blocks, one.of[0].blocks, strict=False):
            if new is not old:
                report.made(new, old)
                report.lost("history.cleared", old, "output", getattr(old, "name", ""))


def _gone(msgs: list[Msg], chosen: list[Msg]) -> Iterator[tuple[object, str, str]]:
    """What was not chosen: looked for when somebody asks, for a long history is cut often."""
    for i in left_out(msgs, chosen):
        yield msgs[i], "", ""


def within(msgs: list[Msg], whole: list[Msg], chosen: list[Msg]) -> list[Msg]:
    """What was chosen without the system prompt that stands before `msgs` in the whole.

    The very list if nothing was cut.
    """
    if chosen is whole:
        return msgs
    before = set(map(id, whole[: len(whole) - len(msgs)]))
    return Cut((m for m in chosen if id(m) not in before), getattr(chosen, "made", ()))


def touch(msgs: list[Msg], chosen: list[Msg], report: Report) -> None:
    """Tell from which message on another history is said than the one that was given."""
    if chosen is not msgs:
        first = next((new for new, old in zip(chosen, msgs, strict=False) if new is not old), None)
        if first is not None:
            report.touched(CUT, first)


def _remember(chosen: list[Msg], report: Report) -> None:
    for one in replaced(chosen):
        report.made(one.msg, list(one.of))


def _same(one: list[Msg], other: list[Msg]) -> bool:
    if one is other:
        return True
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))
