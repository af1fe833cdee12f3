"""Requests that count tokens: which answer they are about, and how the count is written.

Reference: Anthropic API, "Count tokens in a Message"; Gemini API, "models.countTokens"; OpenAI API
reference, "Get input token counts" of Responses.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import ReadError
from ..text.json_text import JsonObject, arguments, loads
from ..transport.call import HttpCall
from .answers import Rendered

# protocol: (end of the path, in lower case; that of an answer's path; the name of the count)
_COUNTS = {
    "anthropic": ("/v1/messages/count_tokens", "/v1/messages", "input_tokens"),
    "gemini": (":counttokens", ":generateContent", "totalTokens"),
    "openai-responses": ("/responses/input_tokens", "/responses", "input_tokens"),
}


def counted_path(protocol: str, path: str) -> str:
    """Return the path of the answer whose tokens are counted; empty if the path counts none.

    >>> counted_path("anthropic", "/v1/messages/count_tokens")
    '/v1/messages'
    """
    ending, generating, _ = _COUNTS.get(protocol, ("", "", ""))
    if not ending or not path.lower().endswith(ending):
        return ""
    return path[: -len(ending)] + generating


def counted_call(protocol: str, call: HttpCall, path: str) -> HttpCall:
    """Return the call for the answer whose tokens are counted, at `path`.

    Raises:
        ReadError: The body is not a JSON object.
    """
    body: Any = loads(call.body)
    if not isinstance(body, dict):
        raise ReadError("a request for a count is a JSON object", path="$")
    asked = arguments(_read_request(protocol, body)).encode()
    return replace(call, url=f"http://127.0.0.1{path}", body=asked)


def _read_request(protocol: str, body: JsonObject) -> JsonObject:
    if protocol == "anthropic":
        if "max_tokens" in body or "stream" in body:
            raise ReadError("a request for a count has neither max_tokens nor stream", path="$")
        return {**body, "max_tokens": 1}
    whole = body.get("generateContentRequest")
    if protocol == "gemini" and isinstance(whole, dict):
        if "contents" in body or not str(whole.get("model", "")).startswith("models/"):
            text = "it has contents or generateContentRequest, and this names models/..."
            raise ReadError(text, path="$")
        return {name: value for name, value in whole.items() if name != "model"}
    return body


def write_count(protocol: str, tokens: int) -> Rendered:
    """Write an answer with the number of tokens."""
    body: JsonObject = {_COUNTS[protocol][2]: tokens}
    if protocol == "openai-responses":
        body["object"] = "response.input_tokens"
    headers = {"content-type": "application/json"}
    return Rendered(200, headers, [arguments(body).encode()])
