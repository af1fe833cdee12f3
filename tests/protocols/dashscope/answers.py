"""What the tests of DashScope's reader share: answers, and the reading of them."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman.message import ChatResponse

OWN = "dashscope"
ANSWER = "dashscope (answer)"
ERROR = {"code": "InvalidApiKey", "message": "Invalid API-key provided.", "request_id": "r-1"}


def frame(message: dict[str, Any], reason: str = "null", tokens: int | None = None) -> Any:
    choice = {"message": {"role": "assistant", **message}, "finish_reason": reason}
    usage = {} if tokens is None else {"usage": {"input_tokens": 9, "output_tokens": tokens}}
    return {"output": {"choices": [choice]}, "request_id": "r-1", **usage}


def whole(body: dict[str, Any]) -> ChatResponse:
    return dragoman.wire("dashscope").read_response(body)


def streamed(*events: Any) -> ChatResponse:
    decoder = dragoman.wire("dashscope").stream_decoder()
    for event in events:
        decoder.feed(event)
    return decoder.finish()
