"""DropOldest and KeepFirst: leave whole messages out, the least important and oldest first."""

from __future__ import annotations

from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    MutableMapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

from ...errors import ConfigError
from ...message import Msg, ToolResultBlock, ToolUseBlock, identify
from ...message.blocks import ContentBlock
from ...message.msg import Role
from ...text.redaction import show
from . import plan as cutting
from .plan import Asked, Candidates, Cut, Keeping, Made, Plan, Truncation
from .search import first_that_fits, output_weight, per_unit, running, weights

Priority: TypeAlias = Callable[[Msg], float]


class Dropped(NamedTuple):
    """A history that fits, and the steps that went, each with the indexes of its messages."""

    msgs: list[Msg]
    steps: list[list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DropOldest(Keeping):
    """Leave out the oldest messages until the rest fits (first in, first out).

    The system prompt, the latest user message, the last turn and what is pinned stay; a call goes
    with its results. The given list comes back itself if it fits. `priority` gives a number for a
    message: the lowest go first, 0 for all if there is none; a unit counts as its highest.

    `step` spares the prompt cache: cuts stand only at every so many messages of the history, so a
    history that grows keeps the same beginning for some turns before the next cut. Only where that
    would take everything the last messages go one by one.
    """

    priority: Priority | None = None
    step: int = 1

    def __post_init__(self) -> None:
        Keeping.__post_init__(self)
        cutting.at_least(1, self, "step")
        if self.priority is not None and not callable(self.priority):
            raise _no_priority(self.priority)

    def candidates(self, msgs: list[Msg], limit: int) -> Candidates:
        """The longest history that fits, found by estimates that each count makes better."""
        return (yield from self.dropped(msgs, limit)).msgs

    def dropped(self, msgs: list[Msg], limit: int) -> Generator[list[Msg], int, Dropped]:
        """The same, and what went."""
        available = self.room(limit)
        tokens = yield msgs
        if tokens <= available:
            return Dropped(msgs, [])
        groups = cutting.units(msgs)
        stays = self.stays(msgs, groups)
        may_go = [group for group in groups if stays.isdisjoint(group)]
        return (yield from self.shorter(msgs, self.steps(msgs, may_go), tokens, limit))

    def shorter(
        self, msgs: list[Msg], steps: list[list[int]], tokens: int, limit: int
    ) -> Generator[list[Msg], int, Dropped]:
        """The first of the histories that fits, each without one more of `steps`.

        `tokens` is what all of the messages take.
        """
        limit = self.room(limit)
        if not steps:
            raise cutting.overflow(tokens, limit, msgs)
        goes = [len(steps) + 1] * len(msgs)  # with which step each message goes
        for n, step in enumerate(steps, 1):
            for i in step:
                goes[i] = n
        each = weights(msgs, tokens)
        exact = each is getattr(tokens, "each", None)
        freed = [each[step[0]] if len(step) == 1 else sum(each[i] for i in step) for step in steps]
        rate = None if exact else per_unit(tokens, sum(each))

        def without(n: int) -> list[Msg]:
            return [m for m, step in zip(msgs, goes, strict=True) if step > n]

        result = yield from first_that_fits(without, running(freed), tokens, limit, rate)
        if result.step is None:
            raise cutting.overflow(result.tokens, limit, result.msgs)
        return Dropped(result.msgs, steps[: result.step])

    def steps(self, msgs: list[Msg], may_go: list[list[int]], before: int = 0) -> list[list[int]]:
        """What goes together of the units that may go, in the order in which it goes.

        `before`: how many messages of the history stand before these.
        """
        ranks: list[float] = [0] * len(may_go)
        if (priority := self.priority) is not None:
            ranks = [max(_rank(priority(msgs[i])) for i in group) for group in may_go]
            order = sorted(range(len(may_go)), key=ranks.__getitem__)
            may_go, ranks = [may_go[i] for i in order], [ranks[i] for i in order]
        if self.step == 1:
            return may_go
        last = (len(msgs) + before - 1) // self.step  # this step still grows
        steps: list[list[int]] = []
        earlier: tuple[float, int] | None = None
        for rank, group in zip(ranks, may_go, strict=True):
            at = (rank, (group[0] + before) // self.step)
            if at == earlier and at[1] < last:
                steps[-1] += group
            else:
                steps.append([*group])
            earlier = at
        return steps


@dataclass(frozen=True, slots=True)
class KeepFirst(DropOldest):
    """Like DropOldest, but the first `n` messages behind the system prompt stay as well.

    They hold the task, or examples; what goes is between them and the newest messages.
    """

    n: int

    def __post_init__(self) -> None:
        DropOldest.__post_init__(self)
        cutting.at_least(0, self, "n")

    def stays(self, msgs: Sequence[Msg], groups: Sequence[Sequence[int]]) -> set[int]:
        """The indexes of what must stay, the first messages among them."""
        first = cutting.head(msgs)
        return Keeping.stays(self, msgs, groups).union(range(first, min(first + self.n, len(msgs))))


def _rank(given: Any) -> Any:
    """What a priority said. Raises ConfigError if it is no number."""
    if isinstance(given, Real):
        return given
    raise _no_priority(given)


def _no_priority(given: object) -> ConfigError:
    text = f"priority must be a function that gives each message a number, not {show(given)}"
    hint = "priority=lambda msg: ..., 0 for all that is like the rest"
    return ConfigError(text, hint=hint, code="truncate.option")


def without_oldest(msgs: list[Msg]) -> list[Msg]:
    """The messages without the oldest unit that may go; the very list if none may."""
    groups = cutting.units(msgs)
    stays = Keeping().stays(msgs, groups)
    oldest = next((set(group) for group in groups if stays.isdisjoint(group)), None)
    return msgs if oldest is None else [m for i, m in enumerate(msgs) if i not in oldest]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearToolResults(Keeping):
    """Put `stub` in the place of the oldest tool results, then cut further only if it must be.

    The newest `keep` results stay, those of the tools that `exclude` names, and all that no answer
    has followed yet. `step` results are cleared at once, so that the beginning of a growing
    history, and with it the prompt cache, holds for some turns. `then` cuts what is still too
    long; DropOldest with the same pins unless it is given.
    """

    keep: int = 3
    exclude: Collection[str] = ()
    stub: str = "[Old tool result cleared]"
    step: int = 1
    then: Truncation | None = None

    def __post_init__(self) -> None:
        Keeping.__post_init__(self)
        cutting.at_least(0, self, "keep")
        cutting.at_least(1, self, "step")
        is_stub = isinstance(self.stub, str) and self.stub.strip()
        if not cutting.texts(self.exclude) or not is_stub:
            values = f"{show(self.exclude)} and {show(self.stub)}"
            text = f"exclude must be names of tools and stub a text, not {values}"
            raise ConfigError(text, code="truncate.option")
        object.__setattr__(self, "exclude", frozenset(self.exclude))
        if self.then is not None:
            cutting.strategic(self.then, "then")

    def candidates(self, msgs: list[Msg], limit: int) -> Plan:
        """The history with as few results cleared as need be, then what `then` makes of it."""
        limit = self.room(limit)
        tokens = yield msgs
        if tokens <= limit:
            return msgs
        pinned = self.pinned(msgs)
        steps = self._steps(msgs, pinned)
        cleared: Cut = Cut(msgs, ())
        if steps:
            stubs = _Stubs(msgs, steps, self.stub)
            rate = per_unit(tokens, sum(weights(msgs, 0)))
            result = yield from first_that_fits(stubs.cut, stubs.freed, tokens, limit, rate)
            if result.step is not None:
                return result.msgs
            cleared, tokens = stubs.cut(len(steps)), result.tokens
        # by identity: the ids of messages that are alike count how many stand before
        stay = {id(msgs[i]) for i in pinned}
        then = self.then or DropOldest(pin=lambda m: id(m) in stay)
        return (yield from _cut_further(then, cleared, limit, tokens))

    def _steps(self, msgs: list[Msg], pinned: set[int]) -> list[list[_ResultPlace]]:
        """The results that may be cleared, by the step that clears them."""
        results: list[_ResultPlace] = []
        names: dict[str, str] = {}  # of the calls so far: an id may come again in another turn
        for i, m in enumerate(msgs):
            for index, block in enumerate([] if isinstance(m.content, str) else m.content):
                if type(block) is ToolUseBlock:
                    names[block.id] = block.name
                elif type(block) is ToolResultBlock:
                    results.append(_ResultPlace(i, index, block, names.get(block.id, "")))
        last_answer = max((i for i, m in enumerate(msgs) if m.role == "assistant"), default=-1)
        steps: dict[int, list[_ResultPlace]] = {}
        for n, result in enumerate(results[: max(0, len(results) - self.keep)]):
            if (
                result.msg < last_answer
                and result.msg not in pinned
                and result.block.name not in self.exclude
                and result.tool not in self.exclude
                and output_weight(result.block) > len(self.stub)
            ):
                steps.setdefault(n // self.step, []).append(result)
        return list(steps.values())


class _ResultPlace(NamedTuple):
    """A result, the indexes of its message and of itself there, and the tool that was called."""

    msg: int
    at: int
    block: ToolResultBlock
    tool: str


class _Stubs:
    """The messages with the first so many steps cleared, each cleared message made once."""

    def __init__(self, msgs: list[Msg], steps: list[list[_ResultPlace]], stub: str) -> None:
        self._msgs = msgs
        self._stub = stub
        self._goes: dict[int, dict[int, int]] = {}  # message -> block -> the step that clears it
        self._made: dict[tuple[int, int], Made] = {}
        freed: list[float] = []
        for n, step in enumerate(steps, 1):
            for result in step:
                self._goes.setdefault(result.msg, {})[result.at] = n
            freed.append(sum(output_weight(result.block) - len(stub) for result in step))
        self.freed = running(freed)

    def cut(self, steps: int) -> Cut:
        """The history with so many steps cleared."""
        goes = self._goes.items()
        cleared = {i: self._clear_message(i, steps) for i, n in goes if min(n.values()) <= steps}
        msgs = [cleared[i].msg if i in cleared else m for i, m in enumerate(self._msgs)]
        return Cut(msgs, cleared.values())

    def _clear_message(self, i: int, steps: int) -> Made:
        m = self._msgs[i]
        going = {index for index, n in self._goes[i].items() if n <= steps}
        key = i, len(going)
        if key not in self._made:
            blocks: list[ContentBlock] = [
                replace(block, output=self._stub, spelling=None)
                if type(block) is ToolResultBlock and index in going
                else block
                for index, block in enumerate(m.blocks)
            ]
            self._made[key] = Made(Msg.trusted(m.name, blocks, m.role, m), (m,), "cleared")
        return self._made[key]


def _cut_further(then: Truncation, cleared: Cut, limit: int, tokens: int) -> Plan:
    """What another strategy makes of a cut whose tokens are known."""

    def with_cleared(msgs: list[Msg]) -> Cut:
        further = msgs.made if isinstance(msgs, Cut) else ()
        return Cut(msgs, (*cleared.made, *further))

    plan = then.candidates(cleared, limit)
    try:
        candidate = next(plan)
        if candidate is cleared:
            candidate = plan.send(tokens)
        while True:
            answer = yield (candidate if isinstance(candidate, Asked) else with_cleared(candidate))
            candidate = plan.send(answer)
    except StopIteration as done:
        return with_cleared(done.value)


class SummaryState:
    """What may go of a history, and how much of it an earlier summary tells.

    `text` is that summary, `covered` the indexes of what it tells, `rest` the units that it does
    not; `say` makes the message of it.
    """

    def __init__(
        self,
        msgs: list[Msg],
        going: list[list[int]],
        memory: MutableMapping[str, str],
        say: Callable[[str], Msg],
    ) -> None:
        self.msgs = msgs
        self.text = ""
        self.covered: set[int] = set()
        self.rest = going
        self._say = say
        self._memory = memory
        self._keys, without_question = _keys(msgs, going)
        for n in range(len(going), 0, -1):
            for skipped_unit, key in ((None, self._keys[n]), without_question[n]):
                if key and (text := memory.get(key)):
                    self._covers(n, skipped_unit, text)
                    return

    def _covers(self, units: int, skipped_unit: int | None, text: str) -> None:
        """The summary tells the first units, perhaps but one."""
        may_go, self.text = self.rest, text
        covered_units = [unit for n, unit in enumerate(may_go[:units]) if n != skipped_unit]
        self.covered.update(i for unit in covered_units for i in unit)
        self.rest = ([] if skipped_unit is None else [may_go[skipped_unit]]) + may_go[units:]

    def add_summary(self, steps: int, text: str) -> bool:
        """Whether there is a summary now that tells so many units more; blank text is none."""
        if not text.strip():
            return False
        units = len(self._keys) - 1 - len(self.rest) + steps
        self._memory[self._keys[units]] = text
        self.covered.update(i for unit in self.rest[:steps] for i in unit)
        self.rest = self.rest[steps:]
        self.text = text
        return True

    def cut(self, steps: int = 0) -> Cut:
        """The summary in the place of what it tells, without so many units more."""
        missing = self.covered.union(*self.rest[:steps])
        remaining = [m for i, m in enumerate(self.msgs) if i not in missing]
        if not self.text:
            return Cut(remaining, ())
        first = min(self.covered)
        position = first - sum(i < first for i in missing)
        summary = self._say(self.text)
        sources = [self.msgs[i] for i in sorted(self.covered)]
        msgs = [*remaining[:position], summary, *remaining[position:]]
        return Cut(msgs, [Made(summary, sources, "summary")])

    def build_summary_input(self, steps: int) -> list[Msg]:
        """What the next summary is made of: the earlier one, and so many units more."""
        earlier = [self._say(self.text)] if self.text else []
        return earlier + [self.msgs[i] for unit in self.rest[:steps] for i in unit]


def _keys(
    msgs: Sequence[Msg], may_go: Iterable[Sequence[int]]
) -> tuple[list[str], list[tuple[int | None, str]]]:
    """For each number of units the hash of them all, and (which, hash) without the latest question.

    The latest question may not go, so a summary that was made while it was the latest tells what
    stood before and behind it; when the next question comes, that summary still holds.
    """
    ids = identify(msgs)
    keys = [""]
    without_question: list[tuple[int | None, str]] = [(None, "")]
    for n, unit in enumerate(may_go):
        ids_of_unit = "\0".join(ids[i] for i in unit)
        asks = any(msgs[i].role == "user" and not cutting.has_results(msgs[i]) for i in unit)
        which, key = without_question[-1]
        key = _chain_hash(key, ids_of_unit)
        without_question.append((n, keys[-1]) if asks else (which, key))
        keys.append(_chain_hash(keys[-1], ids_of_unit))
    return keys, without_question


def _chain_hash(key: str, ids_of_unit: str) -> str:
    source = f"{key}\0{ids_of_unit}".encode("utf-8", "surrogatepass")
    return blake2b(source, digest_size=16).hexdigest()


_KEPT = 256
_ROLES = ("user", "assistant", "system", "developer")


class _Recent(dict[str, str]):
    """The summaries of one process, as many as are likely to be asked for again."""

    def __setitem__(self, key: str, text: str) -> None:
        super().__setitem__(key, text)
        while len(self) > _KEPT:
            self.pop(next(iter(self)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarize(Keeping):
    """Put one message in the place of the oldest ones: what `call` says of them.

    `call(messages)` gives text, or something to await that gives it. It is asked when the history
    no longer fits, about so many messages that the others take no more than `share` of the limit,
    and again when these have grown too long: then the first message is the earlier summary. The
    summary stands where the first of them stood, said by `role` and `name`, in `words`. `memory`
    keeps summaries under hashes of what they tell: any mapping, for instance one that outlives the
    process. Where a summary is blank or does not fit, `then` cuts the history without one
    (DropOldest with the same pins unless it is given).
    """

    share: float = 0.5
    words: str = "<summary>\n{summary}\n</summary>"
    role: Role = "user"
    name: str = ""
    then: Truncation | None = None
    memory: MutableMapping[str, str] = field(default_factory=_Recent, compare=False, repr=False)
    call: Callable[[list[Msg]], str | Awaitable[str]] = field(kw_only=False)

    def __post_init__(self) -> None:
        Keeping.__post_init__(self)
        faults = [
            f"{name}={show(value)}"
            for name, value, valid in (
                ("call", self.call, callable(self.call)),
                ("share", self.share, isinstance(self.share, (int, float)) and 0 < self.share < 1),
                ("role", self.role, self.role in _ROLES),
                ("name", self.name, isinstance(self.name, str)),
                ("words", self.words, isinstance(self.words, str) and "{summary}" in self.words),
                ("memory", self.memory, isinstance(self.memory, MutableMapping)),
            )
            if not valid
        ]
        if faults:
            raise ConfigError(
                f"Summarize cannot work with {', '.join(faults)}",
                hint="call is a function, share lies between 0 and 1, role is user, assistant,"
                " system or developer, words hold {summary}, and memory is a mapping of texts",
                code="truncate.option",
            )
        if self.then is not None:
            cutting.strategic(self.then, "then")

    def candidates(self, msgs: list[Msg], limit: int) -> Plan:
        """The history as it is, behind an earlier summary, behind a new one, or cut by `then`."""
        available = self.room(limit)
        tokens = yield msgs
        if tokens <= available:
            return msgs
        groups = cutting.units(msgs)
        stays = self.stays(msgs, groups)
        may_go = [unit for unit in groups if stays.isdisjoint(unit)]
        summary = SummaryState(msgs, may_go, self.memory, self._build_summary_message)
        if summary.text:
            candidate = summary.cut()
            tokens = yield candidate
            if tokens <= available:
                return candidate
        if summary.rest:
            steps = yield from _steps(summary, tokens, max(1, int(available * self.share)))
            text = yield Asked(self.call, summary.build_summary_input(steps))
            if not isinstance(text, str):
                fault = f"the call of Summarize must give text, not {type(text).__name__}"
                hint = "return the text of the model's answer"
                raise ConfigError(fault, hint=hint, code="truncate.summary")
            if summary.add_summary(steps, text):
                candidate = summary.cut()
                if (yield candidate) <= available:
                    return candidate
        then = self.then or DropOldest(pin=self.pin)
        return (yield from then.candidates(msgs, available))

    def _build_summary_message(self, text: str) -> Msg:
        return Msg(self.name, self.words.replace("{summary}", text), self.role)


def _steps(summary: SummaryState, tokens: int, target: int) -> Generator[list[Msg], int, int]:
    """How many units more must be told in short, for what stays to take no more than `target`."""
    each = weights(summary.msgs, 0)
    freed = running([sum(each[i] for i in unit) for unit in summary.rest])
    rate = per_unit(tokens, sum(weights(summary.cut(), 0)))
    result = yield from first_that_fits(summary.cut, freed, tokens, target, rate, exactly=False)
    return len(summary.rest) if result.step is None else result.step
