"""Answers of generateContent for the tests of its reader, whole and in chunks."""

from __future__ import annotations

from typing import Any

import dragoman
from dragoman.message import ChatResponse


def body(*parts: Any, reason: Any = "STOP", **candidate: Any) -> dict[str, Any]:
    """A chunk, or a whole answer; the reason None is left out."""
    one: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if reason is not None:
        one["finishReason"] = reason
    return {"candidates": [one | candidate], "modelVersion": "gemini-x", "responseId": "r1"}


def chunk(*parts: Any, **candidate: Any) -> dict[str, Any]:
    """A chunk that does not say how it ends."""
    return body(*parts, **{"reason": None, **candidate})


def text(said: str, **more: Any) -> dict[str, Any]:
    """A text part."""
    return {"text": said, **more}


def called(**function: Any) -> dict[str, Any]:
    """A part with a call."""
    return {"functionCall": function}


def read(told: Any) -> ChatResponse:
    """The answer that a body holds."""
    return dragoman.wire("gemini").read_response(told)


def streamed(*chunks: Any) -> ChatResponse:
    """The answer that chunks make."""
    decoder = dragoman.wire("gemini").stream_decoder()
    for one in chunks:
        decoder.feed(one)
    return decoder.finish()


def replayed(resp: ChatResponse, *rest: Any) -> list[Any]:
    """The parts of the model's turn when the answer goes back, and the contents behind it."""
    request = dragoman.ChatRequest([dragoman.Msg.user("Hi"), resp.msg, *rest])
    wire = dragoman.wire("gemini", policy="ignore")
    contents = wire.write_request(request, "gemini-3.8-flash").body["contents"]
    assert [one["role"] for one in contents[:2]] == ["user", "model"]
    return [contents[1]["parts"], *contents[2:]]
