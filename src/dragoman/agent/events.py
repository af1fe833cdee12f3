"""The events that an agent yields while it works, besides those of the model's streams.

The attribute `type` distinguishes them, as it does the events of a stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..errors import InvalidMessage
from ..llm import StreamEvent
from ..losses import Loss
from ..message import Msg, ToolUseBlock, Usage
from ..model import Cost
from .run import Pending, Reply


@dataclass(frozen=True, slots=True)
class LossesEvent:
    """What of the conversation could not be written for a model, where it is new in this run.

    Attributes:
        losses: The losses.
        model: The name of the model.
    """

    losses: Sequence[Loss]
    model: str
    type: Literal["losses"] = "losses"


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """The tokens of one answer, and its cost, None where the price is not known."""

    usage: Usage
    cost: Cost | None
    type: Literal["usage"] = "usage"


@dataclass(frozen=True, slots=True)
class CallEvent:
    """A call begins to run, or waits.

    Attributes:
        call: The call.
        type: `call` if it runs, `approval` if it waits for `agent.decide(key, ...)`, `external` if
            it is run elsewhere and waits for `agent.answer(key, ...)`.
        key: The key of the call, as in `Pending`; no other call has it.
    """

    call: ToolUseBlock
    type: Literal["call", "approval", "external"] = "call"
    key: str = ""


@dataclass(frozen=True, slots=True)
class ResultEvent:
    """A call has its result.

    Attributes:
        call: The call.
        msg: The tool message with the result.
        key: The key of the call, as in `Pending`.
    """

    call: ToolUseBlock
    msg: Msg
    type: Literal["result"] = "result"
    key: str = ""


@dataclass(frozen=True, slots=True)
class RunEndEvent:
    """The last event: `reply` is the result of the run."""

    reply: Reply
    type: Literal["end"] = "end"


AgentEvent: TypeAlias = (
    StreamEvent | LossesEvent | UsageEvent | CallEvent | ResultEvent | RunEndEvent
)


def find_waiting(
    pending: Iterable[Pending],
    given: str | Pending | CallEvent | ToolUseBlock,
    kind: str,
    messages: Iterable[Msg],
) -> Pending:
    """Return the one waiting call of a kind that `given` means.

    Raises:
        InvalidMessage: No such call waits, or `given` may mean several.
    """
    waiting = [one for one in pending if one.kind == kind]
    key, call, id = "", None, given
    if isinstance(given, (Pending, CallEvent)):
        key, call, id = given.key, given.call, given.call.id
    elif isinstance(given, ToolUseBlock):
        call, id = given, given.id
    found = [one for one in waiting if one.key == (key or given) or one.call is call]
    if not found and not key:  # by the model's own id, which it may use twice
        alike = [one for msg in messages for one in msg.calls if one.id == id]
        found = [one for one in waiting if one.call.id == id and call in (None, one.call)]
        if found and len(alike) > 1:
            text = f"{len(alike)} calls of the conversation have the id {id!r}"
            hint = f"give one of agent.pending, or its key: {_keys(found)}"
            raise InvalidMessage(text, path="$", hint=hint, code="agent.call_id")
    if len(found) == 1:
        return found[0]
    text = f"there is no call {key or id} that waits"
    hint = f"the keys of those that do: {_keys(waiting) or 'none'}"
    raise InvalidMessage(text, path="$", hint=hint, code="agent.call")


def _keys(waiting: Iterable[Pending]) -> str:
    return ", ".join(f"{one.key} ({one.call.name})" for one in waiting)
