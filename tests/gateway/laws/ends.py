"""How streams of each client protocol end: well, or with an error; and that nothing follows."""

from __future__ import annotations

from typing import Any

from tests.gateway.corpus.asking import Event

__all__ = ["end_faults", "is_error", "is_good"]


def is_good(protocol: str, event: Event) -> bool:
    """Whether a client takes this event for the end of an answer that is whole."""
    name, data = event
    match protocol:
        case "openai-chat":
            return bool(data == "[DONE]")
        case "openai-responses":
            return _type(data) in ("response.completed", "response.incomplete")
        case "anthropic":
            return name == "message_stop"
        case "gemini":
            return any("finishReason" in one for one in _list(data, "candidates"))
        case "gemini-interactions":
            return bool(name == "interaction.completed")
        case _:
            return isinstance(data, dict) and data.get("done") is True


def is_error(protocol: str, event: Event) -> bool:
    """Whether the event tells of an error."""
    name, data = event
    match protocol:
        case "openai-responses":
            return _type(data) in ("error", "response.failed")
        case "anthropic" | "gemini-interactions":
            return name == "error"
        case _:
            return isinstance(data, dict) and "error" in data


def _says(protocol: str, event: Event) -> bool:
    """Whether the event says something of the answer, or that a part or all of it is whole."""
    _, data = event
    if protocol == "openai-chat":
        return data == "[DONE]" or bool(_list(data, "choices"))
    return not is_error(protocol, event) and data != "[DONE]"


def end_faults(protocol: str, events: list[Event]) -> list[str]:
    """What is wrong with the end of a stream."""
    good = [nth for nth, event in enumerate(events) if is_good(protocol, event)]
    wrong = [nth for nth, event in enumerate(events) if is_error(protocol, event)]
    if protocol == "openai-responses" and len(wrong) == 2:  # one error, in two events
        assert _type(events[wrong[1]][1]) == "response.failed"
        wrong = wrong[:1]
    found = []
    if len(wrong) > 1:
        found.append(f"{len(wrong)} errors")
    if len(good) > 1:
        found.append(f"{len(good)} ends")
    if wrong:
        behind = [event for event in events[wrong[0] + 1 :] if _says(protocol, event)]
        if behind:
            found.append(f"behind the error: {behind}")
        if good:
            found.append("a good end beside an error")
    if not wrong and not good:
        found.append("no end")
    return found


def _type(data: Any) -> Any:
    return data.get("type") if isinstance(data, dict) else None


def _list(data: Any, key: str) -> list[Any]:
    return data.get(key) or [] if isinstance(data, dict) else []
