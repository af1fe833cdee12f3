"""Tokens as Anthropic counts them: its count_tokens endpoint, through the official SDK.

The endpoint takes what a request takes and answers with its input tokens, unbilled. What the SDK
gets is the request itself: the system prompt in its own place, the messages unchanged.
"""

from __future__ import annotations

from typing import Any

from ..text.json_text import JsonObject
from .base import Messages, Tools
from .chat_messages import function_tools
from .loading import ClientCounter, leading_system, library, require

# Fields that the beta endpoint alone takes.
_BETA_FIELDS = ("context_management", "mcp_servers", "compaction", "betas")


class AnthropicTokenCounter(ClientCounter):
    """Counts by Anthropic's API, one request for each count.

    The figure is exact but for what Anthropic adds: its documentation calls it an estimate.
    `CachedTokenCounter` sends fewer requests.

    Keywords of `count` are fields of the request (`system`, `thinking`, `tool_choice`, `betas`,
    ...) or options of the SDK's method. The model of a whole body does not count.

    Args:
        model_name: The model, as the API names it.
        api_key: The key for clients that the counter creates; None takes the environment's.
        client: An async client of the SDK (of Bedrock or Vertex AI too); created when first needed
            if there is none.
        sync_client: A synchronous client of the SDK; likewise.
        **client_kwargs: Further options of the clients that the counter creates.
    """

    # What the endpoint takes of a request (SDK types message_count_tokens_params, plain and beta);
    # it refuses the rest: max_tokens, temperature, stream, metadata, ...
    fields = (
        *("messages", "system", "tools", "tool_choice", "thinking", "output_config"),
        *("cache_control", "speed", *_BETA_FIELDS),
    )
    others = ("extra_headers", "extra_query", "extra_body", "timeout")

    messages_field = "messages"
    figure = "input_tokens"
    error = ("anthropic", "APIStatusError")
    error_fields = ("status_code", "type", "body")

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

    def _make(self, is_async: bool) -> Any:
        anthropic = library("anthropic", extra="anthropic")
        return (anthropic.AsyncAnthropic if is_async else anthropic.Anthropic)(**self._options)

    def _request(self, messages: Messages, tools: Tools, fields: JsonObject) -> JsonObject | None:
        self._check_fields(fields)
        count = leading_system(messages)
        body = {"messages": messages[count:], **fields}
        if count and "system" not in fields:
            system = _system([message.get("content") for message in messages[:count]])
            if system is not None:
                body["system"] = system
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        return body if body["messages"] or len(body) > 1 else None

    def _ask(self, client: Any, request: JsonObject, is_async: bool) -> Any:
        beta = any(key in request for key in _BETA_FIELDS)
        endpoint = client.beta.messages if beta else client.messages
        return endpoint.count_tokens(model=self.model_name, **request)


def _system(contents: list[Any]) -> Any:
    """The system prompt of one message, or of several."""
    if len(contents) == 1:
        return contents[0]
    blocks: list[Any] = []
    for content in contents:
        blocks += content if isinstance(content, list) else [{"type": "text", "text": content}]
    return blocks


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
