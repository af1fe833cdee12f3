"""MsgHub and sequential_pipeline: several agents in one conversation, with AgentScope's names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from ..message import Msg
from .agent import ReActAgent


class MsgHub:
    """Lets all participants observe what one of them replies, within an `async with` block.

    A formatter for many agents, such as `OpenAIMultiAgentFormatter`, shows the model which
    participant wrote what.

    Args:
        participants: The agents.
        announcement: What all of them observe at the beginning; None is nothing.
        enable_auto_broadcast: Whether replies are observed by the others.
    """

    def __init__(
        self,
        participants: Iterable[ReActAgent],
        announcement: Msg | Sequence[Msg] | None = None,
        enable_auto_broadcast: bool = True,
    ) -> None:
        self.participants = list(participants)
        self.announcement = announcement
        self.enable_auto_broadcast = enable_auto_broadcast

    async def __aenter__(self) -> Self:
        self._subscribe()
        if self.announcement is not None:
            await self.broadcast(self.announcement)
        return self

    async def __aexit__(self, *_: object) -> None:
        for agent in self.participants:
            agent.subscribers.pop(id(self), None)

    def add(self, participants: ReActAgent | Iterable[ReActAgent]) -> None:
        """Add participants; an agent that takes part already is not added again.

        Args:
            participants: One agent or several.
        """
        known = self.participants
        known += [
            agent for agent in _list_agents(participants) if all(agent is not x for x in known)
        ]
        self._subscribe()

    def delete(self, participants: ReActAgent | Iterable[ReActAgent]) -> None:
        """Remove participants.

        Args:
            participants: One agent or several.
        """
        agents = _list_agents(participants)
        for agent in agents:
            agent.subscribers.pop(id(self), None)
        gone = {id(agent) for agent in agents}
        self.participants = [one for one in self.participants if id(one) not in gone]
        self._subscribe()

    async def broadcast(self, msg: Msg | Sequence[Msg]) -> None:
        """Let all participants observe a message.

        Args:
            msg: One message or several.
        """
        for agent in self.participants:
            await agent.observe(msg)

    def set_auto_broadcast(self, enable: bool) -> None:
        """Set whether replies are observed by the others.

        Args:
            enable: True if they are.
        """
        self.enable_auto_broadcast = enable
        self._subscribe()

    def _subscribe(self) -> None:
        for agent in self.participants:
            others = [one for one in self.participants if one is not agent]
            agent.subscribers[id(self)] = others if self.enable_auto_broadcast else []


def _list_agents(participants: ReActAgent | Iterable[ReActAgent]) -> list[ReActAgent]:
    return [participants] if isinstance(participants, ReActAgent) else list(participants)


async def sequential_pipeline(
    agents: Iterable[ReActAgent], msg: Msg | list[Msg] | None = None
) -> Msg | list[Msg] | None:
    """Call agents one after the other, each with the reply of the one before.

    Args:
        agents: The agents in their order.
        msg: What the first agent is given; None lets it reply to what it observed.

    Returns:
        The reply of the last agent.

    Raises:
        DragomanError: The errors of `ReActAgent.reply`.
    """
    for agent in agents:
        msg = await agent(msg)
    return msg
