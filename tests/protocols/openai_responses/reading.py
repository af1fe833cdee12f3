"""Answers and events over this wire for its tests, in the shape of the API."""

from __future__ import annotations

from typing import Any

from dragoman import ChatRequest, Msg
from dragoman.message import ChatResponse
from tests.protocols.openai_responses.writing import MODEL, OWN, wire

__all__ = ["OWN", "answer", "done", "event", "item_of", "read", "replayed", "streamed"]

TOLD = {"object": "response", "model": "gpt-5.6-sol", "temperature": 1.0, "tools": []}


def answer(*output: Any, **more: Any) -> dict[str, Any]:
    """A whole response."""
    body = {"id": "resp_1", "status": "completed", **TOLD, "output": list(output), "error": None}
    return {**body, "incomplete_details": None, **more}


def read(*output: Any, switches: dict[str, Any] | None = None, **more: Any) -> ChatResponse:
    """What is read of a whole response with these items."""
    return wire(**(switches or {})).read_response(answer(*output, **more))


def event(kind: str, index: int | None = 0, **more: Any) -> dict[str, Any]:
    """One event of an item."""
    place = {} if index is None else {"output_index": index}
    return {"type": f"response.{kind}", **place, **more}


def done(*output: Any, kind: str = "completed", **more: Any) -> dict[str, Any]:
    """The event that closes a stream."""
    return {"type": f"response.{kind}", "response": answer(*output, **{"status": kind, **more})}


def streamed(*events: Any, switches: dict[str, Any] | None = None) -> ChatResponse:
    """What is read of these events; none of them is unknown."""
    decoder = wire(**(switches or {})).stream_decoder()
    for one in events:
        decoder.feed(one)
    resp = decoder.finish()
    assert "events" not in (resp.extras or {}).get(OWN, {})
    return resp


def item_of(resp: ChatResponse, *results: Msg) -> list[dict[str, Any]]:
    """The items that the answer's message makes in the next request."""
    msgs = [Msg.user("Hi"), resp.msg, *results, Msg.user("On")]
    out = wire().write_request(ChatRequest(msgs, model=MODEL))
    items: list[dict[str, Any]] = out.body["input"][1 : -1 - len(results)]
    assert out.losses == []
    return items


def replayed(*output: Any) -> bool:
    """Whether these items of an answer go back as they came, at the end, where calls may wait."""
    out = wire().write_request(ChatRequest([Msg.user("Hi"), read(*output).msg], model=MODEL))
    assert out.losses == []
    items: list[dict[str, Any]] = out.body["input"][1:]
    return items == list(output)
