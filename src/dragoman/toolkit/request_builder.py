"""RequestBuilder: messages and tools in, the JSON body of a request out.

What the body looks like is a formatter's business, or that of a serializer, which says messages
and tools as a chat API takes them, each by a method of its own. The shape of those is
Agents-Flex's: a ChatConfig comes with every call and says what the model supports. A client gets
nothing but the finished JSON.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from ..capabilities import ChatConfig, Facts, override
from ..errors import ConfigError
from ..formatter.base import FormatterBase, TruncatedFormatterBase, drive
from ..formatter.wire_formatter import WireFormatter
from ..history.passes.fetching import Fetch
from ..history.prompt import SystemPrompt
from ..losses import PolicyLike
from ..media_fetch.local_files import local_files
from ..message import ChatRequest, Msg, Options, ServerTool, Tool, Written, messages_of, tools_of
from ..message.tools import ToolLike
from ..protocols.openai_chat import Dialect
from ..text.json_text import JsonObject
from ..vendors import Vendor, wire

_NOTHING_SAID = ChatConfig()


@runtime_checkable
class MessageSerializer(Protocol):
    """What a request builder needs of a serializer, whoever wrote it."""

    @abstractmethod
    def serialize_messages(self, messages: list[Msg], config: ChatConfig) -> list[JsonObject]:
        """The messages as the API takes them."""
        ...

    @abstractmethod
    def serialize_tools(
        self, tools: list[Tool] | None, config: ChatConfig
    ) -> list[JsonObject] | None:
        """The tools as the API takes them; None or empty where none are to be sent."""
        ...


class ChatMessageSerializer(MessageSerializer, ABC):
    """A base for serializers of one's own; `serialize_tools_of` comes with it.

    An API that says more outside of its messages and tools (a system prompt at the top, say)
    gets it from `further_fields`.
    """

    def serialize_tools_of(
        self, user_message: Msg | None, config: ChatConfig
    ) -> list[JsonObject] | None:
        """The tools that hang on a user message; without a message, or without tools, as None."""
        attached = attached_tools(user_message)
        tools = None if attached is None else functions(attached, self)
        return self.serialize_tools(tools, config)

    def further_fields(self, messages: list[Msg], config: ChatConfig) -> JsonObject:
        """More fields of the request's body; none, unless a subclass has some."""
        return {}


def attached_tools(message: Msg | None) -> list[Tool | ServerTool] | None:
    """The tools in `metadata["tools"]` of a message; None if there is nothing of the kind.

    >>> attached_tools(None)
    >>> attached_tools(Msg.user("What time is it?", metadata={"tools": [Tool("now")]}))[0].name
    'now'
    """
    attached = message.metadata.get("tools") if message is not None else None
    return None if attached is None else tools_of(attached)


def functions(tools: Sequence[Tool | ServerTool], owner: object) -> list[Tool]:
    """The tools, all of them functions. Raises ConfigError for one that a provider runs itself."""
    if any(type(tool) is ServerTool for tool in tools):
        hint = "put them into the body, or build with a formatter"
        raise ConfigError(f"{type(owner).__name__} says nothing of server tools", hint=hint)
    return [tool for tool in tools if type(tool) is Tool]


# Agents-Flex sends audio and video by URL too, to servers that copy Chat Completions; most of
# those know the older name of the maximum alone.
_FLEX = Vendor(
    "openai-compatible",
    wires={
        "openai-chat": Dialect(
            call_content="empty",
            thinking_fields=("reasoning_content",),
            max_tokens_key="max_tokens",
        )
    },
    facts={
        "openai-chat": Facts(
            always={
                "call_text": "drop",
                "video": ("user",),
                "sources": {"audio": ("url", "base64")},
            }
        )
    },
)


