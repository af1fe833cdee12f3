"""Finish reasons: why an answer ended, in the words of the wire and in ours."""

from __future__ import annotations

from ...message.answer import FinishReason

FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "load": "stop",  # of a request without messages: everything is done
    "unload": "stop",
}


CLOSED = ""  # the connection to the runner broke off (llm/server.go: DoneReasonConnectionClosed)
