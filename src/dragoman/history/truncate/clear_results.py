"""ClearToolResults: put a short text in the place of the oldest tool results."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...errors import ConfigError
from ...message import Msg, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...text.redaction import show
from . import plan as cutting
from .plan import Cut, Keeping, Plan, Replacement, StrategyCall, Truncation
from .search import first_that_fits, output_weight, per_unit, running, weights
from .strategies import DropOldest


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearToolResults(Keeping):
    """Put `stub` in the place of the oldest tool results, then cut further only if it must be.

    Results that no answer has followed yet stay too.

    Args:
        keep: How many of the newest results stay.
        exclude: The names of tools whose results stay.
        stub: The text in the place of a result.
        step: How many results are cleared at once, so that the beginning of a growing history, and
            with it the prompt cache, holds for some turns.
        then: The strategy that cuts what is still too long; None takes DropOldest with the same
            pins.
        pin: Further messages that stay: a predicate, or ids as `Msg.id` and receipts have them.
        reserve: How many of the tokens stay free for the answer.

    Raises:
        ConfigError: A value is of the wrong type or too small.
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
            cutting.check_strategy(self.then, "then")

    def candidates(self, msgs: list[Msg], limit: int) -> Plan:
        """Clear as few results as need be, then let `then` cut the history.

        Args:
            msgs: The whole history.
            limit: The most tokens that history and reserve may take.

        Yields:
            A candidate, for which the token count is sent back.

        Returns:
            The history that fits.

        Raises:
            ContextOverflow: What must stay does not fit.
        """
        limit = self.room(limit)
        tokens = yield msgs
        if tokens <= limit:
            return msgs
        pinned = self.find_pinned(msgs)
        steps = self._steps(msgs, pinned)
        cleared: Cut = Cut(msgs, ())
        if steps:
            stubs = _Stubs(msgs, steps, self.stub)
            rate = per_unit(tokens, sum(weights(msgs, 0)))
            result = yield from first_that_fits(stubs.cut, stubs.freed, tokens, limit, rate)
            if result.step is not None:
                return result.msgs
            cleared, tokens = stubs.cut(len(steps)), result.tokens
        # by identity: the id of a message counts how many equal ones come before it
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
    """Builds the history with the first so many steps cleared, and each cleared message once."""

    def __init__(self, msgs: list[Msg], steps: list[list[_ResultPlace]], stub: str) -> None:
        self._msgs = msgs
        self._stub = stub
        self._goes: dict[int, dict[int, int]] = {}  # message -> block -> the step that clears it
        self._made: dict[tuple[int, int], Replacement] = {}
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

    def _clear_message(self, i: int, steps: int) -> Replacement:
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
            self._made[key] = Replacement(
                Msg.create_unchecked(m.name, blocks, m.role, m), (m,), "cleared"
            )
        return self._made[key]


def _cut_further(then: Truncation, cleared: Cut, limit: int, tokens: int) -> Plan:
    """What another strategy makes of a cut whose tokens are known."""

    def with_cleared(msgs: list[Msg]) -> Cut:
        further = msgs.replacements if isinstance(msgs, Cut) else ()
        return Cut(msgs, (*cleared.replacements, *further))

    plan = then.candidates(cleared, limit)
    try:
        candidate = next(plan)
        if candidate is cleared:
            candidate = plan.send(tokens)
        while True:
            answer = yield (
                candidate if isinstance(candidate, StrategyCall) else with_cleared(candidate)
            )
            candidate = plan.send(answer)
    except StopIteration as done:
        return with_cleared(done.value)
