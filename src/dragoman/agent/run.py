"""Run: how far one reply has come, as values that are plain JSON; its limits and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from ..errors import ConfigError
from ..losses import Loss
from ..message import Msg, ToolUseBlock, Usage

_INTERRUPTED = "the program ended while this call ran: whether it took effect is not known"
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
    while calls were open, to stand behind their results. `losses` and `parsed` are of this process.
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
    losses: dict[tuple[Any, ...], Loss] = field(default_factory=dict)
    parsed: Any = None

    def dump(self) -> dict[str, Any]:
        """The run as plain JSON."""
        usage = {name: value for name, value in asdict(self.usage).items()
                 if value is not None and name != "extras"}  # fmt: skip
        return {
            "steps": self.steps, "seconds": self.seconds, "repairs": self.repairs,
            "done": self.done, "usage": usage,
            "cost": None if self.cost is None else str(self.cost),
            "started": [*self.started], "allowed": [*self.allowed],
            "results": {id: msg.to_dict() for id, msg in self.results.items()},
            "later": [msg.to_dict() for msg in self.later],
        }  # fmt: skip

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Run:
        """The run that `dump` gave."""
        return cls(**{
            **data, "usage": Usage(**data["usage"]),
            "cost": None if data["cost"] is None else Decimal(data["cost"]),
            "results": {id: Msg.from_dict(msg) for id, msg in data["results"].items()},
            "later": [Msg.from_dict(msg) for msg in data["later"]],
        })  # fmt: skip

    def new_losses(self, response: Any) -> list[Loss]:
        """What was lost and was not told of before: at first, or by another model."""
        found = {(loss.code, loss.target, loss.where, loss.what): loss
                 for loss in getattr(response, "losses", ())}  # fmt: skip
        new = {key: loss.detach() for key, loss in found.items() if key not in self.losses}
        self.losses |= new
        return [*new.values()]

    def spend(self, response: Any) -> Decimal | None:
        """Add one answer of the model; its US dollars, None where nobody knows."""
        cost = None
        with suppress(ConfigError):  # the package of prices is missing
            cost = getattr(response, "cost", None)
        self.steps += 1
        self.usage = self.usage + response.usage
        self.cost = None if cost is None or self.cost is None else self.cost + cost.total
        return None if cost is None else cost.total

    def go_on(self, calls: Sequence[ToolUseBlock], again: bool) -> None:
        """Have calls that were running when the program ended run again, or tell of them."""
        for call in [call for call in calls if call.id in self.started]:
            self.started.remove(call.id)
            if not again:
                self.results.setdefault(call.id, failed(call, _INTERRUPTED))

    def decide(self, call: ToolUseBlock, verdict: bool | str) -> Msg | None:
        """Let a call run, or give it the result that says why not, which is returned."""
        if verdict is True:
            self.allowed += [] if call.id in self.allowed else [call.id]
            return None
        reason = f": {verdict}" if verdict else ""
        self.results[call.id] = failed(call, f"the call was not allowed{reason}")
        return self.results[call.id]

    def end(self, budget: Budget, max_iters: int) -> Finish | None:
        """Why the run ends here, if it does: there is an answer, or a limit is reached."""
        if self.done:
            return "done"
        usage = self.usage
        tokens = (usage.input, usage.cache_read, usage.cache_write, usage.output)
        spent: dict[Finish, float] = {
            "steps": self.steps, "tokens": sum(part or 0 for part in tokens),
            "cost": float(self.cost or 0), "seconds": self.seconds,
        }  # fmt: skip
        for name, value in spent.items():
            most = getattr(budget, name)
            if most is not None and value >= most:
                return name
        return "steps" if self.steps >= max_iters else None

    def settle(self, calls: Sequence[ToolUseBlock]) -> list[Msg]:
        """The results of all calls in their order, and what came meanwhile; none stay open."""
        msgs = [*(self.results[call.id] for call in calls), *self.later]
        self.started, self.allowed, self.results, self.later = [], [], {}, []
        return msgs


def failed(call: ToolUseBlock, text: str) -> Msg:
    """The result of a call that did not run, or not to its end."""
    return Msg.tool(call.id, text, call.name, is_error=True)
