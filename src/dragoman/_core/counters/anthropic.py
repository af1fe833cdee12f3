"""Tokens as Anthropic counts them: its count_tokens endpoint, through the official SDK.

The endpoint takes what a request takes and answers with its input tokens, unbilled. What the SDK
gets is the request itself: the system prompt in its own place, the messages as they stand.
"""

from __future__ import annotations

from typing import Any

from ...errors import ConfigError
from ..jsontext import JsonObject
from .chat import function_tools
from .loading import ClientCounter, count_error, library, require

# What the endpoint takes of a request (SDK types message_count_tokens_params, plain and beta);
# it refuses the rest: max_tokens, temperature, stream, metadata, ...
_FIELDS = (
    *("messages", "system", "tools", "tool_choice", "thinking", "output_config"),
    *("cache_control", "speed"),
)

_BETA_FIELDS = ("context_management", "mcp_servers", "compaction", "betas")
_OPTIONS = ("extra_headers", "extra_query", "extra_body", "timeout")


class AnthropicTokenCounter(ClientCounter):
    """Counts by Anthropic's API, one request for each count.

    `client` is an async client of the SDK (of Bedrock or Vertex AI too), `sync_client` a plain one;
    without them they are made when first needed, with `api_key` (else the environment's) and
    further keywords. The figure is exact but for what Anthropic adds: its documentation calls it
    an estimate. `CachedTokenCounter` asks less often.
    """

    def __init__(
        self,
        model_name: str,
        api_key: str | None = None,
        *,
        client: Any = None,
        sync_client: Any = None,
        **client_kwargs: Any,
    ) -> None:
        require("AnthropicTokenCounter", "anthropic", extra="anthropic")
        super().__init__(model_name, {"api_key": api_key, **client_kwargs}, client, sync_client)
        self.client = client
        self.sync_client = sync_client

    def _make(self, is_async: bool) -> Any:
        anthropic = library("anthropic", extra="anthropic")
        return (anthropic.AsyncAnthropic if is_async else anthropic.Anthropic)(**self._options)

    @property
    def counts_sync(self) -> bool:
        """Whether `count_sync` works: not where only an async client was given."""
        return self.sync_client is not None or self.client is None

    async def count(
        self, messages: list[JsonObject], tools: list[JsonObject] | None = None, **kwargs: Any
    ) -> int:
        """Tokens of the messages and tools; leading system messages count as the system prompt.

        Keywords are fields of the request (`system`, `thinking`, `tool_choice`, `betas`, ...) or
        options of the SDK's method. Raises ProviderError if the API refuses.
        """
        body = _body(messages, tools, kwargs)
        if body is None:
            return 0
        endpoint = _endpoint(self.client or self._clients.here(), body)
        try:
            counted = await endpoint(model=self.model_name, **body)
        except library("anthropic").APIStatusError as error:
            raise _refused(error) from error
        return int(counted.input_tokens)

    def count_sync(
        self, messages: list[JsonObject], tools: list[JsonObject] | None = None, **kwargs: Any
    ) -> int:
        """The same through the plain client. Raises ConfigError where only an async one is."""
        if not self.counts_sync:
            return super().count_sync(messages, tools)
        body = _body(messages, tools, kwargs)
        if body is None:
            return 0
        endpoint = _endpoint(self.sync_client or self._clients.plain(), body)
        try:
            return int(endpoint(model=self.model_name, **body).input_tokens)
        except library("anthropic").APIStatusError as error:
            raise _refused(error) from error

    async def count_body(self, body: JsonObject) -> int:
        """Tokens of a whole request body, as `format_request` writes it; its own model counts."""
        messages, tools, fields = _parts(body)
        return await self.count(messages, tools, **fields)

    def count_body_sync(self, body: JsonObject) -> int:
        """The same through the plain client."""
        messages, tools, fields = _parts(body)
        return self.count_sync(messages, tools, **fields)


def _parts(body: JsonObject) -> tuple[list[JsonObject], list[JsonObject] | None, JsonObject]:
    """(messages, tools, the other fields that the endpoint takes) of a request."""
    fields = {key: body[key] for key in (*_FIELDS, *_BETA_FIELDS) if key in body}
    return fields.pop("messages", []), fields.pop("tools", None), fields


def _endpoint(client: Any, body: JsonObject) -> Any:
    beta = any(key in body for key in _BETA_FIELDS)
    return (client.beta.messages if beta else client.messages).count_tokens


def _body(
    messages: list[JsonObject], tools: list[JsonObject] | None, fields: JsonObject
) -> JsonObject | None:
    """The arguments of the SDK's method; None if there is nothing to count."""
    unknown = set(fields) - {*_FIELDS, *_BETA_FIELDS, *_OPTIONS}
    if unknown:
        raise ConfigError(
            f"the count endpoint takes no {', '.join(sorted(unknown))}",
            hint=f"it takes {', '.join((*_FIELDS, *_BETA_FIELDS))}",
            code="token.field",
        )
    system, others = _hoisted(messages)
    body = {"messages": others, **fields}
    if system is not None and "system" not in fields:
        body["system"] = system
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
    return body if others or len(body) > 1 else None


def _hoisted(messages: list[JsonObject]) -> tuple[Any, list[JsonObject]]:
    """(the system prompt, the other messages): a list begins with what a request puts aside."""
    count = next(
        (i for i, message in enumerate(messages) if message.get("role") != "system"), len(messages)
    )
    leading = [message.get("content") for message in messages[:count]]
    if len(leading) <= 1:
        return (leading[0] if leading else None), messages[count:]
    blocks: list[Any] = []
    for content in leading:
        blocks += content if isinstance(content, list) else [{"type": "text", "text": content}]
    return blocks, messages[count:]


def _tool(tool: JsonObject) -> JsonObject:
    """A tool of Anthropic's form as it is; a function tool of OpenAI's in Anthropic's form."""
    if not isinstance(tool.get("function"), dict):
        return tool
    function = function_tools([tool])[0]["function"]
    data = {"name": function["name"], "input_schema": function.get("parameters") or _NOTHING}
    if function.get("description"):
        data["description"] = function["description"]
    return data


_NOTHING = {"type": "object", "properties": {}}


def _refused(error: Any) -> Exception:
    return count_error(error, error.status_code, getattr(error, "type", None), error.body)
