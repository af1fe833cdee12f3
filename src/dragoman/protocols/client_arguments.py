"""The keyword arguments with which a provider's official client sends a given body.

Clients have parameters for the fields of a body that they know, and one more parameter for all
others: `extra_body` of OpenAI's and Anthropic's clients, `request_options` of Cohere's,
`http_options` of Google's. The tables of parameters list long-established ones; all other fields go
into that extra parameter. No client is imported.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from ..errors import ConfigError
from ..text.json_text import Json, JsonObject
from ..text.redaction import show

Arguments: TypeAlias = dict[str, Any]


def with_extra_body(
    body: JsonObject, headers: Mapping[str, str], model: str | None, named: Collection[str]
) -> Arguments:
    """Return the named fields, with all others in `extra_body` and the headers in `extra_headers`.

    The clients of OpenAI and Anthropic both merge `extra_body` over the named fields. A model from
    the path is passed by name, because the clients of such hosts move it into the path.

    Args:
        body: The request body.
        headers: The headers that the request needs.
        model: The model's name where the path has it; else None.
        named: The parameters that the client has.
    """
    arguments: Arguments = {} if "model" in body or model is None else {"model": model}
    arguments.update((name, value) for name, value in body.items() if name in named)
    if extra := {name: value for name, value in body.items() if name not in named}:
        arguments["extra_body"] = extra
    if headers:
        arguments["extra_headers"] = dict(headers)
    return arguments


def named_only(
    body: JsonObject, headers: Mapping[str, str], named: Collection[str], client: str
) -> Arguments:
    """Return the body's fields as keyword arguments.

    Args:
        body: The request body.
        headers: The headers that the request needs.
        named: The parameters that the client has.
        client: The client's name, for the error message.

    Raises:
        ConfigError: For a field that the client has no parameter for.
    """
    if unknown := [name for name in body if name not in named]:
        raise ConfigError(
            f"{client} has no argument for {', '.join(show(name) for name in unknown)}",
            hint="leave it out, or send path, headers and body with an HTTP client",
            code="sdk.field",
        )
    arguments = dict(body)
    if headers:
        arguments["http_headers"] = dict(headers)
    return arguments


# the keys of a node that hold bytes, for each node that has them; everything else is data
_HOLDERS = {
    "source": "bytes",
    "reasoningContent": "redactedContent",
    "inlineData": "data",
    "inline_data": "data",
}
_BYTES = ("thoughtSignature", "thought_signature")
_INNER = (
    "content",
    "parts",
    "image",
    "document",
    "video",
    "audio",
    "toolResult",
    "guardContent",
    "functionResponse",
    "function_response",
)


def with_bytes(node: Json) -> Any:
    """Return a message or part with its base64 decoded, for clients that encode bytes themselves.

    Only the places where Bedrock's and Gemini's messages have bytes are decoded; arguments and
    results of tools are not changed.
    """
    if isinstance(node, list):
        return [with_bytes(item) for item in node]
    if not isinstance(node, dict):
        return node
    result: dict[str, Any] = {}
    for key, value in node.items():
        if key in _HOLDERS and isinstance(value, dict) and _HOLDERS[key] in value:
            result[key] = {**value, _HOLDERS[key]: _decode_bytes(value[_HOLDERS[key]])}
        elif key in _BYTES:
            result[key] = _decode_bytes(value)
        else:
            result[key] = with_bytes(value) if key in _INNER else value
    return result


def _decode_bytes(text: Json) -> Any:
    """Decode base64; return any other value unchanged."""
    if not isinstance(text, str):
        return text
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return text
