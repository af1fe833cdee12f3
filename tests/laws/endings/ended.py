"""Whether a stream has ended, by its raw events: written from the APIs' pages, reads nothing else.

The reason of the end where the events tell one. Shares no code with the readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

__all__ = ["End", "Event", "end_of", "without_end"]

Event = tuple[str | None, Any]
End = Literal["ended", "open", "failed"]


def end_of(wire: str, events: Sequence[Event]) -> End:
    """How far the host has told of the end."""
    if wire == "gemini-interactions" and any(_kind(e) == "interaction.completed" for e in events):
        return "ended"
    match wire:
        case "openai-chat" | "mistral":
            choices = [c for _, data in events for c in _items(data, "choices")]
            begun = {c.get("index", 0) for c in choices}
            ended = {c.get("index", 0) for c in choices if _reason(c.get("finish_reason"))}
            done = any(isinstance(data, str) and data.strip() == "[DONE]" for _, data in events)
            return "ended" if (begun and done) or (begun and begun <= ended) else "open"
        case "gemini":
            found = [c for _, data in events for c in _items(data, "candidates")]
            begun = {c.get("index", 0) for c in found}
            ended = {c.get("index", 0) for c in found if _reason(_either(c, "finishReason"))}
            blocked = any(_blocked(data) for _, data in events)
            return "ended" if blocked or (begun and begun <= ended) else "open"
        case "dashscope":
            bodies = [data.get("output") for _, data in events if isinstance(data, dict)]
            outputs = [one for one in bodies if isinstance(one, dict)]
            choices = [*outputs, *(c for one in outputs for c in _items(one, "choices"))]
            reasons = [c.get("finish_reason") for c in choices]
            return "ended" if any(_reason(r) and r != "null" for r in reasons) else "open"
        case "ollama":
            last = [data for _, data in events if isinstance(data, dict) and data.get("done")]
            return "ended" if any(one.get("done_reason") != "" for one in last) else "open"
        case "openai-responses":
            return _response_end(events)
        case "anthropic":
            kinds = {_kind(event) for event in events}
            reasons = [
                (data.get("delta") or {}).get("stop_reason") for _, data in events
                if isinstance(data, dict) and isinstance(data.get("delta"), dict)
            ]  # fmt: skip
            return "ended" if "message_stop" in kinds or any(map(_reason, reasons)) else "open"
        case "bedrock-converse":
            kinds = {name for name, _ in events} | {_kind(event) for event in events}
            kinds |= {key for _, data in events if isinstance(data, dict) for key in data}
            return "ended" if kinds & {"messageStop", "message_stop"} else "open"
        case "cohere":
            ends = ("message-end", "stream-end")
            return "ended" if any(_kind(event) in ends for event in events) else "open"
        case _:
            return "open"


def without_end(wire: str, events: Sequence[Event]) -> list[Event]:
    """The events before the first of those that tell of the end, and nothing behind it."""
    for count in range(1, len(events) + 1):
        if end_of(wire, events[:count]) != "open":
            return list(events[: count - 1])
    return list(events)


def _response_end(events: Sequence[Event]) -> End:
    open_states = ("queued", "in_progress")
    for event in events:
        kind, (_, data) = _kind(event), event
        response = data.get("response") if isinstance(data, dict) else None
        status = response.get("status") if isinstance(response, dict) else None
        if kind in ("error", "response.failed") or status == "failed":
            return "failed"
        closes = kind in ("response.completed", "response.incomplete", "response.done")
        if closes and status not in open_states:
            return "ended"
    return "open"


def _kind(event: Event) -> Any:
    name, data = event
    if isinstance(data, dict):
        return data.get("type") or data.get("event_type") or name
    return name


def _items(data: Any, key: str) -> list[dict[str, Any]]:
    found = data.get(key) if isinstance(data, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _either(data: dict[str, Any], key: str) -> Any:
    snake = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in key)
    return data.get(key, data.get(snake))


def _reason(value: Any) -> bool:
    return bool(value) and value not in ("FINISH_REASON_UNSPECIFIED", 0)


def _blocked(data: Any) -> bool:
    feedback = _either(data, "promptFeedback") if isinstance(data, dict) else None
    return isinstance(feedback, dict) and bool(_either(feedback, "blockReason"))
