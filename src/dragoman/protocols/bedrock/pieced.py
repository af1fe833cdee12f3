"""What a stream makes of a whole content block, and of an error.

Reference: Amazon Bedrock API reference, "ContentBlockStart", "ContentBlockDelta",
"ConverseStreamOutput".
"""

from __future__ import annotations

from ...errors import ProviderError
from ...jsontext import Json, JsonObject, arguments
from .reader import FAULTS

__all__ = ["exception", "in_pieces"]

_BY_STATUS = {status: name for name, status in FAULTS.items()}


def in_pieces(said: JsonObject) -> tuple[JsonObject, list[JsonObject]]:
    """(how the block begins, the deltas that fill it) of an image, a server's call or result."""
    ((key, inner),) = said.items() if len(said) == 1 else (("", None),)
    grows = {"image": "source", "toolUse": "input", "toolResult": "content"}.get(key)
    if grows is None or not isinstance(inner, dict):
        return said, []  # nothing that a stream has: it stands in its beginning
    start = {key: {name: value for name, value in inner.items() if name != grows}}
    value = inner.get(grows)
    if not value:
        return start, []
    if key == "image":
        return start, [{key: {grows: value}}]
    if key == "toolUse":  # an input that broke off is text already
        return start, [{key: {grows: value if isinstance(value, str) else arguments(value)}}]
    return start, [{key: value}]


def exception(error: ProviderError) -> tuple[str, Json]:
    """The exception by its own name, or by the status that it has over HTTP."""
    known = error.type in FAULTS
    name = error.type if known else _BY_STATUS.get(error.status or 500, "internalServerException")
    body = error.body
    if known and isinstance(body, dict) and isinstance(body.get("message"), str):
        return name, body
    return name, {"message": error.message}
