"""RequestBuilder: messages and tools in, the JSON body of a request out.

A formatter decides the form of the body, or a serializer, which has one method for messages and one
for tools in the form of a chat API. Serializers have the interface of Agents-Flex: a ChatConfig
comes with every call and lists what the model supports. A client gets only the finished JSON.
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
from ..history.system_prompt import SystemPrompt
from ..losses import PolicyLike
from ..media_fetch.local_files import local_files
from ..message import ChatRequest, Msg, Options, ServerTool, Tool, Written, check_messages, to_tools
from ..message.tools import ToolLike
from ..protocols.openai_chat import Dialect
from ..text.json_text import JsonObject
from ..vendors import Vendor, wire

_NOTHING_SAID = ChatConfig()


@runtime_checkable
class MessageSerializer(Protocol):
    """What a request builder needs of a serializer."""

    @abstractmethod
    def serialize_messages(self, messages: list[Msg], config: ChatConfig) -> list[JsonObject]:
        """Write messages in the form of the API.

        Args:
            messages: The messages.
            config: What the model supports.

        Returns:
            The messages as JSON objects.
        """
        ...

    @abstractmethod
    def serialize_tools(
        self, tools: list[Tool] | None, config: ChatConfig
    ) -> list[JsonObject] | None:
        """Write tools in the form of the API.

        Args:
            tools: The tools.
            config: What the model supports.

        Returns:
            The tools as JSON objects; None or empty to send none.
        """
        ...


class ChatMessageSerializer(MessageSerializer, ABC):
    """A base class for serializers; it adds `serialize_tools_of`.

    An API that has other fields than messages and tools (a system prompt at the top, for example)
    gets them from `further_fields`.
    """

    def serialize_tools_of(
        self, user_message: Msg | None, config: ChatConfig
    ) -> list[JsonObject] | None:
        """Write the tools that are attached to a user message.

        Args:
            user_message: The message; None has no tools.
            config: What the model supports.

        Returns:
            The tools as JSON objects; None or empty to send none.
        """
        attached = attached_tools(user_message)
        tools = None if attached is None else functions(attached, self)
        return self.serialize_tools(tools, config)

    def further_fields(self, messages: list[Msg], config: ChatConfig) -> JsonObject:
        """Return other fields of the request's body; a subclass may override it.

        Args:
            messages: The messages of the request.
            config: What the model supports.

        Returns:
            The fields; none by default.
        """
        return {}


def attached_tools(message: Msg | None) -> list[Tool | ServerTool] | None:
    """Return the tools in `metadata["tools"]` of a message; None if there are none.

    >>> attached_tools(None)
    >>> attached_tools(Msg.user("What time is it?", metadata={"tools": [Tool("now")]}))[0].name
    'now'

    Args:
        message: The message, or None.

    Returns:
        The tools.
    """
    attached = message.metadata.get("tools") if message is not None else None
    return None if attached is None else to_tools(attached)


def functions(tools: Sequence[Tool | ServerTool], owner: object) -> list[Tool]:
    """Return the tools if all of them are functions.

    Raises:
        ConfigError: One is a tool that a provider runs itself.
    """
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
    """The serializer for Chat Completions and compatible APIs.

    Text beside tool calls is left out (a loss), so that no model mistakes reasoning for an answer.
    Only user messages have media.

    Args:
        model: The model, whose capabilities are looked up.
        fetch: Reads media with a URL if the model takes images in base64 only; the default reads
            local files and does not use the network.
        policy: What happens with losses.
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
        """Return the formatter that does the work, for a model that supports what `config` lists.

        Args:
            config: What the model supports.

        Returns:
            A formatter.
        """
        if config not in self._formatters:
            self._formatters[config] = WireFormatter(wire(_FLEX), can=config, **self._options)
        return self._formatters[config]

    def serialize_messages(
        self, messages: list[Msg], config: ChatConfig = _NOTHING_SAID
    ) -> list[JsonObject]:
        """Write the `messages` of a request.

        Args:
            messages: The messages.
            config: What the model supports.

        Returns:
            The messages as JSON objects.

        Raises:
            NotMessages: The list holds something that is not a Msg.
            WriteError: A message cannot be written.
            LossRefused: The policy refuses a loss.
        """
        return self.formatter(config).format_sync(messages)

    def serialize_tools(
        self, tools: Sequence[ToolLike] | None, config: ChatConfig = _NOTHING_SAID
    ) -> list[JsonObject] | None:
        """Write function tools.

        Args:
            tools: The tools.
            config: What the model supports.

        Returns:
            The tools as JSON objects; None if there are none, or if the model takes none (a loss).
        """
        return self.formatter(config).format_tools(tools) or None


