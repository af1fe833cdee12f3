"""Tokens as Gemini counts them: its countTokens endpoint, through the official SDK.

The SDK's own method leaves system prompt and tools out on the Developer API; the endpoint takes
a whole request there (`generateContentRequest`), so that is what is sent. Vertex AI takes the
same parts side by side.
"""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from ..jsontext import JsonObject
from .chat import function_tools
from .loading import ClientCounter, count_error, library, require

# How users of the SDK spell what the wire spells in camel case.
_SPELLED = {
    "system_instruction": "systemInstruction",
    "tool_config": "toolConfig",
    "generation_config": "generationConfig",
    "cached_content": "cachedContent",
    "safety_settings": "safetySettings",
}

_FIELDS = ("systemInstruction", "toolConfig", "generationConfig", "cachedContent")
_VERTEX = ("contents", "tools", "systemInstruction", "generationConfig")


class GeminiTokenCounter(ClientCounter):
    """Counts by Google's API, one request for each count.

    `client` is a `google.genai.Client`, of the Developer API or of Vertex AI; without one it is
    made when first needed, with `api_key` (else the environment's) and further keywords.
    `CachedTokenCounter` asks less often.
    """

    counts_sync = True

    def __init__(
        self,
        model_name: str,
        api_key: str | None = None,
        *,
        client: Any = None,
        **client_kwargs: Any,
    ) -> None:
        require("GeminiTokenCounter", "google.genai", extra="gemini")
        options = {**({"api_key": api_key} if api_key else {}), **client_kwargs}
        super().__init__(model_name, options, client)
        self.client = client

    def _make(self, _is_async: bool) -> Any:
        return library("google.genai", extra="gemini").Client(**self._options)

    async def count(
        self, messages: list[JsonObject], tools: list[JsonObject] | None = None, **kwargs: Any
    ) -> int:
        """Tokens of the contents and tools; leading system messages count as the instruction.

        Keywords are fields of the request: `system_instruction`, `tool_config`,
        `generation_config`, `cached_content`. Raises ProviderError if the API refuses.
        """
        request = _request(messages, tools, kwargs)
        if request is None:
            return 0
        client = self.client or self._clients.here()
        try:
            counted = await client.aio.models.count_tokens(**self._call(client, request))
        except library("google.genai.errors").APIError as error:
            raise _refused(error) from error
        return int(counted.total_tokens or 0)

    def count_sync(
        self, messages: list[JsonObject], tools: list[JsonObject] | None = None, **kwargs: Any
    ) -> int:
        """The same through the client's plain half."""
        request = _request(messages, tools, kwargs)
        if request is None:
            return 0
        client = self.client or self._clients.plain()
        try:
            counted = client.models.count_tokens(**self._call(client, request))
        except library("google.genai.errors").APIError as error:
            raise _refused(error) from error
        return int(counted.total_tokens or 0)

    async def count_body(self, body: JsonObject) -> int:
        """Tokens of a whole request body, as `format_request` writes it."""
        return await self.count(body.get("contents", []), body.get("tools"), **_others(body))

    def count_body_sync(self, body: JsonObject) -> int:
        """The same through the client's plain half."""
        return self.count_sync(body.get("contents", []), body.get("tools"), **_others(body))

    def _call(self, client: Any, request: JsonObject) -> JsonObject:
        """The arguments of the SDK's method, which adds `extra_body` to what it sends as it is."""
        name = self.model_name
        if getattr(client, "vertexai", False):
            extra = {key: request[key] for key in _VERTEX if key in request}
        else:
            path = name if "/" in name else f"models/{name}"
            extra = {"generateContentRequest": {"model": path, **request}}
        return {"model": name, "contents": None, "config": {"http_options": {"extra_body": extra}}}


def _others(body: JsonObject) -> JsonObject:
    return {key: body[key] for key in (*_FIELDS, "safetySettings") if key in body}


def _request(
    messages: list[JsonObject], tools: list[JsonObject] | None, fields: JsonObject
) -> JsonObject | None:
    """The body of a generateContent request; None if there is nothing to count."""
    body = {_SPELLED.get(key, key): value for key, value in fields.items()}
    unknown = set(body) - {*_FIELDS, "safetySettings"}
    if unknown:
        raise ConfigError(
            f"the count endpoint takes no {', '.join(sorted(unknown))}",
            hint=f"it takes {', '.join(_FIELDS)}",
            code="token.field",
        )
    leading = 0
    while leading < len(messages) and messages[leading].get("role") == "system":
        leading += 1
    if leading and "systemInstruction" not in body:
        parts = [part for message in messages[:leading] for part in _parts(message)]
        body["systemInstruction"] = {"parts": parts}
    if isinstance(body.get("systemInstruction"), str):
        body["systemInstruction"] = {"parts": [{"text": body["systemInstruction"]}]}
    body["contents"] = messages[leading:]
    if tools:
        body["tools"] = _tools(tools)
    return body if body["contents"] or len(body) > 1 else None


def _parts(message: JsonObject) -> list[Any]:
    content = message.get("parts", message.get("content"))
    return content if isinstance(content, list) else [{"text": content}]


def _tools(tools: list[JsonObject]) -> list[JsonObject]:
    """Tools of Gemini's form as they are; function tools of OpenAI's form as declarations."""
    functions = [tool for tool in tools if isinstance(tool.get("function"), dict)]
    if not functions:
        return tools
    declared = []
    for view in function_tools(functions):
        function = view["function"]
        declaration = {"name": function.get("name", "")}
        if function.get("description"):
            declaration["description"] = function["description"]
        if function.get("parameters"):
            declaration["parametersJsonSchema"] = function["parameters"]
        declared.append(declaration)
    others = [tool for tool in tools if tool not in functions]
    return [{"functionDeclarations": declared}, *others]


def _refused(error: Any) -> Exception:
    return count_error(error, error.code, error.status, getattr(error, "details", None))
