"""Summarize: put one message in the place of the oldest ones, and remember the summaries."""

from __future__ import annotations

from collections.abc import (
    Awaitable,
    Callable,
    Generator,
    Iterable,
    MutableMapping,
    Sequence,
)
from dataclasses import dataclass, field
from hashlib import blake2b

from ...errors import ConfigError
from ...message import Msg, identify
from ...message.msg import Role
from ...text.redaction import show
from . import plan as cutting
from .plan import Cut, Keeping, Plan, Replacement, StrategyCall, Truncation
from .search import first_that_fits, per_unit, running, weights
from .strategies import DropOldest


class SummaryState:
    """The units of a history that may go, and how many of them an earlier summary covers.

    `text` is that summary, `covered` the indexes of the messages in it, `rest` the other units;
    `say` builds the message with it.
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
        """Take a summary that covers the first units, perhaps but one."""
        may_go, self.text = self.rest, text
        covered_units = [unit for n, unit in enumerate(may_go[:units]) if n != skipped_unit]
        self.covered.update(i for unit in covered_units for i in unit)
        self.rest = ([] if skipped_unit is None else [may_go[skipped_unit]]) + may_go[units:]

    def add_summary(self, steps: int, text: str) -> bool:
        """Take a summary that covers so many units more; False for blank text, which is none."""
        if not text.strip():
            return False
        units = len(self._keys) - 1 - len(self.rest) + steps
        self._memory[self._keys[units]] = text
        self.covered.update(i for unit in self.rest[:steps] for i in unit)
        self.rest = self.rest[steps:]
        self.text = text
        return True

    def cut(self, steps: int = 0) -> Cut:
        """The history with the summary in the place of what it covers, without so many units."""
        missing = self.covered.union(*self.rest[:steps])
        remaining = [m for i, m in enumerate(self.msgs) if i not in missing]
        if not self.text:
            return Cut(remaining, ())
        first = min(self.covered)
        position = first - sum(i < first for i in missing)
        summary = self._say(self.text)
        sources = [self.msgs[i] for i in sorted(self.covered)]
        msgs = [*remaining[:position], summary, *remaining[position:]]
        return Cut(msgs, [Replacement(summary, sources, "summary")])

    def build_summary_input(self, steps: int) -> list[Msg]:
        """The messages to summarize next: the earlier summary, and so many units more."""
        earlier = [self._say(self.text)] if self.text else []
        return earlier + [self.msgs[i] for unit in self.rest[:steps] for i in unit]


def _keys(
    msgs: Sequence[Msg], may_go: Iterable[Sequence[int]]
) -> tuple[list[str], list[tuple[int | None, str]]]:
    """For each number of units the hash of them all, and (which, hash) without the latest question.

    The latest question may not go, so a summary that was built while it was the latest covers the
    units before and after it; when the next question comes, that summary is still valid.
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
    """Put one message in the place of the oldest ones: their summary.

    The summary is in the place of the first of them. Where it is blank or does not fit, `then`
    cuts the history without one.

    Args:
        call: `call(messages)` gives the text of a summary, or something to await that gives it. It
            is called when the history no longer fits, and again when the other messages have grown
            too long: then the first message is the earlier summary.
        share: How much of the limit the other messages may take, between 0 and 1.
        words: The template of the message's text, with the field `{summary}`.
        role: The role of the message.
        name: The name of its speaker.
        then: The strategy that cuts without a summary; None takes DropOldest with the same pins.
        memory: Stores summaries under hashes of what they cover: any mapping, for instance one
            that outlives the process.
        pin: Further messages that stay: a predicate, or ids as `Msg.id` and receipts have them.
        reserve: How many of the tokens stay free for the answer.

    Raises:
        ConfigError: A value is of the wrong type or out of range.
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
            cutting.check_strategy(self.then, "then")

    def candidates(self, msgs: list[Msg], limit: int) -> Plan:
        """Try the history as it is, then with an earlier summary, with a new one, cut by `then`.

        Args:
            msgs: The whole history.
            limit: The most tokens that history and reserve may take.

        Yields:
            A candidate, for which the token count is sent back; or a StrategyCall, for its result.

        Returns:
            The history that fits.

        Raises:
            ConfigError: `call` gave something else than text.
            ContextOverflow: What must stay does not fit.
        """
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
            text = yield StrategyCall(self.call, summary.build_summary_input(steps))
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
    """How many more units the summary must cover so that the others take at most `target`."""
    each = weights(summary.msgs, 0)
    freed = running([sum(each[i] for i in unit) for unit in summary.rest])
    rate = per_unit(tokens, sum(weights(summary.cut(), 0)))
    result = yield from first_that_fits(summary.cut, freed, tokens, target, rate, exactly=False)
    return len(summary.rest) if result.step is None else result.step
