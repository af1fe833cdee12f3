"""Run: how far one reply has come, as values that are plain JSON; its limits and its end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from secrets import token_hex
from typing import Any, Literal, TypeAlias

from ..errors import ConfigError
from ..llm.settings import OF_REPLIES, explains_attributes, explains_keywords
from ..losses import Loss
from ..message import (
    ContentBlock,
    Msg,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from ..model import Cost

_INTERRUPTED = "the program ended while this call ran: whether it took effect is not known"
_ABANDONED = "the call was not run: the conversation went on without it"
# why an answer ended that is not complete
Reason: TypeAlias = Literal[
    "length",
    "context_overflow",
    "refusal",
    "content_filter",
    "malformed_call",
    "error",
    "interrupted",
    "pause",
    "other",
]
Finish: TypeAlias = Literal["done", "paused", "steps", "tokens", "cost", "seconds"] | Reason


@explains_keywords(
    {
        "max_steps": "steps",
        "max_turns": "steps",
        "max_tokens": "tokens",
        "max_cost": "cost",
        "timeout": "seconds",
        "request_limit": "steps",
        "total_tokens_limit": "tokens",
    }
)
@dataclass(frozen=True, slots=True)
class Budget:
    """What one reply may take; None is no limit. Looked at between steps, never within one.

    `steps` are calls of the model, `tokens` input and output of all of them; where a host tells no
    usage, or none that can be, an estimate by the characters of what was asked and answered.
    `cost` is US dollars (extra `prices`; a model whose price nobody knows raises ConfigError),
    `seconds` the time in which the agent works, pauses left out.
    """

    steps: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A call that waits: for an `approval`, or for whoever runs it (`external`).

    `key` names this call alone, in every process that has the agent's state: the id of the call is
    chosen by the model, which may give it to another call, too.
    """

    call: ToolUseBlock
    kind: Literal["approval", "external"]
    key: str = field(default="", compare=False)


@explains_attributes(OF_REPLIES)
@dataclass(frozen=True, slots=True)
class Reply:
    """What a run ended with.

    `msg` is the last message of the agent (None if there is none yet), `finish` why it ended:
    `done`, `paused` (see `pending`), the limit of the run that was reached, or why its last answer
    is not all of one: `length` (cut by a limit of tokens), `context_overflow`, `refusal`,
    `content_filter`, `malformed_call`, `error`, `other`, and `interrupted` for one that broke off,
    where such an answer is taken (`allow_partial`). `parsed` is the value of `response_format`;
    `cost` what all answers of the run cost, as `Answer.cost` has it for one, None where nobody
    knows.
    """

    msg: Msg | None
    finish: Finish
    parsed: Any = None
    usage: Usage = field(default_factory=Usage)
    cost: Cost | None = None
    losses: Sequence[Loss] = ()
    pending: Sequence[Pending] = ()

    @property
    def text(self) -> str:
        """The text of `msg`; empty if there is none."""
        return "" if self.msg is None else self.msg.text