class OpenAIChatMessageSerializer(ChatMessageSerializer):
    """For Chat Completions and all who copy it: the right one unless the protocol is another.

    Text beside tool calls is left out (a loss), so that no model takes reasoning for an answer.
    Media stand in user messages alone. Where a model takes images in base64 only, `fetch` reads
    those that have a URL; the default reads local files and no network.
    """

    def __init__(
        self,
        *,
        model: str | None = None,
        fetch: Fetch | None = local_files,
        policy: PolicyLike = "log",
    ) -> None:
        self._options: dict[str, Any] = {"model": model, "fetch": fetch, "policy": policy}
        self._formatters: dict[ChatConfig, WireFormatter] = {}

    def formatter(self, config: ChatConfig = _NOTHING_SAID) -> WireFormatter:
        """The formatter behind the serializer, for a model that supports what `config` says."""
        if config not in self._formatters:
            self._formatters[config] = WireFormatter(wire(_FLEX), can=config, **self._options)
        return self._formatters[config]

    def serialize_messages(
        self, messages: list[Msg], config: ChatConfig = _NOTHING_SAID
    ) -> list[JsonObject]:
        """The `messages` of a request. Raises NotMessages, WriteError, LossRefused."""
        return self.formatter(config).format_sync(messages)

    def serialize_tools(
        self, tools: Sequence[ToolLike] | None, config: ChatConfig = _NOTHING_SAID
    ) -> list[JsonObject] | None:
        """Function tools; None if there are none or if the model takes none (a loss)."""
        return self.formatter(config).format_tools(tools) or None


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
            text = f"{type(serializer).__name__} is neither a formatter nor a serializer"
            hint = "a serializer has serialize_messages and serialize_tools"
            raise ConfigError(text, hint=hint)
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
        if not isinstance(messages, ChatRequest):
            messages = ChatRequest(messages_of(messages))
        asked = tools_of(tools) if tools is not None else messages.tools or None
        user = next((m for m in reversed(messages.messages) if m.role == "user"), None)
        request = replace(
            messages,
            tools=(attached_tools(user) or []) if asked is None else asked,
            model=model or messages.model or self.model,
            stream=stream or messages.stream,
            options=replace(messages.options, **dict(Options.of(options).given())),
        )
        serializer = self.serializer
        if isinstance(serializer, WireFormatter):
            return _able(serializer, config).format_request(request)
        if isinstance(serializer, OpenAIChatMessageSerializer) and _is_unchanged(serializer):
            return serializer.formatter(config).format_request(request)
        body = self._serialize_request(request, config, user if asked is None else None)
        return Written(body, model=request.model)

    def _serialize_request(
        self, request: ChatRequest, config: ChatConfig, user: Msg | None
    ) -> JsonObject:
        """Messages, tools if there are any, options. `user`: the message that brings the tools."""
        serializer = self.serializer
        for name in ("tool_choice", "response_format", "extras"):
            if getattr(request, name) is not None:
                hint = "put it into the body, or build with a formatter"
                raise ConfigError(f"{type(serializer).__name__} says nothing of {name}", hint=hint)
        msgs = _with_prompt(request)
        body: JsonObject = {"model": request.model} if request.model else {}
        if isinstance(serializer, FormatterBase):
            body["messages"] = _format_messages(serializer, msgs)
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
            tools = functions(request.tools, serializer)
            return OpenAIChatMessageSerializer().serialize_tools(tools, config)
        if user is not None and isinstance(serializer, ChatMessageSerializer):
            return serializer.serialize_tools_of(user, config)
        return serializer.serialize_tools(functions(request.tools, serializer) or None, config)


def _with_prompt(request: ChatRequest) -> list[Msg]:
    if request.system is None and request.memories is None:
        return request.messages
    text = SystemPrompt().build(request.system, (), request.memories)
    return [Msg.system(text.lstrip("\n")), *request.messages]


def _format_messages(formatter: FormatterBase, msgs: list[Msg]) -> list[JsonObject]:
    if isinstance(formatter, TruncatedFormatterBase):
        return formatter.format_sync(msgs)
    return drive(formatter.format(msgs), f"{type(formatter).__name__}.format")


def _able(formatter: WireFormatter, config: ChatConfig) -> WireFormatter:
    """The formatter for a model that supports what `config` says."""
    changes = config.changes()
    if not changes:
        return formatter
    able = copy(formatter)
    able.style = replace(formatter.style, changes={**formatter.style.changes, **changes})
    able.can = override(formatter.can, changes)
    return able


def _is_unchanged(serializer: OpenAIChatMessageSerializer) -> bool:
    """Whether no subclass says messages, tools or further fields its own way."""
    cls, base = type(serializer), OpenAIChatMessageSerializer
    names = ("serialize_messages", "serialize_tools", "serialize_tools_of", "further_fields")
    return all(getattr(cls, name) is getattr(base, name) for name in names)
