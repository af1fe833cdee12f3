"""A run of an agent and its steps as listeners see them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from ..message import Msg
from ..observe.channel import CHANNEL, ObservedOperation, Subscription, afollow
from ..observe.events import RunBegin, RunEnd, StepBegin, StepEnd
from .events import AgentEvent


def observe_run(
    steps: AsyncGenerator[AgentEvent],
    own: Subscription | None,
    name: str,
    messages: Sequence[Msg],
    system: str | None,
) -> AsyncGenerator[AgentEvent]:
    """Return the events of a run, whose beginning and end are reported to who listens.

    Args:
        steps: The events of the run, which has not begun.
        own: The listener of the agent.
        name: The name of the agent.
        messages: Its conversation.
        system: Its system prompt.
    """

    def begin() -> ObservedOperation | None:
        if (operation := CHANNEL.begin("run", name, own)) is not None:
            operation.emit(RunBegin(operation, messages, system))
        return operation

    return afollow(
        begin,
        steps,
        lambda operation, error, last: RunEnd(operation, error, getattr(last, "reply", None)),
    )


def observe_step(
    name: str, number: int, step: AsyncGenerator[AgentEvent]
) -> AsyncGenerator[AgentEvent]:
    """Return the events of a step, whose beginning and end are reported to who listens.

    Args:
        name: `reasoning` or `acting`.
        number: How many answers the run had before.
        step: The events of the step, which has not begun.
    """

    def begin() -> ObservedOperation | None:
        if (operation := CHANNEL.begin("step", name)) is not None:
            operation.emit(StepBegin(operation, number))
        return operation

    return afollow(begin, step, lambda operation, error, _: StepEnd(operation, error))
