"""ClearToolResults: what tools returned long ago goes first, while the calls themselves stay."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...errors import ConfigError
from ...message import Msg, ToolResultBlock, ToolUseBlock
from ...message.blocks import ContentBlock
from ...shown import shown
from .figures import first_that_fits, output_weight, per_unit, running, weights
from .keeping import Keeping, at_least, texts
from .oldest import DropOldest
from .plan import Asked, Cut, Made, Plan, Truncation, strategic

__all__ = ["ClearToolResults"]


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
        at_least(0, self, "keep")
        at_least(1, self, "step")
        if not texts(self.exclude) or not isinstance(self.stub, str) or not self.stub.strip():
            raise ConfigError(
                f"exclude must be names of tools and stub a text, not {shown(self.exclude)} and"
                f" {shown(self.stub)}",
                code="truncate.option",
            )
        object.__setattr__(self, "exclude", frozenset(self.exclude))
        if self.then is not None:
            strategic(self.then, "then")

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
            found = yield from first_that_fits(stubs.cut, stubs.freed, tokens, limit, rate)
            if found.step is not None:
                return found.msgs
            cleared, tokens = stubs.cut(len(steps)), found.tokens
        # by identity: the ids of messages that are alike count how many stand before
        stay = {id(msgs[i]) for i in pinned}
        then = self.then or DropOldest(pin=lambda m: id(m) in stay)
        return (yield from _further(then, cleared, limit, tokens))

    def _steps(self, msgs: list[Msg], pinned: set[int]) -> list[list[_Place]]:
        """The results that may be cleared, by the step that clears them."""
        results: list[_Place] = []
        names: dict[str, str] = {}  # of the calls so far: an id may come again in another turn
        for i, m in enumerate(msgs):
            for at, block in enumerate([] if isinstance(m.content, str) else m.content):
                if type(block) is ToolUseBlock:
                    names[block.id] = block.name
                elif type(block) is ToolResultBlock:
                    results.append(_Place(i, at, block, names.get(block.id, "")))
        read = max((i for i, m in enumerate(msgs) if m.role == "assistant"), default=-1)
        steps: dict[int, list[_Place]] = {}
        for n, one in enumerate(results[: max(0, len(results) - self.keep)]):
            if (
                one.msg < read
                and one.msg not in pinned
                and one.block.name not in self.exclude
                and one.tool not in self.exclude
                and output_weight(one.block) > len(self.stub)
            ):
                steps.setdefault(n // self.step, []).append(one)
        return list(steps.values())


class _Place(NamedTuple):
    """A result, the indexes of its message and of itself there, and the tool that was called."""

    msg: int
    at: int
    block: ToolResultBlock
    tool: str


class _Stubs:
    """The messages with the first so many steps cleared, each cleared message made once."""

    def __init__(self, msgs: list[Msg], steps: list[list[_Place]], stub: str) -> None:
        self._msgs = msgs
        self._stub = stub
        self._goes: dict[int, dict[int, int]] = {}  # message -> block -> the step that clears it
        self._made: dict[tuple[int, int], Made] = {}
        taken: list[float] = []
        for n, step in enumerate(steps, 1):
            for one in step:
                self._goes.setdefault(one.msg, {})[one.at] = n
            taken.append(sum(output_weight(one.block) - len(stub) for one in step))
        self.freed = running(taken)

    def cut(self, steps: int) -> Cut:
        """The history with so many steps cleared."""
        made = {
            i: self._cleared(i, steps)
            for i, goes in self._goes.items()
            if min(goes.values()) <= steps
        }
        return Cut(
            (made[i].msg if i in made else m for i, m in enumerate(self._msgs)), made.values()
        )

    def _cleared(self, i: int, steps: int) -> Made:
        old = self._msgs[i]
        going = {at for at, n in self._goes[i].items() if n <= steps}
        if (made := self._made.get((i, len(going)))) is None:
            blocks: list[ContentBlock] = [
                replace(block, output=self._stub, spelling=None)
                if type(block) is ToolResultBlock and at in going
                else block
                for at, block in enumerate(old.blocks)
            ]
            made = Made(Msg.trusted(old.name, blocks, old.role, old), (old,), "cleared")
            self._made[i, len(going)] = made
        return made


def _further(then: Truncation, cleared: Cut, limit: int, tokens: int) -> Plan:
    """What another strategy makes of a cut whose tokens are known."""
    plan = then.candidates(cleared, limit)
    try:
        wanted = next(plan)
        if wanted is cleared:
            wanted = plan.send(tokens)
        while True:
            if isinstance(wanted, Asked):
                answer = yield wanted
            else:
                answer = yield _with(cleared.made, wanted)
            wanted = plan.send(answer)
    except StopIteration as done:
        chosen: list[Msg] = done.value
        return _with(cleared.made, chosen)


def _with(made: tuple[Made, ...], msgs: list[Msg]) -> Cut:
    own = msgs.made if isinstance(msgs, Cut) else ()
    return Cut(msgs, (*made, *own))
