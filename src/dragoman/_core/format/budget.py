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

    async def __call__(self, formatted: list[JsonObject], messages: int) -> Any:
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

    async def __call__(self, formatted: list[JsonObject], messages: int) -> int:
        """The tokens, and those of each message where they are as many as the formatted ones."""
        full = self._whole
        if not full:
            self._whole = formatted
            self._each = each = await self._counted(formatted)
        elif len(formatted) == len(full):
            each = [*self._each]
            after = [i for i, m in enumerate(formatted) if m != full[i]]
            for i, tokens in zip(
                after, await self._counted([formatted[i] for i in after]), strict=True
            ):
                each[i] = tokens
        else:
            head, tail = _common(full, formatted)
            result = await self._counted(formatted[head : len(formatted) - tail])
            each = [*self._each[:head], *result, *self._each[len(full) - tail :]]
        total = max(0, self._counter.overhead(self._tools) + sum(each))
        return Counted(total, each) if len(each) == messages else total

    async def _counted(self, formatted: list[JsonObject]) -> list[int]:
        counter = self._counter
        return (
            counter.count_each_sync(formatted)
            if self._sync
            else await counter.count_each(formatted)
        )


class Whole:
    """A tally of any other counter: every candidate is counted from its beginning."""

    __slots__ = ("_counter", "_sync", "_tools")

    def __init__(self, counter: Any, tools: list[JsonObject] | None, sync: bool) -> None:
        self._counter = counter
        self._tools = tools
        self._sync = sync and counts_sync(counter)

    async def __call__(self, formatted: list[JsonObject], messages: int) -> Any:
        """The tokens; a counter that knows nothing of tools is not told of none."""
        given_msgs = (formatted, self._tools) if self._tools else (formatted,)
        result = (
            self._counter.count_sync(*given_msgs)
            if self._sync
            else await self._counter.count(*given_msgs)
        )
        return checked_figure(result)


def remembering(counter: object) -> CachedTokenCounter | None:
    """The counter with a memory; None for what only a hook of the formatter counts with."""
    return with_cache(counter) if callable(getattr(counter, "count", None)) else None


def _common(full: list[JsonObject], part: list[JsonObject]) -> tuple[int, int]:
    """How many messages are the same at the beginning, and how many at the end."""
    tail = 0
    for a, b in zip(reversed(full), reversed(part), strict=False):
        if a != b:
            break
        tail += 1
    most = min(len(full), len(part)) - tail
    head = 0
    while head < most and full[head] == part[head]:
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
    strategy: Truncation,
    msgs: list[Msg],
    limit: int,
    report: Report,
    formatted: Said,
    count_tokens: Tally,
) -> Choice:
    """Ask a strategy for candidates until it has chosen one.

    `count_tokens` gives None where nobody counts.
    What it has chosen was counted, and fits. Raises ContextOverflow, also for a strategy that
    leaves nothing, and ConfigError for one that gives no messages.
    """

    async def tokens_of(candidate: list[Msg]) -> Any:
        trial = report.trial()
        _remember(candidate, trial)
        touch(msgs, candidate, trial)
        return _figure(await count_tokens(await formatted(candidate, trial), len(candidate)))

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
    return next((tokens for candidate, tokens in reversed(tried) if _same(candidate, msgs)), None)


def _listed(strategy: Truncation, value: Any) -> list[Msg]:
    """What a strategy gives for a history. Raises ConfigError if it cannot be one."""
    if isinstance(value, (list, tuple)):
        return value if isinstance(value, list) else list(value)
    raise _unlike(strategy, "candidates must yield and return lists of messages", value)


def _unlike(strategy: Truncation, rule: str, value: object) -> ConfigError:
    return ConfigError(
        f"{type(strategy).__name__} is no strategy: {rule}, not {type(value).__name__}",
        hint="tokens = yield msgs, as often as needed, then return what fits",
        code="truncate.strategy",
    )


async def by_hook(
    shorten: Shorten,
    msgs: list[Msg],
    limit: int,
    report: Report,
    formatted: Said,
    count_tokens: Tally,
) -> Choice:
    """Let a hook take messages away until the rest fits. Raises ContextOverflow if it cannot."""
    all_msgs, choice = msgs, Choice(msgs)
    tokens_before = None  # the tokens of a list of the same length, which may yet say less
    while True:
        trial = report.trial()
        touch(all_msgs, msgs, trial)
        tokens = _figure(await count_tokens(await formatted(msgs, trial), len(msgs)))
        if tokens is None:
            return choice
        choice.before = tokens if choice.before is None else choice.before
        if tokens <= limit:
            choice.msgs, choice.after = msgs, tokens
            return choice
        if tokens_before is not None and tokens >= tokens_before:
            raise ContextOverflow(tokens, limit, len(msgs))
        shorter = await shorten(list(msgs))
        if not shorter or len(shorter) > len(msgs):
            raise ContextOverflow(tokens, limit, len(msgs))
        tokens_before = tokens if len(shorter) == len(msgs) else None
        msgs = shorter


def _figure(tokens: object) -> Any:
    """What was counted; None where nobody counts. Raises ConfigError if it is no number."""
    return None if tokens is None else checked_figure(tokens)


def name_cut(msgs: list[Msg], chosen: list[Msg], report: Report) -> None:
    """Name what was not chosen, and what stands in its place."""
    if chosen is msgs:
        return
    touch(msgs, chosen, report)
    replacements = replaced(chosen)
    if not replacements and len(chosen) < len(msgs):
        report.each("history.cut", _gone([*msgs], [*chosen]))
        return
    how = {id(m): replacement.how for replacement in replacements for m in replacement.of}
    missing = [msgs[i] for i in left_out(msgs, chosen)]
    if cut_messages := [(m, "", "") for m in missing if id(m) not in how]:
        report.each("history.cut", cut_messages)
    if summarised := [(m, "", "") for m in missing if how.get(id(m)) == "summary"]:
        report.each("history.told", summarised)
    _remember(chosen, report)
    for replacement in replacements:
        if replacement.how == "summary":
            report.lost(
                "history.summary", replacement.msg, did=f"said by the {replacement.msg.role}"
            )
            continue
        for after, before in zip(replacement.msg.blocks, replacement.of[0].blocks, strict=False):
            if after is not before:
                report.made(after, before)
                report.lost("history.cleared", before, "output", getattr(before, "name", ""))


def _gone(msgs: list[Msg], chosen: list[Msg]) -> Iterator[tuple[object, str, str]]:
    """What was not chosen: looked for when somebody asks, for a long history is cut often."""
    for i in left_out(msgs, chosen):
        yield msgs[i], "", ""


def within(msgs: list[Msg], full: list[Msg], chosen: list[Msg]) -> list[Msg]:
    """What was chosen without the system prompt that stands before `msgs` in the whole.

    The very list if nothing was cut.
    """
    if chosen is full:
        return msgs
    prompt_ids = set(map(id, full[: len(full) - len(msgs)]))
    return Cut((m for m in chosen if id(m) not in prompt_ids), getattr(chosen, "made", ()))


def touch(msgs: list[Msg], chosen: list[Msg], report: Report) -> None:
    """Tell from which message on another history is said than the one that was given."""
    if chosen is not msgs:
        first = next(
            (after for after, before in zip(chosen, msgs, strict=False) if after is not before),
            None,
        )
        if first is not None:
            report.touched(CUT, first)


def _remember(chosen: list[Msg], report: Report) -> None:
    for replacement in replaced(chosen):
        report.made(replacement.msg, list(replacement.of))


def _same(first: list[Msg], second: list[Msg]) -> bool:
    if first is second:
        return True
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))
