"""Tokens as Gemini counts them: its countTokens endpoint, through the official SDK.

The SDK's own method leaves system prompt and tools out on the Developer API; the endpoint takes
a whole request there (`generateContentRequest`), so that is what is sent. Vertex AI takes the
same parts side by side.
"""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from .base import TokenCounterBase
from .chat import function_tools
from .loading import Clients, library, refused, require

Json = dict[str, Any]


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


class GeminiTokenCounter(TokenCounterBase):
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
        if client is not None and (api_key or client_kwargs):
            raise ConfigError(
                "a client was given, and arguments to make one",
                hint="give the client its key and options when you make it",
                code="token.client",
            )
        self.model_name = model_name
        self.client = client
        self._options = {**({"api_key": api_key} if api_key else {}), **client_kwargs}
        self._clients = Clients(self._make)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the clients of its own making: a copy makes its own."""
        return {key: value for key, value in self.__dict__.items() if key != "_clients"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._clients = Clients(self._make)

    def _make(self, _is_async: bool) -> Any:
        return library("google.genai", extra="gemini").Client(**self._options)

    async def count(
        self, messages: list[Json], tools: list[Json] | None = None, **kwargs: Any
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
        self, messages: list[Json], tools: list[Json] | None = None, **kwargs: Any
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

    async def count_body(self, body: Json) -> int:
        """Tokens of a whole request body, as `format_request` writes it."""
        return await self.count(body.get("contents", []), body.get("tools"), **_others(body))

    def count_body_sync(self, body: Json) -> int:
        """The same through the client's plain half."""
        return self.count_sync(body.get("contents", []), body.get("tools"), **_others(body))

    def _call(self, client: Any, request: Json) -> Json:
        """The arguments of the SDK's method, which adds `extra_body` to what it sends as it is."""
        name = self.model_name
        if getattr(client, "vertexai", False):
            extra = {key: request[key] for key in _VERTEX if key in request}
        else:
            path = name if "/" in name else f"models/{name}"
            extra = {"generateContentRequest": {"model": path, **request}}
        return {"model": name, "contents": None, "config": {"http_options": {"extra_body": extra}}}


def _others(body: Json) -> Json:
    return {key: body[key] for key in (*_FIELDS, "safetySettings") if key in body}


def _request(messages: list[Json], tools: list[Json] | None, fields: Json) -> Json | None:
    """The body of a generateContent request; None if there is nothing to count."""
    made = {_SPELLED.get(key, key): value for key, value in fields.items()}
    unknown = set(made) - {*_FIELDS, "safetySettings"}
    if unknown:
        raise ConfigError(
            f"the count endpoint takes no {', '.join(sorted(unknown))}",
            hint=f"it takes {', '.join(_FIELDS)}",
            code="token.field",
        )
    leading = 0
    while leading < len(messages) and messages[leading].get("role") == "system":
        leading += 1
    if leading and "systemInstruction" not in made:
        parts = [part for message in messages[:leading] for part in _parts(message)]
        made["systemInstruction"] = {"parts": parts}
    if isinstance(made.get("systemInstruction"), str):
        made["systemInstruction"] = {"parts": [{"text": made["systemInstruction"]}]}
    made["contents"] = messages[leading:]
    if tools:
        made["tools"] = _tools(tools)
    return made if made["contents"] or len(made) > 1 else None


def _parts(message: Json) -> list[Any]:
    said = message.get("parts", message.get("content"))
    return said if isinstance(said, list) else [{"text": said}]


def _tools(tools: list[Json]) -> list[Json]:
    """Tools of Gemini's form as they are; function tools of OpenAI's form as declarations."""
    functions = [tool for tool in tools if isinstance(tool.get("function"), dict)]
    if not functions:
        return tools
    declared = []
    for view in function_tools(functions):
        function = view["function"]
        made = {"name": function.get("name", "")}
        if function.get("description"):
            made["description"] = function["description"]
        if function.get("parameters"):
            made["parametersJsonSchema"] = function["parameters"]
        declared.append(made)
    others = [tool for tool in tools if tool not in functions]
    return [{"functionDeclarations": declared}, *others]


def _refused(error: Any) -> Exception:
    return refused(error, error.code, error.status, getattr(error, "details", None))
