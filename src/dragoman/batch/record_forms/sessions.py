"""Session logs of coding agents as records: a file is one, or what a program exports of a session.

The readers are those of `agent_logs`. What a log says besides the conversation is no loss, and
`read_session_log` lists it. The conversation is the one that the agent would go on with.
"""

from __future__ import annotations

from ...agent_logs import SessionLog, read_session_log
from ...message import ChatRequest
from ...text.json_text import JsonObject, arguments
from .conversation import Conversation, hold_request


def claims(record: JsonObject) -> bool:
    """Whether a record is what opencode exports of a session."""
    return isinstance(record.get("info"), dict) and isinstance(record.get("messages"), list)


def read(record: JsonObject) -> Conversation:
    """Read an exported session."""
    return hold_log(read_session_log(arguments(record)))


def hold_log(log: SessionLog) -> Conversation:
    """What a session holds. What only a trajectory has a place for is left out, and named."""
    request: ChatRequest = log.request()
    others: JsonObject = {"session_id": log.session} if log.session else {}
    conversation = hold_request(request, (), others)
    conversation.log = log
    left_out = []
    if log.compactions:
        count = log.compactions[-1]
        left_out.append(("$.messages[0]", f"{count} messages before the last summary"))
    for i, inner in enumerate(log.sidechains):
        what = f"{len(inner.messages)} messages of a called agent"
        left_out.append((f"$.sidechains[{i}]", what))
    conversation.left_out = left_out
    return conversation
