"""What of a request a provider caches by: tools, system prompt and messages, in their order.

Compared as text, element by element; marks of caches are no part of it, for clients move them from
turn to turn.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["elements", "firm", "shared", "with_first"]

_ARRAYS = {"openai-responses": "input", "gemini": "contents", "gemini-interactions": "input"}
_FIRM = {
    "openai-chat": ("tools",),
    "openai-responses": ("tools", "instructions"),
    "anthropic": ("tools", "system"),
    "gemini": ("tools", "systemInstruction"),
    "gemini-interactions": ("tools", "system_instruction"),
    "ollama": ("tools",),
}
_MARKS = ("cache_control", "prompt_cache_breakpoint")


def elements(protocol: str, body: dict[str, Any]) -> list[str]:
    """The messages as text; a plain text is the one message that it stands for."""
    told = body.get(_ARRAYS.get(protocol, "messages")) or []
    return [_text(one) for one in ([told] if isinstance(told, str) else told)]


def firm(protocol: str, body: dict[str, Any]) -> str:
    """What stands before the messages."""
    return _text([body.get(key) for key in _FIRM[protocol]])


def shared(before: list[str], after: list[str]) -> int:
    """How many of the messages before are the first ones after."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((nth for nth, (a, b) in pairs if a != b), min(len(before), len(after)))


def with_first(protocol: str, body: dict[str, Any], count: int) -> dict[str, Any]:
    """The body with its first messages alone."""
    key = _ARRAYS.get(protocol, "messages")
    return {**body, key: body[key][:count]}


def _text(value: Any) -> str:
    return json.dumps(_unmarked(value), ensure_ascii=False)


def _unmarked(value: Any) -> Any:
    """The same without marks of caches: a text that bears none may be a string."""
    if isinstance(value, dict):
        return {key: _unmarked(one) for key, one in value.items() if key not in _MARKS}
    if not isinstance(value, list):
        return value
    made = [_unmarked(one) for one in value]
    plain = len(made) == 1 and isinstance(made[0], dict) and {*made[0]} == {"type", "text"}
    return made[0]["text"] if plain else made
