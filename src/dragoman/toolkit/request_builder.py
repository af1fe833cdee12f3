"""RequestBuilder: messages and tools in, the JSON body of a request out.

What the body looks like is a formatter's business, or that of a serializer of one's own; a client
gets nothing but the finished JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from .._core.format.base import FormatterBase, TruncatedFormatterBase, drive
from .._core.format.wired import WireFormatter
from .._core.jsontext import JsonObject
from ..capabilities import ChatConfig, override
from ..errors import ConfigError
from ..message import ChatRequest, Msg, Options, Written, messages_of, tools_of
from ..message.tools import ToolLike
from ..rewrite.prompt import SystemPrompt
from .serializers import (
    ChatMessageSerializer,
    MessageSerializer,
    OpenAIChatMessageSerializer,
    attached_tools,
    functions,
)

_NOTHING_SAID = ChatConfig()


class RequestBuilder:
    """Builds request bodies with a formatter or a serializer; OpenAI-compatible by default.

    >>> body = RequestBuilder(model="gpt-5.6").build([Msg.user("Hi")])
    >>> body
    {'model': 'gpt-5.6', 'messages': [{'role': 'user', 'content': 'Hi'}]}

    `config` says what the model supports, for every request or for one. Tools are those given,
    else those of the ChatRequest, else those in `metadata["tools"]` of the last user message;
    without any, the body has no `tools`.
    """

    def __init__(
        self,
        serializer: FormatterBase | MessageSerializer | None = None,
        *,
        model: str | None = None,
        config: ChatConfig | None = None,
    ) -> None:
        if serializer is None:
            serializer = OpenAIChatMessageSerializer()
        elif not isinstance(serializer, (FormatterBase, MessageSerializer)):
            raise ConfigError(
                f"{type(serializer).__name__} is neither a formatter nor a serializer",
                hint="a serializer has serialize_messages and serialize_tools",
            )
        self.serializer = serializer
        self.model = model
        self.config = config

    def build(
        self,
        messages: ChatRequest | Sequence[Msg],
        *,
        tools: Sequence[ToolLike] | None = None,
        model: str | None = None,
        config: ChatConfig | None = None,
        stream: bool = False,
        options: Options | Mapping[str, Any] | None = None,
    ) -> JsonObject:
        """The body. Raises NotMessages, InvalidMessage, WriteError, LossRefused, ConfigError."""
        return self.write(
            messages, tools=tools, model=model, config=config, stream=stream, options=options
        ).body

    def write(
        self,
        messages: ChatRequest | Sequence[Msg],
        *,
        tools: Sequence[ToolLike] | None = None,
        model: str | None = None,
        config: ChatConfig | None = None,
        stream: bool = False,
        options: Options | Mapping[str, Any] | None = None,
    ) -> Written:
        """The same with its losses and, where a formatter writes it, its path and headers."""
        config = config or self.config or _NOTHING_SAID
        request = _request(messages)
        asked = tools_of(tools) if tools is not None else request.tools or None
        user = _last_user(request.messages)
        request = replace(
            request,
            tools=(attached_tools(user) or []) if asked is None else asked,
            model=model or request.model or self.model,
            stream=stream or request.stream,
            options=_merged(request.options, options),
        )
        formatter = self._formatter(config)
        if formatter is not None:
            return formatter.format_request(request)
        body = self._serialized(request, config, user if asked is None else None)
        return Written(body, model=request.model)

    def _formatter(self, config: ChatConfig) -> WireFormatter | None:
        serializer = self.serializer
        if isinstance(serializer, WireFormatter):
            return _able(serializer, config)
        if isinstance(serializer, OpenAIChatMessageSerializer) and _untouched(serializer):
            return serializer.formatter(config)
        return None

    def _serialized(self, request: ChatRequest, config: ChatConfig, user: Msg | None) -> JsonObject:
        """Messages, tools if there are any, options. `user`: the message that brings the tools."""
        serializer = self.serializer
        _see_that_all_is_said(request, serializer)
        msgs = _with_prompt(request)
        body: JsonObject = {"model": request.model} if request.model else {}
        if isinstance(serializer, FormatterBase):
            body["messages"] = _spoken(serializer, msgs)
        else:
            body["messages"] = serializer.serialize_messages(msgs, config)
        if schemas := self._schemas(request, config, user):
            body["tools"] = schemas
        if isinstance(serializer, ChatMessageSerializer):
            body.update(serializer.further_fields(msgs, config))
        for name, value in request.options.given():
            body[name] = list(value) if isinstance(value, tuple) else value
        if request.stream:
            body["stream"] = True
        return body

    def _schemas(
        self, request: ChatRequest, config: ChatConfig, user: Msg | None
    ) -> list[JsonObject] | None:
        serializer = self.serializer
        if isinstance(serializer, FormatterBase):
            # such a formatter knows messages alone; AgentScope's clients take tools in this form
            messages = functions(request.tools, serializer)
            return OpenAIChatMessageSerializer().serialize_tools(messages, config)
        if user is not None and isinstance(serializer, ChatMessageSerializer):
            return serializer.serialize_tools_of(user, config)
        return serializer.serialize_tools(functions(request.tools, serializer) or None, config)


def _see_that_all_is_said(request: ChatRequest, serializer: object) -> None:
    for name in ("tool_choice", "response_format", "extras"):
        if getattr(request, name) is not None:
            raise ConfigError(
                f"{type(serializer).__name__} says nothing of {name}",
                hint="put it into the body, or build with a formatter",
            )


def _request(messages: ChatRequest | Sequence[Msg]) -> ChatRequest:
    return messages if isinstance(messages, ChatRequest) else ChatRequest(messages_of(messages))


def _last_user(msgs: list[Msg]) -> Msg | None:
    return next((m for m in reversed(msgs) if m.role == "user"), None)


def _merged(known: Options, more: Options | Mapping[str, Any] | None) -> Options:
    return replace(known, **dict(Options.of(more).given()))


def _with_prompt(request: ChatRequest) -> list[Msg]:
    if request.system is None and request.memories is None:
        return request.messages
    text = SystemPrompt().build(request.system, (), request.memories)
    return [Msg.system(text.lstrip("\n")), *request.messages]


def _spoken(formatter: FormatterBase, msgs: list[Msg]) -> list[JsonObject]:
    if isinstance(formatter, TruncatedFormatterBase):
        return formatter.format_sync(msgs)
    return drive(formatter.format(msgs), f"{type(formatter).__name__}.format")


def _able(formatter: WireFormatter, config: ChatConfig) -> WireFormatter:
    """The formatter for a model that supports what `config` says."""
    changes = config.changes()
    if not changes:
        return formatter
    request = copy(formatter)
    request.style = replace(formatter.style, changes={**formatter.style.changes, **changes})
    request.can = override(formatter.can, changes)
    return request


def _untouched(serializer: OpenAIChatMessageSerializer) -> bool:
    """Whether no subclass says messages, tools or further fields its own way."""
    cls, base = type(serializer), OpenAIChatMessageSerializer
    names = ("serialize_messages", "serialize_tools", "serialize_tools_of", "further_fields")
    return all(getattr(cls, name) is getattr(base, name) for name in names)
