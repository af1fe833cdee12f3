"""What a page asks for, whichever protocol it speaks, and what an agent is given of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..agent import ReActAgent
from ..errors import InvalidMessage
from ..losses import Losses, Report
from ..message import Msg, Tool, ToolResultBlock
from ..text.redaction import Shown


@dataclass(slots=True, repr=False)
class UIRequest(Shown):
    """A request of a page.

    Attributes:
        protocol: `ai-sdk` or `ag-ui`.
        messages: The conversation as the page has it, which is the user's word for it: what an
            agent has stored is what was said.
        said: What the user has said since the last answer; empty where the page only answers calls.
        tools: The tools that the page runs itself, with AG-UI.
        verdicts: Whether a call may run, by the key of its approval: True, False, or the reason why
            not.
        outputs: The results of the calls that the page has run, by their ids in the stream.
        thread_id: The conversation.
        run_id: The run, with AG-UI.
        message_id: The message of the assistant that goes on, with the AI SDK; None if a new one
            begins.
        again: Whether the last message of the user is answered anew: it was answered before, or is
            one that the user has changed.
        state: The state that the page shares, with AG-UI.
        context: What the page says of itself, with AG-UI: description and value.
        properties: All other fields of the request.
        known_calls: The ids of the calls that the page has.
        call_ids: The id of the call of each approval, by its key.
        report: What could not be read.
    """

    protocol: Literal["ai-sdk", "ag-ui"]
    messages: list[Msg]
    said: list[Msg] = field(default_factory=list)
    tools: list[Tool] = field(default_factory=list)
    verdicts: dict[str, bool | str] = field(default_factory=dict)
    outputs: dict[str, ToolResultBlock] = field(default_factory=dict)
    thread_id: str = ""
    run_id: str = ""
    message_id: str | None = None
    again: bool = False
    state: Any = None
    context: Sequence[tuple[str, str]] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)
    known_calls: frozenset[str] = frozenset()
    call_ids: dict[str, str] = field(default_factory=dict)
    report: Report = field(default_factory=Report, repr=False)

    @property
    def losses(self) -> Losses:
        """What could not be read."""
        return self.report.losses

    def give_to(self, agent: ReActAgent) -> list[Msg] | None:
        """Give an agent the answers to the calls that wait, and return what else was said.

        Only calls that wait are decided, whatever else the request holds. Where a message is
        answered anew, the agent forgets it and all that followed it.

        Args:
            agent: The agent with the stored conversation.

        Returns:
            The new messages for `agent.events`; None if its run goes on.

        Raises:
            InvalidMessage: There is nothing to reply to: no new message, and no call that waits.
        """
        answered = self._answer_calls(agent)
        if self.again:
            return self._forget_answer(agent)
        stored = {msg._id for msg in agent.messages if msg.role == "user"} - {None}
        new = [msg for msg in self.said if msg._id not in stored]  # not what is sent again
        if not new and not answered and not agent.pending and not self.said:
            fault = "there is nothing to reply to: no new message, and no call that waits"
            hint = "the page sends what the user has said, or the answer to a call"
            raise InvalidMessage(fault, path="$.messages", hint=hint, code="ui.nothing")
        return new or None

    def _answer_calls(self, agent: ReActAgent) -> bool:
        """Give the answers to the calls that wait; return whether there were any."""
        decided: dict[str, bool | str] = {}
        given = 0
        for one in agent.pending:
            if one.kind == "approval":
                self.call_ids.setdefault(one.key, one.call.id)
                if one.key in self.verdicts:
                    agent.decide(one, self.verdicts[one.key])
                    decided[one.key] = self.verdicts[one.key]
                continue
            # an id that a model has used twice does not say whose result this is
            same = [call for msg in agent.messages for call in msg.calls if call.id == one.call.id]
            if len(same) == 1 and (result := self.outputs.get(one.call.id)) is not None:
                agent.answer(one, result.output, result.is_error)
                given += 1
        self.verdicts = decided
        return bool(decided or given)

    def _forget_answer(self, agent: ReActAgent) -> list[Msg] | None:
        """Take the message that is answered anew out of the conversation, with all after it."""
        asked = self.said[-1]._id if self.said else None
        places = [i for i, msg in enumerate(agent.messages) if msg.role == "user"]
        same = [i for i in places if asked is not None and agent.messages[i]._id == asked]
        at = (same or places or [len(agent.messages)])[-1]
        found = self.said[-1:] or agent.messages[at : at + 1]
        del agent.messages[at:]
        return found or None
