"""Characters for tokens: no library, no download, and no model's figure.

Counts what AgentScope's counter of the same name counts, except for base64 (see the class).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .base import TokenCounterBase
from .media import Kind, estimates, without_payloads

__all__ = ["CharTokenCounter"]


class CharTokenCounter(TokenCounterBase):
    """The length of the messages' `str()`, and of the tools', joined by newlines.

    AgentScope's definition, with one difference: base64 in media is not counted as text. Each
    medium that carries its bytes costs a flat figure of its kind, whatever its size;
    `media_tokens` replaces figures, e.g. `{"image": 800}`. Media by URL cost their URL.

    >>> CharTokenCounter().count_sync([{"role": "user", "content": "Hi"}])
    33
    """

    def __init__(self, *, media_tokens: Mapping[Kind, int] | None = None) -> None:
        self.media_tokens = estimates(media_tokens)

    async def count(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """The same as `count_sync`; nothing is awaited."""
        return self.count_sync(messages, tools, **kwargs)

    def count_sync(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        **kwargs: Any,
    ) -> int:
        """Characters of the messages and tools; other keywords are accepted and have no effect."""
        total = -1  # newlines stand between pieces, not after each
        for message in messages:
            view, media = without_payloads(message)
            total += len(str(view)) + 1
            total += sum(self.media_tokens[medium.kind] for medium in media if medium.inline)
        if tools:
            total += len(str(tools)) + 1
        return max(total, 0)
