"""Streams of Responses, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import ARGUMENTS, TEXT, THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream, and some that break off or end in an error."""
    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-x",
        "status": "in_progress",
        "output": [],
        "usage": None,
    }
    part = {"type": "output_text", "text": TEXT, "annotations": [], "logprobs": []}
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    call = {
        "id": "fc_1",
        "type": "function_call",
        "status": "completed",
        "call_id": "call_a",
        "name": "look",
        "arguments": "".join(ARGUMENTS),
    }
    thought = {
        "id": "rs_1",
        "type": "reasoning",
        "encrypted_content": "gAAAAB==",
        "summary": [{"type": "summary_text", "text": "".join(THOUGHTS)}],
    }
    usage = {
        "input_tokens": 9,
        "output_tokens": 5,
        "total_tokens": 14,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    told: list[tuple[str, Any]] = [
        ("response.created", {"response": body}),
        ("response.in_progress", {"response": body}),
        (
            "response.output_item.added",
            {"output_index": 0, "item": {**thought, "summary": [], "encrypted_content": ""}},
        ),
        (
            "response.reasoning_summary_part.added",
            {
                "output_index": 0,
                "item_id": "rs_1",
                "summary_index": 0,
                "part": {"type": "summary_text", "text": ""},
            },
        ),
        *(
            (
                "response.reasoning_summary_text.delta",
                {"output_index": 0, "item_id": "rs_1", "summary_index": 0, "delta": t},
            )
            for t in THOUGHTS
        ),
        ("response.output_item.done", {"output_index": 0, "item": thought}),
        (
            "response.output_item.added",
            {"output_index": 1, "item": {**message, "status": "in_progress", "content": []}},
        ),
        (
            "response.content_part.added",
            {
                "output_index": 1,
                "item_id": "msg_1",
                "content_index": 0,
                "part": {**part, "text": ""},
            },
        ),
        *(
            (
                "response.output_text.delta",
                {
                    "output_index": 1,
                    "item_id": "msg_1",
                    "content_index": 0,
                    "delta": t,
                    "logprobs": [],
                },
            )
            for t in WORDS
        ),
        (
            "response.output_text.done",
            {
                "output_index": 1,
                "item_id": "msg_1",
                "content_index": 0,
                "text": TEXT,
                "logprobs": [],
            },
        ),
        (
            "response.content_part.done",
            {"output_index": 1, "item_id": "msg_1", "content_index": 0, "part": part},
        ),
        ("response.output_item.done", {"output_index": 1, "item": message}),
        (
            "response.output_item.added",
            {"output_index": 2, "item": {**call, "arguments": "", "status": "in_progress"}},
        ),
        *(
            (
                "response.function_call_arguments.delta",
                {"output_index": 2, "item_id": "fc_1", "delta": t},
            )
            for t in ARGUMENTS
        ),
        (
            "response.function_call_arguments.done",
            {"output_index": 2, "item_id": "fc_1", "arguments": call["arguments"]},
        ),
        ("response.output_item.done", {"output_index": 2, "item": call}),
        (
            "response.completed",
            {
                "response": {
                    **body,
                    "status": "completed",
                    "output": [thought, message, call],
                    "usage": usage,
                }
            },
        ),
    ]
    events: list[Event] = [
        (kind, {"type": kind, "sequence_number": n, **rest}) for n, (kind, rest) in enumerate(told)
    ]
    failed = (
        "error",
        {
            "type": "error",
            "sequence_number": 9,
            "code": "server_error",
            "message": "x",
            "param": None,
        },
    )
    return [events, events[:12], [*events[:12], failed]]
