"""Our own messages: what `dragoman.message.dump` stores, and lists of messages.

`{"dragoman": 1, "kind": "request", "value": {"messages": [...], ...}}` with any other keys, which
stay. A list of messages, as `Msg.to_dict` gives them, is a record as well; what is written is a
request, which has a place for tools and options.
"""

from __future__ import annotations

from ... import message as tree
from ...errors import ReadError
from ...losses import Report
from ...message import ChatRequest, ChatResponse, Msg, dump, load
from ...text.json_text import Json, JsonObject
from .conversation import Conversation, hold_request, note_answer, note_rejected
from .record_report import RecordReport

_KEYS = ("dragoman", "kind", "value")


def claims(record: Json) -> bool:
    """Whether a record is a stored value, or a list of messages."""
    if isinstance(record, list):
        return bool(record) and all(isinstance(m, dict) and "role" in m for m in record)
    return isinstance(record, dict) and "dragoman" in record and "kind" in record


def read(record: Json) -> Conversation:
    """Read messages or a request.

    Raises ReadError for an answer, which does not say what was asked.
    """
    if isinstance(record, list):
        messages = [Msg.from_dict(m, f"$[{i}]") for i, m in enumerate(record)]
        return hold_request(ChatRequest(messages), (), {})
    others = {key: value for key, value in record.items() if key not in _KEYS}
    moves = [("$", "$.value")]
    match load(record):
        case ChatRequest() as request:
            return hold_request(request, moves, others)
        case ChatResponse():
            text = "an answer alone does not say what was asked"
            raise ReadError(text, path="$.kind", code="record.answer")
        case Msg() as m:
            return hold_request(ChatRequest([m]), moves, others)
        case list() as messages:
            return hold_request(ChatRequest(messages), [("$.messages", "$.value")], others)


def write(conversation: Conversation) -> tuple[JsonObject, list[Report]]:
    """Write a request of ours, with the answer that was recorded at its end."""
    request = conversation.chosen.request
    moves = conversation.chosen.moves
    report = RecordReport(request.messages, request, tree.places, "messages", moves)
    note_answer(conversation.response, report)
    note_rejected(conversation, report)
    others = conversation.others
    stored = dump(request)
    return {**{k: v for k, v in others.items() if k not in stored}, **stored}, [report]
