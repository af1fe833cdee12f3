"""What an agent tells while it works: the events of the model's streams, and these.

Told apart by `type`, as those of a stream are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..llm import StreamEvent
from ..losses import Loss
from ..message import Msg, ToolUseBlock, Usage
from ..model import Cost
from .run import Reply


@dataclass(frozen=True, slots=True)
class LossesEvent:
    """What `model` could not be told of the conversation, as far as it is new in this run."""

    losses: Sequence[Loss]
    model: str
    type: Literal["losses"] = "losses"


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """The tokens of one answer, and what it cost; None where nobody knows."""

    usage: Usage
    cost: Cost | None
    type: Literal["usage"] = "usage"


@dataclass(frozen=True, slots=True)
class CallEvent:
    """A call begins to run, or waits.

    It waits for `agent.decide(key, ...)` (`approval`), or for `agent.answer(key, ...)`, as somebody
    else runs it (`external`). `key` is that of `Pending`: it names this call alone.
    """

    call: ToolUseBlock
    type: Literal["call", "approval", "external"] = "call"
    key: str = ""


@dataclass(frozen=True, slots=True)
class ResultEvent:
    """A call has its result: a tool message."""

    call: ToolUseBlock
    msg: Msg
    type: Literal["result"] = "result"
    key: str = ""


@dataclass(frozen=True, slots=True)
class RunEndEvent:
    """The last event: `reply` is what the run ended with."""

    reply: Reply
    type: Literal["end"] = "end"


AgentEvent: TypeAlias = (
    StreamEvent | LossesEvent | UsageEvent | CallEvent | ResultEvent | RunEndEvent
)
