"""Around the core: the request builder, and serializers that can be injected into it.

Knows formatters and vendors; no model client.
"""

from __future__ import annotations

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