class RequestBuilder:
    """Builds request bodies with a formatter or a serializer; OpenAI-compatible by default.

    >>> body = RequestBuilder(model="gpt-5.6").build([Msg.user("Hi")])
    >>> body
    {'model': 'gpt-5.6', 'messages': [{'role': 'user', 'content': 'Hi'}]}

    Args:
        serializer: A formatter or a serializer; None is one for Chat Completions.
        model: The model of requests that name none.
        config: What the model supports, for every request that has no `config` of its own.

    Raises:
        ConfigError: `serializer` is neither.
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
        """Build the body of a request.

        Args:
            messages: The messages, or a ChatRequest.
            tools: The tools; without them, those of the ChatRequest, or else those in
                `metadata["tools"]` of the last user message. Without any, the body has no `tools`.
            model: The model; None is the builder's.
            config: What the model supports; None is the builder's.
            stream: Whether the answer is streamed.
            options: How to generate.

        Returns:
            The JSON body.

        Raises:
            NotMessages: The list holds something that is not a Msg.
            InvalidMessage: A tool or an option is wrong.
            WriteError: The request cannot be written.
            LossRefused: The policy refuses a loss.
            ConfigError: The serializer does not support something in the request.
        """
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
        """Build a request with its losses and, if a formatter writes it, its path and headers.

        Args:
            messages: The messages, or a ChatRequest.
            tools: The tools, as for `build`.
            model: The model; None is the builder's.
            config: What the model supports; None is the builder's.
            stream: Whether the answer is streamed.
            options: How to generate.

        Returns:
            The request. Raises what `build` raises.
        """
        config = config or self.config or _NOTHING_SAID
        if not isinstance(messages, ChatRequest):
            messages = ChatRequest(check_messages(messages))
        asked = to_tools(tools) if tools is not None else messages.tools or None
        user = next((m for m in reversed(messages.messages) if m.role == "user"), None)
        request = replace(
            messages,
            tools=(attached_tools(user) or []) if asked is None else asked,
            model=model or messages.model or self.model,
            stream=stream or messages.stream,
            options=replace(messages.options, **dict(Options.of(options).list_values())),
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
        """Return messages, tools if any, and options; `user` is the message with attached tools."""
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
        for name, value in request.options.list_values():
            body[name] = list(value) if isinstance(value, tuple) else value
        if request.stream:
            body["stream"] = True
        return body

    def _schemas(
        self, request: ChatRequest, config: ChatConfig, user: Msg | None
    ) -> list[JsonObject] | None:
        serializer = self.serializer
        if isinstance(serializer, FormatterBase):
            # such a formatter writes messages only; AgentScope's clients take tools in this form
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
    """Return the formatter for a model that supports what `config` lists."""
    changes = config.changes()
    if not changes:
        return formatter
    able = copy(formatter)
    able.style = replace(formatter.style, changes={**formatter.style.changes, **changes})
    able.can = override(formatter.can, changes)
    return able


def _is_unchanged(serializer: OpenAIChatMessageSerializer) -> bool:
    """Return whether no subclass overrides how messages, tools or further fields are written."""
    cls, base = type(serializer), OpenAIChatMessageSerializer
    names = ("serialize_messages", "serialize_tools", "serialize_tools_of", "further_fields")
    return all(getattr(cls, name) is getattr(base, name) for name in names)
