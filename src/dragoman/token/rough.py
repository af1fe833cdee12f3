"""How many tokens a message takes, roughly and at once: for counters that only count whole lists.

Not a figure for anybody to see: it only tells which message to try leaving out first, before the
counter itself is asked.
"""

from __future__ import annotations

from typing import Any

from .chat import as_json, turns
from .media import ESTIMATES

__all__ = ["rough_message", "rough_tools"]

_BYTES = 4  # of UTF-8 in a token: four letters of English, a character and a third of Chinese
_FRAME = 4  # what stands around a message


def rough_message(message: dict[str, Any]) -> int:
    """An estimate for one formatted message of any wire."""
    said, media = turns([message])
    total = sum(ESTIMATES[medium.kind] for medium in media)
    for turn in said:
        total += _FRAME + _size(turn["content"]) + _size(turn.get("reasoning_content"))
        total += sum(_size(call) for call in turn.get("tool_calls") or ())
    return total


def rough_tools(tools: list[dict[str, Any]] | None) -> int:
    """An estimate for tool schemas."""
    return _size(as_json(tools)) if tools else 0


def _size(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_size, value))
    if value is None:
        return 0
    text = value if isinstance(value, str) else as_json(value)
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // _BYTES)
