"""A run of an agent and its steps as listeners see them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from ..message import Msg
from ..observe.channel import CHANNEL, Subscription, afollow
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
    return afollow(
        lambda: CHANNEL.begin("run", name, own, lambda one: RunBegin(one, messages, system)),
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
    return afollow(
        lambda: CHANNEL.begin("step", name, None, lambda one: StepBegin(one, number)),
        step,
        lambda operation, error, _: StepEnd(operation, error),
    )
