"""Ollama: by hand; the last line closes the answer."""

from __future__ import annotations

import re
from typing import Any

from dragoman.message import Usage
from tests.contract.reading.told import Fields

_TAGGED = re.compile(r"<think>\s*(.*?)\s*</think>\s*(.*)", re.DOTALL)

__all__ = ["assemble", "fields", "figures", "spent"]


def assemble(events: list[tuple[str | None, Any]]) -> Any:
    """One chat answer."""
    body: dict[str, Any] = {}
    message: dict[str, Any] = {}
    for _, line in events:
        told = line.get("message") or {}
        for name, value in told.items():
            if name in ("content", "thinking"):
                message[name] = message.get(name, "") + (value or "")
            elif name == "tool_calls":
                message[name] = [*message.get(name, ()), *(value or ())]
            else:
                message[name] = value
        body |= {key: value for key, value in line.items() if key != "message"}
    return {**body, "message": message}


def fields(body: Any) -> Fields:
    """The fields of a chat answer."""
    message = body.get("message") or {}
    content = message.get("content") or ""
    tagged = _TAGGED.fullmatch(content)  # older models write their thinking into the text
    calls = message.get("tool_calls") or []
    return {
        "model": body.get("model"),
        "0.text": tagged[2] if tagged else content,
        "0.thinking": tagged[1] if tagged else message.get("thinking") or "",
        "0.refusal": "",
        "0.calls": [[call.get("id") or "", call["function"]["name"]] for call in calls],
        "0.arguments": [call["function"].get("arguments") or {} for call in calls],
        "0.finish": body.get("done_reason"),
    }


def spent(body: Any) -> Any:
    """The token figures of a whole answer."""
    return {key: body.get(key) for key in ("prompt_eval_count", "eval_count")}


def figures(usage: Usage) -> Any:
    """The neutral figures as Ollama says them."""
    known = [n for n in (usage.input, usage.cache_read) if n is not None]
    return {"prompt_eval_count": sum(known) if known else None, "eval_count": usage.output}
