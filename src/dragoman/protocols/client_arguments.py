"""The keyword arguments with which a provider's official client sends a body as it is.

Clients name fields of a body as parameters, and have another door for those that they do not
know: `extra_body` of OpenAI's and Anthropic's clients, `request_options` of Cohere's,
`http_options` of Google's. What is long known is named, all else goes through that door. No client
is imported.
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
    """`{named fields..., "extra_body": others, "extra_headers": headers}`.

    For the clients of OpenAI and Anthropic, of which both put `extra_body` over the named fields. A
    model that stands in the path is named too: the clients of hosts that do so put it there.
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
    """The body's fields as they are named. Raises ConfigError for one that the client lacks."""
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


# the keys of a node that hold bytes, in the nodes that have them; all below other keys is data
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
    """A message or part with base64 as bytes, for clients that encode them.

    Only where Bedrock's and Gemini's messages have bytes: what tools say and are given is left.
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
    """Base64 as the bytes that it stands for; anything else as it is."""
    if not isinstance(text, str):
        return text
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return text
