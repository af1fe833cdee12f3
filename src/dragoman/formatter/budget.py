"""Drive a strategy to a history that fits: count its candidates, and report what it left out.

Each message is counted once where the counter allows it. Knows no wire and no counter of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterator
from dataclasses import dataclass
from inspect import isawaitable
from operator import is_
from typing import Any, TypeAlias

from ..errors import ConfigError, ContextOverflow
from ..history import truncate
from ..history.truncate import Counted, Cut, Replacement, StrategyCall, Truncation
from ..losses import Report
from ..message import ContentBlock, Msg
from ..text.json_text import JsonObject
from ..tokens.base import Messages, Tools, check_figure, counts_sync
from ..tokens.cached import CachedTokenCounter

# (formatted messages, how many messages they say) -> their tokens, tool schemas included; None if
# there is no counter
Tally: TypeAlias = Callable[[list[JsonObject], int], Awaitable[Any]]


class DifferenceTally:
    """A tally of a counter that decomposes.

    What a candidate has in common with the first one, the whole, is not counted again.
    """

    def __init__(self, counter: CachedTokenCounter, tools: Tools, sync: bool) -> None:
        self._counter = counter
        self._tools = tools
        self._sync = sync
        self._first: list[JsonObject] = []
        self._figures: list[int] = []

    async def __call__(self, formatted: list[JsonObject], messages: int) -> int:
        """The tokens, and those of each message where they are as many as the formatted ones."""
        first = self._first
        if not first:
            self._first = formatted
            self._figures = figures = await count_each(self._counter, formatted, self._sync)
        elif len(formatted) == len(first):
            figures = [*self._figures]
            changed = [i for i, m in enumerate(formatted) if m != first[i]]
            texts = [formatted[i] for i in changed]
            counted = await count_each(self._counter, texts, self._sync)
            for i, tokens in zip(changed, counted, strict=True):
                figures[i] = tokens
        else:
            head, tail = _common(first, formatted)
            texts = formatted[head : len(formatted) - tail]
            counted = await count_each(self._counter, texts, self._sync)
            figures = [*self._figures[:head], *counted, *self._figures[len(first) - tail :]]
        tokens = max(0, self._counter.overhead(self._tools) + sum(figures))
        # with those of each message where each has one formatted message
        return Counted(tokens, figures) if len(figures) == messages else tokens


async def count_each(counter: CachedTokenCounter, formatted: Messages, sync: bool) -> list[int]:
    """The tokens of each of these formatted messages."""
    return counter.count_each_sync(formatted) if sync else await counter.count_each(formatted)


class WholeTally:
    """A tally of any other counter: every candidate is counted from its beginning."""

    def __init__(self, counter: Any, tools: list[JsonObject] | None, sync: bool) -> None:
        self._counter = counter
        self._tools = [tools] if tools else []  # a counter may take no tools: it gets no argument
        self._sync = sync and counts_sync(counter)

    async def __call__(self, formatted: list[JsonObject], messages: int) -> Any:
        """The tokens."""
        if self._sync:
            return check_figure(self._counter.count_sync(formatted, *self._tools))
        return check_figure(await self._counter.count(formatted, *self._tools))


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


Format: TypeAlias = Callable[[list[Msg], Report], Awaitable[list[JsonObject]]]
CUT = "the cut to the token budget"


@dataclass(slots=True)
class Selection:
    """What was chosen of a history, and the tokens of both where they were counted."""

    msgs: list[Msg]
    before: float | None = None  # whole numbers, unless the counter lies
    after: float | None = None


@dataclass(slots=True)
class Cutting:
    """A history to be cut to a limit. `tally` gives None where there is no counter."""

    msgs: list[Msg]
    limit: int
    report: Report
    format: Format
    tally: Tally

    async def by_strategy(self, strategy: Truncation) -> Selection:
        """Ask a strategy for candidates until it has chosen one.

        What it has chosen was counted, and fits. Raises ContextOverflow, also for a strategy that
        leaves nothing, and ConfigError for one that gives no messages.
        """
        counted: list[tuple[list[Msg], Any]] = []
        chosen = await self._choose_messages(strategy, counted)
        if chosen is None:  # there is no counter, so nothing is cut
            return Selection(self.msgs)
        if self.msgs and not chosen:
            raise ContextOverflow(counted[-1][1] if counted else 0, self.limit, 0)
        before, after = _find_count(self.msgs, counted), _find_count(chosen, counted)
        if after is None:  # it did not ask what this takes
            after = await self._tokens(chosen)
        if after is not None and not after <= self.limit:
            raise truncate.overflow(after, self.limit, chosen)
        return Selection(chosen, before, after)

    async def _choose_messages(
        self, strategy: Truncation, counted: list[tuple[list[Msg], Any]]
    ) -> list[Msg] | None:
        """What the strategy chooses; None without a counter. `counted` gets the candidates."""
        plan = strategy.candidates(self.msgs, self.limit)
        if not isinstance(plan, Generator):
            raise _no_strategy(strategy, "candidates must be a generator", plan)
        try:
            step = next(plan)
            while True:
                if isinstance(step, StrategyCall):
                    answer: Any = step.call(step.msgs)
                    step = plan.send(await answer if isawaitable(answer) else answer)
                    continue
                candidate = _messages(strategy, step)
                tokens = await self._tokens(candidate)
                if tokens is None:
                    return None
                counted.append((candidate, tokens))
                step = plan.send(tokens)
        except StopIteration as done:
            return _messages(strategy, done.value)

    async def by_hook(self, shorten: Callable[[list[Msg]], Awaitable[list[Msg]]]) -> Selection:
        """Let a hook take messages away until the rest fits.

        Raises ContextOverflow if it cannot.
        """
        msgs, choice = self.msgs, Selection(self.msgs)
        tokens_before = None  # the tokens of a list of the same length, which may yet say less
        while True:
            tokens = await self._tokens(msgs)
            if tokens is None:
                return choice
            choice.before = tokens if choice.before is None else choice.before
            if tokens <= self.limit:
                choice.msgs, choice.after = msgs, tokens
                return choice
            shorter = None
            if tokens_before is None or tokens < tokens_before:
                shorter = await shorten(list(msgs))
            if not shorter or len(shorter) > len(msgs):
                raise ContextOverflow(tokens, self.limit, len(msgs))
            tokens_before = tokens if len(shorter) == len(msgs) else None
            msgs = shorter

    async def _tokens(self, candidate: list[Msg]) -> Any:
        """What a candidate takes; None without a counter. Raises ConfigError for no number."""
        trial = self.report.trial()
        _remember(candidate, trial)
        touch(self.msgs, candidate, trial)
        tokens = await self.tally(await self.format(candidate, trial), len(candidate))
        return None if tokens is None else check_figure(tokens)


def _find_count(msgs: list[Msg], counted: list[tuple[list[Msg], Any]]) -> Any:
    """What these messages take, if they were counted."""
    for candidate, tokens in reversed(counted):
        if len(candidate) == len(msgs) and all(map(is_, candidate, msgs)):
            return tokens
    return None


def _messages(strategy: Truncation, value: Any) -> list[Msg]:
    """What a strategy gives for a history. Raises ConfigError if it cannot be one."""
    if isinstance(value, (list, tuple)):
        return value if isinstance(value, list) else list(value)
    raise _no_strategy(strategy, "candidates must yield and return lists of messages", value)


def _no_strategy(strategy: Truncation, rule: str, value: object) -> ConfigError:
    text = f"{type(strategy).__name__} is no strategy: {rule}, not {type(value).__name__}"
    hint = "tokens = yield msgs, as often as needed, then return what fits"
    return ConfigError(text, hint=hint, code="truncate.strategy")


def missing(msgs: list[Msg], chosen: list[Msg]) -> tuple[list[int], list[int]]:
    """The indexes of messages that were left out, and of those that a summary covers."""
    how = {id(m): item.how for item in truncate.find_replacements(chosen) for m in item.originals}
    indexes = truncate.find_omitted(msgs, chosen)
    told = [i for i in indexes if how.get(id(msgs[i])) == "summary"]
    return [i for i in indexes if id(msgs[i]) not in how], told


def pair_cleared_blocks(replacement: Replacement) -> list[tuple[ContentBlock, ContentBlock]]:
    """(block, its shorter form) of a message that a shorter form replaces in the cut."""
    pairs = zip(replacement.originals[0].blocks, replacement.msg.blocks, strict=False)
    return [(block, shorter) for block, shorter in pairs if shorter is not block]


def name_cut(msgs: list[Msg], chosen: list[Msg], report: Report) -> None:
    """Report what was not chosen, and what replaces it."""
    if chosen is msgs:
        return
    touch(msgs, chosen, report)
    replacements = truncate.find_replacements(chosen)
    if not replacements and len(chosen) < len(msgs):
        report.add_losses("history.cut", _left_out([*msgs], [*chosen]))
        return
    for code, indexes in zip(
        ("history.cut", "history.summarized"), missing(msgs, chosen), strict=True
    ):
        if indexes:
            report.add_losses(code, [(msgs[i], "", "") for i in indexes])
    _remember(chosen, report)
    for replacement in replacements:
        if replacement.how == "summary":
            by = f"said by the {replacement.msg.role}"
            report.add_loss("history.summary", replacement.msg, did=by)
            continue
        for block, shorter in pair_cleared_blocks(replacement):
            report.record_copy(shorter, block)
            report.add_loss("history.cleared", block, "output", getattr(block, "name", ""))


def _left_out(msgs: list[Msg], chosen: list[Msg]) -> Iterator[tuple[object, str, str]]:
    """What was not chosen; found only when the losses are read, for a long history is cut often."""
    for i in truncate.find_omitted(msgs, chosen):
        yield msgs[i], "", ""


def within(msgs: list[Msg], full: list[Msg], chosen: list[Msg]) -> list[Msg]:
    """What was chosen without the system prompt that comes before `msgs` in the whole.

    The very list if nothing was cut.
    """
    if chosen is full:
        return msgs
    prompt_ids = set(map(id, full[: len(full) - len(msgs)]))
    return Cut((m for m in chosen if id(m) not in prompt_ids), getattr(chosen, "replacements", ()))


def touch(msgs: list[Msg], chosen: list[Msg], report: Report) -> None:
    """Report the first message from which on the chosen history differs from the given one."""
    if chosen is not msgs:
        pairs = zip(chosen, msgs, strict=False)
        first = next((after for after, before in pairs if after is not before), None)
        if first is not None:
            report.note_edit(CUT, first)


def _remember(chosen: list[Msg], report: Report) -> None:
    for replacement in truncate.find_replacements(chosen):
        report.record_copy(replacement.msg, list(replacement.originals))
