"""Tokens as Gemini counts them: its countTokens endpoint, through the official SDK.

The SDK's own method leaves system prompt and tools out on the Developer API; the endpoint takes
a whole request there (`generateContentRequest`), so that is what is sent. Vertex AI takes the
same parts side by side.
"""

from __future__ import annotations

from typing import Any

from ..text.json_text import JsonObject
from .base import Messages, Tools
from .chat_messages import function_tools
from .loading import ClientCounter, leading_system, library, require

# How users of the SDK spell what the wire spells in camel case.
_SPELLED = {
    "system_instruction": "systemInstruction",
    "tool_config": "toolConfig",
    "generation_config": "generationConfig",
    "cached_content": "cachedContent",
    "safety_settings": "safetySettings",
}

_VERTEX = ("contents", "tools", "systemInstruction", "generationConfig")


class GeminiTokenCounter(ClientCounter):
    """Counts by Google's API, one request for each count.

    `CachedTokenCounter` sends fewer requests. Keywords of `count` are fields of the request:
    `system_instruction`, `tool_config`, `generation_config`, `cached_content`.

    Args:
        model_name: The model, as the API names it.
        api_key: The key for a client that the counter creates; None takes the environment's.
        client: A `google.genai.Client`, of the Developer API or of Vertex AI; created when first
            needed if there is none.
        **client_kwargs: Further options of the client that the counter creates.
    """

    fields = ("systemInstruction", "toolConfig", "generationConfig", "cachedContent")
    others = ("safetySettings",)

    messages_field = "contents"
    figure = "total_tokens"
    error = ("google.genai.errors", "APIError")
    error_fields = ("code", "status", "details")

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
        super().__init__(model_name, options, client, client)

    def _fields(self, body: JsonObject) -> JsonObject:
        safety = {key: body[key] for key in self.others if key in body}
        return {**super()._fields(body), **safety}

    def _make(self, _is_async: bool) -> Any:
        return library("google.genai", extra="gemini").Client(**self._options)

    def _request(self, messages: Messages, tools: Tools, fields: JsonObject) -> JsonObject | None:
        body = {_SPELLED.get(key, key): value for key, value in fields.items()}
        self._check_fields(body)
        count = leading_system(messages)
        if count and "systemInstruction" not in body:
            parts = [part for message in messages[:count] for part in _parts(message)]
            body["systemInstruction"] = {"parts": parts}
        if isinstance(body.get("systemInstruction"), str):
            body["systemInstruction"] = {"parts": [{"text": body["systemInstruction"]}]}
        body["contents"] = messages[count:]
        if tools:
            body["tools"] = _tools(tools)
        return body if body["contents"] or len(body) > 1 else None

    def _ask(self, client: Any, request: JsonObject, is_async: bool) -> Any:
        """The SDK adds `extra_body` as it is to what it sends."""
        name = self.model_name
        if getattr(client, "vertexai", False):
            extra = {key: request[key] for key in _VERTEX if key in request}
        else:
            path = name if "/" in name else f"models/{name}"
            extra = {"generateContentRequest": {"model": path, **request}}
        models = client.aio.models if is_async else client.models
        config = {"http_options": {"extra_body": extra}}
        return models.count_tokens(model=name, contents=None, config=config)


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
