"""Streams of Cohere, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import ARGUMENTS, THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream with text, one with a plan, and some that break off or end in an error."""
    empty = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [],
             "citations": []}  # fmt: skip
    start = event("message-start", None, id="c1", **empty)
    answer = [
        start,
        *item(0, "thinking", THOUGHTS),
        *item(1, "text", WORDS)[:-1],
        event("citation-start", 0, citations=citation()),
        event("citation-end", 0),
        event("content-end", 1),
        *called(0),
        ended("TOOL_CALL"),
        (None, "[DONE]"),
    ]
    plan = [event("tool-plan-delta", None, tool_plan=text) for text in WORDS]
    planned = [start, *plan, *called(0), *called(1), ended("TOOL_CALL"), (None, "[DONE]")]
    words = "your request resulted in an invalid tool generation"
    wrong = ended("ERROR", usage={}, error=words, error_type="INVALID_TOOL_GENERATION")
    return [answer, planned, answer[:7], [*planned[:3], wrong, (None, "[DONE]")]]


def event(kind: str, index: int | None, /, id: str | None = None, **message: Any) -> Event:
    """One event of a message."""
    body: dict[str, Any] = {"type": kind}
    body |= {} if id is None else {"id": id}
    body |= {} if index is None else {"index": index}
    return kind, {**body, **({"delta": {"message": message}} if message else {})}


def item(index: int, kind: str, texts: tuple[str, ...]) -> list[Event]:
    """One item of the content, begun, said in pieces and ended."""
    return [
        event("content-start", index, content={"type": kind, kind: ""}),
        *(event("content-delta", index, content={kind: text}) for text in texts),
        event("content-end", index),
    ]


def called(index: int) -> list[Event]:
    """One call whose arguments come in pieces."""
    function = {"name": "look", "arguments": ""}
    call = {"id": f"look_{index}abcdefghijk", "type": "function", "function": function}
    return [
        event("tool-call-start", index, tool_calls=call),
        *(event("tool-call-delta", index, tool_calls={"function": {"arguments": text}})
          for text in ARGUMENTS),
        event("tool-call-end", index),
    ]  # fmt: skip


def citation() -> dict[str, Any]:
    """What the first word of the text rests on."""
    found = {"id": "doc:0", "text": "A city.", "title": "Samarkand"}
    source = {"type": "document", "id": "doc:0", "document": found}
    return {"start": 0, "end": 9, "text": "Samarkand", "sources": [source],
            "type": "TEXT_CONTENT", "content_index": 1}  # fmt: skip


def ended(reason: str, **more: Any) -> Event:
    """The last event."""
    usage = {"billed_units": {"input_tokens": 4, "output_tokens": 5},
             "tokens": {"input_tokens": 9, "output_tokens": 5}, "cached_tokens": 3}  # fmt: skip
    return "message-end", {
        "type": "message-end",
        "delta": {"finish_reason": reason, "usage": usage, **more},
    }
