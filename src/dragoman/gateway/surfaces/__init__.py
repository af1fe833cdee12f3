"""The client protocols of the gateway: which one a request uses, and what the client wants."""

from __future__ import annotations

from urllib.parse import parse_qs

from ...caches import remember
from .anthropic import Messages
from .base import ClientAnswer, ClientRequest, ListedModel, Operation, Surface, to_client_error
from .gemini import GenerateContent, Interactions
from .ollama import OllamaChat
from .openai import Chat, Responses

# to add a client protocol, write a class and add it here
_CLASSES: tuple[type[Surface], ...] = (
    Chat,
    Responses,
    Messages,
    GenerateContent,
    Interactions,
    OllamaChat,
)


@remember("what each client protocol looks like", entries=1, size=2**16)
def surfaces() -> tuple[Surface, ...]:
    """One object of each class."""
    return tuple(kind() for kind in _CLASSES)


def match_request(request: ClientRequest) -> tuple[Surface, Operation | None]:
    """The protocol of a request and what the client wants; None for an unknown path.

    Several protocols list models at the same path, so that headers decide between them.

    Args:
        request: The client's request.
    """
    likeliest = _guess_surface(request)
    method = "GET" if request.method == "HEAD" else request.method
    for surface in (likeliest, *surfaces()):
        if (operation := surface.operation(method, request.path)) is not None:
            return surface, operation
    return likeliest, None


def _guess_surface(request: ClientRequest) -> Surface:
    """The protocol whose errors the client understands, by its path and its headers."""
    chat, responses, messages, gemini, interactions, ollama = surfaces()
    path, headers = request.path, request.headers
    if path.startswith("/api/"):
        return ollama
    if path.startswith("/v1/messages") or "anthropic-version" in headers:
        return messages
    if "/interactions" in path:
        return interactions
    goog = "x-goog-api-key" in headers or "x-goog-api-client" in headers
    if path.startswith("/v1beta") or goog or "key" in parse_qs(request.query):
        return gemini
    if path.removeprefix("/v1").startswith("/responses"):
        return responses
    return messages if "x-api-key" in headers else chat


__all__ = [
    "ClientAnswer",
    "ClientRequest",
    "ListedModel",
    "Operation",
    "Surface",
    "match_request",
    "surfaces",
    "to_client_error",
]
