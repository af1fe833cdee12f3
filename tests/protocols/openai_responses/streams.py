"""One streamed answer for the tests, event by event, and what a user interface is told of one."""

from __future__ import annotations

from typing import Any

from dragoman.stream.events import EventView
from tests.protocols.openai_responses.reading import done, event
from tests.protocols.openai_responses.writing import wire

__all__ = ["CALL", "CLOSED", "CREATED", "SAID", "STREAM", "TEXT", "THOUGHT", "WORDS", "begun",
           "ended", "said", "shown"]  # fmt: skip

TEXT = {"type": "output_text", "text": "It rains.", "annotations": [], "logprobs": []}
SAID = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "content": [TEXT], "phase": "commentary"}  # fmt: skip
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look",
        "arguments": '{"at": 1}', "status": "completed"}  # fmt: skip
THOUGHT = {"type": "reasoning", "id": "rs_1", "encrypted_content": "gBBB",
           "summary": [{"type": "summary_text", "text": "First."},
                       {"type": "summary_text", "text": "Second."}]}  # fmt: skip


def begun(item: dict[str, Any], index: int = 0) -> dict[str, Any]:
    """The announcement of an item that is still empty."""
    empty: dict[str, Any] = {"status": "in_progress"}
    if "content" in item:
        empty["content"] = []
    if "arguments" in item:
        empty["arguments"] = ""
    if "summary" in item:
        empty |= {"summary": [], "encrypted_content": "gAAA"}
    return event("output_item.added", index, item={**item, **empty})


def ended(item: dict[str, Any], index: int | None = 0) -> dict[str, Any]:
    """The end of an item."""
    return event("output_item.done", index, item=item)


def said(text: str, index: int = 0, at: int = 0) -> dict[str, Any]:
    """A piece of a text."""
    return event(
        "output_text.delta", index, content_index=at, delta=text, logprobs=[], item_id="msg_1",
        obfuscation="xyz",
    )  # fmt: skip


OPEN = {"id": "resp_1", "object": "response", "model": "gpt-5.6-sol", "status": "in_progress",
        "output": [], "tools": []}  # fmt: skip
CREATED: dict[str, Any] = {"type": "response.created", "response": OPEN}
PART = event("content_part.added", content_index=0, part={**TEXT, "text": ""})
WORDS = [said("It "), said(""), said("rains.")]
CLOSED = [event("output_text.done", content_index=0, text="It rains.", logprobs=[]),
          event("content_part.done", content_index=0, part=TEXT), ended(SAID)]  # fmt: skip
STREAM: list[dict[str, Any]] = [
    CREATED,
    {**CREATED, "type": "response.in_progress"},
    begun(SAID),
    PART,
    *WORDS,
    *CLOSED,
    done(SAID),
]


def shown(*events: Any) -> list[tuple[str, str]]:
    """What a user interface is told."""
    decoder, view = wire().stream_decoder(), EventView()
    told = [one for each in events for piece in decoder.feed(each) for one in view.feed(piece)]
    told += view.finish(decoder.finish())
    return [(one.type, one.text) for one in told if one.type != "finish"]
