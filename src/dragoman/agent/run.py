"""The progress of one reply, its limits, its end and its result.

`Run` is the state while the agent works, `Reply` the result, `Budget` the limits, and `Pending` a
call that waits. `toolkit/output_limit.py` bounds how long the output of a tool may be.
"""

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
# why an incomplete answer ended
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
    """The limits of one reply; None is no limit. They are checked between steps, never within one.

    Attributes:
        steps: Calls of the model.
        tokens: Input and output tokens of all calls. Where a host reports no usage, or an
            impossible one, it is estimated from the characters of requests and answers.
        cost: US dollars (extra `prices`). A model whose price is not known raises ConfigError.
        seconds: The time in which the agent works, without pauses.
    """

    steps: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Pending:
    """A call that waits.

    Attributes:
        call: The call.
        kind: `approval` if it waits for a decision, `external` if it is run elsewhere and waits for
            its result.
        key: The key of the call, the same in every process that has the agent's state. No other
            call has it; the id of a call is chosen by the model, which may use it for another call,
            too.
    """

    call: ToolUseBlock
    kind: Literal["approval", "external"]
    key: str = field(default="", compare=False)


@explains_attributes(OF_REPLIES)
@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a run.

    Attributes:
        msg: The last message of the agent, None if there is none yet.
        finish: Why the run ended: `done`, `paused` (see `pending`), the limit that was reached, or
            why the last answer is incomplete: `length` (a token limit), `context_overflow`,
            `refusal`, `content_filter`, `malformed_call`, `error`, `other`, and with
            `allow_partial` also `interrupted` for one that broke off.
        parsed: The value of `response_format`, None if none was asked for.
        usage: The tokens of all answers of the run.
        cost: The cost of all answers of the run, as `Answer.cost` for one; None where it is not
            known.
        losses: What could not be written for the models that were asked.
        pending: The calls that wait, if the run is paused.
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
    """The progress of one reply, as values that can be plain JSON.

    Attributes:
        id: The random beginning of the keys of this run's calls.
        steps: How often the model was called.
        seconds: How long the agent has worked, without pauses.
        repairs: How often an answer that did not fit was asked for again.
        estimated: Tokens that no host has reported.
        done: Whether there is an answer.
        finish: Why the answer ended.
        usage: The tokens of all answers.
        cost: The cost of all answers, None once one is not known.
        started: The keys (see `key_calls`) of the open calls that have begun to run.
        allowed: The keys of the open calls that may run.
        ended: The keys of the calls whose results are the reply.
        results: The results of open calls, by key.
        later: Messages that came while calls were open; they follow the results.
        losses: What was reported as lost; not part of the stored state.
        parsed: The value of the answer; not part of the stored state.
    """

    id: str = field(default_factory=lambda: token_hex(4))
    steps: int = 0
    seconds: float = 0.0
    repairs: int = 0
    estimated: int = 0
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
        """Return the calls of the newest answer by keys that are unique in the conversation.

        State of a call is never stored by the id that the model gave it: two calls of one answer or
        of several may have the same id, and an approval of one must not run the other.
        """
        return {f"{self.id}.{self.steps}.{nth}": call for nth, call in enumerate(calls)}

    def new_losses(self, response: Any) -> list[Loss]:
        """Return the losses that this run has not reported for this target yet."""
        found = {
            (loss.code, loss.target, loss.where, loss.what): loss
            for loss in getattr(response, "losses", ())
        }
        new = {key: loss.detach() for key, loss in found.items() if key not in self.losses}
        self.losses |= new
        return [*new.values()]

    def spend(self, response: Any, asked: Sequence[Msg]) -> Cost | None:
        """Add the usage of one answer; return its cost, None where it is not known."""
        cost: Cost | None = None
        with suppress(ConfigError, ValueError, ArithmeticError):  # no package, or wrong counts
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
        """Add the usage of a response that is no answer, or broke off."""
        self.steps += 1
        if response is not None:
            self.usage = self.usage + _clean_usage(response.usage)

    def go_on(self, calls: Mapping[str, ToolUseBlock], again: bool) -> None:
        """Handle calls that ran when the program ended: run them again, or report them."""
        for key in [key for key in calls if key in self.started]:
            self.started.remove(key)
            if not again:
                self.results.setdefault(key, build_error_result(calls[key], _INTERRUPTED))

    def leave(self, calls: Mapping[str, ToolUseBlock]) -> None:
        """Give open calls an error as result: the conversation goes on without them."""
        for key, call in calls.items():
            why = _INTERRUPTED if key in self.started else _ABANDONED
            self.results.setdefault(key, build_error_result(call, why))

    def decide(self, key: str, call: ToolUseBlock, verdict: bool | str) -> Msg | None:
        """Allow a call, or store the reason why not as its result, and return that."""
        if verdict is True:
            self.allowed += [] if key in self.allowed else [key]
            return None
        self.results[key] = build_error_result(call, describe_refusal(verdict))
        return self.results[key]

    def end(self, budget: Budget, max_iters: int) -> Finish | None:
        """Return why the run ends now (an answer, or a limit), or None if it goes on."""
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
        """Return the results of all calls in order, and the later messages; close the calls.

        Where tools have ended the turn, their output is added as the reply of the agent `name`.
        """
        msgs = [self.results[key] for key in calls]
        if replies := [self.results[key] for key in calls if key in self.ended]:
            self.done = True
            msgs.append(Msg(name, _outputs(replies), "assistant"))
        msgs += self.later
        self.started, self.allowed, self.ended, self.results, self.later = [], [], [], {}, []
        return msgs


def _outputs(results: Sequence[Msg]) -> str | list[ContentBlock]:
    """Join the outputs of results into the content of a message."""
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


def describe_refusal(verdict: bool | str) -> str:
    """Return what the model is sent for a call that was not allowed, with the reason if any."""
    reason = f": {verdict}" if verdict else ""
    return f"the call was not allowed{reason}"


def build_error_result(call: ToolUseBlock, text: str) -> Msg:
    """Build the result of a call that did not run, or did not finish."""
    return Msg.tool(call.id, text, call.name, is_error=True)


def _clean_usage(usage: Usage) -> Usage:
    """Drop figures that cannot be token counts: a host may report -1, or half a token."""
    given: dict[str, Any] = {one.name: getattr(usage, one.name) for one in fields(usage)}
    counts = {name for name, value in given.items() if type(value) is int and 0 <= value < 2**53}
    return Usage(**{name: given[name] for name in counts})


def _estimate(messages: Sequence[Msg]) -> int:
    """Estimate tokens: one for four letters of the Latin script, one for each other character."""
    texts = [text for msg in messages for text in _texts(msg.blocks)]
    signs = sum(len(text) for text in texts)
    wide = sum(len(text.encode("utf-8", "replace")) - len(text) for text in texts) // 2
    return (signs - wide) // 4 + wide


def _texts(blocks: Sequence[ContentBlock]) -> Iterator[str]:
    """Yield what a model reads as text; media have none."""
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