@dataclass(slots=True)
class Run:
    """The progress of one reply.

    `started`, `allowed` and `results` are of the open calls, by their keys (see `keyed`), and so is
    `ended`: those whose results are the reply. `later` are messages that came while calls were
    open, to stand behind their results. `done`: there is an answer, `finish` why it ended. `losses`
    and `parsed` are of this process.
    """

    id: str = field(default_factory=lambda: token_hex(4))
    steps: int = 0
    seconds: float = 0.0
    repairs: int = 0
    estimated: int = 0  # tokens of which no host has told
    done: bool = False
    finish: Finish = "done"
    usage: Usage = field(default_factory=Usage)
    cost: Cost | None = field(default_factory=Cost)
    started: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    results: dict[str, Msg] = field(default_factory=dict)
    later: list[Msg] = field(default_factory=list)
    losses: dict[tuple[Any, ...], Loss] = field(default_factory=dict)
    parsed: Any = None

    def key_calls(self, calls: Sequence[ToolUseBlock]) -> dict[str, ToolUseBlock]:
        """The calls of the newest answer, by keys that no other call of the conversation has.

        What is kept of a call is never kept by the id that the model gave it: two calls may have
        one, of one answer or of several, and an approval of the one must not run the other.
        """
        return {f"{self.id}.{self.steps}.{nth}": call for nth, call in enumerate(calls)}

    def new_losses(self, response: Any) -> list[Loss]:
        """What was lost and was not told of before: at first, or by another model."""
        found = {
            (loss.code, loss.target, loss.where, loss.what): loss
            for loss in getattr(response, "losses", ())
        }
        new = {key: loss.detach() for key, loss in found.items() if key not in self.losses}
        self.losses |= new
        return [*new.values()]

    def spend(self, response: Any, asked: Sequence[Msg]) -> Cost | None:
        """Add one answer of the model; what it cost, None where nobody knows."""
        cost: Cost | None = None
        with suppress(ConfigError, ValueError, ArithmeticError):  # no package, or no such counts
            cost = getattr(response, "cost", None)
        usage = _clean_usage(response.usage)
        self.steps += 1
        self.usage = self.usage + usage
        if usage.input is None and usage.cache_read is None:
            self.estimated += _estimate(asked)
        if usage.output is None:
            self.estimated += _estimate([response.msg])
        self.cost = None if cost is None or self.cost is None else self.cost + cost
        return cost

    def spend_in_vain(self, response: Any) -> None:
        """Add what an answer took that is none, or broke off."""
        self.steps += 1
        if response is not None:
            self.usage = self.usage + _clean_usage(response.usage)

    def go_on(self, calls: Mapping[str, ToolUseBlock], again: bool) -> None:
        """Have calls that were running when the program ended run again, or tell of them."""
        for key in [key for key in calls if key in self.started]:
            self.started.remove(key)
            if not again:
                self.results.setdefault(key, build_error_result(calls[key], _INTERRUPTED))

    def leave(self, calls: Mapping[str, ToolUseBlock]) -> None:
        """Give open calls a result, as the conversation goes on without them."""
        for key, call in calls.items():
            why = _INTERRUPTED if key in self.started else _ABANDONED
            self.results.setdefault(key, build_error_result(call, why))

    def decide(self, key: str, call: ToolUseBlock, verdict: bool | str) -> Msg | None:
        """Let a call run, or give it the result that says why not, which is returned."""
        if verdict is True:
            self.allowed += [] if key in self.allowed else [key]
            return None
        reason = f": {verdict}" if verdict else ""
        self.results[key] = build_error_result(call, f"the call was not allowed{reason}")
        return self.results[key]

    def end(self, budget: Budget, max_iters: int) -> Finish | None:
        """Why the run ends here, if it does: there is an answer, or a limit is reached."""
        if self.done:
            return self.finish
        usage = self.usage
        tokens = (usage.input, usage.cache_read, usage.cache_write, usage.output)
        spent: dict[Finish, float] = {
            "steps": self.steps,
            "tokens": sum(part or 0 for part in tokens) + self.estimated,
            "cost": float(self.cost or 0),
            "seconds": self.seconds,
        }
        for name, value in spent.items():
            most = getattr(budget, name)
            if most is not None and value >= most:
                return name
        return "steps" if self.steps >= max_iters else None

    def settle(self, calls: Mapping[str, ToolUseBlock], name: str) -> list[Msg]:
        """The results of all calls in their order, and what came meanwhile; none stay open.

        Where tools have ended the turn, their output is the reply of the agent of this name.
        """
        msgs = [self.results[key] for key in calls]
        if replies := [self.results[key] for key in calls if key in self.ended]:
            self.done = True
            msgs.append(Msg(name, _outputs(replies), "assistant"))
        msgs += self.later
        self.started, self.allowed, self.ended, self.results, self.later = [], [], [], {}, []
        return msgs


def _outputs(results: Sequence[Msg]) -> str | list[ContentBlock]:
    """What results say, as the content of a message."""
    outputs = [
        block.output
        for msg in results
        for block in msg.blocks
        if isinstance(block, ToolResultBlock)
    ]
    texts = [
        one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
        for one in outputs
        if not isinstance(one, list)
    ]
    if len(texts) == len(outputs):
        return "\n\n".join(texts)
    blocks: list[ContentBlock] = []
    for one in outputs:
        blocks += one if isinstance(one, list) else [TextBlock(texts.pop(0))]
    return blocks


def build_error_result(call: ToolUseBlock, text: str) -> Msg:
    """The result of a call that did not run, or not to its end."""
    return Msg.tool(call.id, text, call.name, is_error=True)


def _clean_usage(usage: Usage) -> Usage:
    """The figures that can be counts of tokens: a host may tell of -1, or of half a token."""
    given: dict[str, Any] = {one.name: getattr(usage, one.name) for one in fields(usage)}
    counts = {name for name, value in given.items() if type(value) is int and 0 <= value < 2**53}
    return Usage(**{name: given[name] for name in counts})


def _estimate(messages: Sequence[Msg]) -> int:
    """About how many tokens: four letters of the Latin script make one, one sign of another too."""
    texts = [text for msg in messages for text in _texts(msg.blocks)]
    signs = sum(len(text) for text in texts)
    wide = sum(len(text.encode("utf-8", "replace")) - len(text) for text in texts) // 2
    return (signs - wide) // 4 + wide


def _texts(blocks: Sequence[ContentBlock]) -> Iterator[str]:
    """What a model reads in letters; media have none."""
    for block in blocks:
        if isinstance(block, ToolUseBlock):
            yield block.name
            yield block.raw_input or json.dumps(block.input, ensure_ascii=False)
        elif isinstance(block, ToolResultBlock) and isinstance(block.output, list):
            yield from _texts(block.output)
        elif isinstance(block, ToolResultBlock):
            yield block.output if isinstance(block.output, str) else json.dumps(block.output)
        elif isinstance(block, TextBlock):
            yield block.text
        elif isinstance(block, ThinkingBlock):
            yield block.thinking
