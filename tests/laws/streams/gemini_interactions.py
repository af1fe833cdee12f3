"""Streams of Interactions, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import ARGUMENTS, THOUGHTS, WORDS, Event

__all__ = ["created", "ended", "event", "step", "streams"]

DONE: Event = ("done", "[DONE]")
USAGE = {"total_tokens": 21, "total_input_tokens": 9, "total_cached_tokens": 3,
         "total_output_tokens": 5, "total_thought_tokens": 7}  # fmt: skip


def streams() -> list[list[Event]]:
    """A whole stream with a thought, text and a call, one of a search, and some that end badly."""
    thoughts: list[Any] = [
        *({"type": "thought_summary", "content": {"type": "text", "text": text}}
          for text in THOUGHTS),
        {"type": "thought_signature", "signature": "c2ln"},
    ]  # fmt: skip
    texts: list[Any] = [{"type": "text", "text": text} for text in WORDS]
    cited = {"type": "text_annotation_delta", "annotations": [
        {"type": "url_citation", "url": "https://example.com", "title": "City", "start_index": 0,
         "end_index": 9},
    ]}  # fmt: skip
    answer = [
        *created(),
        *step(0, {"type": "thought"}, thoughts),
        *step(1, {"type": "model_output"}, [*texts, cited]),
        *called(2),
        ended("requires_action"),
        DONE,
    ]
    search = {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["Samarkand"]}}
    found = {"type": "google_search_result", "call_id": "s1", "result": [], "signature": "c2ln"}
    searched = [*created(), *step(0, search), *step(1, found),
                *step(2, {"type": "model_output"}, texts), *called(3), *called(4),
                ended("requires_action"), DONE]  # fmt: skip
    wrong = event("error", error={"code": "internal", "message": "it went wrong"})
    return [answer, searched, answer[:7], [*answer[:7], wrong, DONE]]


def event(kind: str, **fields: Any) -> Event:
    """One event."""
    return kind, {**fields, "event_type": kind}


def created() -> list[Event]:
    """How a stream begins."""
    body = {"id": "v1_a", "status": "in_progress", "object": "interaction", "model": "gemini-x"}
    update = event("interaction.status_update", interaction_id="v1_a", status="in_progress")
    return [event("interaction.created", interaction=body), update]


def step(
    index: int, data: dict[str, Any], deltas: list[dict[str, Any]] | None = None
) -> list[Event]:
    """One step, begun, grown and ended."""
    return [
        event("step.start", index=index, step=data),
        *(event("step.delta", index=index, delta=delta) for delta in deltas or ()),
        event("step.stop", index=index),
    ]


def called(index: int) -> list[Event]:
    """One call whose arguments come in pieces."""
    data = {"type": "function_call", "id": f"look_{index}", "name": "look", "arguments": {}}
    deltas = [{"type": "arguments_delta", "arguments": text} for text in ARGUMENTS]
    return step(index, data, deltas)


def ended(status: str, **more: Any) -> Event:
    """The last event."""
    body = {"id": "v1_a", "status": status, "usage": USAGE, "created": "2026-11-21T10:00:00Z",
            "updated": "2026-11-21T10:00:00Z", "service_tier": "standard",
            "object": "interaction", "model": "gemini-x", **more}  # fmt: skip
    return event("interaction.completed", interaction=body)
