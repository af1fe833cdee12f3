"""Characters for tokens: no library, no download, and no model's figure.

Counts what AgentScope's counter of the same name counts, except for base64 (see the class).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .base import SumTokenCounter
from .media import Kind, estimates, without_payloads

__all__ = ["CharTokenCounter"]


class CharTokenCounter(SumTokenCounter):
    """The length of the messages' `str()`, and of the tools', joined by newlines.

    AgentScope's definition, with one difference: base64 in media is not counted as text. Each
    medium that carries its bytes costs a flat figure of its kind, whatever its size;
    `media_tokens` replaces figures, e.g. `{"image": 800}`. Media by URL cost their URL.

    >>> CharTokenCounter().count_sync([{"role": "user", "content": "Hi"}])
    33
    """

    def __init__(self, *, media_tokens: Mapping[Kind, int] | None = None) -> None:
        self.media_tokens = estimates(media_tokens)

    def count_message(self, message: dict[str, Any]) -> int:
        """The characters of one message, and the newline that parts it from the next."""
        view, media = without_payloads(message)
        inline = sum(self.media_tokens[medium.kind] for medium in media if medium.inline)
        return len(str(view)) + 1 + inline

    def overhead(self, tools: list[dict[str, Any]] | None = None) -> int:
        """The characters of the tools; newlines stand between pieces, not after each."""
        return len(str(tools)) if tools else -1
