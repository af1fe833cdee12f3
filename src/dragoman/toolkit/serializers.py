"""Serializers: messages and tools as a chat API takes them, each by a method of its own.

The shape is Agents-Flex's: a ChatConfig comes with every call and says what the model supports.
Knows no request and no HTTP.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from .._core.edges.fetch import local_files
from .._core.format.wired import WireFormatter
from .._core.jsontext import JsonObject
from .._core.passes.fetching import Fetch
from ..capabilities import ChatConfig, Facts
from ..errors import ConfigError
from ..losses import PolicyLike
from ..message import Msg, ServerTool, Tool, tools_of
from ..message.tools import ToolLike
from ..protocols.openai_chat import Dialect
from ..vendors import Vendor, wire


@runtime_checkable
class MessageSerializer(Protocol):
    """What a request builder needs of a serializer, whoever wrote it."""

    def serialize_messages(self, messages: list[Msg], config: ChatConfig) -> list[JsonObject]:
        """The messages as the API takes them."""
        ...

    def serialize_tools(
        self, tools: list[Tool] | None, config: ChatConfig
    ) -> list[JsonObject] | None:
        """The tools as the API takes them; None or empty where none are to be sent."""
        ...


class ChatMessageSerializer(ABC):
    """A base for serializers of one's own; `serialize_tools_of` comes with it.

    An API that says more outside of its messages and tools (a system prompt at the top, say)
    gets it from `further_fields`.
    """

    @abstractmethod
    def serialize_messages(self, messages: list[Msg], config: ChatConfig) -> list[JsonObject]:
        """The messages as the API takes them."""

    @abstractmethod
    def serialize_tools(
        self, tools: list[Tool] | None, config: ChatConfig
    ) -> list[JsonObject] | None:
        """The tools as the API takes them; None or empty where none are to be sent."""

    def serialize_tools_of(
        self, user_message: Msg | None, config: ChatConfig
    ) -> list[JsonObject] | None:
        """The tools that hang on a user message; without a message, or without tools, as None."""
        attached = attached_tools(user_message)
        messages = None if attached is None else functions(attached, self)
        return self.serialize_tools(messages, config)

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
        raise ConfigError(
            f"{type(owner).__name__} says nothing of server tools",
            hint="put them into the body, or build with a formatter",
        )
    return [tool for tool in tools if type(tool) is Tool]


_PLAIN = ChatConfig()


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

    def formatter(self, config: ChatConfig = _PLAIN) -> WireFormatter:
        """The formatter behind the serializer, for a model that supports what `config` says."""
        formatter_ = self._formatters.get(config)
        if formatter_ is None:
            formatter_ = WireFormatter(wire(_FLEX), can=config, **self._options)
            self._formatters[config] = formatter_
        return formatter_

    def serialize_messages(
        self, messages: list[Msg], config: ChatConfig = _PLAIN
    ) -> list[JsonObject]:
        """The `messages` of a request. Raises NotMessages, WriteError, LossRefused."""
        return self.formatter(config).format_sync(messages)

    def serialize_tools(
        self, tools: Sequence[ToolLike] | None, config: ChatConfig = _PLAIN
    ) -> list[JsonObject] | None:
        """Function tools; None if there are none or if the model takes none (a loss)."""
        return self.formatter(config).format_tools(tools) or None
