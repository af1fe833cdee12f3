"""What the official SDK clients read of an answer, whole or streamed, through their own HTTP layer.

Knows nothing of the package under test: bodies and events come in as JSON.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, cast

from anthropic import AnthropicError
from google.genai.errors import APIError
from openai import OpenAIError

from .said import Call, Said, Spent
from .transport import Events

__all__ = ["CLIENTS", "REFUSALS", "Call", "Events", "Said", "Spent", "client"]

CLIENTS = ("openai-chat", "openai-responses", "anthropic", "gemini")

# what the clients raise for an answer that they do not take, or that tells of an error
REFUSALS = (OpenAIError, AnthropicError, APIError, LookupError, TypeError, ValueError,
            AttributeError, RuntimeError, AssertionError)  # fmt: skip


class Client(Protocol):
    """One official client. `strict`: what its types do not allow is an error."""

    def whole(self, body: Any, strict: bool = False) -> list[Said]:
        """What each candidate of a whole answer says."""
        ...

    def streamed(self, events: Events, strict: bool = False) -> list[Said]:
        """What each candidate of a stream says, summed as the SDK sums it."""
        ...


def client(wire: str) -> Client:
    """The client of a wire. Its functions raise whatever the SDK raises for an answer."""
    return cast("Client", import_module(f"{__name__}.{wire.replace('-', '_')}"))
