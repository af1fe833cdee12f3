"""Bodies of requests and answers: whether they are what they should be."""

from __future__ import annotations

from typing import Any

from .._core.jsontext import JsonObject, loads
from ..errors import ProviderError, ReadError


def object_in(data: bytes) -> JsonObject:
    """The JSON object in a request's body. Raises ReadError."""
    value: Any = loads(data) if data else None
    if not isinstance(value, dict):
        kind = "empty" if not data else f"a {type(value).__name__}"
        raise ReadError(f"the body of a request is a JSON object; this one is {kind}", path="$",
                        code="request.shape")  # fmt: skip
    return value


def looks_like_object(body: bytes) -> bool:
    """Whether a body begins and ends as a JSON object does: a page of a proxy's does not."""
    text = body.strip()
    return text.startswith(b"{") and text.endswith(b"}")


def unreadable(error: ReadError) -> ProviderError:
    """The error of a provider whose answer cannot be read: none of the client's."""
    text = f"the provider's answer cannot be read: {error.message}"
    return ProviderError(text, status=502, type="api_error", code=error.code, hint=error.hint)
