"""Around the core: the request builder, and serializers that can be injected into it.

Knows formatters and vendors; no model client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from .._core.foreign_names import refuse
from .request_builder import (
    ChatMessageSerializer,
    MessageSerializer,
    OpenAIChatMessageSerializer,
    RequestBuilder,
    attached_tools,
)

__all__ = [
    "ChatMessageSerializer",
    "MessageSerializer",
    "OpenAIChatMessageSerializer",
    "RequestBuilder",
    "attached_tools",
]


if not TYPE_CHECKING:  # a type checker shall name what is missing

    def __getattr__(name: str) -> NoReturn:
        refuse(__name__, name)
