"""Anthropic Messages: the accumulator of the SDK `anthropic`."""

from __future__ import annotations

from typing import Any

from anthropic.lib.streaming._messages import accumulate_event

from dragoman.message import Usage
from tests.contract.reading.told import Fields

__all__ = ["assemble", "fields", "figures", "spent"]


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """The message of `accumulate_event`, without the events that the SDK's stream leaves out."""
    snapshot: Any = None
    buffers: dict[int, bytes] = {}
    for name, payload in events:
        if isinstance(payload, dict) and (payload.get("type") or name) not in ("ping", "error"):
            event: Any = payload  # the SDK takes plain dicts, too
            snapshot = accumulate_event(event=event, current_snapshot=snapshot, json_bufs=buffers)
    if snapshot is None:
        raise ValueError("no message was begun")
    return snapshot.to_dict(mode="json", warnings=False)


def fields(body: Any) -> Fields:
    """The fields of a message."""
    blocks = body.get("content") or []
    calls = _of(blocks, "tool_use")
    thoughts = _of(blocks, "thinking")
    return {
        "model": body.get("model"),
        "id": body.get("id"),
        "0.text": "".join(block["text"] for block in _of(blocks, "text")),
        "0.thinking": "".join(block["thinking"] for block in thoughts),
        "0.signatures": [b["signature"] for b in thoughts if b.get("signature")],
        "0.redacted": [block["data"] for block in _of(blocks, "redacted_thinking")],
        "0.refusal": "",
        "0.calls": [[block["id"], block["name"]] for block in calls],
        "0.arguments": [block["input"] or {} for block in calls],
        "0.citations": sum(len(block.get("citations") or ()) for block in _of(blocks, "text")),
        "0.finish": body.get("stop_reason"),
    }


def _of(blocks: list[Any], kind: str) -> list[Any]:
    return [block for block in blocks if block.get("type") == kind]


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return body.get("usage")


def figures(usage: Usage) -> Any:
    """The neutral figures as Anthropic says them: disjoint, too."""
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
        "output_tokens_details": {"thinking_tokens": usage.reasoning},
    }
