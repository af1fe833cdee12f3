"""Streams of Bedrock Converse, made up in the shape of its API."""

from __future__ import annotations

from typing import Any

from .words import ARGUMENTS, THOUGHTS, WORDS, Event

__all__ = ["streams"]


def streams() -> list[list[Event]]:
    """A whole stream, and some that break off or end in an error."""

    def deltas(index: int, told: list[Any]) -> list[Event]:
        return [
            *(
                ("contentBlockDelta", {"contentBlockIndex": index, "delta": one, "p": "abc"})
                for one in told
            ),
            ("contentBlockStop", {"contentBlockIndex": index, "p": "a"}),
        ]

    started = {
        "contentBlockIndex": 2,
        "start": {"toolUse": {"toolUseId": "tooluse_1", "name": "look"}},
    }
    events: list[Event] = [
        ("messageStart", {"role": "assistant", "p": "ab"}),
        *deltas(
            0,
            [
                *({"reasoningContent": {"text": t}} for t in THOUGHTS),
                {"reasoningContent": {"signature": "c2ln"}},
            ],
        ),
        *deltas(1, [{"text": t} for t in WORDS]),
        ("contentBlockStart", started),
        *deltas(2, [{"toolUse": {"input": t}} for t in ARGUMENTS]),
        ("messageStop", {"stopReason": "tool_use", "p": "abcd"}),
        (
            "metadata",
            {
                "usage": {"inputTokens": 9, "outputTokens": 5, "totalTokens": 14},
                "metrics": {"latencyMs": 3},
            },
        ),
    ]
    return [events, events[:7], [*events[:7], ("throttlingException", {"message": "slow down"})]]
