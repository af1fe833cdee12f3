"""The stored conversation of an agent, as a page shows it when it is opened again."""

from __future__ import annotations

from ..agent import ReActAgent
from ..bridges.ai_sdk import write_ui_messages
from ..losses import PolicyLike
from ..text.json_text import JsonObject
from .walk import next_id


def write_history(agent: ReActAgent, *, policy: PolicyLike = "log") -> list[JsonObject]:
    """Write an agent's conversation as `UIMessage`s of the AI SDK, for a page that is reloaded.

    Calls that wait for an approval ask for it again, and `read_request` finds the answer.

    Args:
        agent: The agent with its stored conversation.
        policy: What to do about losses.

    Returns:
        The messages as plain JSON, for `useChat({ messages })`.

    Raises:
        LossRefused: The policy refuses a loss.

    Source: npm `ai` 7.0.173, `UIMessage` (2026-11-29).
    """
    messages = write_ui_messages(agent.messages, policy=policy).messages
    for message in messages:
        _part_ids(message["parts"])
    pending = {one.key.rpartition(".")[2]: one for one in agent.pending if one.kind == "approval"}
    if not messages or not pending:
        return messages
    parts = messages[-1]["parts"]
    steps = [i for i, part in enumerate(parts) if part["type"] == "step-start"]
    step = parts[steps[-1] :] if steps else parts
    calls = [one for one in step if "toolCallId" in one and not one.get("providerExecuted")]
    for nth, part in enumerate(calls):
        if (one := pending.get(str(nth))) is not None:
            part |= {"state": "approval-requested", "approval": {"id": one.key}}
    return messages


def _part_ids(parts: list[JsonObject]) -> None:
    """Give calls with one id others, as their stream did: a page finds a call by its id alone."""
    seen: set[str] = set()
    for part in parts:
        if (id := part.get("toolCallId")) is not None:
            part["toolCallId"] = next_id(id, seen)
            seen.add(part["toolCallId"])
