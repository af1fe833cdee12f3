"""Run: how far one reply has come, as values that are plain JSON; its limits and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from ..losses import Loss
from ..message import Msg, ToolUseBlock, Usage

Finish: TypeAlias = Literal["done", "paused", "steps", "tokens", "cost", "seconds"]


@dataclass(frozen=True, slots=True)
class Budget:
    """What one reply may take; None is no limit. Looked at between steps, never within one.

    `steps` are calls of the model, `tokens` input and output of all of them, `cost` US dollars
    (extra `prices`; a model whose price nobody knows raises ConfigError), `seconds` the time in
    which the agent works, pauses left out.
    """

    steps: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A call that waits: for an `approval`, or for whoever runs it (`external`)."""

    call: ToolUseBlock
    kind: Literal["approval", "external"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a run ended with.

    `msg` is the last message of the agent (None if there is none yet), `finish` why it ended:
    `done`, `paused` (see `pending`), or the limit that was reached. `parsed` is the value of
    `response_format`; `cost` US dollars, None where nobody knows.
    """

    msg: Msg | None
    finish: Finish
    parsed: Any = None
    usage: Usage = field(default_factory=Usage)
    cost: Decimal | None = None
    losses: Sequence[Loss] = ()
    pending: Sequence[Pending] = ()


@dataclass(slots=True)
class Run:
    """The progress of one reply.

    `started`, `allowed` and `results` are of the open calls, by id; `later` are messages that came
    while calls were open, to stand behind their results.
    """

    steps: int = 0
    seconds: float = 0.0
    repairs: int = 0
    done: bool = False
    usage: Usage = field(default_factory=Usage)
    cost: Decimal | None = Decimal(0)
    started: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    results: dict[str, Msg] = field(default_factory=dict)
    later: list[Msg] = field(default_factory=list)

    def dump(self) -> dict[str, Any]:
        """The run as plain JSON."""
        usage = {name: value for name, value in asdict(self.usage).items() if value is not None}
        return {
            "steps": self.steps, "seconds": self.seconds, "repairs": self.repairs,
            "done": self.done, "usage": {k: v for k, v in usage.items() if k != "extras"},
            "cost": None if self.cost is None else str(self.cost),
            "started": [*self.started], "allowed": [*self.allowed],
            "results": {id: msg.to_dict() for id, msg in self.results.items()},
            "later": [msg.to_dict() for msg in self.later],
        }  # fmt: skip

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Run:
        """The run that `dump` gave."""
        cost = data["cost"]
        return cls(
            data["steps"], data["seconds"], data["repairs"], data["done"], Usage(**data["usage"]),
            None if cost is None else Decimal(cost), [*data["started"]], [*data["allowed"]],
            {id: Msg.from_dict(msg) for id, msg in data["results"].items()},
            [Msg.from_dict(msg) for msg in data["later"]],
        )  # fmt: skip

    def spend(self, usage: Usage, cost: Decimal | None) -> None:
        """Add one answer of the model."""
        self.steps += 1
        self.usage = self.usage + usage
        self.cost = None if cost is None or self.cost is None else self.cost + cost

    def limit(self, budget: Budget, max_iters: int) -> Finish | None:
        """The limit that is reached, if one is."""
        usage = self.usage
        tokens = sum(part or 0 for part in (
            usage.input, usage.cache_read, usage.cache_write, usage.output))  # fmt: skip
        steps = max_iters if budget.steps is None else min(budget.steps, max_iters)
        spent: list[tuple[Finish, float, float | None]] = [
            ("steps", self.steps, steps), ("tokens", tokens, budget.tokens),
            ("cost", float(self.cost or 0), budget.cost),
            ("seconds", self.seconds, budget.seconds),
        ]  # fmt: skip
        for name, value, most in spent:
            if most is not None and value >= most:
                return name
        return None

    def settle(self, calls: Sequence[ToolUseBlock]) -> list[Msg]:
        """The results of all calls in their order, and what came meanwhile; none stay open."""
        msgs = [*(self.results[call.id] for call in calls), *self.later]
        self.started, self.allowed, self.results, self.later = [], [], {}, []
        return msgs
